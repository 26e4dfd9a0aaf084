//! The value, and its text.

use std::fmt;
use std::io::Write as _;
use std::num::NonZero;
use std::str::FromStr;

use super::{base64, block, stream};
use crate::ParseError;
use crate::fields::Fields;
use crate::filter::{FILTER_BYTES, Filter};

/// A similarity digest: Bloom filters of features.
///
/// Names are raw bytes. They are part of the text, and of the scores that the original computes (see [`Direction`]).
///
/// [`Direction`]: super::Direction
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    pub(super) name: Vec<u8>,
    pub(super) bytes: u64,
    pub(super) layout: Layout,
    /// At least one.
    pub(super) filters: Vec<Filter>,
}

/// How elements are spread over the filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// All filters are full but the last one, which has `last` elements.
    Stream { last: u16 },
    /// One filter for each block.
    Blocks { block_bytes: u32, elements: Vec<u8> },
}

/// The longest tail that belongs to the segment before it.
const SEGMENT_TAIL_BYTES_MAX: u64 = 512;
/// The text of one filter.
const FILTER_TEXT_BYTES: usize = base64::text_bytes(FILTER_BYTES);
/// From the hash function on to the mask; the most elements of a filter follow.
const PARAMETERS: [(&str, &[u8]); 4] =
    [("hash function", b"sha1"), ("filter size", b"256"), ("number of hash functions", b"5"), ("bit mask", b"7ff")];

impl Digest {
    /// The name in the text; empty for a digest that was just made.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The same digest under another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<Vec<u8>>) -> Digest {
        Digest { name: name.into(), ..self }
    }

    /// Length of the input, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The block size of a digest in block mode, in bytes; `None` in stream mode.
    pub fn block_bytes(&self) -> Option<u32> {
        match self.layout {
            Layout::Stream { .. } => None,
            Layout::Blocks { block_bytes, .. } => Some(block_bytes),
        }
    }

    /// The digests that the original's command line makes of an input that is larger than a segment of `mebibytes` MiB:
    /// in block mode, each segment has one, under the name followed by the segment's offset in MiB (`name.0128M`), and
    /// a tail of up to 512 bytes belongs to the segment before it. Otherwise, and where blocks do not end where
    /// segments do, the digest itself.
    ///
    /// (By mistake, the original hashes as many zeros after the tail as it has bytes, so the last filter of such a
    /// segment can differ.)
    pub fn into_segments(self, mebibytes: NonZero<u32>) -> Vec<Digest> {
        let segment_bytes = u64::from(mebibytes.get()) << 20;
        // Segments after the first.
        let more = self.bytes.saturating_sub(SEGMENT_TAIL_BYTES_MAX + 1) / segment_bytes;
        let Layout::Blocks { block_bytes, elements } = &self.layout else { return vec![self] };
        let block_bytes = *block_bytes;
        if more == 0 || !segment_bytes.is_multiple_of(block_bytes.into()) {
            return vec![self];
        }
        let blocks = usize::try_from(segment_bytes / u64::from(block_bytes)).unwrap_or(usize::MAX);
        let segment = |index: u64| {
            let start = (index as usize).saturating_mul(blocks).min(self.filters.len());
            let end =
                if index < more { start.saturating_add(blocks).min(self.filters.len()) } else { self.filters.len() };
            let bytes = if index < more { segment_bytes } else { self.bytes - more * segment_bytes };
            let mut name = self.name.clone();
            name.extend_from_slice(format!(".{:04}M", index * u64::from(mebibytes.get())).as_bytes());
            let layout = Layout::Blocks { block_bytes, elements: elements[start..end].to_vec() };
            Digest { name, bytes, layout, filters: self.filters[start..end].to_vec() }
        };
        // A digest that was read may claim another length than its filters have.
        (0..=more).map(segment).take_while(|segment| !segment.filters.is_empty()).collect()
    }

    /// Number of filters, at least one.
    pub fn filters(&self) -> usize {
        self.filters.len()
    }

    /// Number of elements of each filter.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = u16> {
        (0..self.filters.len()).map(|filter| match &self.layout {
            Layout::Stream { last } if filter + 1 == self.filters.len() => *last,
            Layout::Stream { .. } => stream::ELEMENTS_MAX,
            Layout::Blocks { elements, .. } => elements[filter].into(),
        })
    }

    /// False when a filter has far more bits set than its elements explain, as profile 4.0 makes them of very
    /// repetitive inputs: then scores mean nothing.
    pub fn is_reliable(&self) -> bool {
        // No filter of 160 elements of different inputs has more than 800 bits; about 660 is normal.
        self.filters.iter().all(|filter| filter.weight() <= 800)
    }

    /// Reads the text of a digest: a line of the original without its line end.
    ///
    /// A name with a colon is taken by its length, which the original does not do; where the length does not fit, the
    /// name ends at the first colon.
    ///
    /// # Errors
    /// [`ParseError`] for anything that the original would not write, except in names.
    pub fn from_bytes(text: &[u8]) -> Result<Digest, ParseError> {
        let mut fields = Fields::new(text);
        let kind = fields.next("kind")?;
        let is_stream = match kind.text {
            b"sdbf" => true,
            b"sdbf-dd" => false,
            _ => return Err(kind.error("is neither `sdbf` nor `sdbf-dd`")),
        };
        fields.next("version")?.must_be(b"03", "is not `03`")?;
        let name_bytes = fields.next("length of the name")?.number_up_to(usize::MAX)?;
        let mut by_length = fields;
        let by_length = by_length.next_of("name", name_bytes).map(|name| after_name(name.text, by_length, is_stream));
        match by_length {
            Some(Ok(digest)) => Ok(digest),
            by_length => {
                let name = fields.next("name")?;
                let by_colon = after_name(name.text, fields, is_stream);
                // The length is the better guess, so its error is the one to show.
                by_colon.map_err(|error| by_length.and_then(Result::err).unwrap_or(error))
            }
        }
    }

    /// Appends the text of the digest, byte for byte as the original writes it, without a line end.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let (kind, elements_max) = match self.layout {
            Layout::Stream { .. } => ("sdbf", stream::ELEMENTS_MAX),
            Layout::Blocks { .. } => ("sdbf-dd", block::ELEMENTS_MAX),
        };
        let (bytes, filters) = (self.bytes, self.filters.len());
        // Writing to a vector cannot fail.
        let _ = write!(out, "{kind}:03:{}:", self.name.len());
        out.extend_from_slice(&self.name);
        let _ = write!(out, ":{bytes}:sha1:256:5:7ff:{elements_max}:{filters}:");
        match &self.layout {
            Layout::Stream { last } => {
                let _ = write!(out, "{last}:");
                let all: Vec<u8> = self.filters.iter().flat_map(|filter| filter.to_bytes()).collect();
                base64::encode(&all, out);
            }
            Layout::Blocks { block_bytes, elements } => {
                let _ = write!(out, "{block_bytes}");
                for (filter, elements) in self.filters.iter().zip(elements) {
                    let _ = write!(out, ":{elements:02x}:");
                    base64::encode(&filter.to_bytes(), out);
                }
            }
        }
    }
}

/// Reads what follows the name.
fn after_name(name: &[u8], mut fields: Fields<'_>, is_stream: bool) -> Result<Digest, ParseError> {
    let bytes = fields.next("size")?.number()?;
    for (name, text) in PARAMETERS {
        fields.next(name)?.must_be(text, "is not the one that sdhash has")?;
    }
    let elements_max: &[u8] = if is_stream { b"160" } else { b"192" };
    fields.next("most elements of a filter")?.must_be(elements_max, "is not the one of this kind")?;
    let count_field = fields.next("number of filters")?;
    let count = count_field.number()?;
    if count == 0 {
        return Err(count_field.error("is 0"));
    }
    let (layout, filters) = if is_stream { stream_filters(fields, count) } else { block_filters(fields, count) }?;
    Ok(Digest { name: name.to_vec(), bytes, layout, filters })
}

fn stream_filters(mut fields: Fields<'_>, count: u64) -> Result<(Layout, Vec<Filter>), ParseError> {
    let last = fields.next("elements of the last filter")?.number_up_to(stream::ELEMENTS_MAX)?;
    let text = fields.rest("filters");
    // Before anything is allocated: the count is a claim.
    let expected = count.checked_mul(FILTER_BYTES as u64).map(|bytes| bytes.div_ceil(3).saturating_mul(4));
    if expected != Some(text.text.len() as u64) {
        return Err(text.error("are not as long as their number says"));
    }
    let mut all = Vec::new();
    base64::decode(text.text, &mut all).map_err(|at| text.error_at(at, "are not Base64"))?;
    let (filters, rest) = all.as_chunks::<FILTER_BYTES>();
    if !rest.is_empty() || filters.len() as u64 != count {
        return Err(text.error("are not as long as their number says"));
    }
    Ok((Layout::Stream { last }, filters.iter().map(Filter::from_bytes).collect()))
}

fn block_filters(mut fields: Fields<'_>, count: u64) -> Result<(Layout, Vec<Filter>), ParseError> {
    let size_field = fields.next("block size")?;
    let block_bytes = size_field.number_up_to(u32::MAX)?;
    if block_bytes == 0 {
        return Err(size_field.error("is 0"));
    }
    let (mut filters, mut counts) = (Vec::new(), Vec::new());
    let mut bytes = Vec::with_capacity(FILTER_BYTES);
    for index in 0..count {
        let field = fields.next("elements of a filter")?;
        let elements = hexadecimal(field.text).filter(|&elements| u16::from(elements) <= block::ELEMENTS_MAX);
        counts.push(elements.ok_or_else(|| field.error("are not two hexadecimal digits, at most `c0`"))?);
        let text = if index + 1 < count { fields.next("filter")? } else { fields.rest("filter") };
        if text.text.len() != FILTER_TEXT_BYTES {
            return Err(text.error("is not of 344 characters"));
        }
        bytes.clear();
        base64::decode(text.text, &mut bytes).map_err(|at| text.error_at(at, "is not Base64"))?;
        filters.push(Filter::from_bytes(bytes.first_chunk().ok_or_else(|| text.error("is not of 256 bytes"))?));
    }
    Ok((Layout::Blocks { block_bytes, elements: counts }, filters))
}

fn hexadecimal(text: &[u8]) -> Option<u8> {
    let [high, low] = text else { return None };
    let value = |digit: &u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    Some(value(high)? << 4 | value(low)?)
}

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        Digest::from_bytes(text.as_bytes())
    }
}

/// As [`Digest::write_to`], but that a name which is not UTF-8 is shown with replacement characters.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write_to(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}
