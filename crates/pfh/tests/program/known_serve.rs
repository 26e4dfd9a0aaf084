//! `pfh known serve`: addresses, answers, limits, signals and exit statuses.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::fixture::*;

/// Makes a directory with a set of the file `good`, and a list of the file `bad`.
fn case() -> TempDir {
    let directory = scratch();
    let path = directory.path();
    let line = |algorithm: &str| format!("{algorithm} (good) = {}\n", digest(algorithm, b"good"));
    fs::write(path.join("good.list"), ["md5", "sha1", "sha256"].map(line).concat()).unwrap();
    fs::write(path.join("bad.md5"), format!("{}  bad\n", digest("md5", b"bad"))).unwrap();
    let build = ["known", "build", "--quiet", "good.pfhk", "--class", "good", "--keep", "name", "good.list"];
    pfh(path, build).run().expect(0, "");
    directory
}

/// A server, and its addresses for HTTP and lines.
struct Serving {
    program: Running,
    http: SocketAddr,
    nsrlsvr: SocketAddr,
}

/// Starts a server with both protocols at free ports, and waits until it tells them.
fn serve(directory: &Path, more: &[&str]) -> Serving {
    serve_at("127.0.0.1:0", directory, more)
}

/// As [`serve`], with this address for HTTP.
fn serve_at(listen: &str, directory: &Path, more: &[&str]) -> Serving {
    let printed = directory.join("addresses");
    let words = ["known", "serve", "--listen", listen, "--nsrlsvr", "127.0.0.1:0"];
    let program = pfh(directory, [&words[..], more].concat());
    // A file, into which the addresses must come at once, too.
    let output = File::create(&printed).unwrap();
    let program = program.with(|command| command.stdout(output)).start();
    let mut text = String::new();
    eventually("the server tells its addresses", || {
        text = fs::read_to_string(&printed).unwrap();
        text.lines().count() == 2 && text.ends_with('\n')
    });
    let (http, nsrlsvr) = text.trim_end().split_once('\n').unwrap();
    let of = |line: &str, protocol: &str| line.strip_prefix(protocol).unwrap().parse().unwrap();
    Serving { program, http: of(http, "http://"), nsrlsvr: of(nsrlsvr, "nsrlsvr://") }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Sends a text and returns all that comes until the server closes the connection.
fn exchange(address: SocketAddr, text: &str) -> String {
    let mut stream = connect(address);
    let mut received = String::new();
    let _ = stream.write_all(text.as_bytes());
    let _ = stream.read_to_string(&mut received);
    received
}

fn get(address: SocketAddr, path: &str) -> String {
    exchange(address, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
}

#[test]
fn a_server_answers_until_a_signal_comes() {
    let directory = case();
    let (good, bad) = (digest("md5", b"good"), digest("md5", b"bad"));
    for signal in [Signal::TERM, Signal::INT] {
        let Serving { program, http, nsrlsvr } = serve(directory.path(), &["good.pfhk", "bad=bad.md5"]);
        let answer = get(http, &format!("/lookup/md5/{good}"));
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"db\":\"good.pfhk\""), "{answer}");
        let answer = get(http, &format!("/lookup/md5/{bad}"));
        assert!(answer.contains("\"KnownMalicious\":\"bad.md5\""), "{answer}");
        let queries = format!("Version: 2.0\r\nquery {good} {bad} {}\r\nbye\r\n", digest("md5", b"new"));
        assert_eq!(exchange(nsrlsvr, &queries), "OK\r\nOK 110\r\n");
        // Connections without a request do not hold it up.
        let _waiting = (connect(http), connect(nsrlsvr));
        program.signal(signal);
        let ended = program.end();
        ended.expect(0, "");
        assert!(ended.elapsed < Duration::from_secs(20), "{:?}", ended.elapsed);
        assert!(TcpStream::connect(http).is_err());
    }
}

#[test]
fn algorithms_that_no_set_has_are_told() {
    let directory = case();
    fs::write(directory.path().join("list"), format!("SHA256 (a) = {}\n", digest("sha256", b"a"))).unwrap();
    let Serving { program, http, .. } = serve(directory.path(), &["list"]);
    assert!(get(http, &format!("/lookup/md5/{}", digest("md5", b"a"))).contains("\"no set has digests by MD5\""));
    program.signal(Signal::TERM);
    let messages = "pfh: no set has digests by MD5, SHA-1: the paths of hashlookup for these know no file\n\
                    pfh: no set has digests by MD5: clients of nsrlsvr, which ask for these, find no file\n";
    program.end().expect(0, messages);
}

#[test]
fn requests_under_way_get_some_seconds() {
    let directory = case();
    let begin = |http| {
        let mut stream = connect(http);
        stream.write_all(b"POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{").unwrap();
        // Accepted before this one is answered.
        assert!(get(http, "/health").contains("\"ok\""));
        stream
    };
    let Serving { program, http, .. } = serve(directory.path(), &["--timeout", "60", "good.pfhk"]);
    let _begun = begin(http);
    program.signal(Signal::TERM);
    program.end().expect(0, "pfh: some requests under way took too long, and their connections were closed\n");
    // A second signal does not wait.
    let Serving { program, http, .. } = serve(directory.path(), &["--timeout", "60", "good.pfhk"]);
    let _begun = begin(http);
    program.signal(Signal::INT);
    eventually("the server accepts no more", || TcpStream::connect(http).is_err());
    program.signal(Signal::INT);
    program.end().expect(130, "pfh: interrupted\n");
}

#[test]
fn ten_thousand_clients_are_served_in_bounded_memory() {
    let directory = case();
    // Both programs have a file for each connection.
    let limit = pfh_source::raise_open_file_limit();
    let connections = usize::try_from(limit.saturating_sub(1000)).unwrap().min(10_000);
    let most = connections.to_string();
    // All of them are one client.
    let of_client = ["--max-connections", &most, "--max-client-connections", &most];
    let options = [&of_client[..], &["--max-rate", "0", "--timeout", "600", "good.pfhk"]].concat();
    let Serving { program, http, nsrlsvr } = serve(directory.path(), &options);
    let good = digest("md5", b"good");
    let line = format!("query {good}\r\n");
    let request = format!("GET /lookup/md5/{good} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // Half of them ask, and all stay.
    let mut clients = Vec::new();
    for number in 0..connections - 1 {
        // Lines first, since the last places are for HTTP.
        let (address, asked) = if number < connections / 2 { (nsrlsvr, &line) } else { (http, &request) };
        let mut client = connect(address);
        if number % 4 < 2 {
            client.write_all(asked.as_bytes()).unwrap();
            let mut answer = String::new();
            BufReader::new(&mut client).read_line(&mut answer).unwrap();
            assert!(answer == "OK 1\r\n" || answer == "HTTP/1.1 200 OK\r\n", "{number}: {answer:?}");
        }
        clients.push(client);
    }
    // The system may hand connections over later than clients believe. Then one place is left: that of the question.
    let open = || -> usize {
        let metrics = get(http, "/metrics");
        let of_protocols = metrics.lines().filter_map(|line| line.strip_prefix("pfh_connections{"));
        of_protocols.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum()
    };
    eventually("all connections are open", || open() == connections);
    eventually("the last place is taken", || {
        let mut client = connect(http);
        let _ = client.write_all(request.as_bytes());
        let mut answer = String::new();
        let _ = BufReader::new(&mut client).read_line(&mut answer);
        let is_open = answer == "HTTP/1.1 200 OK\r\n";
        clients.extend(is_open.then_some(client));
        is_open
    });
    // More are refused, and the first ones do not notice.
    let mut refused = 0;
    for _ in 0..500 {
        let answer = get(http, "/health");
        // A connection is reset where the server had closed it before the request came.
        refused += usize::from(answer.is_empty() || answer.starts_with("HTTP/1.1 503 "));
        assert!(exchange(nsrlsvr, "version: 2.0\n").is_empty());
    }
    assert_eq!(refused, 500);
    for client in clients[..connections / 2].iter_mut().step_by(1000) {
        client.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(client).read_line(&mut answer).unwrap();
        assert_eq!(answer, "OK 1\r\n");
    }
    drop(clients);
    eventually("there is room again", || get(http, "/health").contains("\"ok\""));
    let refused = get(http, "/metrics");
    let refused = refused.lines().find_map(|line| line.strip_prefix("pfh_refused_total{reason=\"connections\"} "));
    assert!(refused.is_some_and(|count| count.parse::<u64>().unwrap() >= 1000), "{refused:?}");
    program.signal(Signal::TERM);
    let ended = program.end();
    ended.expect(0, "");
    // A few kilobytes for each.
    let bound_kib = (64 << 10) + 16 * connections as u64;
    assert!(ended.peak_kib < bound_kib, "{} KiB for {connections} connections", ended.peak_kib);
}

/// A client that takes all connections for lines that it can get, and says nothing, keeps nobody from HTTP.
#[test]
fn a_client_has_a_quarter_of_the_connections_and_names_the_host() {
    let directory = case();
    let options = ["--max-connections", "100", "--host", "sets.example", "good.pfhk"];
    let Serving { program, http, nsrlsvr } = serve(directory.path(), &options);
    let silent: Vec<TcpStream> = (0..100).map(|_| connect(nsrlsvr)).collect();
    let refused = "pfh_refused_total{reason=\"client-connections\"} 75\n";
    eventually("a client has a quarter", || get(http, "/metrics").contains(refused));
    assert!(get(http, "/health").contains("\"ok\""));
    let of_host = |host: &str| exchange(http, &format!("GET /health HTTP/1.0\r\nHost: {host}\r\n\r\n"));
    assert!(of_host("sets.example").contains(" 200 OK\r\n"));
    assert!(of_host("rebound.example").contains(" 421 "));
    drop(silent);
    program.signal(Signal::TERM);
    program.end().expect(0, "");
    let refused = |name: &str| {
        let options = ["known", "serve", "--listen", "127.0.0.1:0", "--host", name, "good.pfhk"];
        pfh(directory.path(), options).run().code()
    };
    assert_eq!(["", "a/b", "sets.example:80", "::1"].map(refused), [2; 4]);
}

#[test]
fn many_large_requests_stay_within_the_memory_limit() {
    let directory = case();
    let options = ["--memory", "8M", "--max-rate", "0", "good.pfhk"];
    let Serving { program, http, .. } = serve(directory.path(), &options);
    // Without a limit, these requests and their answers would take 100 MB at a time.
    let digests = vec![format!("\"{}\"", digest("md5", b"good")); 10_000].join(",");
    let body = format!("{{\"digests\":[{digests}]}}");
    let length = body.len();
    let head =
        format!("POST /v1/lookup HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    let request = head + &body;
    let clients = || -> Vec<(bool, bool)> {
        let ask = || {
            (0..3).map(|_| {
                let answer = exchange(http, &request);
                // A connection is reset where the server had closed it before the request had come.
                (answer.starts_with("HTTP/1.1 200 "), answer.is_empty() || answer.starts_with("HTTP/1.1 503 "))
            })
        };
        thread::scope(|scope| {
            let clients: Vec<_> = (0..40).map(|_| scope.spawn(|| ask().collect::<Vec<_>>())).collect();
            clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
        })
    };
    let answers = clients();
    // Those for which no memory is left as they come are refused.
    assert!(answers.iter().all(|(is_answered, is_refused)| is_answered ^ is_refused));
    assert!(answers.iter().any(|(is_answered, _)| *is_answered), "none was answered");
    assert!(get(http, "/metrics").contains("pfh_request_memory_bytes 0\n"));
    program.signal(Signal::TERM);
    let ended = program.end();
    ended.expect(0, "");
    // Memory that is free again does not go back to the system at once.
    ended.kept_below(3 * 8);
}

#[test]
fn what_cannot_be_served_is_refused_at_once() {
    let directory = case();
    let path = directory.path();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = |arguments: &[&str]| pfh(path, [&["known", "serve"], arguments].concat()).run();
    for options in [&["--listen", &address][..], &["--listen", "127.0.0.1:0", "--nsrlsvr", &address]] {
        let ended = run(&[options, &["good.pfhk"]].concat());
        let text = format!("pfh: {address} cannot be listened on: Address already in use (os error 98)\n");
        assert_eq!(String::from_utf8_lossy(ended.expect(2, &text)), "");
    }
    assert_eq!(run(&["--listen", "example.org:80", "good.pfhk"]).code(), 2);
    assert_eq!(run(&["lost.pfhk"]).code(), 2);
    assert_eq!(run(&[]).code(), 2);
    // Whoever means no limit is told, instead of getting a server that refuses everything.
    for limit in ["--max-connections", "--max-digests", "--max-body", "--max-line", "--memory", "--timeout"] {
        let text =
            format!("pfh: `0` is not a value of {limit} (it has to be 1 or more); see `pfh known serve --help`\n");
        run(&["--listen", "127.0.0.1:0", limit, "0", "good.pfhk"]).expect(2, &text);
    }
    let ended = run(&["--listen", "127.0.0.1:0", "--max-connections", "4000000000", "good.pfhk"]);
    assert!(ended.code() == 2 && ended.said().contains("open files is too low for 4000000000 connections"));
}

#[test]
fn open_addresses_and_broken_lines_are_told() {
    let directory = case();
    fs::write(directory.path().join("some.md5"), format!("{}  a\nbroken\n", digest("md5", b"a"))).unwrap();
    let Serving { program, http, .. } = serve(directory.path(), &["some.md5"]);
    assert!(get(http, "/health").contains("\"ok\""));
    program.signal(Signal::TERM);
    let ended = program.end();
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    assert!(ended.said().contains("some.md5") && ended.said().contains("line 2"), "{}", ended.stderr);
    let Serving { program, nsrlsvr, .. } = serve_at("0.0.0.0:0", directory.path(), &["good.pfhk"]);
    assert_eq!(exchange(nsrlsvr, "bye\n"), "");
    program.signal(Signal::TERM);
    let ended = program.end();
    assert_eq!(ended.code(), 0);
    assert!(ended.said().ends_with("may ask: there is no authentication and no encryption\n"), "{}", ended.stderr);
}
