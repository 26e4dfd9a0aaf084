//! The list of faults: which file is damaged, how, and when.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const ENOENT: i32 = 2;
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// Which files are damaged and how. One line for each fault: the path below the root, a blank, and
///
/// | fault | meaning |
/// | --- | --- |
/// | `eio OFFSET LENGTH` | these bytes cannot be read; a read that begins before them ends there |
/// | `stall MS` | each read takes `MS` milliseconds longer |
/// | `lookup MS` | finding the file by its name takes `MS` milliseconds longer |
/// | `short BYTES` | no read returns more |
/// | `shrink OFFSET SIZE` | once the byte at `OFFSET` was read, the file has `SIZE` bytes |
/// | `grow OFFSET SIZE` | the same; what was not there reads as zeros |
/// | `rewrite OFFSET` | once that byte was read, all others are new ([`rewritten`]), and the times a minute later |
/// | `touch OFFSET` | once that byte was read, the times of change are a minute later |
/// | `vanish OFFSET` | once that byte was read, the name leads to nothing |
/// | `open ERRNO` | opening fails with this error number |
/// | `flip OFFSET` | all bits of this byte are read wrong, and nothing tells it |
/// | `unwritable OFFSET ERRNO` | this byte cannot be written; a write that begins before it ends there |
/// | `full BYTES` | no more than `BYTES` bytes can be written to it |
/// | `refused ERRNO` | nothing can get this name |
/// | `sync ERRNO` | `fsync` fails with this error number |
/// | `store MS` | `fsync` takes `MS` milliseconds longer |
///
/// `stall` and `open` also hold for directories, when they are opened for listing. `full` of the path `.` holds for all
/// files together, and `sync` and `store` of it for each file. Bytes written count also after they were removed.
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
    /// Bytes written.
    written: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Eio { start: u64, end: u64 },
    Stall(Duration),
    Lookup(Duration),
    Short(u64),
    Resize { after: u64, size: u64 },
    Rewrite { after: u64 },
    Touch { after: u64 },
    Vanish { after: u64 },
    Open(i32),
    Flip { at: u64 },
    Unwritable { at: u64, errno: i32 },
    Full(u64),
    Refused(i32),
    Sync(i32),
    Store(Duration),
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

    /// How many bytes can still be written to the whole filesystem, if the list says it.
    pub(super) fn left(&self) -> Option<u64> {
        self.of(WHOLE)?.left()
    }

    /// How many bytes a write to a file may take: one at least.
    pub(super) fn write(&self, path: &[u8], offset: u64, length: usize) -> io::Result<usize> {
        let allowed = self.of(path).map_or(Ok(length), |faults| faults.write(offset, length))?;
        self.of(WHOLE).map_or(Ok(allowed), |faults| faults.take(allowed))
    }

    /// Storing a file.
    pub(super) fn sync(&self, path: &[u8]) -> io::Result<()> {
        [path, WHOLE].into_iter().filter_map(|path| self.of(path)).try_for_each(FileFaults::sync)
    }
}

/// The path of all files together.
const WHOLE: &[u8] = b".";

/// The fault stands at the end of the line, so that the path may hold blanks.
fn parse_line(line: &[u8]) -> Option<(&[u8], Fault)> {
    let mut words = line.rsplitn(4, |&byte| byte == b' ');
    let last = number(words.next()?)?;
    let word = words.next()?;
    let one = match word {
        b"stall" => Some(Fault::Stall(Duration::from_millis(last))),
        b"lookup" => Some(Fault::Lookup(Duration::from_millis(last))),
        b"short" if last > 0 => Some(Fault::Short(last)),
        b"rewrite" => Some(Fault::Rewrite { after: last }),
        b"touch" => Some(Fault::Touch { after: last }),
        b"vanish" => Some(Fault::Vanish { after: last }),
        b"open" => Some(Fault::Open(errno(last)?)),
        b"flip" => Some(Fault::Flip { at: last }),
        b"full" => Some(Fault::Full(last)),
        b"refused" => Some(Fault::Refused(errno(last)?)),
        b"sync" => Some(Fault::Sync(errno(last)?)),
        b"store" => Some(Fault::Store(Duration::from_millis(last))),
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
                b"unwritable" => Fault::Unwritable { at: first, errno: errno(last)? },
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

fn errno(number: u64) -> Option<i32> {
    i32::try_from(number).ok().filter(|&errno| errno > 0)
}

impl FileFaults {
    fn fail(&self, errno: impl Fn(&Fault) -> Option<i32>) -> io::Result<()> {
        self.faults.iter().find_map(errno).map_or(Ok(()), |errno| Err(io::Error::from_raw_os_error(errno)))
    }

    pub(super) fn open(&self) -> io::Result<()> {
        self.fail(|fault| if let Fault::Open(errno) = *fault { Some(errno) } else { None })
    }

    /// Giving something this name.
    pub(super) fn name(&self) -> io::Result<()> {
        self.fail(|fault| if let Fault::Refused(errno) = *fault { Some(errno) } else { None })
    }

    fn sync(&self) -> io::Result<()> {
        self.wait(|fault| if let Fault::Store(time) = *fault { Some(time) } else { None });
        self.fail(|fault| if let Fault::Sync(errno) = *fault { Some(errno) } else { None })
    }

    fn write(&self, offset: u64, length: usize) -> io::Result<usize> {
        let mut allowed = length;
        for fault in &self.faults {
            match *fault {
                Fault::Unwritable { at, errno } if at == offset => return Err(io::Error::from_raw_os_error(errno)),
                Fault::Unwritable { at, .. } if at > offset => {
                    allowed = allowed.min(usize::try_from(at - offset).unwrap_or(usize::MAX));
                }
                _ => {}
            }
        }
        self.take(allowed)
    }

    /// Uses up space for a write; returns how much of it there was.
    fn take(&self, length: usize) -> io::Result<usize> {
        let mut taken = length;
        // The closure never refuses.
        let _ = self.written.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |written| {
            let left = self.capacity().map_or(u64::MAX, |bytes| bytes.saturating_sub(written));
            taken = length.min(usize::try_from(left).unwrap_or(usize::MAX));
            Some(written + taken as u64)
        });
        if taken == 0 && length > 0 { Err(io::Error::from_raw_os_error(ENOSPC)) } else { Ok(taken) }
    }

    fn capacity(&self) -> Option<u64> {
        self.faults.iter().find_map(|fault| if let Fault::Full(bytes) = *fault { Some(bytes) } else { None })
    }

    fn left(&self) -> Option<u64> {
        self.capacity().map(|bytes| bytes.saturating_sub(self.written.load(Ordering::SeqCst)))
    }

    /// Opening a directory.
    pub(super) fn list(&self) -> io::Result<()> {
        self.stall();
        self.open()
    }

    fn stall(&self) {
        self.wait(|fault| if let Fault::Stall(time) = *fault { Some(time) } else { None });
    }

    /// Finding the file by its name.
    pub(super) fn look_up(&self) -> io::Result<()> {
        self.wait(|fault| if let Fault::Lookup(time) = *fault { Some(time) } else { None });
        let vanished = |fault: &Fault| matches!(*fault, Fault::Vanish { after } if self.has_read(after));
        if self.faults.iter().any(vanished) { Err(io::Error::from_raw_os_error(ENOENT)) } else { Ok(()) }
    }

    fn wait(&self, time: impl Fn(&Fault) -> Option<Duration>) {
        self.faults.iter().filter_map(time).for_each(std::thread::sleep);
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

    /// Rewrites those of the bytes read that were written to before they were read, and those that are read wrong.
    pub(super) fn rewrite(&self, offset: u64, bytes: &mut [u8], reached_before: u64) {
        for fault in &self.faults {
            match *fault {
                Fault::Rewrite { after } => {
                    let kept = if reached_before > after { 0 } else { (after + 1).saturating_sub(offset) };
                    let kept = bytes.len().min(usize::try_from(kept).unwrap_or(usize::MAX));
                    rewritten(&mut bytes[kept..]);
                }
                Fault::Flip { at } => {
                    let place = at.checked_sub(offset).and_then(|place| usize::try_from(place).ok());
                    if let Some(byte) = place.and_then(|place| bytes.get_mut(place..=place)) {
                        rewritten(byte);
                    }
                }
                _ => {}
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
}

/// Changes contents as `rewrite` does.
pub fn rewritten(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
            "name unwritable 1",
            "name unwritable 1 0",
            "name refused 0",
            "name sync -5",
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

    #[test]
    fn writes_end_where_the_plan_says() {
        let plan = FaultPlan::parse(b"f unwritable 100 5\nf full 120\n. full 150\ng refused 22\nh sync 5").unwrap();
        let errno = |result: io::Result<usize>| result.unwrap_err().raw_os_error().unwrap();
        assert_eq!(plan.write(b"f", 0, 200).unwrap(), 100);
        assert_eq!(errno(plan.write(b"f", 100, 1)), EIO);
        assert_eq!(plan.write(b"f", 101, 200).unwrap(), 20);
        assert_eq!(errno(plan.write(b"f", 121, 1)), ENOSPC);
        assert_eq!(plan.left(), Some(30));
        assert_eq!(plan.write(b"other", 0, 29).unwrap(), 29);
        assert_eq!(plan.write(b"other", 29, 2).unwrap(), 1);
        assert_eq!(errno(plan.write(b"other", 30, 1)), ENOSPC);
        assert_eq!((plan.write(b"other", 30, 0).unwrap(), plan.left()), (0, Some(0)));
        assert_eq!(plan.of(b"g").unwrap().name().unwrap_err().raw_os_error(), Some(22));
        assert_eq!(plan.sync(b"h").unwrap_err().raw_os_error(), Some(EIO));
        assert!(plan.sync(b"g").is_ok() && plan.of(b"h").unwrap().name().is_ok());
        for (list, path) in [("h store 20", "h"), (". store 20", "other")] {
            let (plan, started) = (FaultPlan::parse(list.as_bytes()).unwrap(), Instant::now());
            plan.sync(path.as_bytes()).unwrap();
            assert!(started.elapsed() >= Duration::from_millis(20), "{list}");
        }
        assert_eq!(FaultPlan::default().write(b"f", 0, 7).unwrap(), 7);
        assert_eq!(FaultPlan::default().left(), None);
    }

    #[test]
    fn a_byte_is_read_wrong_wherever_reads_begin() {
        let plan = FaultPlan::parse(b"f flip 3").unwrap();
        let file = plan.of(b"f").unwrap();
        for (offset, expected) in [(0, [0, 0, 0, 255]), (3, [255, 0, 0, 0]), (4, [0; 4])] {
            let mut bytes = [0; 4];
            file.rewrite(offset, &mut bytes, file.reached());
            assert_eq!(bytes, expected);
        }
        assert_eq!(file.touched(), 0);
    }
}
