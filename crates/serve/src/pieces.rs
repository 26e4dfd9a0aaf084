//! Answers in pieces of memory. Each piece is accounted for before it is had, and given back when it was sent.

use crate::limits::{NoMemory, Share};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use serde_json::Value;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Most bytes of a piece.
const PIECE_BYTES_MAX: usize = 32 << 10;

/// Fewest bytes of a piece.
const PIECE_BYTES_MIN: usize = 1 << 10;

/// A piece, which gives back its memory when it is dropped.
struct Piece {
    bytes: Vec<u8>,
    /// For the capacity of the bytes.
    _share: Share,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer that is being written.
///
/// Its pieces never grow. One long text would be copied whenever it does, and have up to three times its length.
pub(crate) struct Pieces {
    pieces: VecDeque<Piece>,
    piece_bytes: usize,
    /// The memory for further pieces.
    share: Share,
    has_value: bool,
}

impl Pieces {
    /// Begins an answer of about this length. Its pieces first use up `share`.
    pub(crate) fn new(share: Share, expected_bytes: usize) -> Pieces {
        let piece_bytes = expected_bytes.clamp(PIECE_BYTES_MIN, PIECE_BYTES_MAX);
        Pieces { pieces: VecDeque::new(), piece_bytes, share, has_value: false }
    }

    /// Appends a text.
    pub(crate) fn push_text(&mut self, text: &str) -> Result<(), NoMemory> {
        self.write_all(text.as_bytes()).map_err(|_| NoMemory)
    }

    /// Appends a value to the array that the answer ends with.
    pub(crate) fn push(&mut self, value: &Value) -> Result<(), NoMemory> {
        if std::mem::replace(&mut self.has_value, true) {
            self.push_text(",")?;
        }
        serde_json::to_writer(self, value).map_err(|_| NoMemory)
    }

    /// Ends the answer, which from here on waits for the client.
    pub(crate) fn into_body(self) -> PiecesBody {
        PiecesBody { pieces: self.pieces }
    }

    fn begin_piece(&mut self) -> Result<(), NoMemory> {
        self.share.grow(self.piece_bytes.saturating_sub(self.share.bytes()))?;
        let share = self.share.split(self.piece_bytes);
        self.pieces.push_back(Piece { bytes: Vec::with_capacity(self.piece_bytes), _share: share });
        Ok(())
    }
}

/// The only error is that there is no memory left.
impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pieces.back().is_none_or(|piece| piece.bytes.len() == self.piece_bytes) {
            self.begin_piece().map_err(|NoMemory| io::ErrorKind::OutOfMemory)?;
        }
        let Some(piece) = self.pieces.back_mut() else { return Ok(0) };
        let taken = bytes.len().min(self.piece_bytes - piece.bytes.len());
        piece.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An answer that is being sent.
pub(crate) struct PiecesBody {
    pieces: VecDeque<Piece>,
}

impl Body for PiecesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.pieces.pop_front().map(|piece| Ok(Frame::data(Bytes::from_owner(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.pieces.iter().map(|piece| piece.bytes.len() as u64).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Memory;
    use std::task::Waker;

    fn next(body: &mut PiecesBody) -> Option<Bytes> {
        match Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(frame) => frame.map(|frame| frame.unwrap().into_data().unwrap()),
            Poll::Pending => panic!("pieces wait for nothing"),
        }
    }

    #[test]
    fn an_answer_has_no_more_memory_than_it_is_granted() {
        let memory = Memory::new(100 << 10);
        let mut pieces = Pieces::new(memory.share(), 1 << 20);
        let value = Value::from("x".repeat(5000));
        // With its quotes and a comma, each has 5003 bytes, and there is room for three pieces.
        let pushed = (0..).take_while(|_| pieces.push(&value).is_ok()).count();
        assert_eq!((pushed, memory.used()), (3 * PIECE_BYTES_MAX / 5003, 3 * PIECE_BYTES_MAX));
        let had: usize = pieces.pieces.iter().map(|piece| piece.bytes.capacity()).sum();
        assert!(had <= memory.used(), "{had}");
        // A value longer than all the memory is not made first.
        assert_eq!(pieces.push(&Value::from("x".repeat(1 << 20))), Err(NoMemory));
        assert_eq!(memory.used(), 3 * PIECE_BYTES_MAX);
    }

    #[test]
    fn memory_comes_back_piece_by_piece() {
        let memory = Memory::new(100 << 10);
        let mut share = memory.share();
        share.grow(80_000).unwrap();
        let mut pieces = Pieces::new(share, 60_000);
        pieces.push_text("[").unwrap();
        for number in 0..1000 {
            pieces.push(&Value::from(format!("{number:040}"))).unwrap();
        }
        pieces.push_text("]").unwrap();
        assert_eq!(memory.used(), 80_000, "what was granted suffices");
        let mut body = pieces.into_body();
        assert_eq!(memory.used(), 2 * PIECE_BYTES_MAX, "the rest is given back");
        assert_eq!(body.size_hint().exact(), Some(1000 * 43 + 1));
        let first = next(&mut body).unwrap();
        assert_eq!(memory.used(), 2 * PIECE_BYTES_MAX, "it is not sent yet");
        let second = next(&mut body).unwrap();
        assert!(body.is_end_stream() && next(&mut body).is_none());
        let all: Vec<String> = serde_json::from_slice(&[&first[..], &second].concat()).unwrap();
        assert_eq!((all.len(), &*all[999]), (1000, &*format!("{:040}", 999)));
        drop(first);
        assert_eq!(memory.used(), PIECE_BYTES_MAX);
        drop(second);
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn a_short_answer_takes_little() {
        let memory = Memory::new(2000);
        let mut pieces = Pieces::new(memory.share(), 192);
        pieces.push(&Value::Null).unwrap();
        assert_eq!(memory.used(), PIECE_BYTES_MIN);
        assert_eq!(next(&mut pieces.into_body()).as_deref(), Some(&b"null"[..]));
        assert_eq!(memory.used(), 0);
    }
}
