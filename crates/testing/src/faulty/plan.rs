//! The list of faults: which file is damaged, how, and when.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const EIO: i32 = 5;

/// Which files are damaged and how. One line for each fault: the path below the root, a blank, and
///
/// | fault | meaning |
/// | --- | --- |
/// | `eio OFFSET LENGTH` | these bytes cannot be read; a read that begins before them ends there |
/// | `stall MS` | each read takes `MS` milliseconds longer |
/// | `short BYTES` | no read returns more |
/// | `shrink OFFSET SIZE` | once the byte at `OFFSET` was read, the file has `SIZE` bytes |
/// | `grow OFFSET SIZE` | the same; what was not there reads as zeros |
/// | `rewrite OFFSET` | once that byte was read, all others are new ([`rewritten`]), and the times a minute later |
/// | `touch OFFSET` | once that byte was read, the times of change are a minute later |
/// | `vanish OFFSET` | once that byte was read, the name leads to nothing |
/// | `open ERRNO` | opening fails with this error number |
///
/// `stall` and `open` also hold for directories, when they are opened for listing.
///
/// Paths are raw bytes and may hold blanks; a path with a line feed cannot be named. Empty lines and lines that begin
/// with `#` are passed over. A file may have several faults.
#[derive(Debug, Default)]
pub struct FaultPlan(HashMap<Vec<u8>, FileFaults>);

/// A line that is no fault.
#[derive(Debug, PartialEq, Eq)]
pub struct PlanError {
    /// Its number, from 1.
    pub line: usize,
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "line {}: not `PATH FAULT NUMBER …` with a known fault", self.line)
    }
}

impl std::error::Error for PlanError {}

/// The faults of one file, and how far it was read.
#[derive(Debug, Default)]
pub(super) struct FileFaults {
    faults: Vec<Fault>,
    /// End of the furthest read.
    reached: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Eio { start: u64, end: u64 },
    Stall(Duration),
    Short(u64),
    Resize { after: u64, size: u64 },
    Rewrite { after: u64 },
    Touch { after: u64 },
    Vanish { after: u64 },
    Open(i32),
}

impl FaultPlan {
    /// Reads the list.
    /// # Errors
    /// The first line that is no fault.
    pub fn parse(list: &[u8]) -> Result<Self, PlanError> {
        let mut plan = Self::default();
        for (line, number) in list.split(|&byte| byte == b'\n').zip(1..) {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let (path, fault) = parse_line(line).ok_or(PlanError { line: number })?;
            plan.0.entry(path.to_vec()).or_default().faults.push(fault);
        }
        Ok(plan)
    }

    pub(super) fn of(&self, path: &[u8]) -> Option<&FileFaults> {
        self.0.get(path)
    }
}

/// The fault stands at the end of the line, so that the path may hold blanks.
fn parse_line(line: &[u8]) -> Option<(&[u8], Fault)> {
    let mut words = line.rsplitn(4, |&byte| byte == b' ');
    let last = number(words.next()?)?;
    let word = words.next()?;
    let one = match word {
        b"stall" => Some(Fault::Stall(Duration::from_millis(last))),
        b"short" if last > 0 => Some(Fault::Short(last)),
        b"rewrite" => Some(Fault::Rewrite { after: last }),
        b"touch" => Some(Fault::Touch { after: last }),
        b"vanish" => Some(Fault::Vanish { after: last }),
        b"open" => Some(Fault::Open(i32::try_from(last).ok().filter(|&errno| errno > 0)?)),
        _ => None,
    };
    let (fault, words_bytes) = match one {
        Some(fault) => (fault, word.len()),
        None => {
            let first = number(word)?;
            let keyword = words.next()?;
            let fault = match keyword {
                b"eio" => Fault::Eio { start: first, end: first.checked_add(last)? },
                b"shrink" | b"grow" => Fault::Resize { after: first, size: last },
                _ => return None,
            };
            (fault, keyword.len() + 1 + word.len())
        }
    };
    let last_bytes = line.rsplit(|&byte| byte == b' ').next()?.len();
    let path = &line[..line.len() - last_bytes - 1 - words_bytes];
    path.strip_suffix(b" ").filter(|path| !path.is_empty()).map(|path| (path, fault))
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

impl FileFaults {
    pub(super) fn open(&self) -> io::Result<()> {
        self.faults.iter().try_for_each(|fault| match *fault {
            Fault::Open(errno) => Err(io::Error::from_raw_os_error(errno)),
            _ => Ok(()),
        })
    }

    /// Opening a directory.
    pub(super) fn list(&self) -> io::Result<()> {
        self.stall();
        self.open()
    }

    fn stall(&self) {
        for fault in &self.faults {
            if let Fault::Stall(time) = *fault {
                std::thread::sleep(time);
            }
        }
    }

    /// How many bytes a read may return of a file that really has `size`.
    pub(super) fn read(&self, offset: u64, length: usize, size: u64) -> io::Result<usize> {
        self.stall();
        let mut end = offset.saturating_add(length as u64).min(self.size(size));
        for fault in &self.faults {
            match *fault {
                Fault::Short(bytes) => end = end.min(offset.saturating_add(bytes)),
                Fault::Eio { start, end: stop } if (start..stop).contains(&offset) => {
                    return Err(io::Error::from_raw_os_error(EIO));
                }
                Fault::Eio { start, .. } if start > offset => end = end.min(start),
                _ => {}
            }
        }
        if end > offset {
            self.reached.fetch_max(end, Ordering::SeqCst);
        }
        Ok(end.saturating_sub(offset) as usize)
    }

    /// Rewrites those of the bytes read that were written to before they were read.
    pub(super) fn rewrite(&self, offset: u64, bytes: &mut [u8], reached_before: u64) {
        for fault in &self.faults {
            if let Fault::Rewrite { after } = *fault {
                let kept = if reached_before > after { 0 } else { (after + 1).saturating_sub(offset) };
                let kept = bytes.len().min(usize::try_from(kept).unwrap_or(usize::MAX));
                rewritten(&mut bytes[kept..]);
            }
        }
    }

    /// How far it was read.
    pub(super) fn reached(&self) -> u64 {
        self.reached.load(Ordering::SeqCst)
    }

    fn has_read(&self, offset: u64) -> bool {
        self.reached() > offset
    }

    /// The size now.
    pub(super) fn size(&self, real: u64) -> u64 {
        self.faults.iter().fold(real, |size, fault| match *fault {
            Fault::Resize { after, size } if self.has_read(after) => size,
            _ => size,
        })
    }

    /// Seconds by which the times of change have moved.
    pub(super) fn touched(&self) -> u64 {
        let touched = |fault: &Fault| match *fault {
            Fault::Touch { after } | Fault::Rewrite { after } | Fault::Resize { after, .. } => self.has_read(after),
            _ => false,
        };
        if self.faults.iter().any(touched) { 60 } else { 0 }
    }

    pub(super) fn vanished(&self) -> bool {
        self.faults.iter().any(|fault| matches!(*fault, Fault::Vanish { after } if self.has_read(after)))
    }
}

/// Changes contents as `rewrite` does.
pub fn rewritten(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_a_path_and_a_fault() {
        let plan =
            FaultPlan::parse(b"# list\na b eio 4096 512\n\na b stall 20\n\xff/x shrink 0 7\nopen open 13").unwrap();
        assert_eq!(
            plan.of(b"a b").unwrap().faults,
            [Fault::Eio { start: 4096, end: 4608 }, Fault::Stall(Duration::from_millis(20))]
        );
        assert_eq!(plan.of(b"\xff/x").unwrap().faults, [Fault::Resize { after: 0, size: 7 }]);
        assert_eq!(plan.of(b"open").unwrap().faults, [Fault::Open(13)]);
        let damaged = [
            "name",
            "name eio",
            "name eio 1",
            "name eio x 1",
            "eio 1 2",
            " eio 1 2",
            "name stall -1",
            "name stall 1 2",
            "name short 0",
            "name open 0",
            "name eio 18446744073709551615 1",
            "name what 1 2",
            "stall 1",
        ];
        for line in damaged {
            let list = format!("fine stall 1\n{line}");
            assert_eq!(FaultPlan::parse(list.as_bytes()).unwrap_err(), PlanError { line: 2 }, "{line}");
        }
    }

    #[test]
    fn reads_end_where_the_plan_says() {
        let plan =
            FaultPlan::parse(b"f eio 100 10\nf short 60\ng shrink 50 80\nh grow 0 1000\nh touch 5000\ni rewrite 3")
                .unwrap();
        let file = plan.of(b"f").unwrap();
        assert_eq!(file.read(0, 200, 200).unwrap(), 60);
        assert_eq!(file.read(60, 200, 200).unwrap(), 40);
        assert_eq!(file.read(100, 200, 200).unwrap_err().raw_os_error(), Some(EIO));
        assert_eq!(file.read(109, 1, 200).unwrap_err().raw_os_error(), Some(EIO));
        assert_eq!(file.read(110, 200, 200).unwrap(), 60);
        let file = plan.of(b"g").unwrap();
        assert_eq!((file.size(200), file.touched()), (200, 0));
        assert_eq!(file.read(0, 50, 200).unwrap(), 50);
        assert_eq!(file.size(200), 200);
        assert_eq!(file.read(50, 10, 200).unwrap(), 10);
        assert_eq!((file.size(200), file.touched()), (80, 60));
        assert_eq!(file.read(60, 100, 200).unwrap(), 20);
        assert_eq!(file.read(80, 100, 200).unwrap(), 0);
        let file = plan.of(b"i").unwrap();
        let read = |offset, length| {
            let (reached, mut bytes) = (file.reached(), vec![0; length]);
            file.read(offset, length, 200).unwrap();
            file.rewrite(offset, &mut bytes, reached);
            bytes
        };
        assert_eq!((read(0, 3), file.touched()), (vec![0; 3], 0));
        assert_eq!((read(2, 4), file.touched()), (vec![0, 0, 255, 255], 60));
        assert_eq!(read(0, 2), [255; 2]);
        let file = plan.of(b"h").unwrap();
        assert_eq!(file.read(0, 10, 20).unwrap(), 10);
        assert_eq!((file.size(20), file.read(10, 2000, 20).unwrap()), (1000, 990));
    }
}
