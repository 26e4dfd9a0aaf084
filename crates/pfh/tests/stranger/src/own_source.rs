//! Files from another place: here from memory.

use pfh::record::{ErrorKind, FileError, Metadata};
use pfh::source::{Device, Entry, EntryKind, Found, Medium, PathHandle, Proof, Source, SourceFile, Stamp, Version};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Named contents that nobody changes.
pub struct Memory {
    files: BTreeMap<Vec<u8>, Arc<[u8]>>,
    device: Arc<Device>,
}

pub struct Contents(Arc<[u8]>);

impl Memory {
    pub fn new(files: impl IntoIterator<Item = (&'static str, &'static str)>) -> Memory {
        let files = files.into_iter().map(|(name, text)| (name.as_bytes().to_vec(), text.as_bytes().into()));
        Memory { files: files.collect(), device: Arc::new(Device::new(0, Medium::Memory, "memory")) }
    }
}

impl Source for Memory {
    type Handle = PathHandle;
    type File = Contents;

    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        for name in self.files.keys() {
            let handle = PathHandle { path: name.clone().into(), device: Arc::clone(&self.device) };
            if !visit(Found::Entry(Entry::new(handle, EntryKind::Regular))) {
                return;
            }
        }
    }

    fn open(&self, entry: &Entry<PathHandle>) -> Result<Contents, FileError> {
        let contents = self.files.get(&*entry.handle.path);
        contents.cloned().map(Contents).ok_or_else(|| FileError::new(ErrorKind::NotFound, "there is no such file"))
    }

    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.open(entry)?.stamp()
    }
}

impl SourceFile for Contents {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn proof(&self) -> Proof {
        Proof::Unchanging
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        Ok(Stamp::new(Metadata::new(self.0.len() as u64, None), None, Version::default()))
    }
}

/// Hashes what is in memory.
pub fn hash(source: Memory) -> Result<Vec<pfh::Record>, pfh::Error> {
    let selection = pfh::Selection::parse("md5,crc32")?;
    Ok(pfh::stream_on(pfh::Options::new(selection), source)?.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_place_is_read() {
        let long: &'static str = Box::leak("0123456789".repeat(300_000).into_boxed_str());
        let records = hash(Memory::new([("b", "hello"), ("a", ""), ("c", long)])).unwrap();
        let paths: Vec<&[u8]> = records.iter().map(|record| &record.path[..]).collect();
        assert_eq!(paths, [b"a", b"b", b"c"]);
        assert_eq!(records[1].digests[0].to_string(), "5d41402abc4b2a76b9719d911017c592");
        for (record, text) in records.iter().zip(["", "hello", long]) {
            assert_eq!(record.digests, pfh::hash_bytes(text, ["md5", "crc32"]).unwrap().digests);
            assert_eq!(record.metadata, Some(Metadata::new(text.len() as u64, None)));
        }
    }
}
