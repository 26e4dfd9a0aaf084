//! The judge of a bag: entries of manifests meet the files that are there.

use std::io::{self, Read};

use pfh_digest::{Algorithm, Digest};
use pfh_list::ByteSort;

use crate::declaration::{Declaration, Encoding, Version};
use crate::fetch::{self, FetchLine, read_fetch};
use crate::finding::{Finding, Report, Rule};
use crate::info::{Info, Oxum};
use crate::manifest::{ManifestName, read_manifest};
use crate::path::{PATH_BYTES_MAX, PAYLOAD, canonical, decode_path, folded};
use crate::plan::{Expected, Plan, PlanWriter, Planned};
use crate::profile::{Profile, ProfileCheck};
use crate::sorted::{Fields, Put};

/// The file that marks a bag whose payload is being moved into its place, by its path in the bag.
pub const MOVING: &str = ".pfh-bag/moving";

/// Most manifests that are read; there are fewer algorithms.
const MANIFESTS_MAX: usize = 128;

/// Longest path of which other spellings are looked for, so that two of them fit a record.
pub(crate) const SPELLINGS_BYTES_MAX: usize = 15_000;

/// Number of sorts that hold records at the same time.
const SORTS: u64 = 3;

/// The extent to which a bag is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// Its Payload-Oxum.
    Oxum,
    /// Everything but digests.
    Complete,
    /// Everything.
    Valid,
}

/// The kind of a found name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A regular file.
    File {
        /// Size in bytes.
        bytes: u64,
        /// The numbers of the device and of the file there, if they are known.
        identity: Option<(u64, u64)>,
    },
    /// A symbolic link.
    Link,
    /// A device, FIFO or socket.
    Other,
    /// A directory without names.
    EmptyDirectory,
}

/// A manifest of a bag.
struct Manifest {
    name: ManifestName,
    /// Whether it was read to its end.
    is_read: bool,
}

/// Collects what there is, and judges it.
pub struct Judge {
    declared: Declaration,
    info: Option<Info>,
    manifests: Vec<Manifest>,
    /// Files and lines by path.
    sort: ByteSort,
    /// Files of the payload by a form in which similar names are equal.
    folded: ByteSort,
    memory_bytes: u64,
    payload: Oxum,
    has_payload_directory: bool,
    has_fetch: bool,
    unseen: Unseen,
    /// The path that was found latest.
    latest: Vec<u8>,
    record: Vec<u8>,
}

/// Paths at which it could not be seen what is there, or in the directory there.
#[derive(Default)]
struct Unseen(Vec<Vec<u8>>);

impl Unseen {
    /// Most paths that are kept. If there are more, nothing is known to be missing.
    const PATHS_MAX: usize = 1000;

    fn push(&mut self, path: &[u8]) {
        if self.0.len() == Unseen::PATHS_MAX {
            self.0 = vec![Vec::new()];
        }
        self.0.push(path.to_vec());
    }

    /// Whether a file may be at this path, although none was seen.
    fn may_have(&self, path: &[u8]) -> bool {
        self.0.iter().any(|unseen| {
            let below = path.strip_prefix(&unseen[..]);
            below.is_some_and(|below| unseen.is_empty() || below.is_empty() || below.starts_with(b"/"))
        })
    }

    /// Whether there may be more of the payload than was seen.
    fn may_have_payload(&self) -> bool {
        let is_payload = |unseen: &Vec<u8>| unseen.is_empty() || unseen == b"data" || unseen.starts_with(PAYLOAD);
        self.0.iter().any(is_payload)
    }
}

/// A bag that was judged, but for its digests.
#[derive(Debug)]
pub struct Judged {
    /// The version by which it was judged.
    pub version: Version,
    /// The bytes and the number of files of the payload.
    pub payload: Oxum,
    /// The algorithms of its manifests of the payload.
    pub algorithms: Vec<Algorithm>,
    /// The files to be hashed.
    pub plan: Plan,
}

// The kinds of records: files come before the lines that list them.
const FILE: u8 = 0;
const LINK: u8 = 1;
const OTHER: u8 = 2;
const DIRECTORY: u8 = 3;
const ENTRY: u8 = 4;
const FETCH: u8 = 5;

impl Judge {
    /// Makes a judge that takes about `memory_bytes` of memory.
    pub fn new(memory_bytes: u64) -> Judge {
        let memory_bytes = memory_bytes / SORTS;
        Judge {
            declared: Declaration::default(),
            info: None,
            manifests: Vec::new(),
            sort: ByteSort::new(memory_bytes),
            folded: ByteSort::new(memory_bytes),
            memory_bytes,
            payload: Oxum::default(),
            has_payload_directory: false,
            has_fetch: false,
            unseen: Unseen::default(),
            latest: Vec::new(),
            record: Vec::new(),
        }
    }

    /// Takes a path in the bag at which it cannot be seen what is there, or in the directory there: files there are not
    /// missing, and it is not known how many there are.
    pub fn unseen(&mut self, path: &[u8]) {
        self.unseen.push(path);
    }

    /// Takes a name that is in the bag, by its path there.
    ///
    /// # Errors
    /// The errors of temporary files and of `report`.
    pub fn found(&mut self, path: &[u8], kind: FoundKind, report: Report<'_>) -> io::Result<()> {
        let is_payload = path.starts_with(PAYLOAD);
        self.has_payload_directory |= is_payload || (path == b"data" && kind == FoundKind::EmptyDirectory);
        if path == MOVING.as_bytes() {
            let text = "the making of this bag was interrupted; the same `pfh bag create` command finishes it";
            report(Finding::error(Rule::Structure, text).about(path))?;
        }
        if path.len() > PATH_BYTES_MAX {
            let text = "a path is longer than 60,000 bytes; the file is not checked";
            return report(Finding::error(Rule::UnsafePath, text).about(&path[..1000]));
        }
        self.directories_above(path)?;
        let record = &mut self.record;
        record.clear();
        record.extend_from_slice(path);
        record.push(0);
        match kind {
            FoundKind::File { bytes, identity } => {
                if is_payload {
                    self.payload.bytes += bytes;
                    self.payload.files += 1;
                }
                push_file(bytes, identity, FILE, record);
            }
            FoundKind::Link => record.push(LINK),
            FoundKind::Other => record.push(OTHER),
            FoundKind::EmptyDirectory => record.push(DIRECTORY),
        }
        self.sort.push(record)?;
        if is_payload && path.len() <= SPELLINGS_BYTES_MAX && kind != FoundKind::EmptyDirectory {
            let mut record = folded(path);
            record.push(0);
            record.extend_from_slice(path);
            self.folded.push(&record)?;
        }
        Ok(())
    }

    /// Notes the directories above a path, but for those that are above the latest one, too.
    fn directories_above(&mut self, path: &[u8]) -> io::Result<()> {
        let common = self.latest.iter().zip(path).take_while(|(one, other)| one == other).count();
        for end in (common..path.len()).filter(|&place| path[place] == b'/') {
            self.sort.push(&[&path[..end], &[0, DIRECTORY]].concat())?;
        }
        self.latest.clear();
        self.latest.extend_from_slice(path);
        Ok(())
    }

    /// Takes what bagit.txt declares; `None` if there is no such file. To be called before the other tag files.
    ///
    /// # Errors
    /// The errors of `report`.
    pub fn declaration(&mut self, declared: Option<Declaration>, report: Report<'_>) -> io::Result<()> {
        match declared {
            Some(declared) => self.declared = declared,
            None => {
                let text = "there is no bagit.txt, so this is no bag; it is judged as one of version 0.97";
                report(Finding::error(Rule::Declaration, text))?;
            }
        }
        Ok(())
    }

    /// Returns the declaration by which the bag is judged.
    pub fn declared(&self) -> Declaration {
        self.declared
    }

    /// Returns the name of the file with metadata, in the version of the bag.
    pub fn info_name(&self) -> &'static str {
        if self.declared.version >= Version::WITH_BAG_INFO { "bag-info.txt" } else { "package-info.txt" }
    }

    /// Takes the metadata.
    pub fn info(&mut self, info: Info) {
        self.info = Some(info);
    }

    /// Notes a manifest that cannot be read, so that its lines are not known.
    pub fn unread_manifest(&mut self, name: ManifestName) {
        if self.manifests.len() < MANIFESTS_MAX {
            self.manifests.push(Manifest { name, is_read: false });
        }
    }

    /// Takes a manifest.
    ///
    /// # Errors
    /// The errors of `reader`, of temporary files and of `report`.
    pub fn manifest(&mut self, name: ManifestName, reader: impl Read, report: Report<'_>) -> io::Result<()> {
        if self.manifests.len() == MANIFESTS_MAX {
            let text = "there are more than 128 manifests; this one is not read";
            return report(Finding::error(Rule::Structure, text).in_file(&name.file));
        }
        let number = self.manifests.len() as u8;
        let same =
            self.manifests.iter().any(|one| one.name.is_tag == name.is_tag && one.name.algorithm == name.algorithm);
        if !name.is_exact() || (same && name.algorithm.is_some()) {
            let text =
                "the name of a manifest has its algorithm in lower case and without punctuation, and occurs once";
            report(Finding::warning(Rule::Algorithm, text).in_file(&name.file))?;
        }
        let (sort, record) = (&mut self.sort, &mut self.record);
        let mut each = |entry: crate::ManifestEntry| {
            record.clear();
            record.extend_from_slice(&entry.path);
            record.extend_from_slice(&[0, ENTRY, number]);
            record.number(entry.line);
            record.text(entry.digest.bytes());
            sort.push(record)
        };
        // Noted first: what it lists before an error is known.
        self.manifests.push(Manifest { name: name.clone(), is_read: false });
        read_manifest(&name, self.declared, reader, &mut each, report)?;
        if let Some(last) = self.manifests.last_mut() {
            last.is_read = true;
        }
        Ok(())
    }

    /// Takes fetch.txt.
    ///
    /// # Errors
    /// The errors of `reader`, of temporary files and of `report`.
    pub fn fetch(&mut self, reader: impl Read, report: Report<'_>) -> io::Result<()> {
        self.has_fetch = true;
        let (sort, record) = (&mut self.sort, &mut self.record);
        let mut each = |line: FetchLine| {
            record.clear();
            record.extend_from_slice(&line.path);
            record.extend_from_slice(&[0, FETCH]);
            record.number(line.line);
            record.push(u8::from(line.bytes.is_some()));
            record.number(line.bytes.unwrap_or(0));
            sort.push(record)
        };
        read_fetch(self.declared, reader, &mut each, report)
    }

    /// Judges all but the digests.
    ///
    /// # Errors
    /// The errors of temporary files and of `report`.
    pub fn judge(mut self, wanted: Wanted, profile: Option<&Profile>, report: Report<'_>) -> io::Result<Judged> {
        self.structure(wanted, report)?;
        // Which files are still to be fetched is known only when all lines have met the files.
        let is_oxum_last = self.has_fetch && wanted > Wanted::Oxum;
        if !is_oxum_last {
            self.oxum(wanted, Some(Oxum::default()), report)?;
        }
        let [sort, folded] = [&mut self.sort, &mut self.folded].map(|sort| std::mem::replace(sort, ByteSort::new(0)));
        let mut profile = profile.map(ProfileCheck::new);
        let mut join = Join {
            declared: self.declared,
            manifests: &self.manifests,
            group: Group::default(),
            key: Vec::new(),
            others: ByteSort::new(self.memory_bytes),
            not_fetched: Some(Oxum::default()),
            plan: PlanWriter::new()?,
            unseen: &self.unseen,
            profile: profile.as_mut(),
            report: &mut *report,
        };
        if wanted > Wanted::Oxum {
            sort.into_each(|record| join.record(record))?;
            join.end_group()?;
            let others = std::mem::replace(&mut join.others, ByteSort::new(0));
            let mut spellings = Spellings { join: &mut join, key: Vec::new(), file: None, lines: None, is_clear: true };
            others.into_each(|record| spellings.record(record))?;
            spellings.end_group()?;
        }
        let (plan, not_fetched) = (join.plan, join.not_fetched);
        if is_oxum_last {
            self.oxum(wanted, not_fetched, report)?;
        }
        if wanted > Wanted::Oxum {
            collisions(folded, report)?;
            let names: Vec<&ManifestName> = self.manifests.iter().map(|manifest| &manifest.name).collect();
            let info = self.info.as_ref();
            if let Some(profile) = profile {
                profile.end(self.declared.version, info, &names, self.has_fetch, self.payload, report)?;
            } else if let Some(stated) = info.and_then(|info| info.value(crate::profile::IDENTIFIER)) {
                let text =
                    format!("the bag claims the profile {stated}, which is not checked: --profile takes it as a file");
                report(Finding::warning(Rule::Profile, text))?;
            }
        }
        let payload_manifests = self.manifests.iter().filter(|manifest| !manifest.name.is_tag);
        let algorithms = payload_manifests.filter_map(|manifest| manifest.name.algorithm).collect();
        let plan = plan.finish(self.manifests.into_iter().map(|manifest| manifest.name).collect())?;
        Ok(Judged { version: self.declared.version, payload: self.payload, algorithms, plan })
    }

    /// Judges that there is a payload, and a manifest of it that can be used.
    fn structure(&self, wanted: Wanted, report: Report<'_>) -> io::Result<()> {
        if !self.has_payload_directory && !self.unseen.may_have_payload() {
            report(Finding::error(Rule::Structure, "there is no directory `data` with a payload"))?;
        }
        if wanted == Wanted::Oxum {
            return Ok(());
        }
        let of_kind = |is_tag| self.manifests.iter().map(|one| &one.name).filter(move |name| name.is_tag == is_tag);
        if of_kind(false).next().is_none() {
            report(Finding::error(Rule::Structure, "there is no manifest of the payload, `manifest-ALGORITHM.txt`"))?;
        }
        for is_tag in [false, true] {
            let is_usable = of_kind(is_tag).any(|name| name.algorithm.is_some());
            for name in of_kind(is_tag).filter(|name| name.algorithm.is_none()) {
                let text = "the algorithm is not known; the manifest is not compared";
                let finding = match is_usable || is_tag {
                    true => Finding::warning(Rule::Algorithm, text),
                    false => Finding::error(Rule::Algorithm, text),
                };
                report(finding.in_file(&name.file))?;
            }
        }
        Ok(())
    }

    /// Compares the payload with what bag-info.txt states. `not_fetched` are the files that are still to be fetched;
    /// `None` if fetch.txt does not state the length of each, so that nothing can be compared.
    fn oxum(&self, wanted: Wanted, not_fetched: Option<Oxum>, report: Report<'_>) -> io::Result<()> {
        let stated = self.info.as_ref().and_then(Info::oxum);
        let name = self.info_name();
        match (stated, not_fetched) {
            // A file of fetch.txt may be there under another spelling of its path, and is counted then.
            (Some(_), Some(_)) if self.unseen.may_have_payload() => Ok(()),
            (Some(stated), Some(not_fetched)) if stated != self.payload => {
                let whole = Oxum {
                    bytes: self.payload.bytes.saturating_add(not_fetched.bytes),
                    files: self.payload.files.saturating_add(not_fetched.files),
                };
                if stated == whole {
                    return Ok(());
                }
                let mut text = format!("Payload-Oxum is {stated}, and the payload has {}", self.payload);
                if not_fetched.files > 0 {
                    text += &format!(", or {whole} with the files that are still to be fetched");
                }
                report(Finding::error(Rule::Oxum, text).in_file(name))
            }
            (None, _) if wanted == Wanted::Oxum => {
                let text = format!("{name} states no Payload-Oxum, so nothing can be compared with it");
                report(Finding::error(Rule::Oxum, text))
            }
            _ => Ok(()),
        }
    }
}

/// Reports names that some systems take for each other.
fn collisions(folded: ByteSort, report: Report<'_>) -> io::Result<()> {
    let (mut key, mut first) = (Vec::new(), Vec::new());
    folded.into_each(|record| {
        let mut fields = Fields(record);
        let this = fields.key()?;
        if this == &key[..] && !key.is_empty() {
            let text = format!("some systems take the name for that of {}", pfh_record::quote::quoted(&first));
            return report(Finding::warning(Rule::Collision, text).about(fields.0));
        }
        key.clear();
        key.extend_from_slice(this);
        first.clear();
        first.extend_from_slice(fields.0);
        Ok(())
    })
}

fn push_file(bytes: u64, identity: Option<(u64, u64)>, kind: u8, record: &mut Vec<u8>) {
    record.push(kind);
    record.number(bytes);
    record.push(u8::from(identity.is_some()));
    let (device, number) = identity.unwrap_or_default();
    record.number(device);
    record.number(number);
}

/// A regular file.
#[derive(Clone, Copy)]
struct File {
    bytes: u64,
    identity: Option<(u64, u64)>,
}

impl File {
    fn take(fields: &mut Fields<'_>) -> io::Result<File> {
        let bytes = fields.number()?;
        let is_known = fields.byte()? > 0;
        let identity = (fields.number()?, fields.number()?);
        Ok(File { bytes, identity: is_known.then_some(identity) })
    }
}

/// All records of a path.
#[derive(Default)]
struct Group {
    file: Option<File>,
    /// The words for something else that is there.
    other: Option<&'static str>,
    is_directory: bool,
    /// The first line of each manifest.
    listed: Vec<Expected>,
    /// Line and length in fetch.txt.
    fetch: Option<(u64, Option<u64>)>,
}

/// Joins files and lines by path.
struct Join<'a, 'r> {
    declared: Declaration,
    manifests: &'a [Manifest],
    key: Vec<u8>,
    group: Group,
    /// Files that no line lists, and lines of which there is no file, by the form in which spellings are equal.
    others: ByteSort,
    /// The files that fetch.txt lists and that are not there; `None` if it does not state the length of each.
    not_fetched: Option<Oxum>,
    plan: PlanWriter,
    unseen: &'a Unseen,
    profile: Option<&'a mut ProfileCheck<'r>>,
    report: Report<'a>,
}

impl Join<'_, '_> {
    fn record(&mut self, record: &[u8]) -> io::Result<()> {
        let mut fields = Fields(record);
        let key = fields.key()?;
        if key != &self.key[..] {
            self.end_group()?;
            self.key.clear();
            self.key.extend_from_slice(key);
        }
        match fields.byte()? {
            FILE => {
                self.group.file = Some(File::take(&mut fields)?);
                if let Some(profile) = &mut self.profile {
                    profile.file(key);
                }
            }
            LINK => self.group.other = Some("a symbolic link"),
            OTHER => self.group.other = Some("neither a file nor a directory"),
            DIRECTORY => self.group.is_directory = true,
            ENTRY => {
                let (manifest, line) = (usize::from(fields.byte()?), fields.number()?);
                let algorithm = self.manifests[manifest].name.algorithm.ok_or(io::ErrorKind::InvalidData)?;
                let digest = Digest::new(algorithm, fields.text()?).ok_or(io::ErrorKind::InvalidData)?;
                self.entry(Expected { manifest, line, digest })?;
            }
            _ => {
                let line = fields.number()?;
                let has_length = fields.byte()? > 0;
                let bytes = fields.number()?;
                if self.group.fetch.is_some() {
                    let finding = Finding::error(Rule::Duplicate, "the path is listed again").about(&self.key);
                    (self.report)(finding.at(fetch::NAME, line))?;
                } else {
                    self.group.fetch = Some((line, has_length.then_some(bytes)));
                }
            }
        }
        Ok(())
    }

    fn entry(&mut self, entry: Expected) -> io::Result<()> {
        let Some(first) = self.group.listed.iter().find(|one| one.manifest == entry.manifest) else {
            self.group.listed.push(entry);
            return Ok(());
        };
        let finding = if first.digest.bytes() == entry.digest.bytes() {
            let text = format!("the path is listed again, as in line {}", first.line);
            Finding::new(self.declared.version.strictness(), Rule::Duplicate, text)
        } else {
            let text = format!("the path is listed again, with another digest than in line {}", first.line);
            Finding::error(Rule::Duplicate, text)
        };
        (self.report)(finding.about(&self.key).at(&self.manifests[entry.manifest].name.file, entry.line))
    }

    /// Judges the records of a path.
    fn end_group(&mut self) -> io::Result<()> {
        let Group { file, other, is_directory, listed, fetch } = std::mem::take(&mut self.group);
        let key = std::mem::take(&mut self.key);
        let (path, first) = (&key[..], listed.first());
        if let Some((line, bytes)) = fetch {
            if listed.is_empty() && self.knows_lines(false) {
                let text = "fetch.txt lists the file, and no manifest does";
                (self.report)(Finding::error(Rule::Fetch, text).about(path).at(fetch::NAME, line))?;
            }
            if let (Some(file), Some(bytes)) = (file, bytes)
                && file.bytes != bytes
            {
                let text = format!("the file has {} bytes, and fetch.txt states {bytes}", file.bytes);
                (self.report)(Finding::error(Rule::Fetch, text).about(path).at(fetch::NAME, line))?;
            }
        }
        if let (Some((_, bytes)), None, None) = (fetch, file, other) {
            self.not_fetched = self.not_fetched.zip(bytes).map(|(sum, bytes)| Oxum {
                bytes: sum.bytes.saturating_add(bytes),
                files: sum.files.saturating_add(1),
            });
        }
        match (file, other, first) {
            (_, Some(kind), None) => {
                let text = format!("this is {kind}, which a bag cannot have");
                (self.report)(Finding::warning(Rule::Kind, text).about(path))?;
            }
            (_, Some(kind), Some(first)) => {
                let text = format!("this is {kind}, which is not followed or read; the file is not checked");
                let name = &self.manifests[first.manifest].name.file;
                (self.report)(Finding::error(Rule::Kind, text).about(path).at(name, first.line))?;
            }
            (None, None, Some(first)) if is_directory => {
                let finding = Finding::error(Rule::Kind, "this is a directory, and a file is listed").about(path);
                (self.report)(finding.at(&self.manifests[first.manifest].name.file, first.line))?;
            }
            (Some(file), None, Some(_)) => self.listed(path, file, listed)?,
            (Some(file), None, None) if !self.may_be_spelt(path) => self.listed(path, file, listed)?,
            (Some(file), None, None) => {
                let mut record = canonical(path, Encoding::Utf8);
                record.push(0);
                push_file(file.bytes, file.identity, FILE, &mut record);
                record.text(path);
                self.others.push(&record)?;
            }
            (None, None, Some(_)) if path.len() > SPELLINGS_BYTES_MAX => self.missing(path, &listed, fetch)?,
            (None, None, Some(_)) => {
                let key = canonical(path, self.declared.encoding);
                for one in &listed {
                    let mut record = key.clone();
                    record.extend_from_slice(&[0, ENTRY]);
                    record.text(path);
                    record.push(one.manifest as u8);
                    record.number(one.line);
                    record.text(one.digest.bytes());
                    record.number(fetch.map_or(0, |(line, _)| line));
                    self.others.push(&record)?;
                }
            }
            (None, None, None) => {}
        }
        Ok(())
    }

    /// Whether a file that is not listed may be so under another spelling.
    fn may_be_spelt(&self, path: &[u8]) -> bool {
        let is_tag = !path.starts_with(PAYLOAD);
        path.len() <= SPELLINGS_BYTES_MAX && self.manifests.iter().any(|one| one.name.is_tag == is_tag)
    }

    /// Whether all manifests of the payload, or of the tag files, were read to their end.
    fn knows_lines(&self, is_tag: bool) -> bool {
        self.manifests.iter().filter(|one| one.name.is_tag == is_tag).all(|one| one.is_read)
    }

    /// Judges a file with the lines that list it, none or more.
    fn listed(&mut self, path: &[u8], file: File, listed: Vec<Expected>) -> io::Result<()> {
        let is_tag = !path.starts_with(PAYLOAD);
        let kind = ManifestName::parse(path).map(|name| name.is_tag);
        let usable = |one: &&Manifest| one.name.is_tag == is_tag && one.is_read && one.name.algorithm.is_some();
        let lacking = self.manifests.iter().enumerate().filter(|(_, one)| usable(one));
        let lacking = lacking.filter(|(place, _)| listed.iter().all(|one| one.manifest != *place));
        let strictness = self.declared.version.strictness();
        if !is_tag && listed.is_empty() {
            // A manifest that could not be read may list it.
            if self.knows_lines(false) {
                (self.report)(Finding::error(Rule::Unlisted, "no manifest lists the file").about(path))?;
            }
        } else if !is_tag {
            // Before 1.0, one manifest that lists the file is enough.
            if self.declared.version.encodes() {
                for (_, manifest) in lacking {
                    let finding = Finding::error(Rule::Unlisted, "the manifest does not list the file").about(path);
                    (self.report)(finding.in_file(&manifest.name.file))?;
                }
            }
        } else if kind == Some(true) {
            if let Some(first) = listed.first() {
                let text = "a tag manifest lists no tag manifest";
                let finding = Finding::new(strictness, Rule::TagManifest, text).about(path);
                (self.report)(finding.at(&self.manifests[first.manifest].name.file, first.line))?;
            }
        } else {
            for (_, manifest) in lacking {
                let finding = match kind {
                    Some(_) => {
                        let text = "a tag manifest lists every manifest of the payload, and this one does not";
                        Finding::new(strictness, Rule::TagManifest, text)
                    }
                    None => Finding::warning(Rule::TagManifest, "the tag manifest does not list the file"),
                };
                (self.report)(finding.about(path).in_file(&manifest.name.file))?;
            }
        }
        if listed.is_empty() {
            return Ok(());
        }
        let File { bytes, identity } = file;
        self.plan.push(&Planned { path: path.to_vec(), bytes, identity, expected: listed })
    }

    /// Reports a path that is listed and not there.
    fn missing(&mut self, path: &[u8], listed: &[Expected], fetch: Option<(u64, Option<u64>)>) -> io::Result<()> {
        let Some(first) = listed.first().filter(|_| !self.unseen.may_have(path)) else { return Ok(()) };
        let finding = match fetch {
            Some((line, _)) => {
                let text = format!("the file is to be fetched (fetch.txt, line {line}), and is not there yet");
                Finding::error(Rule::Fetch, text)
            }
            None => Finding::error(Rule::Missing, "the file is missing"),
        };
        (self.report)(finding.about(path).at(&self.manifests[first.manifest].name.file, first.line))
    }
}

/// The lines that list a path which is not there.
struct Lines {
    path: Vec<u8>,
    listed: Vec<Expected>,
    fetch: Option<(u64, Option<u64>)>,
}

/// Joins the files that no line lists and the lines of which there is no file, where exactly one of each are spellings
/// of the same name.
struct Spellings<'j, 'a, 'r> {
    join: &'j mut Join<'a, 'r>,
    key: Vec<u8>,
    file: Option<(Vec<u8>, File)>,
    lines: Option<Lines>,
    /// Whether there is no more than one file and one path.
    is_clear: bool,
}

impl Spellings<'_, '_, '_> {
    fn record(&mut self, record: &[u8]) -> io::Result<()> {
        let mut fields = Fields(record);
        let key = fields.key()?;
        if key != &self.key[..] {
            self.end_group()?;
            self.key.clear();
            self.key.extend_from_slice(key);
        }
        if fields.byte()? == FILE {
            let file = File::take(&mut fields)?;
            if let Some(before) = self.file.replace((fields.text()?.to_vec(), file)) {
                self.is_clear = false;
                self.join.listed(&before.0, before.1, Vec::new())?;
            }
            return Ok(());
        }
        let (path, manifest, line) = (fields.text()?, usize::from(fields.byte()?), fields.number()?);
        let algorithm = self.join.manifests[manifest].name.algorithm.ok_or(io::ErrorKind::InvalidData)?;
        let digest = Digest::new(algorithm, fields.text()?).ok_or(io::ErrorKind::InvalidData)?;
        let fetch = Some(fields.number()?).filter(|&line| line > 0).map(|line| (line, None));
        let entry = Expected { manifest, line, digest };
        match &mut self.lines {
            Some(lines) if lines.path == path => lines.listed.push(entry),
            lines => {
                let new = Lines { path: path.to_vec(), listed: vec![entry], fetch };
                if let Some(before) = lines.replace(new) {
                    self.is_clear = false;
                    self.join.missing(&before.path, &before.listed, before.fetch)?;
                }
            }
        }
        Ok(())
    }

    fn end_group(&mut self) -> io::Result<()> {
        let is_clear = std::mem::replace(&mut self.is_clear, true);
        match (self.file.take(), self.lines.take()) {
            (Some((path, file)), Some(lines)) if is_clear => {
                let first = &lines.listed[0];
                let text = dialect(&path, &lines.path, self.join.declared);
                let finding = Finding::warning(Rule::Encoding, text).about(&path);
                (self.join.report)(finding.at(&self.join.manifests[first.manifest].name.file, first.line))?;
                self.join.listed(&path, file, lines.listed)
            }
            (file, lines) => {
                if let Some(lines) = lines {
                    self.join.missing(&lines.path, &lines.listed, lines.fetch)?;
                }
                file.map_or(Ok(()), |(path, file)| self.join.listed(&path, file, Vec::new()))
            }
        }
    }
}

/// Names the way in which the path of a file is spelt otherwise in a manifest.
fn dialect(found: &[u8], listed: &[u8], declared: Declaration) -> String {
    let version = declared.version;
    let is_encoded = *decode_path(listed) == *found;
    let is_literal = *decode_path(found) == *listed;
    match (is_encoded, is_literal) {
        _ if declared.encoding == Encoding::Latin1 && std::str::from_utf8(listed).is_err() => {
            "the path is written in ISO-8859-1, and the name of the file is UTF-8".to_owned()
        }
        (true, _) => format!("the path is percent-encoded, as bagit.py does and version {version} does not"),
        (_, true) => format!("the path is not percent-encoded, as version {version} demands"),
        _ => "the path is written in another form of Unicode (composed or decomposed) than the name".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rules that a bag with a file breaks whose manifest is empty, or cannot be read.
    fn broken(is_read: bool) -> Vec<Rule> {
        let mut rules = Vec::new();
        let mut report = |finding: Finding| {
            rules.push(finding.rule);
            Ok(())
        };
        let mut judge = Judge::new(1 << 20);
        judge.found(b"data/a", FoundKind::File { bytes: 1, identity: None }, &mut report).unwrap();
        judge.declaration(Some(Declaration::default()), &mut report).unwrap();
        let name = ManifestName::parse(b"manifest-md5.txt").unwrap();
        match is_read {
            true => judge.manifest(name, &b""[..], &mut report).unwrap(),
            false => judge.unread_manifest(name),
        }
        judge.judge(Wanted::Complete, None, &mut report).unwrap();
        rules
    }

    /// Files that are still to be fetched are a part of the payload, if their lengths are stated.
    #[test]
    fn what_is_to_be_fetched_counts_in_payload_oxum() {
        let rules = |oxum: &str, length: &str, wanted: Wanted| {
            let mut rules = Vec::new();
            let mut report = |finding: Finding| {
                rules.push(finding.rule);
                Ok(())
            };
            let declared = Declaration::default();
            let mut judge = Judge::new(1 << 20);
            judge.found(b"data/a", FoundKind::File { bytes: 5, identity: None }, &mut report).unwrap();
            judge.declaration(Some(declared), &mut report).unwrap();
            let info = format!("Payload-Oxum: {oxum}\n");
            judge.info(Info::read("bag-info.txt", declared, info.as_bytes(), &mut report).unwrap());
            let manifest: String = ["a", "there"].map(|name| format!("{}  data/{name}\n", "0a".repeat(16))).concat();
            let name = ManifestName::parse(b"manifest-md5.txt").unwrap();
            judge.manifest(name, manifest.as_bytes(), &mut report).unwrap();
            let fetch = format!("https://a.example/ {length} data/there\n");
            judge.fetch(fetch.as_bytes(), &mut report).unwrap();
            judge.judge(wanted, None, &mut report).unwrap();
            rules
        };
        assert_eq!(rules("10.2", "5", Wanted::Complete), [Rule::Fetch]);
        assert_eq!(rules("10.2", "-", Wanted::Complete), [Rule::Fetch]);
        assert_eq!(rules("11.2", "5", Wanted::Complete), [Rule::Fetch, Rule::Oxum]);
        // It is to find out quickly whether all is there.
        assert_eq!(rules("10.2", "5", Wanted::Oxum), [Rule::Oxum]);
    }

    #[test]
    fn an_unread_manifest_may_list_every_file() {
        assert_eq!(broken(true), [Rule::Unlisted]);
        assert!(broken(false).is_empty());
    }
}
