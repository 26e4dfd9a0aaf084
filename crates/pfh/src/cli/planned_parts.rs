//! Parts of files in a shard: each is read as a file of its own, and has values instead of digests.

use super::command::Item;
use super::ended::lock;
use pfh_digest::parts::{PartHasher, PartValue};
use pfh_engine::{Consumer, Decision, FileOptions};
use pfh_plan::{PlanOptions, part_bytes};
use pfh_record::jsonl::push_part;
use pfh_record::{Outcome, Part, Record, Selection};
use pfh_source::FilePart;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

/// The values of parts that were read and have no line yet, by the paths of the parts.
type Values = Arc<Mutex<HashMap<Vec<u8>, Vec<PartValue>>>>;

/// The parts of a shard.
pub(crate) struct PlannedParts<'p> {
    options: &'p PlanOptions,
    any_tree: bool,
    values: Values,
}

impl<'p> PlannedParts<'p> {
    pub(crate) fn new(options: &'p PlanOptions, any_tree: bool) -> PlannedParts<'p> {
        PlannedParts { options, any_tree, values: Values::default() }
    }

    /// Returns how the file or part with this path is read.
    pub(crate) fn decide(&self, path: &[u8]) -> Decision {
        let Some((_, part)) = FilePart::of_path(path) else { return Decision::Hash };
        let algorithms = self.options.selection.algorithms().iter();
        let hasher = |&algorithm| {
            let bytes = part_bytes(part.file_bytes, self.options.split_bytes?)?;
            PartHasher::new(algorithm, part.offset, bytes).filter(|_| part.length <= bytes)
        };
        // Without hashers the part gets no values: its entry is none that pfh writes.
        let hashers = algorithms.map(hasher).collect::<Option<Vec<PartHasher>>>().unwrap_or_default();
        let reading = ReadingPart { path: path.to_vec(), hashers, values: Arc::clone(&self.values) };
        let consumer: Box<dyn Consumer> = Box::new(reading);
        Decision::HashWith(FileOptions { selection: Some(Selection::default()), consumer: Some(consumer) })
    }

    /// Makes the line of a part. `record` tells of the part as if it were a file.
    pub(crate) fn item(&self, mut record: Record, part: FilePart) -> Item<()> {
        let values = lock(&self.values).remove(&record.path).unwrap_or_default();
        if let Some((path, _)) = FilePart::of_path(&record.path) {
            record.path = path.to_vec();
        }
        record.digests.clear();
        let is_divided = values.len() == self.options.selection.algorithms().len();
        if record.outcome == Outcome::Complete && !is_divided {
            record.outcome = Outcome::ChangedWhileReading;
        }
        match &mut record.outcome {
            Outcome::Unreadable { offset, .. } => *offset = offset.saturating_add(part.offset),
            Outcome::Short { expected, read } => {
                *expected = part.file_bytes;
                *read = read.saturating_add(part.offset);
            }
            // Its size may be that of the part or one that the file has by now.
            Outcome::ChangedWhileReading => {
                record.metadata = record.metadata.filter(|metadata| metadata.size != part.length);
            }
            _ => {}
        }
        if let (Some(metadata), true) = (&mut record.metadata, record.outcome != Outcome::ChangedWhileReading) {
            metadata.size = part.file_bytes;
        }
        let mut line = Part::new(part.offset, part.length);
        (line.values, line.any_tree) = (values, self.any_tree);
        let mut item = Item::new(&record, ());
        push_part(&record, &line, &mut item.bytes);
        item
    }
}

/// Computes the values of one part.
struct ReadingPart {
    path: Vec<u8>,
    hashers: Vec<PartHasher>,
    values: Values,
}

impl Consumer for ReadingPart {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hashers.iter_mut().for_each(|hasher| hasher.update(bytes));
        Ok(())
    }

    fn finish(&mut self, _: &Record) -> io::Result<()> {
        let values: Option<Vec<PartValue>> = self.hashers.drain(..).map(PartHasher::finish).collect();
        lock(&self.values).insert(std::mem::take(&mut self.path), values.unwrap_or_default());
        Ok(())
    }

    fn retract(&mut self, _: &Outcome) {}
}
