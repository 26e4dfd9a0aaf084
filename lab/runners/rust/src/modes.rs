//! The modes: each prepares outside the clock and returns the pass that is timed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;

use crate::library::{Derive, Digest, Library, NewDigest, NewEncryption};
use crate::protocol::Task;
use crate::rust_crypto;

/// One pass: its argument says whether it is the one before the warm-up, whose answer covers everything.
pub type Pass = Box<dyn FnMut(bool) -> Result<String, Failure>>;

pub enum Failure {
    NotOffered(String),
    Error(Box<dyn std::error::Error>),
}

impl<E: Into<Box<dyn std::error::Error>>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Error(error.into())
    }
}

pub fn prepare(library: &Library, task: Task) -> Result<Pass, Failure> {
    match task.mode.as_str() {
        "digest" => digest(offered(&library.digests, &task)?, task),
        "digest-file" => digest_file(offered(&library.digests, &task)?, task),
        "strings" => strings(offered(&library.digests, &task)?, task),
        "messages" => messages(offered(&library.digests, &task)?, task),
        "cipher" => cipher(offered(&library.ciphers, &task)?, task),
        "cipher-file" => cipher_file(offered(&library.ciphers, &task)?, task),
        "password" => password(offered(&library.passwords, &task)?, task),
        "read-file" => Ok(Box::new(move |_| Ok(for_each_piece(&task, |_| ())?.to_string()))),
        _ => Err(Failure::NotOffered("unknown mode".into())),
    }
}

/// Finds an algorithm by its name.
fn offered<T: Copy>(choices: &[(&str, T)], task: &Task) -> Result<T, Failure> {
    match choices.iter().find(|(name, _)| *name == task.algorithm) {
        Some((_, choice)) => Ok(*choice),
        None => Err(Failure::NotOffered(format!("{} is not in this library", task.algorithm))),
    }
}

fn digest(new: NewDigest, task: Task) -> Result<Pass, Failure> {
    let data = load(&task)?;
    let chunk_bytes = chunk_bytes(&task);
    Ok(Box::new(move |_| {
        let mut digest = new();
        data.chunks(chunk_bytes).for_each(|chunk| digest.update(chunk));
        Ok(finish(&mut *digest))
    }))
}

fn digest_file(new: NewDigest, task: Task) -> Result<Pass, Failure> {
    Ok(Box::new(move |_| {
        let mut digest = new();
        for_each_piece(&task, |piece| digest.update(piece))?;
        Ok(finish(&mut *digest))
    }))
}

fn strings(new: NewDigest, task: Task) -> Result<Pass, Failure> {
    let data = load(&task)?;
    let lines = data
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .scan(0, |start, (end, _)| Some(std::mem::replace(start, end + 1)..end))
        .collect();
    Ok(digest_each(new, data, lines))
}

fn messages(new: NewDigest, task: Task) -> Result<Pass, Failure> {
    let data = load(&task)?;
    let length = data.len().checked_div(task.count).filter(|length| *length > 0 && length * task.count == data.len());
    let length = length.ok_or("the file is not so many messages of one length")?;
    let messages = (0..task.count).map(|index| index * length..(index + 1) * length).collect();
    Ok(digest_each(new, data, messages))
}

fn digest_each(new: NewDigest, data: Vec<u8>, messages: Vec<Range<usize>>) -> Pass {
    let mut digest = new();
    Box::new(move |checking| {
        let (mut sum, mut length, mut every) = ([0; 64], 0, Vec::new());
        for message in &messages {
            digest.update(&data[message.clone()]);
            length = digest.finish(&mut sum);
            if checking {
                every.extend_from_slice(&sum[..length]);
            }
        }
        if checking {
            digest.update(&every);
            length = digest.finish(&mut sum);
        }
        Ok(hexadecimal(&sum[..length]))
    })
}

fn cipher(new: NewEncryption, task: Task) -> Result<Pass, Failure> {
    let data = load(&task)?;
    let chunk_bytes = chunk_bytes(&task);
    let block_bytes = new().block_bytes();
    let mut ciphertext = vec![0; chunk_bytes.min(data.len()) + block_bytes];
    Ok(Box::new(move |checking| {
        let mut whole = checking.then(rust_crypto::sha256);
        let mut encryption = new();
        let mut last = 0..0;
        for chunk in data.chunks(chunk_bytes) {
            encryption.encrypt(chunk, &mut ciphertext);
            last = chunk.len().saturating_sub(block_bytes)..chunk.len();
            if let Some(whole) = &mut whole {
                whole.update(&ciphertext[..chunk.len()]);
            }
        }
        Ok(whole.map_or_else(|| hexadecimal(&ciphertext[last]), |mut whole| finish(&mut *whole)))
    }))
}

fn cipher_file(new: NewEncryption, task: Task) -> Result<Pass, Failure> {
    let block_bytes = new().block_bytes();
    let mut ciphertext = vec![0; chunk_bytes(&task) + block_bytes];
    Ok(Box::new(move |_| {
        let mut encryption = new();
        let mut last = 0..0;
        for_each_piece(&task, |piece| {
            encryption.encrypt(piece, &mut ciphertext);
            last = piece.len().saturating_sub(block_bytes)..piece.len();
        })?;
        Ok(hexadecimal(&ciphertext[last]))
    }))
}

fn password(derive: Derive, task: Task) -> Result<Pass, Failure> {
    Ok(Box::new(move |_| {
        let mut derived = Vec::new();
        for _ in 0..task.count {
            derived = derive(&task)?;
        }
        Ok(hexadecimal(&derived))
    }))
}

fn finish(digest: &mut dyn Digest) -> String {
    let mut sum = [0; 64];
    let length = digest.finish(&mut sum);
    hexadecimal(&sum[..length])
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The size of an update; everything, and room to see the end of the file, where the task says 0.
fn chunk_bytes(task: &Task) -> usize {
    if task.chunk_bytes > 0 { task.chunk_bytes } else { task.bytes + 1 }
}

fn load(task: &Task) -> io::Result<Vec<u8>> {
    let data = fs::read(&task.path)?;
    expect(task, data.len())?;
    Ok(data)
}

fn for_each_piece(task: &Task, mut used: impl FnMut(&[u8])) -> io::Result<usize> {
    let mut file = File::open(&task.path)?;
    let mut piece = vec![0; chunk_bytes(task)];
    let mut total = 0;
    loop {
        let length = fill(&mut file, &mut piece)?;
        total += length;
        if length > 0 {
            used(&piece[..length]);
        }
        if length < piece.len() {
            expect(task, total)?;
            return Ok(total);
        }
    }
}

/// Reads until the piece is full or the file ends.
fn fill(file: &mut File, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn expect(task: &Task, total: usize) -> io::Result<()> {
    if total == task.bytes {
        return Ok(());
    }
    Err(io::Error::other(format!("the file has {total} bytes, the task says {}", task.bytes)))
}
