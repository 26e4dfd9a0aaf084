//! Facts about contents as numbers with names, which are the same in every format.

use pfh_facts::{Entropy, Facts, Run};

use crate::parse::{Fault, FieldProblem};
use crate::text::{parse_decimal, push_decimal};

/// Names of the numbers. The first is derived from the others, and is not read.
pub(crate) const NAMES: [&str; 7] = [
    "all_zero",
    "longest_run_byte",
    "longest_run_offset",
    "longest_run_bytes",
    "zero_sectors",
    "entropy",
    "entropy_bytes",
];

/// Iterates over the facts as texts, in the order of [`NAMES`]. Those of a run are empty if there is none.
pub(crate) fn texts(facts: &Facts) -> impl Iterator<Item = Vec<u8>> {
    let decimal = |value: u64| {
        let mut text = Vec::new();
        push_decimal(value, &mut text);
        text
    };
    let of_run = |value: fn(Run) -> u64| facts.longest_run.map_or_else(Vec::new, |run| decimal(value(run)));
    [
        if facts.is_all_zero() { b"true".to_vec() } else { b"false".to_vec() },
        of_run(|run| run.byte.into()),
        of_run(|run| run.offset),
        of_run(|run| run.bytes),
        decimal(facts.zero_sectors),
        facts.entropy.to_string().into_bytes(),
        decimal(facts.entropy_bytes),
    ]
    .into_iter()
}

/// The numbers that a list states about one file.
#[derive(Clone, Copy, Default)]
pub(crate) struct FactsParts {
    pub(crate) byte: Option<u8>,
    pub(crate) offset: Option<u64>,
    pub(crate) run_bytes: Option<u64>,
    pub(crate) zero_sectors: Option<u64>,
    pub(crate) entropy: Option<Entropy>,
    pub(crate) entropy_bytes: Option<u64>,
}

impl FactsParts {
    /// Sets the number with this place in [`NAMES`] from its text.
    pub(crate) fn set(&mut self, place: usize, text: &[u8]) -> Result<(), Fault> {
        let fault = || Fault::field(0, NAMES[place], FieldProblem::NotANumber);
        let number = || parse_decimal(text).ok_or_else(fault);
        match NAMES[place] {
            "longest_run_byte" => self.byte = Some(u8::try_from(number()?).map_err(|_| fault())?),
            "longest_run_offset" => self.offset = Some(number()?),
            "longest_run_bytes" => self.run_bytes = Some(number()?),
            "zero_sectors" => self.zero_sectors = Some(number()?),
            "entropy" => {
                let text = str::from_utf8(text).map_err(|_| fault())?;
                self.entropy = Some(text.parse().map_err(|_| fault())?);
            }
            "entropy_bytes" => self.entropy_bytes = Some(number()?),
            _ => {}
        }
        Ok(())
    }

    /// Returns the facts about a file of this size; `None` if the list states none.
    pub(crate) fn facts(self, size: Option<u64>) -> Result<Option<Facts>, Fault> {
        let FactsParts { byte, offset, run_bytes, zero_sectors, entropy, entropy_bytes } = self;
        let run = match (byte, offset, run_bytes) {
            (None, None, None) if zero_sectors.is_none() && entropy.is_none() && entropy_bytes.is_none() => {
                return Ok(None);
            }
            (None, None, None) => None,
            (Some(byte), Some(offset), Some(bytes)) => Some(Run { byte, offset, bytes }),
            _ => return Err(Fault::field(0, "longest_run", FieldProblem::Missing)),
        };
        let missing = |name| Fault::field(0, name, FieldProblem::Missing);
        let facts = Facts::new(
            size.ok_or_else(|| missing("size"))?,
            run,
            zero_sectors.ok_or_else(|| missing("zero_sectors"))?,
            entropy.ok_or_else(|| missing("entropy"))?,
            entropy_bytes.ok_or_else(|| missing("entropy_bytes"))?,
        );
        facts.map(Some).ok_or_else(|| Fault::field(0, "facts", FieldProblem::ContradictsSize))
    }
}
