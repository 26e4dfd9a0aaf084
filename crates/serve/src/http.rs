//! Connections of HTTP.

use crate::metrics::Refusal;
use crate::routes::Client;
use crate::state::State;
use crate::stream::PatientStream;
use axum::Router;
use axum::extract::Request;
use axum::http::Request as HttpRequest;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::error::Error as _;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Most bytes of the first line and the headers of a request.
const HEAD_BYTES: usize = 16 * 1024;

/// Most headers of a request.
const HEADERS: usize = 64;

/// Returns the answer to a connection beyond a limit. The reason has nothing that JSON would escape.
pub(crate) fn unavailable(reason: &str) -> String {
    let body = format!("{{\"message\":\"{reason}\"}}");
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
        Retry-After: 1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Answers the requests of a connection until either side closes it.
pub(crate) async fn serve(state: Arc<State>, router: Router, stream: TcpStream, client: IpAddr) {
    // Nothing is kept for a connection that has sent nothing.
    tokio::select! {
        readable = timeout(state.limits.timeout, stream.readable()) => {
            if readable.is_err() {
                return state.metrics.refused(Refusal::Timeout);
            }
        }
        () = state.stopped() => return,
    }
    let service = service_fn(move |mut request: HttpRequest<Incoming>| {
        request.extensions_mut().insert(Client(client));
        TowerToHyperService::new(router.clone()).call(request.map(axum::body::Body::new) as Request)
    });
    let io = TokioIo::new(PatientStream::new(stream, state.limits.timeout));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(state.limits.timeout);
    http.max_buf_size(HEAD_BYTES).max_headers(HEADERS).half_close(true);
    let mut connection = pin!(http.serve_connection(io, service));
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = state.stopped() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        if is_timeout(&error) {
            state.metrics.refused(Refusal::Timeout);
        } else if error.is_parse() {
            state.metrics.refused(Refusal::Malformed);
        }
    }
}

/// Whether a client took too long: to send a head, or to take an answer.
fn is_timeout(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    error.is_timeout() || cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}
