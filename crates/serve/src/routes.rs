//! The paths of HTTP.

use crate::answers;
use crate::digests::{RequestError, parse_digests};
use crate::limits::{NoMemory, Share};
use crate::metrics::{Protocol, Refusal};
use crate::pieces::Pieces;
use crate::state::{LOOK_UPS_AT_ONCE, SetError, State};
use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{MatchedPath, Path, Request, State as Shared};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode, Version};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use http_body_util::BodyExt;
use pfh_digest::{Algorithm, Digest};
use pfh_known::Classifier;
use serde_json::{Value, json};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::time::{self, timeout_at};

/// The description of the interface, as `GET /openapi.json` returns it.
pub const OPENAPI: &str = include_str!("openapi.json");

/// The address of the client, as the connection tells it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client(pub(crate) IpAddr);

type App = Arc<State>;

/// A method, a path, and what answers it.
type Route = (&'static str, &'static str, fn() -> MethodRouter<App>);

static ROUTES: [Route; 12] = [
    ("get", "/info", || get(info)),
    ("get", "/lookup/md5/{digest}", || get(|state, path| lookup(state, path, "md5"))),
    ("get", "/lookup/sha1/{digest}", || get(|state, path| lookup(state, path, "sha1"))),
    ("get", "/lookup/sha256/{digest}", || get(|state, path| lookup(state, path, "sha256"))),
    ("post", "/bulk/md5", || post(|state, request| bulk(state, request, "md5"))),
    ("post", "/bulk/sha1", || post(|state, request| bulk(state, request, "sha1"))),
    ("post", "/bulk/sha256", || post(|state, request| bulk(state, request, "sha256"))),
    ("post", "/v1/lookup", || post(batch)),
    ("get", "/v1/sets", || get(sets)),
    ("get", "/openapi.json", || get(|| async { json_text(StatusCode::OK, OPENAPI) })),
    ("get", "/metrics", || get(metrics)),
    ("get", "/health", || get(health)),
];

/// Returns the methods and paths that a server answers.
pub fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROUTES.iter().map(|&(method, path, _)| (method, path))
}

pub(crate) fn router(state: App) -> Router {
    let routes = ROUTES.iter().fold(Router::new(), |routes, (_, path, handler)| routes.route(path, handler()));
    let no_path = || async { message(StatusCode::NOT_FOUND, "there is no such path; /openapi.json lists all") };
    let no_method =
        || async { message(StatusCode::METHOD_NOT_ALLOWED, "the path has another method; see /openapi.json") };
    routes
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(Arc::clone(&state), admitted))
        .with_state(state)
}

/// Answers a request if its client may ask now, and here, and counts it.
async fn admitted(Shared(state): Shared<App>, request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let route = path.and_then(|path| routes().map(|(_, route)| route).find(|route| *route == path));
    let client = request.extensions().get::<Client>().copied();
    let refused = match client.map(|client| state.rates.take(client.0, Instant::now())) {
        Some(Err(_)) => {
            state.metrics.refused(Refusal::Rate);
            Some(later(message(StatusCode::TOO_MANY_REQUESTS, "too many requests in a second")))
        }
        _ => refused_by_host(&state, &request),
    };
    let response = match refused {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    state.metrics.http_request(route.unwrap_or("other"), response.status().as_u16());
    response
}

/// Refuses a request that does not name one host (RFC 9112, 3.2), or a host for which the server does not answer.
fn refused_by_host(state: &State, request: &Request) -> Option<Response> {
    let stated: Vec<&HeaderValue> = request.headers().get_all(HOST).iter().collect();
    let host = match stated[..] {
        [host] => host.to_str().ok(),
        [] if request.version() < Version::HTTP_11 => return None,
        _ => None,
    };
    let Some(host) = host else {
        state.metrics.refused(Refusal::Malformed);
        return Some(message(StatusCode::BAD_REQUEST, "the request does not name one host"));
    };
    // That of a whole URL counts, where it is one that is asked for.
    let host = request.uri().authority().map_or(host, |authority| authority.as_str());
    if state.hosts.answer_for(host) {
        return None;
    }
    state.metrics.refused(Refusal::Host);
    Some(message(StatusCode::MISDIRECTED_REQUEST, "the server does not answer for this host (see its option --host)"))
}

/// Adds that the client may ask again in a second.
fn later(mut response: Response) -> Response {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

fn json_text(status: StatusCode, text: impl Into<Body>) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], text.into()).into_response()
}

fn json_value(status: StatusCode, value: &Value) -> Response {
    json_text(status, value.to_string())
}

fn message(status: StatusCode, text: &str) -> Response {
    json_value(status, &json!({ "message": text }))
}

/// The reason why a request has no answer.
enum Refused {
    /// There is no memory for it now.
    Memory,
    Size(&'static str),
    Timeout,
    /// The client has broken off.
    Body,
    Request(RequestError),
    Set(SetError),
}

impl From<NoMemory> for Refused {
    fn from(_: NoMemory) -> Refused {
        Refused::Memory
    }
}

impl From<SetError> for Refused {
    fn from(error: SetError) -> Refused {
        Refused::Set(error)
    }
}

impl Refused {
    /// Counts the refusal and returns its answer.
    fn answer(self, state: &State) -> Response {
        let refused = |refusal| state.metrics.refused(refusal);
        match self {
            Refused::Memory => {
                refused(Refusal::Memory);
                later(message(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "too much is asked for at a time; ask for less, or later",
                ))
            }
            Refused::Size(text) => {
                refused(Refusal::Size);
                message(StatusCode::PAYLOAD_TOO_LARGE, text)
            }
            Refused::Timeout => {
                refused(Refusal::Timeout);
                message(StatusCode::REQUEST_TIMEOUT, "the body of the request did not come in time")
            }
            Refused::Body => {
                refused(Refusal::Malformed);
                message(StatusCode::BAD_REQUEST, "the body of the request cannot be read")
            }
            Refused::Request(error) => {
                let status = match &error {
                    RequestError::TooMany(_) => {
                        refused(Refusal::Size);
                        StatusCode::PAYLOAD_TOO_LARGE
                    }
                    // So hashlookup answers.
                    RequestError::NoKey(key) if key == HASHES => StatusCode::NOT_FOUND,
                    RequestError::NoKey(_) | RequestError::NotJson(_) => {
                        refused(Refusal::Malformed);
                        StatusCode::BAD_REQUEST
                    }
                };
                message(status, &error.to_string())
            }
            Refused::Set(SetError(text)) => message(StatusCode::SERVICE_UNAVAILABLE, &text),
        }
    }
}

async fn info(Shared(state): Shared<App>) -> Response {
    let mut releases: Vec<&str> = Vec::new();
    let mut keys = 0;
    for one in state.classifier.sets() {
        keys += one.set.entries();
        for origin in &one.set.about().sources {
            if !origin.release.is_empty() && !releases.contains(&&*origin.release) {
                releases.push(&origin.release);
            }
        }
    }
    let info = json!({
        "hashlookup-version": "1.2",
        "nsrl-version": releases.join(", "),
        "server": state.program,
        "stat:hashlookup_total_keys": keys,
    });
    json_value(StatusCode::OK, &info)
}

fn algorithm(name: &str) -> Option<(Algorithm, &'static str)> {
    let algorithm = Algorithm::from_name(name).ok()?;
    Some((algorithm, answers::hashlookup_name(algorithm)?))
}

/// Returns the names of the algorithms that the interface of hashlookup has paths for, and no set digests by: whatever
/// is asked for there is not known.
pub fn never_known(classifier: &Classifier) -> Vec<&'static str> {
    let all = routes().filter_map(|(_, path)| algorithm(path.strip_prefix("/bulk/")?));
    all.filter(|(algorithm, _)| !answers::has_digests(classifier, *algorithm)).map(|(_, name)| name).collect()
}

async fn lookup(Shared(state): Shared<App>, path: Result<Path<String>, PathRejection>, name: &'static str) -> Response {
    // A path that is no text has no digest.
    let query = path.map_or_else(|_| String::new(), |Path(query)| query);
    let Some((algorithm, name)) = algorithm(name) else { return StatusCode::NOT_FOUND.into_response() };
    let Some(digest) = Digest::from_hex(algorithm, query.as_bytes()) else {
        let text = format!("{name} value incorrect, expecting a {name} value in hex format");
        return message(StatusCode::BAD_REQUEST, &text);
    };
    match state.ask(1, move |state| answers::hashlookup(&state.classifier, &digest)).await {
        Ok(found) => {
            state.metrics.looked_up(Protocol::Http, 1, usize::from(found.is_some()));
            match found {
                Some(object) => json_value(StatusCode::OK, &object),
                None => {
                    let text = match answers::has_digests(&state.classifier, algorithm) {
                        true => format!("Non existing {name}"),
                        false => format!("no set has digests by {name}"),
                    };
                    json_value(StatusCode::NOT_FOUND, &json!({ "message": text, "query": query }))
                }
            }
        }
        Err(error) => Refused::Set(error).answer(&state),
    }
}

/// The key of the digests in a request of hashlookup.
const HASHES: &str = "hashes";

/// Memory that a digest of a request takes while it is answered, in bytes, besides its text.
const VALUE_BYTES: usize = 128;

/// Memory that the answer of a digest takes if nothing in it is long, in bytes.
const ANSWER_BYTES: usize = 192;

/// Memory for each byte of a body: the byte itself, and as much for the digests in it, or for a vector that grows.
const BYTES_PER_BYTE: usize = 2;

/// Memory that a body has before any of it has come, in bytes, unless it is shorter: whoever announces a long one and
/// sends nothing holds no more.
const FIRST_BYTES: usize = 16 << 10;

/// Reads the body of a request, within the limits. It waits for its first memory and, if more comes than that is for,
/// for that of the whole. A body that does not state its length gets more only if there is some now.
async fn body_of(state: &State, request: Request) -> Result<(Vec<u8>, Share), Refused> {
    const TOO_LONG: Refused = Refused::Size("the request is too long; ask for fewer digests at once");
    let (limit, patience) = (state.limits.body_bytes, state.limits.timeout);
    let stated = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let stated = usize::try_from(stated.unwrap_or(0)).unwrap_or(usize::MAX);
    if stated > limit {
        return Err(TOO_LONG);
    }
    let first_bytes = (BYTES_PER_BYTE * stated).min(FIRST_BYTES);
    let mut share = state.requests.wait(first_bytes, patience).await?;
    let mut body = request.into_body();
    let mut bytes: Vec<u8> = Vec::with_capacity(first_bytes / BYTES_PER_BYTE);
    let mut deadline = time::Instant::now() + patience;
    while let Some(frame) = timeout_at(deadline, body.frame()).await.map_err(|_| Refused::Timeout)? {
        let Ok(data) = frame.map_err(|_| Refused::Body)?.into_data() else { continue };
        if data.len() > limit - bytes.len() {
            return Err(TOO_LONG);
        }
        let needed_bytes = BYTES_PER_BYTE * (bytes.len() + data.len());
        if stated > 0 && needed_bytes > share.bytes() {
            // Given back first: bodies that hold memory and wait for each other's would do so for ever.
            drop(share);
            share = state.requests.wait(needed_bytes.max(BYTES_PER_BYTE * stated), patience).await?;
            // Meanwhile the client could not send.
            deadline = time::Instant::now() + patience;
        }
        share.grow(needed_bytes.saturating_sub(share.bytes()))?;
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, share))
}

/// Answers a request of many digests: `begin`, an array of the answers, and `end`. `answer` makes an answer, if there
/// is to be one, and tells whether the digest is known.
async fn many(
    state: App,
    request: Request,
    key: &str,
    (begin, end): (&str, &str),
    answer: impl Fn(&State, Option<&str>) -> io::Result<(Option<Value>, bool)> + Copy + Send + 'static,
) -> Result<Response, Refused> {
    let (body, _share) = body_of(&state, request).await?;
    let digests = parse_digests(&body, key, state.limits.digests).map_err(Refused::Request)?;
    let (beside_bytes, expected_bytes) = (VALUE_BYTES * digests.len(), ANSWER_BYTES * digests.len());
    let mut share = state.answers.wait(beside_bytes + expected_bytes, state.limits.timeout).await?;
    let _beside = share.split(beside_bytes);
    let mut text = Pieces::new(share, expected_bytes);
    text.push_text(begin)?;
    for some in digests.chunks(LOOK_UPS_AT_ONCE) {
        let asked: Vec<Option<String>> = some.iter().map(|digest| digest.as_deref().map(str::to_owned)).collect();
        let ask = move |state: &State| {
            let (mut hits, mut written) = (0, Ok(()));
            for digits in &asked {
                let (value, is_known) = answer(state, digits.as_deref())?;
                hits += usize::from(is_known);
                written = value.map_or(Ok(()), |value| text.push(&value));
                if written.is_err() {
                    break;
                }
            }
            state.metrics.looked_up(Protocol::Http, asked.len(), hits);
            Ok(written.map(|()| text))
        };
        text = state.ask(some.len().max(2), ask).await??;
    }
    text.push_text(end)?;
    Ok(json_text(StatusCode::OK, Body::new(text.into_body())))
}

async fn bulk(Shared(state): Shared<App>, request: Request, name: &'static str) -> Response {
    let answer = move |state: &State, digits: Option<&str>| {
        // Values that are no digests are left out.
        let digest = algorithm(name)
            .zip(digits)
            .and_then(|((algorithm, _), digits)| Digest::from_hex(algorithm, digits.as_bytes()));
        let found = match digest {
            Some(digest) => answers::hashlookup(&state.classifier, &digest)?,
            None => None,
        };
        let is_known = found.is_some();
        Ok((found, is_known))
    };
    let answered = many(Arc::clone(&state), request, HASHES, ("[", "]"), answer).await;
    answered.unwrap_or_else(|refused| refused.answer(&state))
}

async fn batch(Shared(state): Shared<App>, request: Request) -> Response {
    let answer = |state: &State, digits: Option<&str>| {
        answers::batch(&state.classifier, digits).map(|(answer, is_known)| (Some(answer), is_known))
    };
    let answered = many(Arc::clone(&state), request, "digests", ("{\"answers\":[", "]}"), answer).await;
    answered.unwrap_or_else(|refused| refused.answer(&state))
}

async fn sets(Shared(state): Shared<App>) -> Response {
    let sets = state.classifier.sets().iter().map(|one| {
        let mut facts = one.set.to_json();
        facts["name"] = String::from_utf8_lossy(&one.name).into();
        facts["class"] = one.class.map(|class| class.name()).into();
        facts
    });
    json_value(StatusCode::OK, &json!({ "sets": sets.collect::<Vec<_>>() }))
}

async fn metrics(Shared(state): Shared<App>) -> Response {
    let text = state.metrics.text(state.requests.used() + state.answers.used(), state.lost_sets().await);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

async fn health(Shared(state): Shared<App>) -> Response {
    // A look-up in each set: one whose file was lost or overwritten says so.
    let look = |state: &State| {
        for one in state.classifier.sets() {
            for algorithm in one.set.algorithms() {
                one.set.find(&algorithm.digest(b""))?;
            }
        }
        Ok(())
    };
    match state.ask(1, look).await {
        Ok(()) => json_value(StatusCode::OK, &json!({ "status": "ok" })),
        Err(error) => Refused::Set(error).answer(&state),
    }
}
