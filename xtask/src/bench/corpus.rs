//! The files that are hashed: made on demand, kept for the next time.

pub(super) mod lists;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use nix::sys::statvfs::statvfs;

/// A set of files with known properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Corpus {
    /// 100,000 files of 4 KiB, 1,000 in each folder.
    Tree4k,
    /// Four files of 1 GiB.
    Large,
    /// Copies of up to 100,000 files and 5 GB of this system.
    Real,
    /// 1,000,000 files of 0 to 16 bytes, 1,000 in each folder.
    Tiny,
    /// One sparse file of 10 GiB.
    Sparse10g,
    /// 4096 files of 64 KiB.
    Files64k,
    /// 256 files of 1 MiB.
    Files1m,
    /// One file of 256 MiB.
    Large256m,
    /// As `Real`, about 45,000 files or 1.8 GB.
    RealPart,
    /// Lists of similarity digests.
    Digests,
}

impl Corpus {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tree4k => "tree4k",
            Self::Large => "large",
            Self::Real => "real",
            Self::Tiny => "tiny",
            Self::Sparse10g => "sparse10g",
            Self::Files64k => "files64k",
            Self::Files1m => "files1m",
            Self::Large256m => "large256m",
            Self::RealPart => "real-part",
            Self::Digests => "digests",
        }
    }
}

/// A corpus that is there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prepared {
    /// Its folder, relative to the store's.
    pub(super) folder: String,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

const FILES_PER_FOLDER: u64 = 1000;
const REAL_FILES_MAX: u64 = 100_000;
const REAL_BYTES_MAX: u64 = 5_000_000_000;
const REAL_PART_FILES_MAX: u64 = 45_000;
const REAL_PART_BYTES_MAX: u64 = 1_800_000_000;
/// Where real files are taken from, as far as these exist.
const REAL_ROOTS: [&str; 4] = ["/usr", "/opt", "/etc", "/var/lib"];

/// The folder in which corpora lie.
pub(super) struct Store<'p> {
    folder: PathBuf,
    scale: f64,
    /// Not to be copied into `real`.
    workspace: PathBuf,
    /// `PATH` on which pfh is found.
    path: &'p OsStr,
}

impl<'p> Store<'p> {
    pub(super) fn open(folder: PathBuf, scale: f64, workspace: &Path, path: &'p OsStr) -> Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(Self { folder: folder.canonicalize()?, scale, workspace: workspace.to_owned(), path })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the corpus unless it is there already. A corpus appears under its name only when it is complete.
    pub(super) fn prepare(&self, corpus: Corpus) -> Result<Prepared> {
        let name = corpus.name();
        let folder = self.folder.join(name);
        let counts_file = self.folder.join(format!("{name}.counts"));
        if !(folder.is_dir() && counts_file.is_file()) {
            println!("making corpus `{name}` in `{}`", self.folder.display());
            let partial = self.folder.join(format!("{name}.partial"));
            for old in [&folder, &partial].into_iter().filter(|old| old.exists()) {
                fs::remove_dir_all(old)?;
            }
            fs::create_dir(&partial)?;
            let counts = self.make(corpus, &partial).with_context(|| format!("cannot make corpus `{name}`"))?;
            fs::rename(&partial, &folder)?;
            fs::write(&counts_file, format!("{} {}\n", counts.files, counts.bytes))?;
            nix::unistd::sync();
        }
        let text = fs::read_to_string(&counts_file)?;
        let counts = Counts::parse(&text).with_context(|| format!("`{}` is damaged", counts_file.display()))?;
        println!("corpus `{name}`: {} files, {} bytes", counts.files, counts.bytes);
        Ok(Prepared { folder: name.to_owned(), files: counts.files, bytes: counts.bytes })
    }

    /// Length of the longest file.
    pub(super) fn longest_bytes(&self, corpus: &Prepared) -> Result<u64> {
        let mut longest_bytes = 0;
        let mut folders = vec![self.folder.join(&corpus.folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                match entry.metadata()? {
                    metadata if metadata.is_dir() => folders.push(entry.path()),
                    metadata => longest_bytes = longest_bytes.max(metadata.len()),
                }
            }
        }
        Ok(longest_bytes)
    }

    fn make(&self, corpus: Corpus, folder: &Path) -> Result<Counts> {
        let scaled = |full: u64| ((full as f64 * self.scale) as u64).max(1);
        match corpus {
            Corpus::Tree4k => self.make_noise(folder, scaled(100_000), 4096, Noise(1)),
            Corpus::Tiny => {
                let files = scaled(1_000_000);
                self.check_room(files * 4096, files)?;
                let mut noise = Noise(2);
                write_tree(folder, files, |index, contents| {
                    contents.resize((index * 7 % 17) as usize, 0);
                    noise.fill(contents);
                })
            }
            Corpus::Large => {
                const FILES: u64 = 4;
                let bytes = scaled(1 << 30);
                self.check_room(FILES * bytes, FILES)?;
                for index in 0..FILES {
                    write_noise(&folder.join(format!("{index}")), bytes, &mut Noise(3 + index))?;
                }
                Ok(Counts { files: FILES, bytes: FILES * bytes })
            }
            Corpus::Sparse10g => {
                let bytes = scaled(10 << 30);
                File::create(folder.join("sparse"))?.set_len(bytes)?;
                Ok(Counts { files: 1, bytes })
            }
            Corpus::Files64k => self.make_noise(folder, scaled(4096), 64 << 10, Noise(8)),
            Corpus::Files1m => self.make_noise(folder, scaled(256), 1 << 20, Noise(9)),
            Corpus::Large256m => {
                let bytes = scaled(256 << 20);
                self.check_room(bytes, 1)?;
                write_noise(&folder.join("0"), bytes, &mut Noise(10))?;
                Ok(Counts { files: 1, bytes })
            }
            Corpus::Real => self.make_real(folder, scaled(REAL_FILES_MAX), scaled(REAL_BYTES_MAX)),
            Corpus::RealPart => self.make_real(folder, scaled(REAL_PART_FILES_MAX), scaled(REAL_PART_BYTES_MAX)),
            Corpus::Digests => {
                let (real, part) = (self.prepare(Corpus::Real)?, self.prepare(Corpus::RealPart)?);
                lists::make(&self.folder, folder, self.path, [&real.folder, &part.folder], scaled(1_000_000))
            }
        }
    }

    /// A tree of noise.
    fn make_noise(&self, folder: &Path, files: u64, file_bytes: usize, mut noise: Noise) -> Result<Counts> {
        self.check_room(files * file_bytes as u64, files)?;
        write_tree(folder, files, |_, contents| {
            contents.resize(file_bytes, 0);
            noise.fill(contents);
        })
    }

    /// Copies of files of this system.
    fn make_real(&self, folder: &Path, files_max: u64, bytes_max: u64) -> Result<Counts> {
        let chosen = choose(self.candidates(), files_max, bytes_max);
        let bytes = chosen.iter().map(|(_, bytes)| bytes).sum::<u64>();
        self.check_room(bytes + chosen.len() as u64 * 4096, chosen.len() as u64)?;
        Ok(copy_all(&chosen, folder))
    }

    /// Refuses before the disk is full, not when.
    fn check_room(&self, bytes: u64, files: u64) -> Result<()> {
        let room = statvfs(&self.folder)?;
        let free_bytes = room.blocks_available() as u64 * room.fragment_size() as u64;
        ensure!(bytes < free_bytes, "{bytes} bytes needed, {free_bytes} free in `{}`", self.folder.display());
        // Some filesystems make inodes as they go and state none.
        let (all_files, free_files) = (room.files() as u64, room.files_available() as u64);
        ensure!(all_files == 0 || files < free_files, "{files} inodes needed, {free_files} free");
        Ok(())
    }

    /// Regular files of this system with their sizes: each inode once, no other file systems, only names that every
    /// peer prints as they are.
    fn candidates(&self) -> Vec<(PathBuf, u64)> {
        let mut roots: Vec<PathBuf> = REAL_ROOTS.iter().map(PathBuf::from).collect();
        roots.extend(["CARGO_HOME", "RUSTUP_HOME"].iter().filter_map(std::env::var_os).map(PathBuf::from));
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for root in roots {
            let Ok(metadata) = root.symlink_metadata() else { continue };
            let mut folders = vec![root];
            while let Some(folder) = folders.pop() {
                if folder.starts_with(&self.folder) || folder.starts_with(&self.workspace) {
                    continue;
                }
                let Ok(entries) = fs::read_dir(&folder) else { continue };
                let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
                paths.sort_unstable();
                for path in paths.into_iter().filter(|path| is_plain(path)) {
                    let Ok(inode) = path.symlink_metadata() else { continue };
                    if inode.dev() != metadata.dev() {
                        continue;
                    }
                    if inode.is_dir() {
                        folders.push(path);
                    } else if inode.is_file() && seen.insert((inode.dev(), inode.ino())) {
                        found.push((path, inode.len()));
                    }
                }
            }
        }
        found
    }
}

/// Numbers of files and bytes of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    files: u64,
    bytes: u64,
}

impl Counts {
    fn parse(text: &str) -> Option<Self> {
        let (files, bytes) = text.trim_end().split_once(' ')?;
        Some(Self { files: files.parse().ok()?, bytes: bytes.parse().ok()? })
    }
}

/// A name that no list format escapes and every program takes.
fn is_plain(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.contains(|character: char| character.is_control() || character == '\\'))
}

/// A part of the candidates within both limits that looks like the whole: each file is kept with the same probability,
/// decided by its path, so that the choice does not change between runs.
fn choose(candidates: Vec<(PathBuf, u64)>, files_max: u64, bytes_max: u64) -> Vec<(PathBuf, u64)> {
    let bytes: u64 = candidates.iter().map(|(_, bytes)| bytes).sum();
    let share = |limit: u64, all: u64| limit as f64 / all.max(1) as f64;
    let kept = share(files_max, candidates.len() as u64).min(share(bytes_max, bytes));
    let below = (kept.min(1.0) * u64::MAX as f64) as u64;
    candidates.into_iter().filter(|(path, _)| scatter(path) <= below).collect()
}

/// A number that looks random and depends on the path only.
fn scatter(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().fold(Noise(0), |noise, &byte| Noise(Noise(noise.0 ^ u64::from(byte)).next())).next()
}

/// Copies what can be copied, with modification times, readable for us; counts what arrived.
fn copy_all(chosen: &[(PathBuf, u64)], folder: &Path) -> Counts {
    let mut counts = Counts { files: 0, bytes: 0 };
    let mut left_out = 0;
    for (path, _) in chosen {
        match copy(path, &folder.join(path.strip_prefix("/").unwrap_or(path))) {
            Ok(bytes) => counts = Counts { files: counts.files + 1, bytes: counts.bytes + bytes },
            Err(_) => left_out += 1,
        }
    }
    if left_out > 0 {
        println!("{left_out} files could not be copied and are left out");
    }
    counts
}

fn copy(from: &Path, to: &Path) -> Result<u64> {
    let modified = from.metadata()?.modified()?;
    fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
    let mut source = File::open(from)?;
    let mut copy = File::create(to)?;
    let copied = std::io::copy(&mut source, &mut copy).and_then(|bytes| {
        copy.set_permissions(Permissions::from_mode(0o644))?;
        copy.set_times(FileTimes::new().set_modified(modified))?;
        Ok(bytes)
    });
    if copied.is_err() {
        fs::remove_file(to)?;
    }
    Ok(copied?)
}

fn write_tree(folder: &Path, files: u64, mut contents: impl FnMut(u64, &mut Vec<u8>)) -> Result<Counts> {
    let mut counts = Counts { files, bytes: 0 };
    let mut buffer = Vec::new();
    for first in (0..files).step_by(FILES_PER_FOLDER as usize) {
        let folder = folder.join(format!("{:04}", first / FILES_PER_FOLDER));
        fs::create_dir(&folder)?;
        for index in first..files.min(first + FILES_PER_FOLDER) {
            buffer.clear();
            contents(index, &mut buffer);
            fs::write(folder.join(format!("{:03}", index % FILES_PER_FOLDER)), &buffer)?;
            counts.bytes += buffer.len() as u64;
        }
    }
    Ok(counts)
}

fn write_noise(path: &Path, bytes: u64, noise: &mut Noise) -> Result<()> {
    let mut file = File::create(path)?;
    let mut buffer = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let length = buffer.len().min(usize::try_from(left)?);
        noise.fill(&mut buffer[..length]);
        file.write_all(&buffer[..length])?;
        left -= length as u64;
    }
    Ok(())
}

/// Numbers that look random: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn fill(&mut self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_splitmix64() {
        // First outputs for seed 1234567, Rosetta Code, "Pseudo-random numbers/Splitmix64".
        let mut noise = Noise(1_234_567);
        assert_eq!([noise.next(), noise.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn the_choice_respects_both_limits_and_is_stable() {
        let candidates: Vec<_> = (0..10_000).map(|index| (PathBuf::from(format!("/usr/f{index}")), 100)).collect();
        for (files_max, bytes_max, expected) in
            [(1000, u64::MAX, 1000), (10_000, 50_000, 500), (20_000, u64::MAX, 10_000)]
        {
            let chosen = choose(candidates.clone(), files_max, bytes_max);
            assert!(chosen.len().abs_diff(expected) <= expected / 10, "{} of {expected}", chosen.len());
            assert_eq!(chosen, choose(candidates.clone(), files_max, bytes_max));
        }
    }

    #[test]
    fn names_that_some_peer_escapes_are_not_plain() {
        assert!(is_plain(Path::new("/usr/a b,c")));
        assert!(!is_plain(Path::new("/usr/a\nb")));
        assert!(!is_plain(Path::new("/usr/a\\b")));
    }

    #[test]
    fn a_corpus_is_made_once_and_counted() {
        let folder = std::env::temp_dir().join(format!("xtask-corpus-{}", std::process::id()));
        let store = Store::open(folder.clone(), 0.0005, Path::new("/nowhere"), OsStr::new("")).expect("a folder");
        let tree = store.prepare(Corpus::Tree4k).expect("room");
        assert_eq!((tree.files, tree.bytes), (50, 50 * 4096));
        assert_eq!(store.prepare(Corpus::Tree4k).expect("is there"), tree);
        let sparse = store.prepare(Corpus::Sparse10g).expect("room");
        assert_eq!(sparse.bytes, fs::metadata(store.folder().join("sparse10g/sparse")).expect("is there").len());
        fs::remove_dir_all(folder).expect("ours");
    }
}
