//! `pfh dupes`.

use super::args::{DupesArguments, GroupFormat};
use super::command::{Command, Reporting};
use super::contents::{self, Gathered, Gatherer, shared_room};
use super::exit::{Ending, Failed};
use super::output::SharedOutput;
use super::quantity::{Bytes, Count, plural};
use super::reading;
use super::{json_header, message};
use pfh_digest::Algorithm;
use pfh_duplicates::{Group, GroupKind, Groups, Member, Members, Options, Side, Totals};
use pfh_record::Timestamp;
use pfh_record::csv::push_field;
use pfh_record::jsonl::{end_line, push_bytes_field};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

/// Runs `pfh dupes`.
pub(crate) fn run(arguments: &DupesArguments) -> Result<Ending, Failed> {
    let (options, started) = (&arguments.options, SystemTime::now());
    let is_fclones = arguments.format == GroupFormat::Fclones;
    if is_fclones && !arguments.digests.is_empty() {
        return Err(Failed::usage(
            "--format fclones cannot be used with --digests: fclones would replace or remove listed files that were \
             changed since their list was written; name their paths instead, so that they are read now",
        ));
    }
    if is_fclones && arguments.walk.follow_files {
        return Err(Failed::usage(
            "--format fclones cannot be used with --follow-files: fclones would take symbolic links for the files that \
             they point to",
        ));
    }
    let words = arguments.paths.iter().chain(&arguments.digests).map(OsString::as_os_str);
    reading::one_input(words, Some(&arguments.walk))?;
    let (algorithm, [lists, _]) = contents::open_lists(options, [&arguments.digests, &[]])?;
    let mut command = Command::begin(Reporting::of(options.messages, options.allow_empty), None);
    let inputs = arguments.digests.iter().map(OsString::as_os_str);
    command.set_output(reading::open_output(options.output.as_deref(), inputs)?);
    let mut gatherer = Gatherer::new(&mut command, options, algorithm, arguments.empty, false);
    gatherer.lists(lists, Side::A, !arguments.has_files())?;
    gatherer.walk(&arguments.paths, &arguments.walk, Side::A)?;
    let Gathered { digests, names, doubtful } = gatherer.read()?;
    command.tally.unread += doubtful;
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let wanted = Options {
        directories: !arguments.no_directories && !is_fclones,
        inside: arguments.all,
        with_empty: arguments.empty,
    };
    let mut extents = pfh_source::SharedExtents::default();
    let groups = digests.groups(wanted, &mut |file| shared_room(&mut extents, file)).map_err(Failed::temporary)?;
    command.report_totals();
    let mut writer = Writer { output: command.output(), format: arguments.format, algorithm, names, started };
    // Beside files that could not be read, there are directories that could not be listed, and lines of lists.
    let totals = Totals { unread: command.tally.unread, ..groups.totals() };
    let written = writer.all(&groups, &totals);
    command.tally.findings = totals.groups + totals.directory_groups;
    if written.is_ok() && !options.messages.quiet && !command.cancel().is_cancelled() {
        message::plain(format_args!("pfh: {}", summary(&totals)));
    }
    command.finish(written, totals.files, None)
}

/// Returns the sums as a sentence.
fn summary(totals: &Totals) -> String {
    let Totals { files, unread, groups, directory_groups, duplicates, links, saved_bytes, shared_bytes, .. } = *totals;
    let mut text = format!(
        "{}, {} and {} of files, {}, {} could be saved",
        plural(files, "file"),
        match directory_groups {
            1 => "1 group of directories".to_owned(),
            count => format!("{} groups of directories", Count(count)),
        },
        plural(groups, "group"),
        plural(duplicates, "duplicate"),
        Bytes(saved_bytes),
    );
    if shared_bytes > 0 {
        text += &format!(", {} are shared already", Bytes(shared_bytes));
    }
    if links > 0 {
        text += &format!(", {}", plural(links, "hard link"));
    }
    if unread > 0 {
        text += &format!(", {} unread", Count(unread));
    }
    text
}

struct Writer {
    output: SharedOutput,
    format: GroupFormat,
    algorithm: Algorithm,
    /// Lists by the number of their place.
    names: Vec<Option<Vec<u8>>>,
    /// When the run began.
    started: SystemTime,
}

impl Writer {
    fn all(&mut self, groups: &Groups, totals: &Totals) -> io::Result<()> {
        let mut number = 0;
        self.header(groups)?;
        groups.each(|group, members| {
            number += 1;
            match self.format {
                GroupFormat::Text => self.text(group, members),
                GroupFormat::Jsonl => self.jsonl(group, members),
                GroupFormat::Csv => self.csv(number, group, members),
                GroupFormat::Fclones => self.fclones(group, members),
            }
        })?;
        if self.format == GroupFormat::Jsonl {
            let Totals {
                files, unread, groups, directory_groups, duplicates, links, saved_bytes, shared_bytes, ..
            } = totals;
            self.end_line(
                format!(
                    "{{\"type\":\"summary\",\"files\":{files},\"unread\":{unread},\"groups\":{groups},\
                     \"directory_groups\":{directory_groups},\"duplicates\":{duplicates},\"links\":{links},\
                     \"saved_bytes\":{saved_bytes},\"shared_bytes\":{shared_bytes}"
                )
                .into_bytes(),
            )?;
        }
        Ok(())
    }

    /// Ends an object of JSON Lines.
    fn end_line(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        end_line(0, &mut line);
        self.output.write_all(&line)
    }

    fn header(&mut self, groups: &Groups) -> io::Result<()> {
        match self.format {
            GroupFormat::Text => Ok(()),
            GroupFormat::Csv => self.output.write_all(b"group,kind,bytes,saved_bytes,link,list,path\r\n"),
            GroupFormat::Jsonl => {
                let mut line = Vec::new();
                json_header::begin(&mut line);
                json_header::push_algorithms([self.algorithm.name()], &mut line);
                self.end_line(line)
            }
            GroupFormat::Fclones => self.fclones_header(groups),
        }
    }

    fn digest(&self, digest: &[u8]) -> String {
        pfh_digest::hexadecimal(&digest[..self.algorithm.digest_bytes()])
    }

    fn list(&self, member: &Member) -> Option<&[u8]> {
        self.names.get(member.place as usize)?.as_deref()
    }

    fn text(&mut self, group: &Group, members: Members<'_>) -> io::Result<()> {
        let count = Count(group.members);
        let head = match &group.kind {
            GroupKind::Files { size: Some(size), .. } => {
                format!("{count} files of {}, {} could be saved:\n", Bytes(*size), Bytes(group.saved_bytes))
            }
            GroupKind::Files { size: None, .. } => format!("{count} files of unknown size:\n"),
            GroupKind::Directories { files, bytes } => {
                let word = if *files == 1 { "file" } else { "files" };
                format!(
                    "{count} directories with {} {word} of {}, {} could be saved:\n",
                    Count(*files),
                    Bytes(*bytes),
                    Bytes(group.saved_bytes)
                )
            }
        };
        self.output.write_all(head.as_bytes())?;
        let slash: &[u8] = if matches!(group.kind, GroupKind::Directories { .. }) { b"/" } else { b"" };
        for member in members {
            let member = member?;
            let mut line = b"    ".to_vec();
            if member.is_link {
                line.extend_from_slice(b"  = ");
            }
            if let Some(list) = self.list(&member) {
                line.extend_from_slice(message::quoted(list).as_bytes());
                line.extend_from_slice(b": ");
            }
            let slash = if member.path.ends_with(b"/") { b"" } else { slash };
            let path = [&member.path, slash].concat();
            match message::is_plain(&path) {
                true => line.extend_from_slice(&path),
                false => line.extend_from_slice(message::quoted(&path).as_bytes()),
            }
            line.push(b'\n');
            self.output.write_all(&line)?;
        }
        self.output.write_all(b"\n")?;
        self.output.flush()
    }

    fn jsonl(&mut self, group: &Group, members: Members<'_>) -> io::Result<()> {
        let Group { saved_bytes, members: count, .. } = group;
        let mut line = b"{\"type\":\"group\"".to_vec();
        let word = match &group.kind {
            GroupKind::Files { digest, size } => {
                line.extend_from_slice(b",\"kind\":\"files\"");
                if let Some(size) = size {
                    write!(line, ",\"bytes\":{size}")?;
                }
                write!(line, ",\"digest\":\"{}\"", self.digest(digest))?;
                "file"
            }
            GroupKind::Directories { files, bytes } => {
                write!(line, ",\"kind\":\"directories\",\"bytes\":{bytes},\"files\":{files}")?;
                "directory"
            }
        };
        write!(line, ",\"saved_bytes\":{saved_bytes},\"members\":{count}")?;
        self.end_line(line)?;
        for member in members {
            let member = member?;
            let mut line = format!("{{\"type\":\"{word}\"").into_bytes();
            push_bytes_field("path", "path_base64", &member.path, &mut line);
            if let Some(list) = self.list(&member) {
                push_bytes_field("list", "list_base64", list, &mut line);
            }
            if member.is_link {
                line.extend_from_slice(b",\"link\":true");
            }
            self.end_line(line)?;
        }
        self.output.flush()
    }

    fn csv(&mut self, number: u64, group: &Group, members: Members<'_>) -> io::Result<()> {
        let (kind, bytes) = match &group.kind {
            GroupKind::Files { size, .. } => ("file", size.map_or_else(String::new, |size| size.to_string())),
            GroupKind::Directories { bytes, .. } => ("directory", bytes.to_string()),
        };
        for member in members {
            let member = member?;
            let link = if member.is_link { "true" } else { "" };
            let mut line = format!("{number},{kind},{bytes},{},{link},", group.saved_bytes).into_bytes();
            push_field(self.list(&member).unwrap_or_default(), &mut line);
            line.push(b',');
            push_field(&member.path, &mut line);
            line.extend_from_slice(b"\r\n");
            self.output.write_all(&line)?;
        }
        self.output.flush()
    }

    /// Writes the beginning of a report of fclones. As there, each name of a file counts in the total. Bytes that
    /// could be saved are counted once for each file, whatever the number of its names.
    fn fclones_header(&mut self, groups: &Groups) -> io::Result<()> {
        let (mut bytes, mut names, mut shown) = (0_u64, 0_u64, 0_u64);
        let (mut redundant_bytes, mut redundant) = (0_u64, 0_u64);
        groups.each(|group, members| {
            if let GroupKind::Files { size: Some(size), .. } = group.kind {
                let mut files = 0;
                for member in members {
                    files += u64::from(!member?.is_link);
                }
                shown += 1;
                names += group.members;
                redundant += files - 1;
                // Lists may state any size.
                bytes = bytes.saturating_add(size.saturating_mul(group.members));
                redundant_bytes = redundant_bytes.saturating_add(size.saturating_mul(files - 1));
            }
            Ok(())
        })?;
        // fclones leaves files alone that were modified after this moment.
        let milliseconds = self.started.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_millis());
        let end = format!(".{milliseconds:03} +0000");
        let time = Timestamp::from(self.started).to_seconds_text().replace('T', " ").replace('Z', &end);
        let directory = std::env::current_dir()?;
        let mut head =
            format!("# Report by fclones 0.35.0\n# Timestamp: {time}\n# Command: fclones group .\n# Base dir: ")
                .into_bytes();
        push_fclones_path(directory.as_os_str().as_bytes(), &mut head);
        writeln!(head, "\n# Total: {bytes} B ({}) in {names} files in {shown} groups", Bytes(bytes))?;
        writeln!(head, "# Redundant: {redundant_bytes} B ({}) in {redundant} files", Bytes(redundant_bytes))?;
        writeln!(head, "# Missing: 0 B (0 B) in 0 files")?;
        self.output.write_all(&head)
    }

    fn fclones(&mut self, group: &Group, members: Members<'_>) -> io::Result<()> {
        // Only lists leave sizes unknown, and directories are not compared.
        let GroupKind::Files { digest, size: Some(size) } = &group.kind else { return Ok(()) };
        let head = format!("{}, {size} B ({}) * {}:\n", self.digest(digest), Bytes(*size), group.members);
        self.output.write_all(head.as_bytes())?;
        // fclones treats all names of a file alike, so that a file of which it lacks one would keep its room.
        for member in members {
            // Its actions run anywhere, so they need whole paths.
            let mut path = std::path::absolute(Path::new(OsStr::from_bytes(&member?.path)))?;
            // A named path can be a symbolic link.
            if path.is_symlink() {
                path = path.canonicalize().unwrap_or(path);
            }
            let mut line = b"    ".to_vec();
            push_fclones_path(path.as_os_str().as_bytes(), &mut line);
            line.push(b'\n');
            self.output.write_all(&line)?;
        }
        Ok(())
    }
}

/// Appends a path as fclones writes it: `\n`, `\t`, `\r` and `\\`, and bytes that are no printable text as `\xHH`. All
/// white space but inner spaces is written so, too, because fclones drops it at both ends of a line.
fn push_fclones_path(path: &[u8], out: &mut Vec<u8>) {
    let push_bytes = |bytes: &[u8], out: &mut Vec<u8>| {
        for byte in bytes {
            out.extend_from_slice(format!("\\x{byte:02X}").as_bytes());
        }
    };
    let start = out.len();
    for chunk in path.utf8_chunks() {
        for character in chunk.valid().chars() {
            let (mut buffer, is_first) = ([0; 4], out.len() == start);
            let bytes = character.encode_utf8(&mut buffer).as_bytes();
            match character {
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\t' => out.extend_from_slice(b"\\t"),
                ' ' if !is_first => out.push(b' '),
                character if character.is_control() || character.is_whitespace() => push_bytes(bytes, out),
                _ => out.extend_from_slice(bytes),
            }
        }
        push_bytes(chunk.invalid(), out);
    }
    if out.len() > start && out.pop_if(|last| *last == b' ').is_some() {
        push_bytes(b" ", out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_are_escaped_for_fclones() {
        let mut out = Vec::new();
        push_fclones_path(b"a\\b\nc\xff\x01 \xc3\xa4", &mut out);
        assert_eq!(out, b"a\\\\b\\nc\\xFF\\x01 \xc3\xa4");
    }

    #[test]
    fn white_space_at_the_ends_is_escaped_for_fclones() {
        for (path, expected) in [
            ("/a b  ", "/a b \\x20"),
            (" a", "\\x20a"),
            (" ", "\\x20"),
            ("/a\u{a0}", "/a\\xC2\\xA0"),
            ("/a\u{3000}b\u{85}", "/a\\xE3\\x80\\x80b\\xC2\\x85"),
        ] {
            let mut out = b"    ".to_vec();
            push_fclones_path(path.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), format!("    {expected}"));
        }
    }
}
