//! A tree of files whose names break careless programs.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};

/// Length of the directory names on the way to the file whose path is longer than `PATH_MAX`.
const LONG_NAME_BYTES: usize = 200;
/// How many of them: 22 × 201 is more than 4096.
const LONG_LEVELS: usize = 22;

/// A regular file of the odd tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OddFile {
    /// Its path below the tree's root, raw bytes, without a leading slash.
    pub path: Vec<u8>,
    /// Its contents.
    pub contents: Vec<u8>,
}

/// File names that are legal on Linux and often mishandled, 255 bytes each at most.
pub fn odd_names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        &b"*star"[..],
        b"-dash",
        b"--help",
        b"-",
        b"back\\slash",
        b"\\",
        b"line\nfeed",
        b"\n",
        b"carriage\rreturn",
        b"ends with cr\r",
        b"tab\tstop",
        b"escape\x1b[31mred",
        b"\xff\xfe",
        b"comma,x",
        b"quote\"x",
        b"apostrophe'x",
        b"$(command)",
        b"%percent%0a",
        b"&amp;<tag>",
        "\u{e9} composed".as_bytes(),
        "e\u{301} decomposed".as_bytes(),
        "\u{202e}reversed".as_bytes(),
        "\u{feff}mark".as_bytes(),
        b"trailing space ",
        b" leading space",
        b" ",
        b"trailing dot.",
        b"...",
        b".hidden",
        b"~",
        b"#comment",
        b"; comment",
        b"? question",
        b"name (with) = equals",
        b"CON",
        b"aux.txt",
        b"stream:name",
        // A lone surrogate as a careless encoder writes it (not UTF-8).
        b"\xed\xa0\x80 surrogate",
        b"d41d8cd98f00b204e9800998ecf8427e",
        b"d41d8cd98f00b204e9800998ecf8427e  name",
        b"MD5 (name) = d41d8cd98f00b204e9800998ecf8427e",
    ]
    .into_iter()
    .map(Vec::from)
    .collect();
    names.push(vec![b'n'; 255]);
    names
}

/// Builds the odd tree below `root`, which exists and is empty, and returns its regular files sorted by path, component
/// by component as the walk yields them. Beside them it holds what is not to be read: a dangling link, a link to
/// itself, a link to the root, links to a file and a directory, a FIFO, a socket, and an empty directory.
///
/// Contents differ from file to file, from none to some pages; one file is sparse.
/// # Errors
/// The error of the system.
pub fn odd_tree(root: &Path) -> io::Result<Vec<OddFile>> {
    let mut files = Vec::new();
    let mut add = |path: Vec<u8>| -> io::Result<()> {
        let contents = contents(files.len());
        fs::write(root.join(OsStr::from_bytes(&path)), &contents)?;
        files.push(OddFile { path, contents });
        Ok(())
    };
    for name in odd_names() {
        add(name)?;
    }
    // The same names for directories; "a" and "a.txt" change places between sorting by name and by path.
    fs::create_dir(root.join("names"))?;
    for name in odd_names() {
        let path = [b"names/", name.as_slice()].concat();
        fs::create_dir(root.join(OsStr::from_bytes(&path)))?;
        add([&path, &b"/file"[..]].concat())?;
    }
    fs::create_dir(root.join("a"))?;
    for path in ["a/z", "a.txt", "a-b", "a0"] {
        add(path.into())?;
    }
    files.push(sparse_file(root)?);
    files.push(file_beyond_path_max(root)?);

    fs::create_dir(root.join("empty directory"))?;
    symlink("nowhere", root.join("dangling link"))?;
    symlink("link to itself", root.join("link to itself"))?;
    symlink(".", root.join("a/link to its directory"))?;
    symlink("a.txt", root.join("link to file"))?;
    symlink("a", root.join("link to directory"))?;
    mknodat(CWD, root.join("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    drop(UnixListener::bind(root.join("socket"))?);

    files.sort_by(|left, right| left.path.split(|&byte| byte == b'/').cmp(right.path.split(|&byte| byte == b'/')));
    Ok(files)
}

/// Some bytes, different for each `index`, of lengths around the edges of a hash block and a page.
fn contents(index: usize) -> Vec<u8> {
    const LENGTHS: [usize; 12] = [0, 1, 55, 56, 63, 64, 65, 127, 128, 4095, 4096, 4097];
    let length = LENGTHS[index % LENGTHS.len()];
    // Period 251, a prime: swapped blocks cannot look right.
    (0..length).map(|position| ((position + index) % 251) as u8).collect()
}

fn sparse_file(root: &Path) -> io::Result<OddFile> {
    use std::os::unix::fs::FileExt;
    let mut contents = vec![0; 3 * 1024 * 1024 + 5];
    let file = File::create(root.join("sparse"))?;
    file.set_len(contents.len() as u64)?;
    for offset in [1024 * 1024 - 3, 2 * 1024 * 1024] {
        let data = b"data in a hole";
        file.write_all_at(data, offset as u64)?;
        contents[offset..offset + data.len()].copy_from_slice(data);
    }
    Ok(OddFile { path: b"sparse".to_vec(), contents })
}

/// A file that no single system call can reach from `root`.
fn file_beyond_path_max(root: &Path) -> io::Result<OddFile> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let name = vec![b'd'; LONG_NAME_BYTES];
    let mut path = Vec::new();
    let mut current = openat(CWD, root, flags, Mode::empty())?;
    for _ in 0..LONG_LEVELS {
        mkdirat(&current, name.as_slice(), Mode::RWXU)?;
        current = openat(&current, name.as_slice(), flags, Mode::empty())?;
        path.extend_from_slice(&name);
        path.push(b'/');
    }
    let contents = b"deep".to_vec();
    let create = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = openat(&current, c"file", create, Mode::RUSR | Mode::WUSR)?;
    io::Write::write_all(&mut File::from(file), &contents)?;
    path.extend_from_slice(b"file");
    Ok(OddFile { path, contents })
}
