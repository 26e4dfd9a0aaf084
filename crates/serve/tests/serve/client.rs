//! Sets, servers and clients for the tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{Class, ClassifiedSet, Classifier, Keep, KnownSet, Origin, Row, SetBuilder};
use pfh_serve::{Limits, Options, Server};
use serde_json::Value;

/// Entries of the set of good files.
pub(crate) const GOOD: usize = 400;

/// The contents of a known file.
pub(crate) fn good(number: usize) -> Vec<u8> {
    format!("known file {number}").into_bytes()
}

/// The contents of the bad file, which is good in the first set.
pub(crate) const BAD: &[u8] = b"known file 7";

pub(crate) fn digest(algorithm: &str, message: &[u8]) -> Digest {
    Algorithm::from_name(algorithm).unwrap().digest(message)
}

/// Writes a set of files, each with its contents, and the texts about them.
pub(crate) fn set(algorithms: &[&str], class: Class, files: &[Vec<u8>]) -> Vec<u8> {
    let algorithms: Vec<Algorithm> = algorithms.iter().map(|name| Algorithm::from_name(name).unwrap()).collect();
    let mut keep = Keep::default();
    (keep.size, keep.name, keep.product, keep.category, keep.digests) = (true, true, true, true, true);
    let mut builder = SetBuilder::new(&algorithms, keep, 16 << 20);
    let mut origin = Origin::default();
    (origin.name, origin.release, origin.class) = (format!("{class}.txt"), "2026.09.1".to_owned(), class);
    builder.begin_source(origin).unwrap();
    for (number, file) in files.iter().enumerate() {
        let digests: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(file)).collect();
        let name = format!("file \"{number}\"");
        let product: &[u8] = if number % 2 == 0 { b"1234" } else { b"Example OS" };
        let row = Row {
            digests: &digests,
            size: Some(file.len() as u64),
            name: name.as_bytes(),
            product,
            category: b"example",
            ..Row::default()
        };
        builder.push(&row).unwrap();
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes, "a test").unwrap();
    bytes
}

pub(crate) fn classifier() -> Classifier {
    let files: Vec<Vec<u8>> = (0..GOOD).map(good).collect();
    let mut classifier = Classifier::default();
    let good = set(&["md5", "sha1", "sha256"], Class::Good, &files);
    let bad = set(&["md5"], Class::Bad, &[BAD.to_vec()]);
    for (name, bytes) in [("good.pfhk", good), ("bad.pfhk", bad)] {
        let set = KnownSet::from_bytes(bytes).unwrap();
        classifier.push(ClassifiedSet { name: name.as_bytes().to_vec(), class: None, set });
    }
    classifier
}

pub(crate) fn options(limits: Limits) -> Options {
    let mut options = Options::default();
    options.nsrlsvr = Some("127.0.0.1:0".parse().unwrap());
    options.limits = limits;
    options
}

/// Starts a server with both sets.
pub(crate) fn server(limits: Limits) -> Server {
    Server::start(classifier(), options(limits)).unwrap()
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Splits what a server sent.
    pub(crate) fn of(bytes: &[u8]) -> Answer {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Sends bytes and returns all that comes until the server closes the connection.
pub(crate) fn exchange(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(address);
    // A server that refuses may close before it has read everything.
    let _ = stream.write_all(bytes);
    all_of(stream)
}

/// Returns all that comes until the server closes the connection.
pub(crate) fn all_of(mut stream: TcpStream) -> Vec<u8> {
    let mut received = Vec::new();
    let mut some = [0; 4096];
    loop {
        match stream.read(&mut some) {
            Ok(0) => return received,
            Ok(bytes) => received.extend_from_slice(&some[..bytes]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return received,
            Err(error) => panic!("{error}, after {received:?}"),
        }
    }
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    Answer::of(&exchange(address, request.as_bytes()))
}

pub(crate) fn post(address: SocketAddr, path: &str, body: &str) -> Answer {
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    Answer::of(&exchange(address, request.as_bytes()))
}

/// A client of nsrlsvr.
pub(crate) struct Lines(BufReader<TcpStream>);

impl Lines {
    pub(crate) fn connect(address: SocketAddr) -> Lines {
        Lines(BufReader::new(connect(address)))
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        // A server that refuses may close before it has read everything.
        let _ = self.0.get_mut().write_all(bytes);
    }

    /// Returns the next answer; empty if the server closed the connection.
    pub(crate) fn receive(&mut self) -> String {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(_) => line,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => String::new(),
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.send(line.as_bytes());
        self.receive()
    }
}

/// Returns the value of a counter.
pub(crate) fn metric(address: SocketAddr, name: &str) -> u64 {
    let answer = get(address, "/metrics");
    let line = answer.body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0, |value| value.parse().unwrap())
}
