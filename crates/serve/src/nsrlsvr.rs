//! Connections of the line protocol of nsrlsvr.

use crate::answers;
use crate::limits::Share;
use crate::line::Line;
use crate::metrics::{Protocol, Refusal};
use crate::state::{LOOK_UPS_AT_ONCE, State};
use std::io;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{self, sleep, timeout, timeout_at};

const OK: &[u8] = b"OK\r\n";
const NOT_OK: &[u8] = b"NOT OK\r\n";
const NOT_SUPPORTED: &[u8] = b"NOT SUPPORTED\r\n";

/// Bytes of lines that every connection may have; longer lines take from the memory for requests.
const OWN_BYTES: usize = 4096;

/// Memory for each further byte of a line: the byte itself, and its digests while they are looked up.
const BYTES_PER_BYTE: usize = 4;

/// Answers the lines of a connection until either side closes it.
pub(crate) async fn serve(state: Arc<State>, stream: TcpStream, client: IpAddr) {
    let share = state.requests.share();
    let mut connection = Connection { state, stream, client, bytes: Vec::new(), line: 0..0, has_asked: false, share };
    while let Some(answer) = connection.next().await {
        let Answer { verb, name, text, is_last } = answer;
        connection.state.metrics.nsrlsvr_request(verb, name);
        let written = timeout(connection.state.limits.timeout, connection.stream.write_all(&text)).await;
        let is_written = matches!(written, Ok(Ok(())));
        if written.is_err() {
            connection.state.metrics.refused(Refusal::Timeout);
        }
        if is_last || !is_written || *connection.state.stop.borrow() {
            break;
        }
    }
    // If the client has gone, there is nobody to tell.
    let _ = connection.stream.shutdown().await;
}

struct Connection {
    state: Arc<State>,
    stream: TcpStream,
    client: IpAddr,
    /// The bytes that were read and not answered yet.
    bytes: Vec<u8>,
    /// The latest line.
    line: Range<usize>,
    /// Whether it has sent a line, and may wait with the next.
    has_asked: bool,
    share: Share,
}

/// An answer, and its names in the metrics.
struct Answer {
    verb: &'static str,
    name: &'static str,
    text: Vec<u8>,
    /// Whether the server closes the connection after it.
    is_last: bool,
}

fn answer(verb: &'static str, text: &[u8]) -> Answer {
    let name = match text {
        NOT_OK => "not-ok",
        NOT_SUPPORTED => "not-supported",
        [] => "none",
        _ => "ok",
    };
    Answer { verb, name, text: text.to_vec(), is_last: text.is_empty() }
}

impl Answer {
    fn last(self) -> Answer {
        Answer { is_last: true, ..self }
    }
}

impl Connection {
    /// Reads a line and returns its answer; `None` if the client sends no more, or not in time, or the server stops.
    async fn next(&mut self) -> Option<Answer> {
        let state = Arc::clone(&self.state);
        let read = tokio::select! {
            read = self.read() => read?,
            () = state.stopped() => return None,
        };
        if let Err(refusal) = read {
            state.metrics.refused(refusal);
            return Some(answer("line", NOT_OK).last());
        }
        self.has_asked = true;
        while let Err(wait) = state.rates.take(self.client, Instant::now()) {
            // A client that asks too often gets its answers later.
            sleep(wait).await;
            if *state.stop.borrow() {
                return None;
            }
        }
        Some(match Line::parse(&self.bytes[self.line.clone()], state.limits.line_digests) {
            Line::Version => answer("version", OK),
            Line::Status => answer("status", NOT_SUPPORTED),
            Line::Shift => answer("shift", NOT_OK),
            Line::Bye => answer("bye", b""),
            Line::Unknown => answer("unknown", NOT_OK).last(),
            Line::Malformed => {
                state.metrics.refused(Refusal::Malformed);
                answer("query", b"")
            }
            Line::TooMany => {
                state.metrics.refused(Refusal::Size);
                answer("query", NOT_OK).last()
            }
            Line::Query(words) => match query(&state, &words).await {
                Some(text) => answer("query", &text),
                None => answer("query", NOT_OK).last(),
            },
        })
    }

    /// Reads the next line; `None` if there is none. The error is the limit that it exceeds.
    async fn read(&mut self) -> Option<Result<(), Refusal>> {
        let limits = &self.state.limits;
        let (start, mut searched) = (self.line.end, self.line.end);
        self.line = start..start;
        // The line before ends with a line feed.
        let mut start = if self.bytes.get(start) == Some(&b'\n') { start + 1 } else { start };
        searched = searched.max(start);
        let mut deadline = None;
        loop {
            if let Some(length) = self.bytes[searched..].iter().position(|byte| *byte == b'\n') {
                self.line = start..searched + length;
                let is_short = self.line.len() <= limits.line_bytes;
                return Some(if is_short { Ok(()) } else { Err(Refusal::Size) });
            }
            self.bytes.drain(..start);
            (start, searched) = (0, self.bytes.len());
            if self.bytes.is_empty() {
                // Nothing is kept for a connection that waits.
                self.bytes = Vec::new();
                self.share = self.state.requests.share();
                let patience = if self.has_asked { limits.idle } else { limits.timeout.min(limits.idle) };
                if timeout(patience, self.stream.readable()).await.is_err() {
                    self.state.metrics.refused(Refusal::Timeout);
                    return None;
                }
                self.bytes.reserve_exact(OWN_BYTES);
                match self.stream.try_read_buf(&mut self.bytes) {
                    Ok(0) => return None,
                    Ok(_) => {}
                    // The system was wrong about that.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => return None,
                }
                continue;
            }
            // Of a longer line, enough is read to say so.
            if self.bytes.len() > limits.line_bytes {
                return Some(Err(Refusal::Size));
            }
            if self.bytes.len() == self.bytes.capacity() {
                let more = self.bytes.len();
                if self.share.grow(BYTES_PER_BYTE * more).is_err() {
                    return Some(Err(Refusal::Memory));
                }
                self.bytes.reserve_exact(more);
            }
            let deadline = *deadline.get_or_insert_with(|| time::Instant::now() + limits.timeout);
            match timeout_at(deadline, self.stream.read_buf(&mut self.bytes)).await {
                Ok(Ok(1..)) => {}
                Ok(_) => return None,
                Err(_) => {
                    self.state.metrics.refused(Refusal::Timeout);
                    return None;
                }
            }
        }
    }
}

/// Returns `OK` and a digit for each digest; `None` if a set cannot be read.
async fn query(state: &Arc<State>, words: &[&[u8]]) -> Option<Vec<u8>> {
    let mut text = b"OK ".to_vec();
    for some in words.chunks(LOOK_UPS_AT_ONCE) {
        let some: Vec<Vec<u8>> = some.iter().map(|word| word.to_vec()).collect();
        let look_ups = some.len();
        let ask = move |state: &State| answers::are_known(&state.classifier, &state.line_classes, &some);
        let known = state.ask(look_ups, ask).await.ok()?;
        state.metrics.looked_up(Protocol::Nsrlsvr, look_ups, known.iter().filter(|known| **known).count());
        text.extend(known.iter().map(|known| b'0' + u8::from(*known)));
    }
    text.extend_from_slice(b"\r\n");
    Some(text)
}
