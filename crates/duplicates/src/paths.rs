//! The paths of everything that was found, in the order of finding. The offset of an item is its number.

use crate::item::{Content, Item, Place, Side};
use crate::record_file::{ByteWriter, Stored, Window, number, record};
use std::io;

/// Bytes before the path: kind, side, place, length of the directory, three numbers, length of the path.
const HEAD_BYTES: usize = 1 + 1 + 4 + 4 + 24 + 4;

pub(crate) struct PathWriter {
    writer: ByteWriter,
    length: u64,
}

impl PathWriter {
    /// Begins to write, in memory up to a limit.
    pub(crate) fn new(memory_bytes: u64) -> PathWriter {
        PathWriter { writer: ByteWriter::new(memory_bytes), length: 0 }
    }

    /// Appends an item and returns its number.
    pub(crate) fn push(&mut self, path: &[u8], content: Content, side: Side, place: Place) -> io::Result<u64> {
        let number = self.length;
        let too_long = |_| io::Error::new(io::ErrorKind::InvalidInput, "a path is longer than 4 GiB");
        let path_bytes = u32::try_from(path.len()).map_err(too_long)?;
        let (kind, numbers) = content.parts();
        let base_bytes = place.base_bytes.unwrap_or(u32::MAX);
        let [first, second, third] = numbers.map(u64::to_be_bytes);
        let head: [u8; HEAD_BYTES] = record(&[
            &[kind, side as u8],
            &place.number.to_be_bytes(),
            &base_bytes.to_be_bytes(),
            &first,
            &second,
            &third,
            &path_bytes.to_be_bytes(),
        ]);
        self.writer.write(&head)?;
        self.writer.write(path)?;
        self.length += (HEAD_BYTES + path.len()) as u64;
        Ok(number)
    }

    pub(crate) fn finish(self) -> io::Result<Paths> {
        Ok(Paths { stored: self.writer.finish()?, length: self.length })
    }
}

/// All items that were found.
#[derive(Clone)]
pub(crate) struct Paths {
    stored: Stored,
    length: u64,
}

/// Reads the item with this number into `item`.
fn read(window: &mut Window, number_of_item: u64, item: &mut Item) -> io::Result<()> {
    let head = window.get(number_of_item, HEAD_BYTES)?;
    let head: &[u8; HEAD_BYTES] = head.first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
    let small = |offset: usize| head[offset..].first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    let numbers = [10, 18, 26].map(|offset| number(head, offset));
    item.number = number_of_item;
    item.content = Content::of_parts(head[0], numbers).ok_or(io::ErrorKind::InvalidData)?;
    item.side = if head[1] == Side::B as u8 { Side::B } else { Side::A };
    item.place = small(2);
    item.base_bytes = Some(small(6)).filter(|&bytes| bytes < u32::MAX);
    let path_bytes = small(34) as usize;
    let path = window.get(number_of_item + HEAD_BYTES as u64, path_bytes)?;
    if path.len() < path_bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    item.path.clear();
    item.path.extend_from_slice(path);
    Ok(())
}

fn no_item() -> Item {
    Item { number: 0, path: Vec::new(), content: Content::Missing, side: Side::A, place: 0, base_bytes: None }
}

impl Paths {
    /// Returns a reader of single items.
    pub(crate) fn reader(&self) -> PathReader {
        PathReader(self.stored.window())
    }

    /// Reads all items in order.
    pub(crate) fn scan(&self) -> PathScan {
        PathScan { window: self.stored.window(), next: 0, length: self.length, item: no_item() }
    }
}

/// A reader of single items, best in their order.
pub(crate) struct PathReader(Window);

impl PathReader {
    /// Returns the item with this number.
    pub(crate) fn get(&mut self, number: u64) -> io::Result<Item> {
        let mut item = no_item();
        read(&mut self.0, number, &mut item)?;
        Ok(item)
    }
}

/// All items in order. They share one place in memory, so that a pass allocates nothing.
pub(crate) struct PathScan {
    window: Window,
    next: u64,
    length: u64,
    item: Item,
}

impl PathScan {
    /// Returns the next item; `None` at the end.
    pub(crate) fn next_item(&mut self) -> io::Result<Option<&Item>> {
        if self.next == self.length {
            return Ok(None);
        }
        read(&mut self.window, self.next, &mut self.item)?;
        self.next += (HEAD_BYTES + self.item.path.len()) as u64;
        Ok(Some(&self.item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_in_order_and_by_number() {
        for memory_bytes in [0, 1 << 20] {
            items_come_back(memory_bytes);
        }
    }

    fn items_come_back(memory_bytes: u64) {
        let long = vec![b'x'; 5000];
        let mut writer = PathWriter::new(memory_bytes);
        let file = |identity| Content::File { size: 7, identity };
        let place = Place { number: 3, base_bytes: Some(2) };
        let items = [
            (&b"a/\xff\n"[..], file(Some((1, 2))), Side::A),
            (&b""[..], Content::Missing, Side::B),
            (&long, file(None), Side::B),
            (&b"z"[..], Content::Link([1, 2, 3]), Side::A),
        ];
        for (path, content, side) in &items {
            writer.push(path, *content, *side, place).unwrap();
        }
        let paths = writer.finish().unwrap();
        let (mut scan, mut scanned) = (paths.scan(), Vec::new());
        while let Some(item) = scan.next_item().unwrap() {
            scanned.push(item.clone());
        }
        assert_eq!(scanned.len(), items.len());
        for (item, (path, content, side)) in scanned.iter().zip(&items) {
            assert_eq!((&item.path[..], item.content, item.side), (*path, *content, *side));
            assert_eq!((item.place, item.base_bytes), (3, Some(2)));
            assert_eq!(paths.reader().get(item.number).unwrap(), *item);
        }
        let mut reader = paths.reader();
        for item in scanned.iter().rev().chain(&scanned) {
            assert_eq!(reader.get(item.number).unwrap(), *item);
        }
        assert!(reader.get(1 << 40).is_err());
    }
}
