//! Connections that a client cannot keep waiting.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Bytes for which a client may keep the server waiting for its patience. One that takes a few now and then would
/// otherwise hold an answer for ever.
const PART_BYTES: usize = 256 << 10;

/// A connection whose client has to take each part of what is written within a time.
pub(crate) struct PatientStream {
    stream: TcpStream,
    patience: Duration,
    /// The beginning of a write that waits, and the end of the patience with it.
    waits: Option<(Instant, Pin<Box<Sleep>>)>,
    /// Bytes of the part that were taken, and the time for which writes have waited for that.
    taken: usize,
    waited: Duration,
}

impl PatientStream {
    pub(crate) fn new(stream: TcpStream, patience: Duration) -> PatientStream {
        PatientStream { stream, patience, waits: None, taken: 0, waited: Duration::ZERO }
    }

    fn within_patience(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let Poll::Ready(written) = polled else {
            let left = self.patience.saturating_sub(self.waited);
            let (_, end) = self.waits.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
            ready!(end.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        };
        if let Some((since, _)) = self.waits.take() {
            self.waited += since.elapsed();
        }
        self.taken += written.as_ref().map_or(0, |bytes| *bytes);
        if self.taken >= PART_BYTES {
            (self.taken, self.waited) = (0, Duration::ZERO);
        }
        Poll::Ready(written)
    }
}

impl AsyncRead for PatientStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, to)
    }
}

impl AsyncWrite for PatientStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within_patience(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.within_patience(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
