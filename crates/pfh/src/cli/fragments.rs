//! `pfh match --blocks`: fragments of known files in images.

use super::args::MatchArguments;
use super::block_scan::{Means, Scan, ScannedImage};
use super::blocks_args::of_option;
use super::command::{Command, Item, Reporting};
use super::exit::{Ending, Failed};
use super::known_args::{VerdictClass, VerdictFormat};
use super::output::interrupted;
use super::quantity::Count;
use super::similar::refuse_others;
use super::verdicts::{self, push_escaped, word};
use super::{gather, json_header, message, reading};
use pfh_digest::Algorithm;
use pfh_engine::{Decision, FileOptions};
use pfh_known::{BlockKinds, Class, Fragment, KnownFile, SECTOR_BYTES, WithinOthers};
use pfh_list::{ExternalSort, be_number};
use pfh_record::csv::push_field;
use pfh_record::jsonl::{end_line, push_bytes_field};
use pfh_record::{Metadata, Outcome, Record, Selection};
use pfh_similarity::Family;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, Builder};

/// Bytes of a fragment in the order of files: file, first block, number of blocks.
const OF_FILE_BYTES: usize = 24;

/// Prints the fragments of known files in images.
pub(crate) fn run(
    arguments: &MatchArguments,
    algorithm: Option<Algorithm>,
    family: Option<Family>,
    block_bytes: u64,
) -> Result<Ending, Failed> {
    let options = &arguments.options;
    if let Some(family) = family {
        return Err(Failed::usage(format_args!("-a {family}: blocks are found by cryptographic digests")));
    }
    refuse_others(None, options)?;
    let [known] = &arguments.known[..] else {
        return Err(Failed::usage(
            "--blocks takes one set with --known; `pfh known build --blocks` makes one of the files of several",
        ));
    };
    let format = VerdictFormat::of(options.format, "--blocks")?;
    let opened = verdicts::open_block_set(known, block_bytes, arguments.check_sets)?;
    let Some(own) = opened.set.algorithms().next() else {
        return Err(Failed::usage(format_args!("{} has no blocks", message::quoted(&opened.name))));
    };
    if algorithm.is_some_and(|wanted| wanted != own) {
        return Err(Failed::usage(format_args!("the set has digests by {own}; leave out -a")));
    }
    let step_bytes = arguments.fragments.step.unwrap_or(SECTOR_BYTES as u64);
    let threads = options.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let sort_bytes = options.memory / 16;
    let means = Means { threads, memory_bytes: options.memory / 4, sort_bytes };
    let names = Names { set: opened.name, class: opened.class };
    let scan = Scan::new(opened.set, own, block_bytes, step_bytes, means);
    let scan = scan.map_err(|error| of_option(block_bytes, &error))?;
    let Some(scan) = scan.map(Arc::new) else {
        return Err(Failed::usage("--memory does not suffice for blocks of this length"));
    };
    let files_from = reading::file_list(&arguments.walk)?;
    let mut command = Command::begin(Reporting::of(options.messages, options.allow_empty), None);
    command.set_output(reading::open_output(options.output.as_deref(), verdicts::inputs(arguments))?);
    let mut engine = gather::engine_options(options, Selection::from_iter([] as [Algorithm; 0]));
    // One thread reads one image after the other; the others look its blocks up.
    engine.threads = 1;
    let (source, engine, own_files) =
        gather::prepare_run(&mut command, &arguments.paths, &arguments.walk, files_from, engine)?;

    let mut printer = Printer {
        output: BufWriter::with_capacity(1 << 16, command.output()),
        format,
        names,
        scan: &scan,
        fail_on: &arguments.fail_on,
        block_bytes,
        by_file: ExternalSort::new(sort_bytes),
        file: None,
        line: Vec::new(),
        totals: Totals::default(),
        findings: 0,
    };
    let mut written = printer.header(own, step_bytes);
    let decide = |_: &[u8], _: Option<&Metadata>| {
        Decision::HashWith(FileOptions { selection: None, consumer: Some(Scan::consumer(&scan)) })
    };
    let decide = own_files.before(Some(&decide));
    let prepare = |record: Record| {
        let item = Item::new(&record, ());
        let scanned = if record.outcome == Outcome::Complete { scan.take_ended(&record.path) } else { None };
        item.map(|()| scanned.map(|scanned| (record.path, scanned)))
    };
    let cancel = command.cancel().clone();
    let mut deliver = |scanned: Option<(Vec<u8>, ScannedImage)>| {
        if let (Some((path, scanned)), true) = (scanned, written.is_ok()) {
            written = printer.image(&path, scanned, &|| cancel.is_cancelled());
        }
        if written.is_ok() && scan.failed().is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let report = thread::scope(|scope| {
        // Those that the system grants do the work of all.
        let work = || Builder::new().spawn_scoped(scope, || scan.work());
        let has_started = (0..threads).map(|_| work()).filter(Result::is_ok).count();
        let report = if has_started > 0 {
            Ok(command.hash(&engine, &source, decide.as_deref(), &prepare, &mut deliver))
        } else {
            Err(Failed::usage("the system grants no thread"))
        };
        scan.close();
        report
    });
    report?.map_err(|error| gather::start_error(error, options))?;
    let refuse_changed = || verdicts::refuse_changed(Path::new(verdicts::split_class(known).1), &scan.set);
    if let Some(error) = scan.failed() {
        refuse_changed()?;
        return Err(Failed::unread(error.to_string()));
    }
    let unread = command.tally.unread;
    written = written.and_then(|()| printer.end(unread, &|| cancel.is_cancelled()));
    refuse_changed()?;
    let Printer { totals, findings, .. } = printer;
    command.tally.findings = findings;
    if !options.messages.quiet && !cancel.is_cancelled() {
        message::error(format_args!(
            "images: {}, blocks: {}, constant: {}, nonprobative: {}, found: {}, unknown: {}",
            Count(totals.images),
            Count(totals.kinds.all()),
            Count(totals.kinds.constant),
            Count(totals.kinds.nonprobative),
            Count(totals.found),
            Count(totals.unknown())
        ));
    }
    command.report_totals();
    command.finish(written, totals.images, None)
}

/// The name of the set, and the class that the command line gives it.
struct Names {
    set: Vec<u8>,
    /// The class of all files; `None` for that of their source.
    class: Option<Class>,
}

/// The numbers of all images.
#[derive(Clone, Copy, Default)]
struct Totals {
    images: u64,
    kinds: BlockKinds,
    found: u64,
    fragments: u64,
    within_others: u64,
}

impl Totals {
    fn unknown(&self) -> u64 {
        self.kinds.hashed - self.found
    }
}

/// A known file with its class.
#[derive(Clone)]
struct Shown {
    number: u64,
    class: Class,
    source: String,
    release: String,
    file: KnownFile,
}

/// Prints fragments and files.
struct Printer<'a, W: Write> {
    output: BufWriter<W>,
    format: VerdictFormat,
    names: Names,
    scan: &'a Scan,
    fail_on: &'a [VerdictClass],
    block_bytes: u64,
    /// The fragments of all images by file.
    by_file: ExternalSort<OF_FILE_BYTES>,
    /// The latest file.
    file: Option<Shown>,
    line: Vec<u8>,
    totals: Totals,
    findings: u64,
}

/// Returns a share in percent, with one digit after the point, rounded down.
fn percent(part: u64, whole: u64) -> String {
    let thousandths = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

impl<W: Write> Printer<'_, W> {
    fn header(&mut self, algorithm: Algorithm, step_bytes: u64) -> io::Result<()> {
        self.line.clear();
        match self.format {
            VerdictFormat::Text => {}
            VerdictFormat::Csv => self.line.extend_from_slice(
                b"type,class,image,offset,bytes,file,file_offset,blocks,file_blocks,set,source,release\r\n",
            ),
            VerdictFormat::Jsonl => {
                let out = &mut self.line;
                json_header::begin(out);
                write!(out, ",\"block_bytes\":{},\"step_bytes\":{step_bytes}", self.block_bytes)?;
                json_header::push_algorithms([algorithm.name()], out);
                end_line(0, out);
            }
        }
        self.output.write_all(&self.line)
    }

    /// Returns a known file by its number.
    fn shown(&mut self, number: u64) -> io::Result<Shown> {
        if let Some(shown) = self.file.as_ref().filter(|shown| shown.number == number) {
            return Ok(shown.clone());
        }
        let set = &self.scan.set;
        let file = set.blocks().map_or_else(|| Ok(KnownFile::default()), |blocks| blocks.file(number))?;
        let origin = set.about().sources.get(file.source);
        let class = self.names.class.or(origin.map(|origin| origin.class)).unwrap_or(Class::Other);
        let (source, release) =
            origin.map_or_else(Default::default, |origin| (origin.name.clone(), origin.release.clone()));
        let shown = Shown { number, class, source, release, file };
        self.file = Some(shown.clone());
        Ok(shown)
    }

    /// Prints the fragments in an image.
    fn image(&mut self, path: &[u8], scanned: ScannedImage, is_over: &dyn Fn() -> bool) -> io::Result<()> {
        let ScannedImage { fragments, kinds, found } = scanned;
        self.totals.images += 1;
        self.totals.kinds.add(kinds);
        self.totals.found += found;
        let mut within = WithinOthers::new(self.block_bytes);
        fragments.into_each(|bytes| {
            let fragment = Fragment::from_sort_bytes(&bytes);
            if is_over() {
                return Err(interrupted());
            }
            if within.has(&fragment) {
                self.totals.within_others += 1;
                return Ok(());
            }
            self.totals.fragments += 1;
            self.fragment(path, &fragment)
        })
    }

    fn fragment(&mut self, path: &[u8], fragment: &Fragment) -> io::Result<()> {
        let Fragment { offset, blocks, place } = *fragment;
        let mut by_file = [0; OF_FILE_BYTES];
        for (bytes, number) in by_file.as_chunks_mut::<8>().0.iter_mut().zip([place.file, place.block, blocks]) {
            *bytes = number.to_be_bytes();
        }
        self.by_file.push(by_file)?;
        let shown = self.shown(place.file)?;
        let is_finding = match self.fail_on {
            [] => true,
            classes => classes.iter().any(|one| one.has(Some(shown.class))),
        };
        self.findings += u64::from(is_finding);
        let (bytes, file_offset) = (blocks * self.block_bytes, place.block * self.block_bytes);
        let file_blocks = shown.file.blocks;
        let (class, name) = (word(Some(shown.class)), &shown.file.name);
        self.line.clear();
        let out = &mut self.line;
        match self.format {
            VerdictFormat::Text => {
                out.extend_from_slice(format!("fragment  {class:<11}  ").as_bytes());
                push_escaped(path, out);
                out.extend_from_slice(format!("  {offset}+{bytes}  ").as_bytes());
                push_escaped(name, out);
                let share = percent(blocks, file_blocks);
                let text = format!("  {file_offset}+{bytes}  ({blocks} of {file_blocks} blocks, {share})\n");
                out.extend_from_slice(text.as_bytes());
            }
            VerdictFormat::Csv => {
                out.extend_from_slice(format!("fragment,{class},").as_bytes());
                push_field(path, out);
                out.extend_from_slice(format!(",{offset},{bytes},").as_bytes());
                push_field(name, out);
                out.extend_from_slice(format!(",{file_offset},{blocks},{file_blocks}").as_bytes());
                push_origin(&self.names, &shown, out);
            }
            VerdictFormat::Jsonl => {
                out.extend_from_slice(b"{\"type\":\"fragment\"");
                push_bytes_field("image", "image_base64", path, out);
                out.extend_from_slice(format!(",\"offset\":{offset},\"bytes\":{bytes}").as_bytes());
                push_bytes_field("class", "", class.as_bytes(), out);
                push_bytes_field("file", "file_base64", name, out);
                let place = format!(",\"file_offset\":{file_offset},\"blocks\":{blocks},\"file_blocks\":{file_blocks}");
                out.extend_from_slice(place.as_bytes());
                end_line(0, out);
            }
        }
        self.output.write_all(&self.line)
    }

    /// Prints the files of which there are fragments, and the numbers.
    fn end(&mut self, unread: u64, is_over: &dyn Fn() -> bool) -> io::Result<()> {
        let by_file = std::mem::replace(&mut self.by_file, ExternalSort::new(0));
        let mut current: Option<(u64, u64, u64)> = None;
        by_file.into_each(|bytes| {
            if is_over() {
                return Err(interrupted());
            }
            let [file, first, blocks] = std::array::from_fn(|place| be_number(&bytes[8 * place..][..8]));
            let end = first + blocks;
            match &mut current {
                Some((of, reached, found)) if *of == file => {
                    *found += end.saturating_sub(first.max(*reached));
                    *reached = end.max(*reached);
                }
                before => {
                    if let Some((of, _, found)) = before.replace((file, end, blocks)) {
                        self.file(of, found)?;
                    }
                }
            }
            Ok(())
        })?;
        if let Some((of, _, found)) = current {
            self.file(of, found)?;
        }
        if self.format == VerdictFormat::Jsonl {
            let Totals { images, kinds, found, fragments, within_others } = self.totals;
            let BlockKinds { constant, nonprobative, .. } = kinds;
            self.line.clear();
            let text = format!(
                "{{\"type\":\"summary\",\"images\":{images},\"blocks\":{},\"constant\":{constant},\
                 \"nonprobative\":{nonprobative},\"found\":{found},\"unknown\":{},\"fragments\":{fragments},\
                 \"within_others\":{within_others},\"unread\":{unread}",
                kinds.all(),
                self.totals.unknown()
            );
            self.line.extend_from_slice(text.as_bytes());
            end_line(0, &mut self.line);
            self.output.write_all(&self.line)?;
        }
        self.output.flush()
    }

    fn file(&mut self, number: u64, found: u64) -> io::Result<()> {
        let shown = self.shown(number)?;
        let (class, name) = (word(Some(shown.class)), &shown.file.name);
        let KnownFile { bytes, blocks, .. } = shown.file;
        self.line.clear();
        let out = &mut self.line;
        match self.format {
            VerdictFormat::Text => {
                out.extend_from_slice(format!("file      {class:<11}  ").as_bytes());
                push_escaped(name, out);
                let share = percent(found, blocks);
                out.extend_from_slice(format!("  ({found} of {blocks} blocks, {share})\n").as_bytes());
            }
            VerdictFormat::Csv => {
                out.extend_from_slice(format!("file,{class},,,{bytes},").as_bytes());
                push_field(name, out);
                out.extend_from_slice(format!(",,{found},{blocks}").as_bytes());
                push_origin(&self.names, &shown, out);
            }
            VerdictFormat::Jsonl => {
                out.extend_from_slice(b"{\"type\":\"file\"");
                push_bytes_field("class", "", class.as_bytes(), out);
                push_bytes_field("file", "file_base64", name, out);
                let facts = format!(",\"bytes\":{bytes},\"blocks\":{found},\"file_blocks\":{blocks}");
                out.extend_from_slice(facts.as_bytes());
                push_bytes_field("set", "set_base64", &self.names.set, out);
                push_bytes_field("source", "", shown.source.as_bytes(), out);
                push_bytes_field("release", "", shown.release.as_bytes(), out);
                end_line(0, out);
            }
        }
        self.output.write_all(&self.line)
    }
}

/// Appends the last fields of a line of CSV, and its end.
fn push_origin(names: &Names, shown: &Shown, out: &mut Vec<u8>) {
    for field in [&names.set[..], shown.source.as_bytes(), shown.release.as_bytes()] {
        out.push(b',');
        push_field(field, out);
    }
    out.extend_from_slice(b"\r\n");
}
