//! Pairs of similar files as text: the forms of the families' own programs, CSV and JSON Lines.

use super::args::PairFormat;
use super::digest_list::Name;
use super::hash::Stop;
use super::interrupt::Interrupt;
use super::output::Delivered;
use super::{ExitStatus, hash, message};
use pfh_engine::CancelToken;
use pfh_record::Summary;
use pfh_similarity::Family;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where pairs are written.
pub(crate) struct Sheet {
    delivered: Arc<Mutex<Delivered>>,
    interrupt: Interrupt,
    pub(crate) cancel: CancelToken,
    format: PairFormat,
    /// The word for a score.
    measure: &'static str,
    line: Vec<u8>,
    /// Pairs and clusters that were written.
    pub(crate) written: u64,
    /// Names that the format cannot express were said already.
    unexpressed: bool,
}

/// The form of a family's own program.
pub(crate) fn own_format(family: Family) -> PairFormat {
    match family {
        Family::Ssdeep => PairFormat::Ssdeep,
        Family::Sdhash => PairFormat::Sdhash,
        Family::MrshV2 => PairFormat::MrshV2,
        Family::Tlsh => PairFormat::Tlsh,
    }
}

impl Sheet {
    /// Opens the output. `family` is absent for cryptographic digests, whose pairs have no score.
    pub(crate) fn open(path: Option<&Path>, format: PairFormat, family: Option<Family>) -> Result<Sheet, Stop> {
        let output = hash::open_output(path, None)?;
        let delivered = Arc::new(Mutex::new(Delivered { output, summary: Summary::default() }));
        let cancel = CancelToken::default();
        let interrupt = Interrupt::new(cancel.clone(), Arc::clone(&delivered), |_| Vec::new());
        let measure = if family == Some(Family::Tlsh) { "distance" } else { "score" };
        let (line, written) = (Vec::new(), 0);
        Ok(Sheet { delivered, interrupt, cancel, format, measure, line, written, unexpressed: false })
    }

    fn lock(&self) -> MutexGuard<'_, Delivered> {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = {
            let output = &mut self.lock().output;
            output.write(&self.line)
        };
        self.line.clear();
        written
    }

    /// The beginning: `clusters` instead of pairs.
    pub(crate) fn header(&mut self, kind: &str, threshold: Option<u32>, clusters: bool) -> io::Result<()> {
        match self.format {
            PairFormat::Csv if clusters => self.line.extend_from_slice(b"cluster,name\r\n"),
            PairFormat::Csv if threshold.is_none() => self.line.extend_from_slice(b"first,second\r\n"),
            PairFormat::Csv => self.line.extend_from_slice(format!("first,second,{}\r\n", self.measure).as_bytes()),
            PairFormat::Jsonl => {
                let threshold = threshold.map_or_else(String::new, |threshold| format!(",\"threshold\":{threshold}"));
                let version = env!("CARGO_PKG_VERSION");
                let header = format!(
                    "{{\"type\":\"header\",\"version\":1,\"program\":\"pfh\",\"program_version\":\"{version}\",\
                     \"algorithm\":\"{kind}\"{threshold}}}\n"
                );
                self.line.extend_from_slice(header.as_bytes());
            }
            _ => {}
        }
        self.flush()
    }

    /// A pair.
    pub(crate) fn pair(&mut self, first: Name<'_>, second: Name<'_>, score: Option<u32>) -> io::Result<()> {
        let is_text = !matches!(self.format, PairFormat::Csv | PairFormat::Jsonl);
        if is_text && (first.name.contains(&b'\n') || second.name.contains(&b'\n')) {
            self.say_unexpressed();
            return Ok(());
        }
        let score_text = |score: Option<u32>| score.map_or_else(String::new, |score| score.to_string());
        match self.format {
            PairFormat::Ssdeep | PairFormat::SsdeepPretty => {
                self.push_listed(first);
                self.line.extend_from_slice(b" matches ");
                self.push_listed(second);
                if let Some(score) = score {
                    self.line.extend_from_slice(format!(" ({score})").as_bytes());
                }
                self.line.push(b'\n');
            }
            PairFormat::Sdhash | PairFormat::MrshV2 | PairFormat::Tlsh => {
                let (between, last) = match self.format {
                    PairFormat::Sdhash => ("|", format!("{:03}\n", score.unwrap_or(0))),
                    PairFormat::MrshV2 => (" | ", format!("{:03} \n", score.unwrap_or(0))),
                    _ => ("\t", format!("{}\n", score_text(score))),
                };
                for name in [first.name, second.name] {
                    self.line.extend_from_slice(name);
                    self.line.extend_from_slice(between.as_bytes());
                }
                self.line.extend_from_slice(last.as_bytes());
            }
            PairFormat::Csv => {
                push_csv(first.name, &mut self.line);
                self.line.push(b',');
                push_csv(second.name, &mut self.line);
                if score.is_some() {
                    self.line.push(b',');
                    self.line.extend_from_slice(score_text(score).as_bytes());
                }
                self.line.extend_from_slice(b"\r\n");
            }
            PairFormat::Jsonl => {
                self.line.extend_from_slice(b"{\"type\":\"pair\"");
                for (key, name) in [("first", first), ("second", second)] {
                    push_json_name(key, name.name, &mut self.line);
                    if let Some(list) = name.list {
                        push_json_name(&format!("{key}_list"), list, &mut self.line);
                    }
                }
                if let Some(score) = score {
                    self.line.extend_from_slice(format!(",\"{}\":{score}", self.measure).as_bytes());
                }
                self.line.extend_from_slice(b"}\n");
            }
        }
        self.written += 1;
        self.flush()
    }

    /// The end of the pairs of one file.
    pub(crate) fn end_group(&mut self) -> io::Result<()> {
        if self.format == PairFormat::SsdeepPretty {
            self.line.push(b'\n');
            self.flush()?;
        }
        Ok(())
    }

    /// Files that belong together, as ssdeep writes them (`-g`).
    pub(crate) fn cluster<'a>(&mut self, count: usize, names: impl Iterator<Item = Name<'a>>) -> io::Result<()> {
        self.written += 1;
        match self.format {
            PairFormat::Jsonl => self.line.extend_from_slice(b"{\"type\":\"cluster\",\"files\":["),
            PairFormat::Csv => {}
            _ => self.line.extend_from_slice(format!("** Cluster size {count}\n").as_bytes()),
        }
        for (place, name) in names.enumerate() {
            match self.format {
                PairFormat::Csv => {
                    self.line.extend_from_slice(format!("{},", self.written).as_bytes());
                    push_csv(name.name, &mut self.line);
                    self.line.extend_from_slice(b"\r\n");
                }
                PairFormat::Jsonl => {
                    self.line.extend_from_slice(if place > 0 { b",{\"" } else { b"{\"" });
                    // An object of its own: without the comma that sets a field apart.
                    let mut field = Vec::new();
                    push_json_name("path", name.name, &mut field);
                    self.line.extend_from_slice(&field[2..]);
                    self.line.push(b'}');
                }
                _ if name.name.contains(&b'\n') => self.say_unexpressed(),
                _ => {
                    self.push_listed(name);
                    self.line.push(b'\n');
                }
            }
        }
        match self.format {
            PairFormat::Jsonl => self.line.extend_from_slice(b"]}\n"),
            PairFormat::Csv => {}
            _ => self.line.push(b'\n'),
        }
        self.flush()
    }

    fn push_listed(&mut self, name: Name<'_>) {
        if let Some(list) = name.list {
            self.line.extend_from_slice(list);
            self.line.push(b':');
        }
        self.line.extend_from_slice(name.name);
    }

    fn say_unexpressed(&mut self) {
        if !self.unexpressed {
            message::error("names with line feeds are left out: only csv and jsonl can express them");
        }
        self.unexpressed = true;
    }

    /// Ends the output. `result`: how writing went. The status counts what is written here as findings if `finds`.
    pub(crate) fn end(
        mut self,
        result: io::Result<()>,
        digests: usize,
        finds: bool,
        unread: u64,
    ) -> Result<ExitStatus, Stop> {
        let interrupted = self.interrupt.came();
        let result = result.and_then(|()| {
            if self.format == PairFormat::Jsonl && !interrupted {
                let written = self.written;
                self.line.extend_from_slice(
                    format!("{{\"type\":\"summary\",\"digests\":{digests},\"found\":{written}}}\n").as_bytes(),
                );
                self.flush()?;
            }
            let mut delivered = self.lock();
            if interrupted { delivered.output.finish_partial(b"") } else { delivered.output.finish().map(|()| None) }
        });
        match result {
            Ok(partial) if interrupted => {
                message::interrupted(partial.as_deref());
                Ok(ExitStatus::Interrupted)
            }
            Ok(_) if finds && self.written > 0 => Ok(ExitStatus::Findings),
            Ok(_) if unread > 0 || self.unexpressed => Ok(ExitStatus::Unread),
            Ok(_) => Ok(ExitStatus::Done),
            // A closed pipe is a normal end: the reader has what it wanted.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitStatus::Done),
            Err(error) => {
                let after_error = self.lock().output.after_error();
                self.lock().output.discard();
                Err(Stop(ExitStatus::Internal, format!("the output could not be written: {error}{after_error}")))
            }
        }
    }
}

/// Nothing is left behind where the end was not reached. (The signal handler holds on to the output.)
impl Drop for Sheet {
    fn drop(&mut self) {
        self.lock().output.discard();
    }
}

/// A field by RFC 4180.
fn push_csv(name: &[u8], out: &mut Vec<u8>) {
    if !name.iter().any(|byte| b",\"\r\n".contains(byte)) {
        out.extend_from_slice(name);
        return;
    }
    out.push(b'"');
    for &byte in name {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// `,"KEY":"NAME"`, and `KEY_base64` beside it where the name is not UTF-8.
fn push_json_name(key: &str, name: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(name);
    out.extend_from_slice(format!(",\"{key}\":{}", serde_json::Value::from(&*text)).as_bytes());
    if std::str::from_utf8(name).is_err() {
        out.extend_from_slice(format!(",\"{key}_base64\":\"").as_bytes());
        push_base64(name, out);
        out.push(b'"');
    }
}

fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let value = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(value >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= group.len() { digit } else { b'=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            let mut out = Vec::new();
            push_base64(bytes.as_bytes(), &mut out);
            assert_eq!(out, text.as_bytes());
        }
    }

    #[test]
    fn odd_names_are_fields() {
        let mut out = Vec::new();
        push_csv(b"a\"b,c", &mut out);
        push_json_name("path", b"\xff", &mut out);
        assert_eq!(out, "\"a\"\"b,c\",\"path\":\"\u{fffd}\",\"path_base64\":\"/w==\"".as_bytes());
    }
}
