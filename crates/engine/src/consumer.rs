//! Consumers of a file's bytes beside its digests, as for a verified copy or the block hashes of an image.

use pfh_record::{Outcome, Piece, Record};
use std::io;

/// Takes the bytes of one file while they are hashed.
///
/// A [`Decision`](crate::Decision) creates a consumer for a file that is open and not yet read. The consumer then gets
/// the file's bytes in order, exactly those that are hashed, and at the end either [`Consumer::finish`] or
/// [`Consumer::retract`] is called; both only if finishing failed. Bytes arrive before it is known whether the file
/// changes meanwhile, so a result counts only once it is finished.
///
/// All calls for one file come from one thread at a time, and the thread reads on only when a call has returned, so
/// nothing piles up. An error or a panic affects only this file: its record then has
/// [`ErrorKind::Consumer`](pfh_record::ErrorKind::Consumer) or
/// [`ErrorKind::Internal`](pfh_record::ErrorKind::Internal).
///
/// ```
/// use pfh_engine::Consumer;
/// use pfh_record::{Outcome, Record};
/// use std::fs::File;
/// use std::io::{self, Write};
/// use std::path::PathBuf;
///
/// struct Copy {
///     target: PathBuf,
///     file: File,
/// }
///
/// impl Consumer for Copy {
///     fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
///         self.file.write_all(bytes)
///     }
///     fn finish(&mut self, _: &Record) -> io::Result<()> {
///         self.file.sync_all()
///     }
///     fn retract(&mut self, _: &Outcome) {
///         let _ = std::fs::remove_file(&self.target);
///     }
/// }
/// ```
pub trait Consumer: Send {
    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// Any error ends the file: no more of it is read, and the consumer is retracted.
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Whether [`Consumer::piece`] takes the digests of the file's pieces, if [`Options`](crate::Options) ask for
    /// pieces. The record then has none, and the number of pieces is not limited.
    fn takes_pieces(&self) -> bool {
        false
    }

    /// Takes the digests of the next piece, after its last byte.
    ///
    /// # Errors
    /// As [`Consumer::bytes`].
    fn piece(&mut self, piece: Piece) -> io::Result<()> {
        let _ = piece;
        Ok(())
    }

    /// Reports that the file was read to its end and did not change meanwhile; this record will be delivered.
    ///
    /// # Errors
    /// Any error becomes the outcome of the file's record, and the consumer is retracted.
    fn finish(&mut self, record: &Record) -> io::Result<()>;

    /// Reports that the bytes passed are not the whole content of the file, whose outcome this is:
    /// [`Outcome::NotReached`] if the run was stopped.
    fn retract(&mut self, outcome: &Outcome);
}
