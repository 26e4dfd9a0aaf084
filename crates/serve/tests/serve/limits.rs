//! Clients that ask for too much, too often, too slowly, or for nothing that is understood.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use pfh_serve::Limits;
use serde_json::json;

use crate::client::*;

const SECOND: Duration = Duration::from_secs(1);

/// Checks that a server still answers.
#[track_caller]
fn answers(http: SocketAddr) {
    assert_eq!(get(http, "/health").status, 200);
}

fn refused(http: SocketAddr, reason: &str) -> u64 {
    metric(http, &format!("pfh_refused_total{{reason=\"{reason}\"}}"))
}

#[test]
fn requests_have_a_size() {
    let limits = Limits { body_bytes: 2000, digests: 20, line_bytes: 5000, line_digests: 10, ..Limits::default() };
    let server = server(limits);
    let http = server.http();
    let md5 = digest("md5", b"").to_string();
    let of = |count: usize| json!({ "hashes": vec![&md5; count], "digests": vec![&md5; count] }).to_string();
    let few = json!({ "digests": vec!["ab"; 20] }).to_string();
    assert_eq!(post(http, "/v1/lookup", &few).status, 200);
    let more = json!({ "digests": vec!["ab"; 21] }).to_string();
    let answer = post(http, "/v1/lookup", &more);
    assert_eq!(
        (answer.status, answer.json()),
        (413, json!({ "message": "more than 20 digests are asked for at once" }))
    );
    for path in ["/v1/lookup", "/bulk/sha1"] {
        assert_eq!(post(http, path, &of(40)).status, 413);
        // Without a length, in pieces: more than is allowed is not read.
        let mut request =
            format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes();
        for _ in 0..30 {
            request.extend_from_slice(b"64\r\n");
            request.extend_from_slice(&[b' '; 100]);
            request.extend_from_slice(b"\r\n");
        }
        assert_eq!(Answer::of(&exchange(http, &request)).status, 413);
        // A length that no memory would hold.
        let request =
            format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18446744073709551615\r\n\r\n");
        assert!([400, 413, 431].contains(&Answer::of(&exchange(http, request.as_bytes())).status));
    }
    let nsrlsvr = server.nsrlsvr().unwrap();
    let query = |count: usize| format!("query {}\n", vec![&md5[..]; count].join(" "));
    assert_eq!(Lines::connect(nsrlsvr).ask(&query(10)), format!("OK {}\r\n", "0".repeat(10)));
    let mut lines = Lines::connect(nsrlsvr);
    assert_eq!((lines.ask(&query(11)), lines.receive()), ("NOT OK\r\n".to_owned(), String::new()));
    for (length, answer) in [(4994, "OK 0\r\n"), (4995, "NOT OK\r\n"), (100_000, "NOT OK\r\n")] {
        let line = format!("query {}{md5}\n", " ".repeat(length - 32));
        assert_eq!(Lines::connect(nsrlsvr).ask(&line), answer, "{length}");
    }
    // A line without an end.
    assert_eq!(Lines::connect(nsrlsvr).ask(&"a".repeat(1 << 20)), "NOT OK\r\n");
    assert!(refused(http, "size") >= 8);
    answers(http);
    assert!(server.stop());
}

#[test]
fn memory_for_requests_is_limited_and_given_back() {
    // Enough for the body, but not for the answer.
    let server = server(Limits { memory_bytes: 400_000, ..Limits::default() });
    let http = server.http();
    let md5 = digest("md5", &good(1)).to_string();
    let body = |count: usize| json!({ "digests": vec![&md5; count] }).to_string();
    for _ in 0..20 {
        assert_eq!(post(http, "/v1/lookup", &body(300)).status, 200);
        let answer = post(http, "/v1/lookup", &body(800));
        assert_eq!(answer.status, 503);
        assert!(answer.head.contains("retry-after: 1"));
    }
    assert_eq!((refused(http, "memory"), metric(http, "pfh_request_memory_bytes")), (20, 0));
    let line = format!("query {}\n", vec![&md5[..]; 1000].join(" "));
    assert!(line.len() > 32_000);
    assert_eq!(Lines::connect(server.nsrlsvr().unwrap()).ask(&line), "NOT OK\r\n");
    answers(http);
    assert!(server.stop());
}

/// Whoever announces long requests and sends nothing holds up nobody.
#[test]
fn what_is_only_announced_takes_little_memory() {
    let server = server(Limits { memory_bytes: 8 << 20, timeout: 60 * SECOND, ..Limits::default() });
    let http = server.http();
    let announce = |_| {
        let mut stream = connect(http);
        stream.write_all(b"POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n").unwrap();
        stream
    };
    let silent: Vec<TcpStream> = (0..16).map(announce).collect();
    let taken = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(50));
        metric(http, "pfh_request_memory_bytes") >= 16 * (16 << 10)
    });
    assert!(taken, "the requests have not begun");
    // Longer than what every request has at the beginning.
    let body = json!({ "digests": vec![digest("md5", &good(1)).to_string(); 2000] }).to_string();
    let answer = post(http, "/v1/lookup", &body);
    assert_eq!((answer.status, answer.json()["answers"].as_array().unwrap().len()), (200, 2000));
    assert_eq!(refused(http, "memory"), 0);
    drop(silent);
    assert!(server.stop());
}

/// Bodies for which there is not enough memory together are answered one after the other.
#[test]
fn long_bodies_wait_for_each_other() {
    let server = server(Limits { memory_bytes: 320_000, timeout: 60 * SECOND, ..Limits::default() });
    let http = server.http();
    let body = " ".repeat(40_000) + &json!({ "digests": [digest("md5", &good(1)).to_string()] }).to_string();
    let head = format!(
        "POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let (begin, end) = body.split_at(20_000);
    let begun = |_| {
        let mut stream = connect(http);
        stream.write_all([head.as_bytes(), begin.as_bytes()].concat().as_slice()).unwrap();
        stream
    };
    let mut streams: Vec<TcpStream> = (0..8).map(begun).collect();
    let taken = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(50));
        metric(http, "pfh_request_memory_bytes") >= 120_000
    });
    assert!(taken, "the requests have not begun");
    for stream in &mut streams {
        // A server that refuses may close before it has read everything.
        let _ = stream.write_all(end.as_bytes());
    }
    for stream in streams {
        assert_eq!(Answer::of(&all_of(stream)).status, 200);
    }
    assert_eq!(refused(http, "memory"), 0);
    assert!(server.stop());
}

#[test]
fn a_client_has_a_rate() {
    let server = server(Limits { requests_per_second: 20, ..Limits::default() });
    let http = server.http();
    let answered: Vec<Answer> = (0..60).map(|_| get(http, "/info")).collect();
    let too_often: Vec<&Answer> = answered.iter().filter(|answer| answer.status == 429).collect();
    assert!(!too_often.is_empty() && too_often.len() <= 40, "{}", too_often.len());
    assert!(
        too_often.iter().all(|answer| answer.head.contains("retry-after: 1") && answer.json()["message"].is_string())
    );
    assert!(answered.iter().take(20).all(|answer| answer.status == 200));
    // Answers in lines come later instead.
    let begun = Instant::now();
    let mut lines = Lines::connect(server.nsrlsvr().unwrap());
    lines.send("status\n".repeat(30).as_bytes());
    for _ in 0..30 {
        assert_eq!(lines.receive(), "NOT SUPPORTED\r\n");
    }
    // 30 answers at 20 in a second, of which a few may have been left over.
    assert!(begun.elapsed() > SECOND / 2, "{:?}", begun.elapsed());
    thread::sleep(SECOND);
    answers(http);
    assert!(server.stop());
}

#[test]
fn connections_have_a_limit() {
    let server = server(Limits { connections: 50, timeout: 60 * SECOND, ..Limits::default() });
    let (http, nsrlsvr) = (server.http(), server.nsrlsvr().unwrap());
    let mut open: Vec<Lines> = (0..47).map(|_| Lines::connect(nsrlsvr)).collect();
    assert_eq!(open[46].ask("status\n"), "NOT SUPPORTED\r\n");
    // The last places are for HTTP.
    assert_eq!(all_of(connect(nsrlsvr)), b"");
    answers(http);
    let mut last = Vec::new();
    for _ in 0..1000 {
        if last.len() == 3 {
            break;
        }
        // A request was answered before, and its connection may be open for a moment.
        let mut one = BufReader::new(connect(http));
        let _ = one.get_mut().write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut answer = String::new();
        let _ = one.read_line(&mut answer);
        if answer == "HTTP/1.1 200 OK\r\n" {
            last.push(one);
        } else {
            std::thread::sleep(SECOND / 200);
        }
    }
    assert_eq!(last.len(), 3);
    for _ in 0..100 {
        let refused = Answer::of(&exchange(http, b""));
        assert_eq!((refused.status, refused.json()), (503, json!({ "message": "too many connections" })));
        assert_eq!(all_of(connect(nsrlsvr)), b"");
    }
    // Those that are open are not disturbed, and one that ends makes room.
    assert!(open.iter_mut().all(|lines| lines.ask("version: 2.0\n") == "OK\r\n"));
    drop(last);
    let answered = (0..1000).any(|_| {
        thread::sleep(Duration::from_millis(5));
        get(http, "/health").status == 200
    });
    assert!(answered && refused_by_connections(&mut open, http) >= 200);
    assert!(server.stop());
}

/// A client that takes all the connections it can get, and says nothing, keeps nobody from being answered by the other
/// protocol.
#[test]
fn a_client_has_a_share_of_the_connections() {
    let limits = Limits { connections: 50, connections_per_client: 5, timeout: 60 * SECOND, ..Limits::default() };
    let server = server(limits);
    let (http, nsrlsvr) = (server.http(), server.nsrlsvr().unwrap());
    let silent: Vec<TcpStream> = (0..5).map(|_| connect(nsrlsvr)).collect();
    assert_eq!(all_of(connect(nsrlsvr)), b"");
    answers(http);
    assert_eq!((refused(http, "client-connections"), refused(http, "connections")), (1, 0));
    drop(silent);
    let answered = (0..1000).any(|_| {
        thread::sleep(Duration::from_millis(5));
        Lines::connect(nsrlsvr).ask("status\n") == "NOT SUPPORTED\r\n"
    });
    assert!(answered, "there is no room again");
    let request = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut silent = Vec::new();
    let refusal = (0..1000).find_map(|_| {
        silent.push(connect(http));
        // A connection is reset where the server had closed it before the request came.
        let received = exchange(http, request);
        let answer = (!received.is_empty()).then(|| Answer::of(&received));
        answer.filter(|answer| answer.status != 200)
    });
    let refusal = refusal.unwrap();
    assert_eq!((refusal.status, refusal.json()), (503, json!({ "message": "too many connections of one client" })));
    assert!(server.stop());
}

/// Returns the number of connections that were refused, from a server that has no room until one is closed.
fn refused_by_connections(open: &mut Vec<Lines>, http: SocketAddr) -> u64 {
    open.clear();
    thread::sleep(Duration::from_millis(200));
    refused(http, "connections")
}

#[test]
fn slow_clients_are_cut_off() {
    let server = server(Limits { timeout: SECOND, idle: 2 * SECOND, ..Limits::default() });
    let (http, nsrlsvr) = (server.http(), server.nsrlsvr().unwrap());
    let begun = Instant::now();
    let slow = |address, first: &'static str, more: &'static [u8]| {
        thread::spawn(move || {
            let mut stream = connect(address);
            let _ = stream.write_all(first.as_bytes());
            let mut reader = stream.try_clone().unwrap();
            // A byte now and then, for as long as the server takes it.
            let writer = thread::spawn(move || {
                while !more.is_empty() && begun.elapsed() < 20 * SECOND && stream.write_all(more).is_ok() {
                    thread::sleep(Duration::from_millis(100));
                }
            });
            let mut received = Vec::new();
            let _ = reader.read_to_end(&mut received);
            let ended = begun.elapsed();
            writer.join().unwrap();
            (String::from_utf8(received).unwrap(), ended)
        })
    };
    let post = "POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";
    for (client, answer) in [
        // Nothing, a head without an end, and what keeps a connection without asking anything.
        (slow(http, "", b""), ""),
        (slow(http, "GET / HTTP/1.1\r\n", b"a"), "*"),
        (slow(http, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b""), "HTTP/1.1 200 OK"),
        // A body.
        (slow(http, post, b" "), "HTTP/1.1 408 Request Timeout"),
        (slow(http, post, b""), "HTTP/1.1 408 Request Timeout"),
        // Lines.
        (slow(nsrlsvr, "", b""), ""),
        (slow(nsrlsvr, "query", b" "), ""),
        (slow(nsrlsvr, "status\n", b""), "NOT SUPPORTED"),
    ] {
        let (received, ended) = client.join().unwrap();
        let first = received.lines().next().unwrap_or_default();
        assert!(answer == "*" || first == answer, "{answer:?}: {received}");
        assert!(ended < 10 * SECOND, "{answer:?}: {ended:?}");
    }
    assert!(refused(http, "timeout") >= 6);
    answers(http);
    assert!(server.stop());
}

/// Whoever has not asked anything yet is not waited for as long as one that may ask more.
#[test]
fn who_sends_no_first_line_is_cut_off() {
    let server = server(Limits { timeout: SECOND, ..Limits::default() });
    let (http, nsrlsvr) = (server.http(), server.nsrlsvr().unwrap());
    let mut asked = Lines::connect(nsrlsvr);
    assert_eq!(asked.ask("status\n"), "NOT SUPPORTED\r\n");
    assert_eq!(all_of(connect(nsrlsvr)), b"");
    assert_eq!(refused(http, "timeout"), 1);
    thread::sleep(SECOND);
    assert_eq!(asked.ask("status\n"), "NOT SUPPORTED\r\n");
    assert!(server.stop());
}

#[test]
fn who_does_not_take_an_answer_is_cut_off() {
    let server = server(Limits { timeout: SECOND, requests_per_second: 0, ..Limits::default() });
    let http = server.http();
    let md5 = digest("md5", &good(1)).to_string();
    let body = json!({ "digests": vec![&md5; 10_000] }).to_string();
    let request =
        format!("POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    // More than the system keeps for a connection.
    let mut greedy = connect(http);
    greedy.set_write_timeout(Some(SECOND / 5)).unwrap();
    let begun = Instant::now();
    while begun.elapsed() < 20 * SECOND {
        match greedy.write_all(request.as_bytes()) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
    assert!(begun.elapsed() < 15 * SECOND, "the connection was not closed");
    let ended = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(50));
        metric(http, "pfh_request_memory_bytes") == 0
    });
    assert!(ended, "the memory of the answer was not given back");
    let mut greedy = connect(server.nsrlsvr().unwrap());
    greedy.set_write_timeout(Some(SECOND / 5)).unwrap();
    let begun = Instant::now();
    let line = format!("query {}\n", vec![&md5[..]; 1000].join(" "));
    let status = "status\n".repeat(2000);
    let mut is_open = greedy.write_all(line.as_bytes()).is_ok();
    while is_open && begun.elapsed() < 20 * SECOND {
        is_open = !matches!(greedy.write_all(status.as_bytes()), Err(error) if error.kind() != std::io::ErrorKind::WouldBlock);
    }
    assert!(begun.elapsed() < 15 * SECOND, "the connection was not closed");
    answers(http);
    drop(greedy);
    assert!(server.stop());
}

/// Taking a few bytes now and then is not enough: whoever does would hold the memory of answers for ever.
#[test]
fn who_takes_an_answer_by_drops_is_cut_off() {
    let server = server(Limits { timeout: SECOND, requests_per_second: 0, ..Limits::default() });
    let http = server.http();
    let md5 = digest("md5", &good(1)).to_string();
    let body = json!({ "digests": vec![&md5; 10_000] }).to_string();
    let mut slow = connect(http);
    write!(slow, "POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .unwrap();
    // 20 KiB in a second, of two megabytes.
    let (begun, mut some) = (Instant::now(), [0; 1024]);
    let is_cut_off = (0..1000).any(|_| {
        let _ = slow.read(&mut some);
        thread::sleep(Duration::from_millis(50));
        refused(http, "timeout") > 0 || begun.elapsed() > 30 * SECOND
    });
    assert!(is_cut_off && begun.elapsed() < 30 * SECOND, "{:?}", begun.elapsed());
    let ended = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(50));
        metric(http, "pfh_request_memory_bytes") == 0
    });
    assert!(ended, "the memory of the answer was not given back");
    assert!(server.stop());
}

/// Answers have many pieces, and one of them takes half of their memory.
#[test]
fn long_answers_come_whole_within_the_memory() {
    let server = server(Limits { memory_bytes: 12 << 20, requests_per_second: 0, ..Limits::default() });
    let http = server.http();
    let md5 = digest("md5", &good(1)).to_string();
    let body = json!({ "hashes": vec![&md5; 10_000] }).to_string();
    for _ in 0..3 {
        let answer = post(http, "/bulk/md5", &body);
        assert!(answer.head.contains(&format!("content-length: {}", answer.body.len())), "{}", answer.head);
        let objects = answer.json();
        let objects = objects.as_array().unwrap();
        assert_eq!((answer.status, objects.len()), (200, 10_000));
        assert!(objects.iter().all(|object| object == &objects[0] && object["FileName"] == "file \"1\""));
    }
    assert_eq!(metric(http, "pfh_request_memory_bytes"), 0);
    assert!(server.stop());
}

#[test]
fn what_is_not_understood_is_refused_and_nothing_else_suffers() {
    let server = server(Limits::default());
    let http = server.http();
    let many_headers: String = (0..200).map(|number| format!("a{number}: b\r\n")).collect();
    for (request, statuses) in [
        ("\r\n\r\n", &[][..]),
        ("hello\r\n\r\n", &[400]),
        ("GET / HTTP/9.9\r\n\r\n", &[400, 505]),
        ("GET  / HTTP/1.1\r\n\r\n", &[400]),
        ("GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", &[400]),
        ("POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", &[400]),
        (&format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(100_000)), &[400, 414, 431]),
        (&format!("GET / HTTP/1.1\r\nHost: localhost\r\na: {}\r\n\r\n", "a".repeat(100_000)), &[400, 431]),
        (&format!("GET / HTTP/1.1\r\n{many_headers}\r\n"), &[400, 431]),
        ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}", &[400]),
        ("GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &[404]),
        ("DELETE /info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", &[405]),
        ("GET /v1/lookup HTTP/1.0\r\n\r\n", &[405]),
        ("GET /lookup/md5/../../etc/passwd HTTP/1.0\r\n\r\n", &[404]),
    ] {
        let mut stream = connect(http);
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let received = all_of(stream);
        if !received.is_empty() || !statuses.is_empty() {
            let status = Answer::of(&received).status;
            assert!(statuses.contains(&status), "{request:.60}: {status}");
        }
    }
    // Hosts: none, several, and one that is not this machine's.
    for (version, hosts, status) in [
        ("1.1", &[][..], 400),
        ("1.0", &[], 200),
        ("1.1", &["localhost", "localhost"], 400),
        ("1.0", &["localhost", "localhost"], 400),
        ("1.1", &["127.0.0.1:80"], 200),
        ("1.1", &["rebound.example"], 421),
        ("1.0", &["rebound.example"], 421),
        ("1.1", &[""], 421),
    ] {
        let hosts: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        let request = format!("GET /health HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
        let answer = Answer::of(&exchange(http, request.as_bytes()));
        assert_eq!(answer.status, status, "{request}");
        assert!(status == 200 || answer.json()["message"].is_string());
    }
    let request = "GET http://rebound.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(Answer::of(&exchange(http, request.as_bytes())).status, 421);
    assert_eq!(refused(http, "host"), 4);
    for body in ["", "{", "[]", "{\"digests\":7}", "{\"digests\":[\"a\"]", &"[".repeat(500_000), "\u{0}"] {
        let answer = post(http, "/v1/lookup", body);
        assert_eq!(answer.status, 400, "{body:.40}");
        assert!(answer.json()["message"].is_string());
    }
    // Connections that go away at any moment.
    for length in 0..80 {
        let mut stream = TcpStream::connect(http).unwrap();
        let request = b"POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 14\r\n\r\n{\"digests\":[]}";
        let _ = stream.write_all(&request[..length.min(request.len())]);
    }
    // Noise, from a generator that always says the same.
    let mut random = pfh_testing::Random::new(9180);
    for address in [http, server.nsrlsvr().unwrap()] {
        for _ in 0..200 {
            let noise: Vec<u8> = (0..random.below(300)).map(|_| random.below(256) as u8).collect();
            let mut stream = TcpStream::connect(address).unwrap();
            let _ = stream.write_all(&noise);
        }
    }
    answers(http);
    assert!(refused(http, "malformed") >= 8);
    assert!(server.stop());
}
