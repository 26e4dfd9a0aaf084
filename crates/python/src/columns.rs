//! Records as columns of Arrow.
//!
//! The types are those that every consumer takes: paths and digests are binary, since some refuse binary of fixed
//! length, numbers have signs, and nothing is a dictionary.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, FixedSizeBinaryBuilder, Int16Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
    StructBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use pfh::{Algorithm, Digest, Outcome, Record, Selection};

use crate::record::{Item, RecordError};

/// Most rows of a batch.
pub(crate) const ROWS_MAX: usize = 4096;

/// Bytes of paths, pieces and similarity digests from which a batch is handed over.
pub(crate) const BATCH_BYTES: usize = 4 << 20;

/// The kinds of values that records have.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) selection: Selection,
    /// Whether files have pieces.
    pub(crate) has_pieces: bool,
    /// Whether records may be of parts of files.
    pub(crate) has_parts: bool,
}

/// The columns that are being filled.
pub(crate) struct Columns {
    schema: SchemaRef,
    rows: usize,
    bytes: usize,
    path: BinaryBuilder,
    size: Int64Builder,
    mtime: TimestampMicrosecondBuilder,
    mtime_ns: Int16Builder,
    outcome: StringBuilder,
    error_kind: StringBuilder,
    error_message: StringBuilder,
    errno: Int32Builder,
    error_offset: Int64Builder,
    bytes_read: Int64Builder,
    digests: Vec<(Algorithm, DigestBuilder)>,
    similarities: Vec<(pfh::similarity::Family, StringBuilder)>,
    pieces: Option<(Fields, ListBuilder<StructBuilder>)>,
    parts: Option<(Int64Builder, Int64Builder)>,
}

enum DigestBuilder {
    Binary(BinaryBuilder),
    Fixed(FixedSizeBinaryBuilder),
}

impl DigestBuilder {
    fn append(&mut self, digest: Option<&Digest>) -> Result<(), ArrowError> {
        match (self, digest) {
            (DigestBuilder::Binary(builder), Some(digest)) => builder.append_value(digest.bytes()),
            (DigestBuilder::Binary(builder), None) => builder.append_null(),
            (DigestBuilder::Fixed(builder), Some(digest)) => return builder.append_value(digest.bytes()),
            (DigestBuilder::Fixed(builder), None) => builder.append_null(),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            DigestBuilder::Binary(builder) => Arc::new(builder.finish()),
            DigestBuilder::Fixed(builder) => Arc::new(builder.finish()),
        }
    }
}

/// The fields of a piece.
fn piece_fields(selection: &Selection) -> Fields {
    let numbers = ["offset", "length"].map(|name| Field::new(name, DataType::Int64, false));
    let digests = selection.algorithms().iter().map(|algorithm| Field::new(algorithm.name(), DataType::Binary, false));
    numbers.into_iter().chain(digests).collect()
}

impl Shape {
    /// The schema; `fixed` names columns of digests that are to be binary of fixed length.
    pub(crate) fn schema(&self, fixed: &[(String, usize)]) -> SchemaRef {
        let mut fields = vec![
            Field::new("path", DataType::Binary, false),
            Field::new("size", DataType::Int64, true),
            Field::new("mtime", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true),
            Field::new("mtime_ns", DataType::Int16, true),
            Field::new("outcome", DataType::Utf8, false),
            Field::new("error_kind", DataType::Utf8, true),
            Field::new("error_message", DataType::Utf8, true),
            Field::new("errno", DataType::Int32, true),
            Field::new("error_offset", DataType::Int64, true),
            Field::new("bytes_read", DataType::Int64, true),
        ];
        for algorithm in self.selection.algorithms() {
            let data_type = match is_fixed(*algorithm, fixed) {
                true => DataType::FixedSizeBinary(algorithm.digest_bytes() as i32),
                false => DataType::Binary,
            };
            fields.push(Field::new(algorithm.name(), data_type, true));
        }
        for family in self.selection.families() {
            fields.push(Field::new(family.name(), DataType::Utf8, true));
        }
        if self.has_pieces {
            let item = Field::new("item", DataType::Struct(piece_fields(&self.selection)), false);
            fields.push(Field::new("pieces", DataType::List(Arc::new(item)), true));
        }
        if self.has_parts {
            fields.push(Field::new("part_offset", DataType::Int64, true));
            fields.push(Field::new("part_length", DataType::Int64, true));
        }
        Arc::new(Schema::new(fields))
    }
}

fn is_fixed(algorithm: Algorithm, fixed: &[(String, usize)]) -> bool {
    fixed.iter().any(|(name, bytes)| name == algorithm.name() && *bytes == algorithm.digest_bytes())
}

impl Columns {
    pub(crate) fn new(shape: &Shape, fixed: &[(String, usize)]) -> Columns {
        let digest = |&algorithm: &Algorithm| {
            let builder = match is_fixed(algorithm, fixed) {
                true => DigestBuilder::Fixed(FixedSizeBinaryBuilder::new(algorithm.digest_bytes() as i32)),
                false => DigestBuilder::Binary(BinaryBuilder::new()),
            };
            (algorithm, builder)
        };
        let pieces = shape.has_pieces.then(|| {
            let fields = piece_fields(&shape.selection);
            let item = Field::new("item", DataType::Struct(fields.clone()), false);
            (fields.clone(), ListBuilder::new(StructBuilder::from_fields(fields, 0)).with_field(item))
        });
        Columns {
            schema: shape.schema(fixed),
            rows: 0,
            bytes: 0,
            path: BinaryBuilder::new(),
            size: Int64Builder::new(),
            mtime: TimestampMicrosecondBuilder::new().with_timezone("UTC"),
            mtime_ns: Int16Builder::new(),
            outcome: StringBuilder::new(),
            error_kind: StringBuilder::new(),
            error_message: StringBuilder::new(),
            errno: Int32Builder::new(),
            error_offset: Int64Builder::new(),
            bytes_read: Int64Builder::new(),
            digests: shape.selection.algorithms().iter().map(digest).collect(),
            similarities: shape.selection.families().iter().map(|&family| (family, StringBuilder::new())).collect(),
            pieces,
            parts: shape.has_parts.then(|| (Int64Builder::new(), Int64Builder::new())),
        }
    }

    /// Whether the batch is to be handed over.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= ROWS_MAX || self.bytes >= BATCH_BYTES
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends a record.
    ///
    /// # Errors
    /// If it has a digest for which there is no column, or an error of Arrow.
    pub(crate) fn push(&mut self, item: &Item) -> Result<(), ArrowError> {
        let record = &item.record;
        self.rows += 1;
        self.bytes += record.path.len();
        self.path.append_value(&record.path);
        self.size.append_option(record.size().and_then(number));
        let mtime = record.metadata.and_then(|metadata| metadata.mtime);
        let microseconds =
            mtime.map(|time| time.seconds.saturating_mul(1_000_000).saturating_add(i64::from(time.nanoseconds / 1000)));
        self.mtime.append_option(microseconds);
        self.mtime_ns.append_option(mtime.map(|time| (time.nanoseconds % 1000) as i16));
        self.outcome.append_value(record.outcome.word());
        self.bytes_read.append_option(number(record.bytes_read));
        let error = if record.outcome == Outcome::Complete { None } else { RecordError::of(&record.outcome) };
        self.error_kind.append_option(error.as_ref().map(|error| error.kind));
        self.error_offset.append_option(error.as_ref().and_then(|error| number(error.offset)));
        self.errno.append_option(error.as_ref().and_then(|error| error.errno));
        self.error_message.append_option(error.map(|error| error.message));
        self.push_digests(record)?;
        if let Some((fields, pieces)) = &mut self.pieces {
            self.bytes += record.pieces.len() * 64 * fields.len();
            push_pieces(pieces, record, fields.len())?;
        }
        if let Some((offset, length)) = &mut self.parts {
            offset.append_option(item.part.and_then(|part| number(part.offset)));
            length.append_option(item.part.and_then(|part| number(part.length)));
        }
        Ok(())
    }

    fn push_digests(&mut self, record: &Record) -> Result<(), ArrowError> {
        let mut used = 0;
        for (place, (algorithm, builder)) in self.digests.iter_mut().enumerate() {
            // In a run they are in the same order; lists may lack some.
            let own = record.digests.get(place).filter(|digest| digest.algorithm() == *algorithm);
            let own = own.or_else(|| record.digests.iter().find(|digest| digest.algorithm() == *algorithm));
            used += usize::from(own.is_some());
            builder.append(own)?;
        }
        if used < record.digests.len() {
            let no_column = |digest: &&Digest| !self.digests.iter().any(|(own, _)| *own == digest.algorithm());
            if let Some(other) = record.digests.iter().find(no_column) {
                return Err(ArrowError::ComputeError(format!(
                    "{} has a digest by {}, for which there is no column; name all with `algorithms=`",
                    pfh::record::quote::quoted(&record.path),
                    other.algorithm()
                )));
            }
        }
        for (family, builder) in &mut self.similarities {
            let own = record.similarities.iter().find(|one| one.family == *family);
            let text = own.and_then(|one| one.digest.as_ref().ok()).map(ToString::to_string);
            self.bytes += text.as_ref().map_or(0, String::len);
            builder.append_option(text);
        }
        Ok(())
    }

    /// Hands the batch over, and begins another.
    ///
    /// # Errors
    /// An error of Arrow.
    pub(crate) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        (self.rows, self.bytes) = (0, 0);
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.path.finish()),
            Arc::new(self.size.finish()),
            Arc::new(self.mtime.finish()),
            Arc::new(self.mtime_ns.finish()),
            Arc::new(self.outcome.finish()),
            Arc::new(self.error_kind.finish()),
            Arc::new(self.error_message.finish()),
            Arc::new(self.errno.finish()),
            Arc::new(self.error_offset.finish()),
            Arc::new(self.bytes_read.finish()),
        ];
        columns.extend(self.digests.iter_mut().map(|(_, builder)| builder.finish()));
        columns.extend(self.similarities.iter_mut().map(|(_, builder)| Arc::new(builder.finish()) as ArrayRef));
        if let Some((_, pieces)) = &mut self.pieces {
            columns.push(Arc::new(pieces.finish()));
        }
        if let Some((offset, length)) = &mut self.parts {
            columns.extend([Arc::new(offset.finish()) as ArrayRef, Arc::new(length.finish())]);
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

/// A number of bytes as tables have it; `None` for numbers from 2^63, which no file has and a list may state.
pub(crate) fn number(bytes: u64) -> Option<i64> {
    i64::try_from(bytes).ok()
}

/// Appends the pieces of a record; null for a file without digests.
fn push_pieces(pieces: &mut ListBuilder<StructBuilder>, record: &Record, fields: usize) -> Result<(), ArrowError> {
    let no_builder = || ArrowError::SchemaError("a piece has not the fields of its type".to_owned());
    for piece in &record.pieces {
        let values = pieces.values();
        for (place, bytes) in [piece.offset, piece.length].into_iter().enumerate() {
            // Only runs have pieces, of files as they are.
            let bytes = number(bytes).unwrap_or(i64::MAX);
            values.field_builder::<Int64Builder>(place).ok_or_else(no_builder)?.append_value(bytes);
        }
        for (place, digest) in piece.digests.iter().enumerate().take(fields - 2) {
            let builder = values.field_builder::<BinaryBuilder>(place + 2).ok_or_else(no_builder)?;
            builder.append_value(digest.bytes());
        }
        values.append(true);
    }
    pieces.append(record.outcome == Outcome::Complete);
    Ok(())
}
