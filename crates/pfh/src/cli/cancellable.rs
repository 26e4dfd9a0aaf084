//! An input whose reader need not wait for it.

use pfh_engine::CancelToken;
use std::io::{self, Cursor, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// An input that a thread reads, so that a read that never ends does not keep the reader.
pub(crate) struct Cancellable {
    parts: Receiver<io::Result<Vec<u8>>>,
    part: Cursor<Vec<u8>>,
    cancel: CancelToken,
}

/// Time between two looks at the token.
const TICK: Duration = Duration::from_millis(20);

impl Cancellable {
    /// Bytes that are read at once.
    const PART_BYTES: usize = 1 << 16;

    pub(crate) fn new(mut reader: Box<dyn Read + Send>, cancel: CancelToken) -> Cancellable {
        let (sender, parts) = sync_channel(1);
        let refused = sender.clone();
        // It ends with the input, or with the program.
        let begun = thread::Builder::new().spawn(move || {
            let mut buffer = vec![0; Cancellable::PART_BYTES];
            loop {
                let read = match reader.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read.map(|bytes| buffer[..bytes].to_vec()),
                };
                let is_last = read.as_ref().map_or(true, Vec::is_empty);
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        if let Err(error) = begun {
            let _ = refused.send(Err(error));
        }
        Cancellable { parts, part: Cursor::default(), cancel }
    }
}

impl Read for Cancellable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.part.read(buffer)? {
                0 => {}
                bytes => return Ok(bytes),
            }
            match self.parts.recv_timeout(TICK) {
                Ok(Ok(part)) if part.is_empty() => return Ok(0),
                Ok(part) => self.part = Cursor::new(part?),
                Err(RecvTimeoutError::Timeout) if !self.cancel.is_cancelled() => {}
                Err(_) => return Ok(0),
            }
        }
    }
}
