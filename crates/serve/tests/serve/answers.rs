//! Answers of servers to requests that are right.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use pfh_known::{Class, ClassifiedSet, Classifier, KnownSet};
use pfh_serve::{Limits, Server, never_known};
use serde_json::{Value, json};

use crate::client::*;

fn hex(algorithm: &str, message: &[u8]) -> String {
    digest(algorithm, message).to_string()
}

#[test]
fn every_digest_is_found_and_no_other_by_every_protocol() {
    let limits = Limits { requests_per_second: 0, ..Limits::default() };
    let server = server(limits);
    let http = server.http();
    let known: Vec<Vec<u8>> = (0..GOOD).map(good).collect();
    let unknown: Vec<Vec<u8>> = (0..GOOD).map(|number| format!("other file {number}").into_bytes()).collect();
    let mixed: Vec<(&Vec<u8>, bool)> =
        known.iter().zip(&unknown).flat_map(|(known, unknown)| [(known, true), (unknown, false)]).collect();
    let mut lines = Lines::connect(server.nsrlsvr().unwrap());
    assert_eq!(lines.ask("Version: 2.0\r\n"), "OK\r\n");
    for algorithm in ["md5", "sha1", "sha256"] {
        let digests: Vec<String> = mixed.iter().map(|(message, _)| hex(algorithm, message)).collect();
        // One by one.
        for (place, (message, is_known)) in mixed.iter().enumerate().step_by(13) {
            let answer = get(http, &format!("/lookup/{algorithm}/{}", digests[place]));
            assert_eq!(answer.status, if *is_known { 200 } else { 404 }, "{answer:?}");
            if *is_known {
                let object = answer.json();
                for (key, algorithm) in [("MD5", "md5"), ("SHA-1", "sha1"), ("SHA-256", "sha256")] {
                    let is_bad = message[..] == *BAD && algorithm != "md5";
                    assert!(is_bad || object[key] == hex(algorithm, message).to_uppercase(), "{object}");
                }
            }
        }
        // All at once, as hashlookup does it.
        let bulk = post(http, &format!("/bulk/{algorithm}"), &json!({ "hashes": digests }).to_string());
        let bulk = bulk.json();
        let name = [("md5", "MD5"), ("sha1", "SHA-1"), ("sha256", "SHA-256")].iter().find(|(one, _)| *one == algorithm);
        let found: Vec<&str> =
            bulk.as_array().unwrap().iter().map(|file| file[name.unwrap().1].as_str().unwrap()).collect();
        let expected: Vec<String> = known.iter().map(|message| hex(algorithm, message).to_uppercase()).collect();
        assert_eq!(found, expected);
        // In batches.
        let batch = post(http, "/v1/lookup", &json!({ "digests": digests }).to_string()).json();
        for ((message, is_known), answer) in mixed.iter().zip(batch["answers"].as_array().unwrap()) {
            let class = match (&message[..] == BAD && algorithm == "md5", is_known) {
                (true, _) => "bad",
                (false, true) => "good",
                (false, false) => "unknown",
            };
            assert_eq!((&answer["class"], &answer["algorithm"]), (&class.into(), &algorithm.into()), "{answer}");
        }
        // In lines, with either end.
        let digits: String = mixed.iter().map(|(_, is_known)| if *is_known { '1' } else { '0' }).collect();
        for end in ["\n", "\r\n"] {
            let answer = lines.ask(&format!("query {}{end}", digests.join(" ")));
            assert_eq!(answer, format!("OK {digits}\r\n"), "{algorithm}");
        }
    }
    let hits = 3 * 2 * GOOD as u64;
    assert_eq!(metric(http, "pfh_hits_total{protocol=\"nsrlsvr\"}"), hits);
    assert_eq!(metric(http, "pfh_look_ups_total{protocol=\"nsrlsvr\"}"), 2 * hits);
    assert!(server.stop());
}

#[test]
fn hashlookup_answers_as_specified() {
    let server = server(Limits::default());
    let http = server.http();
    let file = good(3);
    let (md5, sha1, sha256) = (hex("md5", &file), hex("sha1", &file), hex("sha256", &file));
    let expected = json!({
        "MD5": md5.to_uppercase(), "SHA-1": sha1.to_uppercase(), "SHA-256": sha256.to_uppercase(),
        "FileName": "file \"3\"", "FileSize": "12", "ProductCode": { "ProductName": "Example OS" },
        "db": "good.pfhk", "source": "good.txt",
    });
    for path in [
        format!("/lookup/md5/{md5}"),
        format!("/lookup/md5/{}", md5.to_uppercase()),
        format!("/lookup/sha1/{sha1}"),
        format!("/lookup/sha256/{sha256}"),
    ] {
        let answer = get(http, &path);
        assert_eq!((answer.status, answer.json()), (200, expected.clone()), "{path}");
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
    }
    let code = get(http, &format!("/lookup/md5/{}", hex("md5", &good(4)))).json();
    assert_eq!(code["ProductCode"], json!({ "ProductCode": "1234" }));
    // Bad beats good; the deciding set knows MD5 only.
    let bad = get(http, &format!("/lookup/md5/{}", hex("md5", BAD))).json();
    assert_eq!((&bad["KnownMalicious"], &bad["db"]), (&"bad.txt".into(), &"bad.pfhk".into()));
    for (path, name) in [("md5", "MD5"), ("sha1", "SHA-1"), ("sha256", "SHA-256")] {
        let unknown = hex(path, b"");
        let answer = get(http, &format!("/lookup/{path}/{unknown}"));
        let expected = json!({ "message": format!("Non existing {name}"), "query": unknown });
        assert_eq!((answer.status, answer.json()), (404, expected));
        for wrong in [&unknown[1..], "0", &"x".repeat(unknown.len()), "%00", "%FF", "a%2Fb", "%F0%9F%A6%80"] {
            let answer = get(http, &format!("/lookup/{path}/{wrong}"));
            let expected = format!("{name} value incorrect, expecting a {name} value in hex format");
            assert_eq!((answer.status, answer.json()), (400, json!({ "message": expected })), "{wrong}");
        }
        let answer = post(http, &format!("/bulk/{path}"), "{\"hash\":[]}");
        assert_eq!(answer.status, 404);
        assert!(answer.json()["message"].is_string());
        let answer = post(http, &format!("/bulk/{path}"), &json!({ "hashes": ["x", 7, null, unknown] }).to_string());
        assert_eq!((answer.status, answer.json()), (200, json!([])));
    }
    // The own interface tells that the request is wrong, and why.
    for body in ["{}", "{\"hashes\":[]}"] {
        let answer = post(http, "/v1/lookup", body);
        let message = "the request has no key \"digests\" with an array of digests";
        assert_eq!((answer.status, answer.json()), (400, json!({ "message": message })), "{body}");
    }
    let bulk = post(http, "/bulk/md5", &json!({ "hashes": ["x", md5, md5.to_uppercase()] }).to_string());
    assert_eq!(bulk.json(), json!([expected, expected]));
    let info = get(http, "/info").json();
    assert_eq!((&info["nsrl-version"], &info["stat:hashlookup_total_keys"]), (&"2026.09.1".into(), &401.into()));
    assert!(server.stop());
}

#[test]
fn algorithms_that_no_set_has_are_told() {
    let mut classifier = Classifier::default();
    let of_md5 = KnownSet::from_bytes(set(&["md5"], Class::Bad, &[BAD.to_vec()])).unwrap();
    classifier.push(ClassifiedSet { name: b"bad.pfhk".to_vec(), class: None, set: of_md5 });
    assert_eq!(never_known(&classifier), ["SHA-1", "SHA-256"]);
    assert_eq!(never_known(&Classifier::default()), ["MD5", "SHA-1", "SHA-256"]);
    let server = Server::start(classifier, options(Limits::default())).unwrap();
    for (path, message) in [("md5", "Non existing MD5"), ("sha1", "no set has digests by SHA-1")] {
        let unknown = hex(path, b"");
        let answer = get(server.http(), &format!("/lookup/{path}/{unknown}"));
        assert_eq!((answer.status, answer.json()), (404, json!({ "message": message, "query": unknown })));
    }
    assert!(server.stop());
}

#[test]
fn batches_tell_everything_that_is_kept() {
    let server = server(Limits::default());
    let (file, sha512) = (good(5), hex("sha512", b""));
    let digests = [hex("sha256", &file), hex("md5", BAD), hex("sha1", b""), sha512.clone(), "xyz".to_owned()];
    let answers = post(server.http(), "/v1/lookup", &json!({ "digests": digests }).to_string()).json();
    let expected = json!([
        { "digest": digests[0], "algorithm": "sha256", "class": "good", "set": "good.pfhk", "source": "good.txt",
          "release": "2026.09.1", "product": "Example OS", "category": "example", "name": "file \"5\"", "size": 12,
          "entries": 1 },
        { "digest": digests[1], "algorithm": "md5", "class": "bad", "set": "bad.pfhk", "source": "bad.txt",
          "release": "2026.09.1", "product": "1234", "category": "example", "name": "file \"0\"", "size": 12,
          "entries": 2 },
        { "digest": digests[2], "algorithm": "sha1", "class": "unknown" },
        { "digest": sha512, "error": "no set has digests of this length" },
        { "digest": "xyz", "error": "not hexadecimal" },
    ]);
    assert_eq!(answers["answers"], expected);
    let long = json!({ "digests": ["a".repeat(130), {}, "é"] }).to_string();
    let long = post(server.http(), "/v1/lookup", &long).json();
    let errors: Vec<&Value> = long["answers"].as_array().unwrap().iter().map(|answer| &answer["error"]).collect();
    assert_eq!(errors, ["longer than any digest", "not a text", "not hexadecimal"]);
    let sets = get(server.http(), "/v1/sets").json();
    let of = |set: usize| classifier().sets()[set].set.to_json();
    for (place, name) in ["good.pfhk", "bad.pfhk"].into_iter().enumerate() {
        let mut set = sets["sets"][place].clone();
        assert_eq!((&set["name"], &set["class"]), (&name.into(), &Value::Null));
        let fields = set.as_object_mut().unwrap();
        fields.remove("name");
        fields.remove("class");
        assert_eq!(set, of(place));
    }
    assert!(server.stop());
}

#[test]
fn lines_are_answered_as_by_nsrlsvr() {
    let server = server(Limits::default());
    let address = server.nsrlsvr().unwrap();
    let (known, unknown) = (hex("md5", &good(1)), hex("md5", b""));
    let mut lines = Lines::connect(address);
    for (line, expected) in [
        ("Version: 2.0\r\n".to_owned(), "OK\r\n"),
        ("VERSION: 2.0\n".to_owned(), "OK\r\n"),
        (format!("query {known}\r\n"), "OK 1\r\n"),
        (format!("  QUERY  {unknown}\t{} \n", known.to_uppercase()), "OK 01\r\n"),
        // Of a length that no set has.
        (format!("query {} {known}\n", "ab".repeat(64)), "OK 01\r\n"),
        ("status\r\n".to_owned(), "NOT SUPPORTED\r\n"),
        ("upshift\n".to_owned(), "NOT OK\r\n"),
        ("downshift\n".to_owned(), "NOT OK\r\n"),
        (format!("query {}\n", vec![&known[..]; 512].join(" ")), &format!("OK {}\r\n", "1".repeat(512))),
        ("bye\r\n".to_owned(), ""),
    ] {
        assert_eq!(lines.ask(&line), expected, "{line}");
    }
    for (line, expected) in [
        ("\r\n", ""),
        ("query x\r\n", ""),
        ("query\n", ""),
        ("hello\n", "NOT OK\r\n"),
        ("Version: 1.0\n", "NOT OK\r\n"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "NOT OK\r\n"),
        ("\0\u{ff}\n", "NOT OK\r\n"),
    ] {
        assert_eq!(String::from_utf8_lossy(&exchange(address, line.as_bytes())), expected, "{line:?}");
    }
    // Many lines at once, cut at any place.
    let text = format!("Version: 2.0\r\nquery {known} {unknown}\nstatus\n").repeat(50);
    for cut in [1, 14, 15, 20, 100, 4095, 4096, 4097] {
        let mut lines = Lines::connect(address);
        for some in text.as_bytes().chunks(text.len().div_ceil(3).min(cut * 7)) {
            lines.send(some);
        }
        lines.send(b"bye\n");
        for _ in 0..50 {
            assert_eq!(
                [lines.receive(), lines.receive(), lines.receive()],
                ["OK\r\n", "OK 10\r\n", "NOT SUPPORTED\r\n"]
            );
        }
        assert_eq!(lines.receive(), "");
    }
    assert!(server.stop());
}

#[test]
fn the_line_protocol_has_the_classes_that_are_asked_for() {
    let mut options = options(Limits::default());
    options.nsrlsvr_classes = vec![Class::Good];
    let server = Server::start(classifier(), options).unwrap();
    let query = format!("query {} {} {}\n", hex("md5", &good(1)), hex("md5", BAD), hex("md5", b""));
    assert_eq!(Lines::connect(server.nsrlsvr().unwrap()).ask(&query), "OK 100\r\n");
    assert!(server.stop());
}

#[test]
fn hosts_that_are_named_are_answered_for() {
    let status = |address: &str, hosts: &[&str], host: &str| {
        let mut options = options(Limits::default());
        options.http = address.parse().unwrap();
        options.hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let server = Server::start(classifier(), options).unwrap();
        let request = format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let address = ([127, 0, 0, 1], server.http().port()).into();
        let status = Answer::of(&exchange(address, request.as_bytes())).status;
        assert!(server.stop());
        status
    };
    for (address, hosts, host, expected) in [
        ("127.0.0.1:0", &[][..], "sets.example", 421),
        ("127.0.0.1:0", &["sets.example"], "sets.example:443", 200),
        ("127.0.0.1:0", &["sets.example"], "localhost", 200),
        ("0.0.0.0:0", &[], "sets.example", 200),
        ("0.0.0.0:0", &["sets.example"], "other.example", 421),
    ] {
        assert_eq!(status(address, hosts, host), expected, "{address} {hosts:?} {host}");
    }
}

/// The answer about a set of the name `set` that was cut off or overwritten.
const LOST: &str = "a set cannot be read: set: the file was overwritten or truncated, or could not be read, while it was \
                    in use; replace such a file by renaming a new one (`mv`), never in place (`cp`)";

#[test]
fn a_set_that_is_cut_off_is_an_error_of_the_answer() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let files: Vec<Vec<u8>> = (0..20_000).map(good).collect();
    file.write_all(&set(&["md5"], Class::Good, &files)).unwrap();
    let mut classifier = Classifier::default();
    let opened = KnownSet::open(file.path()).unwrap();
    classifier.push(ClassifiedSet { name: b"set".to_vec(), class: None, set: opened });
    let server = Server::start(classifier, options(Limits::default())).unwrap();
    let (http, lines) = (server.http(), server.nsrlsvr().unwrap());
    assert_eq!(get(http, "/health").status, 200);
    OpenOptions::new().write(true).open(file.path()).unwrap().set_len(4096).unwrap();
    let digests: Vec<String> = files.iter().take(2000).map(|file| hex("md5", file)).collect();
    for (path, body) in [("/v1/lookup", json!({ "digests": digests })), ("/bulk/md5", json!({ "hashes": digests }))] {
        let answer = post(http, path, &body.to_string());
        assert_eq!(answer.status, 503, "{answer:?}");
        assert_eq!(answer.json(), json!({ "message": LOST }));
    }
    assert_eq!(get(http, &format!("/lookup/md5/{}", digests[0])).status, 503);
    assert_eq!(get(http, "/health").status, 503);
    assert_eq!(Lines::connect(lines).ask(&format!("query {}\n", digests[0])), "NOT OK\r\n");
    assert_eq!(get(http, "/info").status, 200);
    assert!(metric(http, "pfh_set_errors_total") >= 5);
    assert!(server.stop());
}

/// The footer of the old set does not describe the new one, so no answer would be right.
#[test]
fn a_set_that_is_overwritten_in_place_is_an_error_of_the_answer() {
    let known = set(&["md5"], Class::Good, &(1000..2000).map(good).collect::<Vec<_>>());
    // Of the same length, so that no page is lost.
    let other = set(&["md5"], Class::Good, &(2000..3000).map(good).collect::<Vec<_>>());
    assert_eq!(known.len(), other.len());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&known).unwrap();
    // Filesystems may keep times too coarsely to tell two moments of a test apart.
    file.as_file().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let opened = KnownSet::open(file.path()).unwrap();
    let mut classifier = Classifier::default();
    classifier.push(ClassifiedSet { name: b"set".to_vec(), class: None, set: opened });
    let server = Server::start(classifier, options(Limits::default())).unwrap();
    let (http, lines) = (server.http(), server.nsrlsvr().unwrap());
    let one = hex("md5", &good(1001));
    assert_eq!((get(http, &format!("/lookup/md5/{one}")).status, metric(http, "pfh_sets_lost")), (200, 0));
    OpenOptions::new().write(true).open(file.path()).unwrap().write_all(&other).unwrap();
    let health = get(http, "/health");
    assert_eq!((health.status, health.json()), (503, json!({ "message": LOST })));
    assert_eq!(metric(http, "pfh_sets_lost"), 1);
    assert_eq!(get(http, &format!("/lookup/md5/{one}")).status, 503);
    for (path, body) in [("/v1/lookup", json!({ "digests": [one] })), ("/bulk/md5", json!({ "hashes": [one] }))] {
        assert_eq!(post(http, path, &body.to_string()).status, 503);
    }
    assert_eq!(Lines::connect(lines).ask(&format!("query {one}\n")), "NOT OK\r\n");
    // The old bytes with the old time would not tell which answers between were wrong.
    OpenOptions::new().write(true).open(file.path()).unwrap().write_all(&known).unwrap();
    file.as_file().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(get(http, "/health").status, 503);
    assert!(server.stop());
}

#[test]
fn a_stop_lets_requests_end_and_no_others_begin() {
    let server = server(Limits { stop: Duration::from_secs(20), ..Limits::default() });
    let (http, nsrlsvr) = (server.http(), server.nsrlsvr().unwrap());
    // Connections that have sent nothing, or wait for nothing.
    let _silent = (connect(http), connect(nsrlsvr));
    let mut kept = connect(http);
    kept.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = Lines::connect(nsrlsvr);
    assert_eq!(lines.ask("version: 2.0\n"), "OK\r\n");
    // A request that has begun.
    let body = json!({ "digests": [hex("md5", &good(1))] }).to_string();
    let mut begun = connect(http);
    write!(begun, "POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len()).unwrap();
    let (send, receive) = mpsc::channel();
    let ends = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        send.send(()).unwrap();
        begun.write_all(body.as_bytes()).unwrap();
        Answer::of(&all_of(begun))
    });
    // The server has accepted all of them when it has answered the last one.
    assert_eq!(get(http, "/health").status, 200);
    let stopped = Instant::now();
    assert!(server.stop());
    assert!(receive.try_recv().is_ok(), "the request had not ended");
    assert!(stopped.elapsed() < Duration::from_secs(10));
    let answer = ends.join().unwrap();
    assert_eq!((answer.status, &answer.json()["answers"][0]["class"]), (200, &"good".into()));
    assert_eq!(lines.receive(), "");
    assert_eq!(Answer::of(&all_of(kept)).status, 200);
    assert!(std::net::TcpStream::connect(http).is_err());
}
