//! Decoding of lists in UTF-16, which PowerShell's `>` and some editors of Windows write.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// Number of code units that are decoded at a time.
const CHUNK_UNITS: usize = 4 << 10;

/// The order of the bytes of each 16-bit unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    /// Returns the order of a byte-order mark.
    fn of(start: &[u8]) -> Option<Order> {
        match start {
            [0xFF, 0xFE, ..] => Some(Order::Little),
            [0xFE, 0xFF, ..] => Some(Order::Big),
            _ => None,
        }
    }

    fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Order::Little => u16::from_le_bytes(bytes),
            Order::Big => u16::from_be_bytes(bytes),
        }
    }
}

/// Returns the beginning of an input as UTF-8 if its mark says that it is UTF-16; otherwise unchanged.
pub(super) fn decoded_start(start: &[u8]) -> Cow<'_, [u8]> {
    let Some(order) = Order::of(start) else { return Cow::Borrowed(start) };
    let units = start[2..].chunks_exact(2).map(|pair| order.unit([pair[0], pair[1]]));
    let characters = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
    Cow::Owned(characters.collect::<String>().into_bytes())
}

/// An input that is passed on unchanged, or as UTF-8 if its mark says that it is UTF-16. A surrogate without its
/// partner becomes U+FFFD. Memory: one chunk.
pub(crate) struct Decoded<R> {
    input: R,
    encoding: Encoding,
}

enum Encoding {
    /// Nothing was read yet.
    Unknown,
    /// The bytes read to find a mark, if they are none, and how many of them were consumed. The rest of the input
    /// follows.
    Plain {
        first: Vec<u8>,
        consumed: usize,
    },
    Utf16(Utf16),
}

struct Utf16 {
    order: Order,
    /// The first byte of a unit whose second byte was not read yet.
    half: Option<u8>,
    /// A unit that may be the first half of a surrogate pair.
    pending: Option<u16>,
    units: Vec<u16>,
    /// Decoded text; the part from `start` on is not consumed yet.
    text: Vec<u8>,
    start: usize,
    ended: bool,
}

impl<R: BufRead> Decoded<R> {
    pub(crate) fn new(input: R) -> Decoded<R> {
        Decoded { input, encoding: Encoding::Unknown }
    }

    /// Passes the input on unchanged, whatever it begins with.
    pub(crate) fn unchanged(input: R) -> Decoded<R> {
        Decoded { input, encoding: Encoding::Plain { first: Vec::new(), consumed: 0 } }
    }

    /// Recognises the encoding from the first two bytes, which a pipe may deliver one by one.
    fn recognise(&mut self) -> io::Result<()> {
        let mut first = Vec::new();
        while first.len() < 2 {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            let taken = available.len().min(2 - first.len());
            first.extend_from_slice(&available[..taken]);
            self.input.consume(taken);
        }
        self.encoding = match Order::of(&first) {
            Some(order) => Encoding::Utf16(Utf16 {
                order,
                half: None,
                pending: None,
                units: Vec::new(),
                text: Vec::new(),
                start: 0,
                ended: false,
            }),
            None => Encoding::Plain { first, consumed: 0 },
        };
        Ok(())
    }
}

impl Utf16 {
    /// Decodes until there is text, or the input ends.
    fn fill(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        while self.start == self.text.len() && !self.ended {
            self.text.clear();
            self.start = 0;
            // First, since a call that was interrupted is repeated, and then needs all that is kept.
            let available = input.fill_buf()?;
            let available = &available[..available.len().min(2 * CHUNK_UNITS)];
            self.units.clear();
            self.units.extend(self.pending.take());
            self.ended = available.is_empty();
            for &byte in available {
                match self.half.take() {
                    None => self.half = Some(byte),
                    Some(half) => self.units.push(self.order.unit([half, byte])),
                }
            }
            let consumed = available.len();
            input.consume(consumed);
            if self.ended {
                // A single remaining byte is no character.
                self.units.extend(self.half.take().map(|_| 0xFFFD));
            } else {
                self.pending = self.units.pop_if(|unit| (0xD800..0xDC00).contains(unit));
            }
            for unit in char::decode_utf16(self.units.iter().copied()) {
                let character = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
                self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        Ok(())
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if matches!(self.encoding, Encoding::Unknown) {
            self.recognise()?;
        }
        match &mut self.encoding {
            Encoding::Plain { first, consumed } if *consumed < first.len() => Ok(&first[*consumed..]),
            Encoding::Utf16(utf16) => {
                utf16.fill(&mut self.input)?;
                Ok(&utf16.text[utf16.start..])
            }
            _ => self.input.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match &mut self.encoding {
            Encoding::Plain { first, consumed } if *consumed < first.len() => *consumed += amount,
            Encoding::Utf16(utf16) => utf16.start += amount,
            _ => self.input.consume(amount),
        }
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let amount = available.len().min(out.len());
        out[..amount].copy_from_slice(&available[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its parts one by one, and is interrupted before each.
    struct Interrupted<'a> {
        parts: &'a [&'a [u8]],
        is_due: bool,
    }

    impl Read for Interrupted<'_> {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            unreachable!("it is read by its buffer")
        }
    }

    impl BufRead for Interrupted<'_> {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            self.is_due = !self.is_due;
            if self.is_due {
                Err(io::ErrorKind::Interrupted.into())
            } else {
                Ok(self.parts.first().unwrap_or(&&b""[..]))
            }
        }

        fn consume(&mut self, amount: usize) {
            if amount > 0 {
                assert_eq!(amount, self.parts[0].len());
                self.parts = &self.parts[1..];
            }
        }
    }

    /// U+1F600 is a pair of units, between which the call is interrupted.
    #[test]
    fn nothing_is_lost_when_a_call_is_interrupted() {
        let parts: [&[u8]; 4] = [b"\xFF\xFE", b"a\0\x3D\xD8", b"\0\xDE", b"b\0"];
        let mut text = String::new();
        Decoded::new(Interrupted { parts: &parts, is_due: false }).read_to_string(&mut text).unwrap();
        assert_eq!(text, "a\u{1F600}b");
    }
}
