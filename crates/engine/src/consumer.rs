//! Consumers of a file's bytes beside its digests: a verified copy, block hashes of an image.

use pfh_record::{Outcome, Piece, Record};
use std::io;

/// Takes the bytes of one file while they are hashed.
///
/// A [`Decision`](crate::Decision) brings one forth for a file that is open and not yet read: that is its beginning.
/// Then come the file's bytes in their order, exactly those that are hashed, and at the end either
/// [`Consumer::finish`] or [`Consumer::retract`], never both unless finishing failed. Bytes arrive before it is known
/// whether the file stays as it is: what was made of them counts only once it is finished.
///
/// All calls for one file come from one thread at a time, and the thread reads on only when a call has returned, so
/// that nothing piles up. An error or a panic costs this file alone: its record then has
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
    /// Any that makes the rest useless: nothing more of the file is read, and the consumer is retracted.
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Whether [`Consumer::piece`] takes the digests of the file's pieces, where [`Options`](crate::Options) ask for
    /// pieces. The record then has none, and a file may have any number of them.
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

    /// The file was read to its end and did not change meanwhile; this record will be delivered.
    ///
    /// # Errors
    /// Any that makes what was taken useless: the file's record then says so, and the consumer is retracted.
    fn finish(&mut self, record: &Record) -> io::Result<()>;

    /// The bytes that were taken are not the file's content, or not all of it, and the file has this outcome;
    /// [`Outcome::NotReached`] where the run was stopped.
    fn retract(&mut self, outcome: &Outcome);
}
