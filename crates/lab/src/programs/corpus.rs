//! Files for whole programs: made in the same way from the same seed and the same installed files.

mod system;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fastrand::Rng;

use super::measure::Meter;
use super::watch::{Watch, watched};
use crate::data::check_room;
use crate::experiment::trials::{CORPUS, CorpusDefinition, CorpusKind};

/// Documents in one folder.
const FILES_PER_FOLDER: u64 = 500;

/// Types of the corpus *t5* with their numbers (Breitinger and Petrov 2013, section V), and the nature of each.
const T5: [(&str, u64, Nature); 8] = [
    ("jpg", 362, Nature::Compressed),
    ("gif", 67, Nature::Compressed),
    ("doc", 533, Nature::Binary),
    ("xls", 250, Nature::Binary),
    ("ppt", 368, Nature::Binary),
    ("html", 1093, Nature::Text),
    ("pdf", 1073, Nature::Compressed),
    ("txt", 711, Nature::Text),
];

/// Standard deviation of the logarithm of a document's size: two thirds lie within a factor of 3.3.
const SIZE_SPREAD: f64 = 1.2;

/// Where material is looked for, and how much of it is enough.
const ROOTS: [&str; 4] = ["/usr/share", "/usr/lib", "/usr/bin", "/opt"];
const MATERIAL_FILES_MAX: usize = 4000;
const MATERIAL_ENTRIES_MAX: usize = 200_000;
/// A file gives no more to one document, so that a document has parts of several.
const PIECE_BYTES_MAX: u64 = 256 << 10;

/// Time that the command of a corpus has: no more than the user's patience limits it.
const COMMAND_LIMIT: Duration = Duration::from_secs(365 * 86_400);

/// Parts the generators of sizes, types and contents from each other: what is installed changes contents alone.
const OF_SIZES: u64 = 0x5349_5A45_5300_0000;
const OF_TYPES: u64 = 0x5459_5045_5300_0000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    Text,
    Compressed,
    Binary,
}

impl Nature {
    const ALL: [Nature; 3] = [Nature::Text, Nature::Compressed, Nature::Binary];

    fn of(path: &Path) -> Option<Nature> {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        match extension {
            "html" | "htm" | "txt" | "md" | "rst" | "xml" | "svg" | "py" | "pl" | "pm" | "h" | "c" | "js" | "css"
            | "json" | "po" => Some(Nature::Text),
            "jpg" | "jpeg" | "png" | "gif" | "pdf" | "gz" | "xz" | "bz2" | "zst" | "zip" | "jar" | "whl" | "woff"
            | "woff2" => Some(Nature::Compressed),
            "so" | "a" | "o" | "mo" | "pyc" | "ttf" | "bin" | "dat" | "" => Some(Nature::Binary),
            _ => None,
        }
    }
}

/// The name of the folder in which a corpus is kept: equal for those that have the same files, and for no others.
pub(super) fn kept_name(corpus: &CorpusDefinition) -> String {
    let CorpusDefinition { kind, files, bytes, command, .. } = corpus;
    let kind = match kind {
        CorpusKind::Documents => "documents",
        CorpusKind::Noise => "noise",
        CorpusKind::System => "system",
        CorpusKind::Command => {
            let mut hasher = DefaultHasher::new();
            command.hash(&mut hasher);
            return format!("command-{:016x}", hasher.finish());
        }
    };
    format!("{kind}-{files}-{}", bytes.0)
}

/// Writes files, with a step for each part.
type Work = Box<dyn FnOnce(&Watch) -> io::Result<()> + Send>;

/// Makes the files of a corpus in an empty folder, with the program and the limit of `meter`. `None` where the user
/// wants to stop; then a part of them may be there.
///
/// # Errors
/// When something cannot be written, nothing is written for longer than a task may take, or the corpus's command fails.
pub(super) fn make(
    corpus: &CorpusDefinition,
    folder: &Path,
    seed: u64,
    meter: &Meter,
    cancel: &AtomicBool,
) -> io::Result<Option<()>> {
    let seed = seed ^ corpus.files.rotate_left(32) ^ corpus.bytes.0;
    let (definition, place) = (corpus.clone(), folder.to_owned());
    let work: Work = match corpus.kind {
        CorpusKind::Command => return run_command(corpus, folder, meter, cancel),
        CorpusKind::Noise => Box::new(move |watch: &Watch| make_noise(&definition, &place, seed, watch)),
        CorpusKind::Documents => {
            Box::new(move |watch: &Watch| make_documents(&definition, &place, seed, &ROOTS, watch))
        }
        CorpusKind::System => {
            Box::new(move |watch: &Watch| system::copy(&place, definition.files, definition.bytes.0, watch))
        }
    };
    watched(meter.limit, cancel, work).map_err(|stuck| stuck.source)
}

/// Lets the command of a corpus make its files.
fn run_command(corpus: &CorpusDefinition, folder: &Path, meter: &Meter, cancel: &AtomicBool) -> io::Result<Option<()>> {
    let meter = Meter { directory: folder.to_owned(), limit: COMMAND_LIMIT, memory_bytes: u64::MAX, ..meter.clone() };
    let variables = [(CORPUS, folder), ("pfh", meter.program.as_path())];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_string_lossy().into_owned()));
    let failed = |reason: String| io::Error::other(format!("the command of corpus `{}` {reason}", corpus.name));
    match meter.run(&corpus.command, variables.to_vec(), None, cancel) {
        Ok(Some(run)) if run.measured.status != 0 => Err(failed(run.ended())),
        Ok(run) => Ok(run.map(|_| ())),
        Err(error) => Err(failed(error.message)),
    }
}

fn make_noise(corpus: &CorpusDefinition, folder: &Path, seed: u64, watch: &Watch) -> io::Result<()> {
    check_room(folder, corpus.bytes.0)?;
    let file_bytes = corpus.bytes.0 / corpus.files;
    let random = &mut Rng::with_seed(seed);
    each_file(corpus.files, folder, watch, |_| "bin", |_, file| write_noise(file, file_bytes, random, watch))
}

fn make_documents(
    corpus: &CorpusDefinition,
    folder: &Path,
    seed: u64,
    roots: &[&str],
    watch: &Watch,
) -> io::Result<()> {
    check_room(folder, corpus.bytes.0)?;
    let sizes = sizes(corpus.files, corpus.bytes.0, &mut Rng::with_seed(seed ^ OF_SIZES));
    let kinds = kinds(corpus.files, &mut Rng::with_seed(seed ^ OF_TYPES));
    let random = &mut Rng::with_seed(seed);
    let mut materials = Vec::new();
    for nature in Nature::ALL {
        materials.push(Material::find(nature, roots, random, watch)?);
    }
    each_file(
        corpus.files,
        folder,
        watch,
        |index| T5[kinds[index]].0,
        |index, file| {
            let nature = T5[kinds[index]].2;
            let material = materials.iter().find(|material| material.nature == nature);
            match material.filter(|material| !material.files.is_empty()) {
                Some(material) => material.write(file, sizes[index], random, watch),
                None => write_noise(file, sizes[index], random, watch),
            }
        },
    )
}

/// Types of all documents in the proportions of the corpus, shuffled.
fn kinds(files: u64, random: &mut Rng) -> Vec<usize> {
    let all: u64 = T5.iter().map(|(_, count, _)| count).sum();
    let mut kinds: Vec<usize> = Vec::new();
    let mut before = 0;
    for (kind, (_, count, _)) in T5.iter().enumerate() {
        before += count;
        // Rounding of the sums, so that all numbers together are right.
        let until = usize::try_from(before * files / all).unwrap_or(usize::MAX);
        kinds.resize(until, kind);
    }
    random.shuffle(&mut kinds);
    kinds
}

/// Sizes that scatter, and that are `bytes` together.
fn sizes(files: u64, bytes: u64, random: &mut Rng) -> Vec<u64> {
    // Box and Muller 1958: two uniform numbers make a normal one.
    let mut normal = || (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (std::f64::consts::TAU * random.f64()).cos();
    let weights: Vec<f64> = (0..files).map(|_| (SIZE_SPREAD * normal()).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut sizes: Vec<u64> = weights.iter().map(|weight| ((weight / sum * bytes as f64) as u64).max(1)).collect();
    let made: u64 = sizes.iter().sum();
    if let Some(last) = sizes.last_mut() {
        *last = (*last + bytes.saturating_sub(made)).max(1);
    }
    sizes
}

/// Installed files of one nature.
struct Material {
    nature: Nature,
    files: Vec<(PathBuf, u64)>,
}

impl Material {
    fn find(nature: Nature, roots: &[&str], random: &mut Rng, watch: &Watch) -> io::Result<Material> {
        let mut files = Vec::new();
        let mut entries = 0;
        let mut folders: Vec<PathBuf> = roots.iter().rev().map(PathBuf::from).collect();
        while let Some(folder) = folders.pop() {
            watch.at(&folder)?;
            let Ok(listed) = fs::read_dir(&folder) else { continue };
            let mut paths: Vec<fs::DirEntry> = listed.flatten().collect();
            paths.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
            for entry in paths {
                entries += 1;
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() && Nature::of(&entry.path()) == Some(nature) {
                    let bytes = entry.metadata().map_or(0, |about| about.len());
                    if bytes >= 1024 {
                        files.push((entry.path(), bytes));
                    }
                }
            }
            if entries > MATERIAL_ENTRIES_MAX {
                break;
            }
        }
        random.shuffle(&mut files);
        files.truncate(MATERIAL_FILES_MAX);
        Ok(Material { nature, files })
    }

    /// Writes pieces of files that are chosen at random.
    fn write(&self, file: &mut File, bytes: u64, random: &mut Rng, watch: &Watch) -> io::Result<()> {
        let mut left = bytes;
        let mut misses = 0;
        while left > 0 {
            watch.step()?;
            let (path, length) = &self.files[random.usize(..self.files.len())];
            let wanted = left.min(PIECE_BYTES_MAX).min(*length);
            let start = random.u64(..=length - wanted);
            let copied = File::open(path).and_then(|mut source| {
                source.seek(SeekFrom::Start(start))?;
                io::copy(&mut source.take(wanted), file)
            });
            match copied {
                Ok(copied) if copied > 0 => left -= copied,
                // A file that cannot be read, or was cut since; but a full disk is no reason to go on.
                Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(error),
                _ if misses < 1000 => misses += 1,
                _ => return write_noise(file, left, random, watch),
            }
        }
        Ok(())
    }
}

fn each_file(
    files: u64,
    folder: &Path,
    watch: &Watch,
    extension: impl Fn(usize) -> &'static str,
    mut write: impl FnMut(usize, &mut File) -> io::Result<()>,
) -> io::Result<()> {
    for number in 0..files {
        let parent = folder.join(format!("{:04}", number / FILES_PER_FOLDER));
        if number % FILES_PER_FOLDER == 0 {
            fs::create_dir(&parent)?;
        }
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        let path = parent.join(format!("{number:07}.{}", extension(index)));
        watch.at(&path)?;
        write(index, &mut File::create(path)?)?;
    }
    Ok(())
}

fn write_noise(file: &mut File, bytes: u64, random: &mut Rng, watch: &Watch) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        random.fill(&mut buffer[..length]);
        file.write_all(&buffer[..length])?;
        watch.step()?;
        left -= length as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::cache;
    use crate::size::Size;
    use std::sync::atomic::Ordering;

    /// Of kinds that no program makes, only the limit counts.
    fn meter() -> Meter {
        let limit = Duration::from_secs(60);
        Meter { program: PathBuf::from("pfh"), directory: PathBuf::from("/"), limit, memory_bytes: u64::MAX }
    }

    #[test]
    fn sizes_scatter_and_add_up() {
        let sizes = sizes(1000, 400_000_000, &mut Rng::with_seed(1));
        assert_eq!(sizes.iter().sum::<u64>(), 400_000_000);
        let mut sorted = sizes.clone();
        sorted.sort_unstable();
        // Of a log-normal distribution with this spread the median is half of the mean.
        assert!((100_000..300_000).contains(&sorted[500]), "{}", sorted[500]);
        assert!(sorted[999] > 20 * sorted[500], "{}", sorted[999]);
    }

    #[test]
    fn types_have_the_proportions_of_the_study() {
        let kinds = kinds(4457, &mut Rng::with_seed(1));
        for (kind, (name, count, _)) in T5.iter().enumerate() {
            assert_eq!(kinds.iter().filter(|one| **one == kind).count() as u64, *count, "{name}");
        }
        assert_eq!(super::kinds(10, &mut Rng::with_seed(1)).len(), 10);
    }

    /// Packages that are installed between two runs change the contents of documents, and nothing else.
    #[test]
    fn sizes_and_names_of_documents_depend_on_the_seed_alone() {
        let corpus: CorpusDefinition =
            toml::from_str("name = \"c\"\nkind = \"documents\"\nfiles = 30\nbytes = 300000\n").expect("well-formed");
        let installed = tempfile::tempdir().expect("a folder");
        let root = installed.path().to_str().expect("a path in UTF-8").to_owned();
        let made = |seed: u64| {
            let folder = tempfile::tempdir().expect("a folder");
            make_documents(&corpus, folder.path(), seed, &[&root], &Watch::default()).expect("made");
            let files = cache::files(folder.path()).expect("listed").into_iter();
            let about = |path: PathBuf| {
                let bytes = fs::read(&path).expect("read");
                (path.strip_prefix(folder.path()).expect("below").to_owned(), bytes)
            };
            files.map(about).collect::<Vec<_>>()
        };
        let sizes = |made: &[(PathBuf, Vec<u8>)]| {
            made.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect::<Vec<_>>()
        };
        let before = made(5);
        for (name, letter) in [("a.txt", "a"), ("b.pdf", "b"), ("c.so", "c"), ("d.html", "d")] {
            fs::write(installed.path().join(name), letter.repeat(5000)).expect("written");
        }
        let after = made(5);
        assert_ne!(before, after, "installed files give the contents");
        assert_eq!(sizes(&before), sizes(&after));
        assert_ne!(sizes(&made(6)), sizes(&after), "another seed, other sizes");
    }

    #[test]
    fn a_corpus_has_what_its_definition_says() {
        for kind in [CorpusKind::Noise, CorpusKind::Documents] {
            let folder = tempfile::tempdir().expect("a folder");
            let text = format!(
                "name = \"c\"\nkind = \"{}\"\nfiles = 20\nbytes = 200000\n",
                if kind == CorpusKind::Noise { "noise" } else { "documents" }
            );
            let corpus: CorpusDefinition = toml::from_str(&text).expect("well-formed");
            assert_eq!(corpus.bytes, Size(200_000));
            let made = make(&corpus, folder.path(), 7, &meter(), &AtomicBool::new(false)).expect("made");
            assert_eq!(made, Some(()));
            let counts = cache::count(folder.path(), &Watch::default()).expect("listed");
            assert_eq!((counts.files, counts.bytes), (20, 200_000), "{kind:?}");
        }
    }

    /// Five million files take minutes. After the end nothing is made any more.
    #[test]
    fn the_user_may_stop_while_a_corpus_is_made() {
        for kind in ["noise", "documents"] {
            let folder = tempfile::tempdir().expect("a folder");
            let text = format!("name = \"c\"\nkind = \"{kind}\"\nfiles = 5000000\nbytes = 5000000\n");
            let corpus: CorpusDefinition = toml::from_str(&text).expect("well-formed");
            let cancel = AtomicBool::new(false);
            let made = std::thread::scope(|scope| {
                scope.spawn(|| {
                    while fs::read_dir(folder.path()).expect("listed").next().is_none() {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    cancel.store(true, Ordering::Relaxed);
                });
                make(&corpus, folder.path(), 7, &meter(), &cancel)
            });
            assert_eq!(made.expect("no error"), None, "{kind}");
            let count = || cache::count(folder.path(), &Watch::default()).expect("listed").files;
            let files = count();
            std::thread::sleep(Duration::from_millis(100));
            assert!((1..5_000_000).contains(&files) && count() == files, "{kind}: {files}");
        }
    }
}
