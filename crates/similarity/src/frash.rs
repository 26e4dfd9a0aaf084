//! The experiments of FRASH, which measure how similarity digests behave. All are functions of a seed.
//!
//! Source: F. Breitinger, G. Stivaktakis, H. Baier, "FRASH: A framework to test algorithms of similarity hashing",
//! Digital Investigation 10, 2013; steps and numbers are those of its successor FRASHER (T. Göbel, F. Uhlig, H. Baier,
//! F. Breitinger, 2022). Differences: an insertion inserts (FRASHER's overwrites), noise changes one byte at a time
//! and is a share of the length, blocks in common get shorter by equal ratios, and no compressed copy is looked up,
//! since no family finds one. Thresholds are not FRASH's.

use std::fmt;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::time::Instant;

use pfh_digest::Algorithm;

use crate::{Digest, Family, Hasher, Score, SimilarityOptions};

/// One experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Test {
    /// Seconds to make a digest of random bytes, and SHA-1's for comparison. Parameter: bytes.
    Generation,
    /// Seconds to compare two digests. Parameter: bytes.
    Comparison,
    /// Length of the digest divided by that of the input. Parameter: bytes.
    Compression,
    /// Two unrelated inputs with the same block at a random place in each. Parameter: bytes of the block; the mode is
    /// the length of the inputs.
    CommonBlock,
    /// An input with the rest of it after cutting: at its end, or at either side by chance. Parameter: percent that
    /// are cut.
    Fragment,
    /// An input with itself after or before random bytes. Parameter: percent that are added.
    Alignment,
    /// An input with itself after random edits: deletions, substitutions and insertions of one byte. Parameter: edits
    /// for 10,000 bytes of the length.
    Noise,
    /// 5000 random bytes with their repetition. Parameter: copies.
    Repetition,
    /// 2900 random characters with themselves, to see whether their digest matches at all. Parameter: different
    /// characters.
    Variety,
    /// A manipulated file is looked up among all files; it matches if no other is more similar than its original.
    /// Parameter: files.
    Needle,
    /// Two files get the same block, half as long as the shorter one. One is looked up among all files; it matches if
    /// none is more similar than the second. Parameter: files.
    Cross,
    /// The pairs of [`Test::Needle`]: manipulated files with their originals (mode `related`) and with all others
    /// (`unrelated`). Parameter: the threshold, a least score or a greatest distance, at which pairs match.
    Threshold,
}

impl Test {
    /// All experiments.
    pub const ALL: [Test; 12] = [
        Test::Generation,
        Test::Comparison,
        Test::Compression,
        Test::CommonBlock,
        Test::Fragment,
        Test::Alignment,
        Test::Noise,
        Test::Repetition,
        Test::Variety,
        Test::Needle,
        Test::Cross,
        Test::Threshold,
    ];

    /// The name: lower case, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Test::Generation => "generation",
            Test::Comparison => "comparison",
            Test::Compression => "compression",
            Test::CommonBlock => "common-block",
            Test::Fragment => "fragment",
            Test::Alignment => "alignment",
            Test::Noise => "noise",
            Test::Repetition => "repetition",
            Test::Variety => "variety",
            Test::Needle => "needle",
            Test::Cross => "cross",
            Test::Threshold => "threshold",
        }
    }
}

impl FromStr for Test {
    type Err = UnknownTest;

    fn from_str(name: &str) -> Result<Test, UnknownTest> {
        Test::ALL.into_iter().find(|test| test.name() == name).ok_or(UnknownTest)
    }
}

/// There is no experiment of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTest;

impl fmt::Display for UnknownTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are {}", Test::ALL.map(Test::name).join(", "))
    }
}

impl std::error::Error for UnknownTest {}

/// The result of one setting of an experiment. Exhaustive: a table of results shows every field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The experiment.
    pub test: Test,
    /// Its variant, where it has several.
    pub mode: &'static str,
    /// The family; SHA-1 where `None`.
    pub family: Option<Family>,
    /// The value of the parameter that was varied.
    pub parameter: u64,
    /// Pairs that were compared, or times that were measured.
    pub runs: u32,
    /// Pairs that matched: of a score above 0, or at most [`DISTANCE_MAX`] away.
    pub matched: Option<u32>,
    /// The mean: of scores or distances of those that have one, of seconds, or of ratios. `None` without any.
    pub value: Option<f64>,
    /// The least value, the lower quartile, the median, the upper quartile and the greatest; `None` without any.
    pub spread: Option<[f64; 5]>,
}

/// The least value, the quartiles between which values are interpolated, and the greatest.
fn spread(values: &mut [f64]) -> Option<[f64; 5]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| {
        let at = share * last as f64;
        let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
        below + (above - below) * at.fract()
    }))
}

/// The largest distance of TLSH that counts as a match: related, by its authors' rule of thumb. (FRASHER takes 300,
/// which unrelated random bytes reach, too.)
pub const DISTANCE_MAX: u32 = 100;

/// A choice of experiments, and their settings.
#[derive(Clone, Debug)]
pub struct Frash {
    /// The experiments, in the order in which they are done.
    pub tests: Vec<Test>,
    /// The families that are measured.
    pub families: Vec<Family>,
    /// Seed of the random numbers. The same seed gives the same results, except for times.
    pub seed: u64,
    /// Repetitions with other random bytes and places.
    pub runs: u32,
    /// Length of the longest input whose times are measured.
    pub bytes: usize,
    /// Lengths of the inputs of [`Test::CommonBlock`].
    pub common_block_bytes: Vec<usize>,
}

impl Default for Frash {
    /// FRASHER's numbers.
    fn default() -> Frash {
        Frash {
            tests: Test::ALL.to_vec(),
            families: Family::ALL.to_vec(),
            seed: 1,
            runs: 5,
            bytes: 2_048_000,
            common_block_bytes: COMMON_BLOCK_BYTES.to_vec(),
        }
    }
}

/// FRASH's lengths of the inputs that get a common block: 512 KiB, 2 MiB and 8 MiB.
const COMMON_BLOCK_BYTES: [usize; 3] = [512 << 10, 2 << 20, 8 << 20];

/// Number of times that are measured, and of comparisons in each of them.
const TIMES: u32 = 10;
const COMPARISONS: u32 = 10;

/// Steps of noise, in edits for 10,000 bytes: at first of this many, later of a share of what was done.
const NOISE_STEP: u64 = 5;
const NOISE_STEP_SHARE: u64 = 20;

/// Noise after which it ends in any case: half as many edits as bytes.
const NOISE_MAX: u64 = 5_000;

/// Length of the parts in which bytes are edited: an edit moves what comes after it in its part alone.
const EDITED_PART_BYTES: usize = 1 << 14;

/// Thresholds: scores from 1, and distances up to where unrelated random bytes are.
const SCORES: std::ops::RangeInclusive<u64> = 1..=100;
const DISTANCES: std::ops::RangeInclusive<u64> = 1..=60;
const DISTANCE_STEP: u64 = 5;

/// Bytes that [`Test::Repetition`] repeats, and how often.
const CHUNK_BYTES: usize = 5000;
const COPIES_MAX: u64 = 39;

/// Characters of [`Test::Variety`], and how many different ones there are at most: the printable ones of ASCII and some
/// more.
const VARIETY_BYTES: usize = 2900;
const VARIETY_MAX: u64 = 99;

/// Files that are made for [`Test::Needle`] and [`Test::Cross`], and files that are looked up.
const HAYSTACK_FILES: usize = 50;
const NEEDLES: usize = 10;

/// Length of the shortest file that is cut and edited: no cut and no noise would change a shorter one.
const CHANGED_BYTES_MIN: usize = 2;

/// Lengths of inputs that are made where no files are given: of cuts, and of additions and noise.
const FRAGMENT_BYTES: usize = 10_000;
const ALIGNMENT_BYTES: usize = 30_000;

/// Receives results, until it breaks.
pub type Emit<'a> = dyn FnMut(Row) -> ControlFlow<()> + 'a;

impl Frash {
    /// Does the experiments. `files` are the inputs of those that change one input: [`Test::Compression`] to
    /// [`Test::Noise`] but for [`Test::CommonBlock`], and those among which [`Test::Needle`] and [`Test::Cross`] look;
    /// without any, random bytes are. Files that an experiment cannot change are left out of it: of [`Test::Fragment`],
    /// [`Test::Alignment`] and [`Test::Noise`] those of fewer than two bytes, of [`Test::Compression`] empty ones.
    ///
    /// # Errors
    /// [`ControlFlow::Break`] when `emit` broke.
    pub fn run(&self, files: &[Vec<u8>], emit: &mut Emit<'_>) -> ControlFlow<()> {
        for &test in &self.tests {
            // Each as it would be alone.
            let mut random = Random(self.seed);
            match test {
                Test::Generation => self.generation(&mut random, emit)?,
                Test::Comparison => self.comparison(&mut random, emit)?,
                Test::Compression => self.compression(files, &mut random, emit)?,
                Test::CommonBlock => self.common_block(&mut random, emit)?,
                Test::Fragment => self.fragment(files, &mut random, emit)?,
                Test::Alignment => self.alignment(files, &mut random, emit)?,
                Test::Noise => self.noise(files, &mut random, emit)?,
                Test::Repetition => self.repetition(&mut random, emit)?,
                Test::Variety => self.variety(&mut random, emit)?,
                Test::Needle => self.needle(files, &mut random, emit)?,
                Test::Cross => self.cross(files, &mut random, emit)?,
                Test::Threshold => self.threshold(files, &mut random, emit)?,
            }
        }
        ControlFlow::Continue(())
    }

    /// 100, 1000 … bytes up to the longest.
    fn lengths(&self) -> impl Iterator<Item = usize> {
        let powers = std::iter::successors(Some(100_usize), |bytes| bytes.checked_mul(10));
        powers.take_while(|&bytes| bytes < self.bytes).chain([self.bytes])
    }

    /// The files that can be changed, or random bytes.
    fn inputs(&self, files: &[Vec<u8>], bytes: usize, random: &mut Random) -> Vec<Vec<u8>> {
        match files.is_empty() {
            true => (0..self.runs).map(|_| random.bytes(bytes)).collect(),
            false => files.iter().filter(|file| file.len() >= CHANGED_BYTES_MIN).cloned().collect(),
        }
    }

    fn generation(&self, random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let sha1 = Algorithm::from_name("sha1").ok();
        for bytes in self.lengths() {
            let input = random.bytes(bytes);
            let mut row = |family, seconds| emit(Row::time(Test::Generation, family, bytes, seconds));
            if let Some(sha1) = sha1 {
                row(None, seconds(1, || sha1.digest(&input)))?;
            }
            for &family in &self.families {
                row(Some(family), seconds(1, || digest(family, &input)))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn comparison(&self, random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        for bytes in self.lengths() {
            let (one, other) = (random.bytes(bytes), random.bytes(bytes));
            for &family in &self.families {
                let (Some(one), Some(other)) = (digest(family, &one), digest(family, &other)) else { continue };
                let seconds = seconds(COMPARISONS, || one.compare(&other));
                emit(Row::time(Test::Comparison, Some(family), bytes, seconds))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn compression(&self, files: &[Vec<u8>], random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let made: Vec<Vec<u8>> =
            if files.is_empty() { self.lengths().map(|bytes| random.bytes(bytes)).collect() } else { Vec::new() };
        for input in files.iter().chain(&made).filter(|input| !input.is_empty()) {
            for &family in &self.families {
                let text = digest(family, input).map(|digest| digest.to_string().len() as f64 / input.len() as f64);
                let (test, mode, parameter) = (Test::Compression, "", input.len() as u64);
                let spread = text.map(|ratio| [ratio; 5]);
                emit(Row { test, mode, family: Some(family), parameter, runs: 1, matched: None, value: text, spread })?;
            }
        }
        ControlFlow::Continue(())
    }

    fn common_block(&self, random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        for &input_bytes in &self.common_block_bytes {
            // The sets are made again for each length of the block: all of them at once could exceed the memory.
            let sets: Vec<Random> = (0..self.runs).map(|_| random.split_off(3 * input_bytes.div_ceil(8))).collect();
            let mode = common_block_mode(input_bytes);
            for bytes in block_lengths(input_bytes) {
                let mut means = self.means();
                for set in &sets {
                    let mut set = set.clone();
                    let [one, other, source] = std::array::from_fn(|_| set.bytes(input_bytes));
                    let [one, other] = [one, other].map(|input| random.with_block(&input, &source[..bytes]));
                    means.iter_mut().for_each(|mean| mean.add(digest(mean.family, &one).as_ref(), &other));
                }
                emit_all(Test::CommonBlock, mode, bytes as u64, &means, emit)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn fragment(&self, files: &[Vec<u8>], random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let inputs = self.inputs(files, FRAGMENT_BYTES, random);
        for mode in ["random", "end"] {
            self.changed(Test::Fragment, mode, (5..95).step_by(5).chain(95..100), &inputs, emit, |input, percent| {
                let kept = input.len() - input.len() * percent as usize / 100;
                let at_front = mode == "random" && random.below(2) == 0;
                if at_front { input[input.len() - kept..].to_vec() } else { input[..kept].to_vec() }
            })?;
        }
        ControlFlow::Continue(())
    }

    fn alignment(&self, files: &[Vec<u8>], random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let inputs = self.inputs(files, ALIGNMENT_BYTES, random);
        for mode in ["head", "tail"] {
            self.changed(Test::Alignment, mode, (10..=500).step_by(10), &inputs, emit, |input, percent| {
                let added = random.bytes(input.len() * percent as usize / 100);
                if mode == "head" { [&added, input].concat() } else { [input, &added].concat() }
            })?;
        }
        ControlFlow::Continue(())
    }

    /// Compares all inputs with what `change` makes of them, for each parameter.
    fn changed(
        &self,
        test: Test,
        mode: &'static str,
        parameters: impl Iterator<Item = u64>,
        inputs: &[Vec<u8>],
        emit: &mut Emit<'_>,
        mut change: impl FnMut(&[u8], u64) -> Vec<u8>,
    ) -> ControlFlow<()> {
        let digests = self.digests(inputs);
        for parameter in parameters {
            let mut means = self.means();
            for (input, digests) in inputs.iter().zip(&digests) {
                let changed = change(input, parameter);
                means.iter_mut().zip(digests).for_each(|(mean, digest)| mean.add(digest.as_ref(), &changed));
            }
            emit_all(test, mode, parameter, &means, emit)?;
        }
        ControlFlow::Continue(())
    }

    fn noise(&self, files: &[Vec<u8>], random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let mut inputs = self.inputs(files, ALIGNMENT_BYTES, random);
        let digests = self.digests(&inputs);
        let lengths: Vec<u64> = inputs.iter().map(|input| input.len() as u64).collect();
        let mut ended = vec![false; self.families.len()];
        let mut noise = 0;
        while noise < NOISE_MAX && !ended.iter().all(|ended| *ended) {
            let before = noise;
            noise = (noise + NOISE_STEP.max(noise / NOISE_STEP_SHARE)).min(NOISE_MAX);
            let mut means = self.means();
            for ((input, &length), digests) in inputs.iter_mut().zip(&lengths).zip(&digests) {
                let edits = |noise: u64| noise * length / 10_000;
                random.edit(input, edits(noise) - edits(before));
                for ((mean, digest), ended) in means.iter_mut().zip(digests).zip(&ended) {
                    if !ended {
                        mean.add(digest.as_ref(), input);
                    }
                }
            }
            emit_all(Test::Noise, "", noise, &means, emit)?;
            for (mean, ended) in means.iter().zip(&mut ended) {
                *ended |= mean.matched == 0;
            }
        }
        ControlFlow::Continue(())
    }

    fn repetition(&self, random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let inputs: Vec<Vec<u8>> = (0..self.runs).map(|_| random.bytes(CHUNK_BYTES)).collect();
        let copies = 1..=COPIES_MAX;
        self.changed(Test::Repetition, "", copies, &inputs, emit, |input, copies| input.repeat(copies as usize))
    }

    fn variety(&self, random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        for different in 1..=VARIETY_MAX {
            let mut means = self.means();
            for _ in 0..self.runs {
                let mut character = || b'!' + random.below(different as usize) as u8;
                let input: Vec<u8> = std::iter::repeat_with(&mut character).take(VARIETY_BYTES).collect();
                means.iter_mut().for_each(|mean| mean.add(digest(mean.family, &input).as_ref(), &input));
            }
            emit_all(Test::Variety, "", different, &means, emit)?;
        }
        ControlFlow::Continue(())
    }

    /// The files among which others are looked up.
    fn haystack(&self, files: &[Vec<u8>], random: &mut Random) -> Vec<Vec<u8>> {
        match files.is_empty() {
            true => (0..HAYSTACK_FILES).map(|_| random.bytes(ALIGNMENT_BYTES)).collect(),
            false => files.to_vec(),
        }
    }

    fn needle(&self, files: &[Vec<u8>], random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let haystack = self.haystack(files, random);
        let digests = self.digests(&haystack);
        for manipulation in Manipulation::ALL {
            let mut means = self.means();
            for _ in 0..NEEDLES {
                let own = random.below(haystack.len());
                let other = (own + 1 + random.below(haystack.len().max(2) - 1)) % haystack.len();
                let manipulated = manipulation.apply(&haystack[own], &haystack[other], random);
                for (place, mean) in means.iter_mut().enumerate() {
                    let needle = digest(mean.family, &manipulated);
                    // The origin of a foreign block is not among the files.
                    let is_there = |file| file == own || file != other || !manipulation.is_foreign();
                    let all = digests.iter().enumerate();
                    let all = all.map(|(file, digests)| digests[place].as_ref().filter(|_| is_there(file)));
                    mean.look_up(needle.as_ref(), all, own);
                }
            }
            emit_all(Test::Needle, manipulation.name(), haystack.len() as u64, &means, emit)?;
        }
        ControlFlow::Continue(())
    }

    fn cross(&self, files: &[Vec<u8>], random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let haystack = self.haystack(files, random);
        if haystack.len() < 2 {
            return ControlFlow::Continue(());
        }
        let digests = self.digests(&haystack);
        let mut means = self.means();
        for _ in 0..NEEDLES {
            let own = random.below(haystack.len());
            let other = (own + 1 + random.below(haystack.len() - 1)) % haystack.len();
            let block = random.bytes(haystack[own].len().min(haystack[other].len()) / 2);
            let [one, two] = [own, other].map(|file| random.with_block(&haystack[file], &block));
            for (place, mean) in means.iter_mut().enumerate() {
                let (needle, found) = (digest(mean.family, &one), digest(mean.family, &two));
                // The unchanged original is not among the files any more.
                let all = digests.iter().enumerate().map(|(file, digests)| match file {
                    _ if file == own => None,
                    _ if file == other => found.as_ref(),
                    _ => digests[place].as_ref(),
                });
                mean.look_up(needle.as_ref(), all, other);
            }
        }
        emit_all(Test::Cross, "", haystack.len() as u64, &means, emit)
    }

    /// Related and unrelated pairs, at every threshold.
    fn threshold(&self, files: &[Vec<u8>], random: &mut Random, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let haystack = self.haystack(files, random);
        let digests = self.digests(&haystack);
        // For each family the scores of pairs, of which `None` matches at no threshold.
        let mut related: Vec<Vec<Option<Score>>> = vec![Vec::new(); self.families.len()];
        let mut unrelated = related.clone();
        for manipulation in Manipulation::ALL {
            for _ in 0..NEEDLES {
                let own = random.below(haystack.len());
                let other = (own + 1 + random.below(haystack.len().max(2) - 1)) % haystack.len();
                let manipulated = manipulation.apply(&haystack[own], &haystack[other], random);
                for (place, &family) in self.families.iter().enumerate() {
                    let needle = digest(family, &manipulated);
                    for (file, digests) in digests.iter().enumerate() {
                        // The origin of a foreign block is related, but not by as much as the original.
                        if file != own && file == other && manipulation.is_foreign() {
                            continue;
                        }
                        let score =
                            needle.as_ref().zip(digests[place].as_ref()).and_then(|(one, two)| one.compare(two));
                        if file == own { related[place].push(score) } else { unrelated[place].push(score) }
                    }
                }
            }
        }
        for (mode, all) in [("related", &related), ("unrelated", &unrelated)] {
            for (&family, scores) in self.families.iter().zip(all) {
                let numbers = scores.iter().flatten().map(|score| number(*score));
                let mut numbers: Vec<f64> = numbers.map(f64::from).collect();
                let (value, spread) = mean_and_spread(&mut numbers);
                let thresholds: Vec<u64> = match family {
                    Family::Tlsh => DISTANCES.map(|step| step * DISTANCE_STEP).collect(),
                    _ => SCORES.collect(),
                };
                for parameter in thresholds {
                    let matches = |score: &&Score| match **score {
                        Score::Similarity(score) => u64::from(score) >= parameter,
                        Score::Distance(distance) => u64::from(distance) <= parameter,
                    };
                    let matched = scores.iter().flatten().filter(matches).count() as u32;
                    let (runs, matched) = (scores.len() as u32, Some(matched));
                    emit(Row {
                        test: Test::Threshold,
                        mode,
                        family: Some(family),
                        parameter,
                        runs,
                        matched,
                        value,
                        spread,
                    })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The digests of each input, one for each family.
    fn digests(&self, inputs: &[Vec<u8>]) -> Vec<Vec<Option<Digest>>> {
        let all = |input: &Vec<u8>| self.families.iter().map(|&family| digest(family, input)).collect();
        inputs.iter().map(all).collect()
    }

    fn means(&self) -> Vec<Mean> {
        self.families.iter().map(|&family| Mean { family, runs: 0, matched: 0, scores: Vec::new() }).collect()
    }
}

/// A change of a file before it is looked up.
#[derive(Clone, Copy)]
enum Manipulation {
    FrontCut,
    EndCut,
    BothCut,
    FrontNoise,
    EndNoise,
    Prepended,
    Appended,
    ForeignBlock,
}

impl Manipulation {
    const ALL: [Manipulation; 8] = [
        Manipulation::FrontCut,
        Manipulation::EndCut,
        Manipulation::BothCut,
        Manipulation::FrontNoise,
        Manipulation::EndNoise,
        Manipulation::Prepended,
        Manipulation::Appended,
        Manipulation::ForeignBlock,
    ];

    fn name(self) -> &'static str {
        match self {
            Manipulation::FrontCut => "front-cut",
            Manipulation::EndCut => "end-cut",
            Manipulation::BothCut => "both-cut",
            Manipulation::FrontNoise => "front-noise",
            Manipulation::EndNoise => "end-noise",
            Manipulation::Prepended => "prepended",
            Manipulation::Appended => "appended",
            Manipulation::ForeignBlock => "foreign-block",
        }
    }

    fn is_foreign(self) -> bool {
        matches!(self, Manipulation::ForeignBlock)
    }

    fn apply(self, file: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
        let (length, fifth, half) = (file.len(), file.len() / 5, file.len() / 2);
        match self {
            Manipulation::FrontCut => file[fifth..].to_vec(),
            Manipulation::EndCut => file[..length - fifth].to_vec(),
            Manipulation::BothCut => file[fifth..length - fifth].to_vec(),
            Manipulation::FrontNoise => [&random.bytes(half), &file[half..]].concat(),
            Manipulation::EndNoise => [&file[..half], &random.bytes(length - half)].concat(),
            Manipulation::Prepended => [&random.bytes(2 * length), file].concat(),
            Manipulation::Appended => [file, &random.bytes(2 * length)].concat(),
            Manipulation::ForeignBlock => random.with_block(file, &other[..half.min(other.len())]),
        }
    }
}

/// The mode of [`Test::CommonBlock`] that stands for a length of the inputs.
fn common_block_mode(bytes: usize) -> &'static str {
    match bytes {
        0x8_0000 => "512KiB",
        0x20_0000 => "2MiB",
        0x80_0000 => "8MiB",
        _ => "",
    }
}

/// From half of an input down to one byte: two lengths for each factor of two, one where they are short.
fn block_lengths(bytes: usize) -> impl Iterator<Item = usize> {
    let mut lengths = std::iter::successors(Some(bytes as f64 / 2.0), |length| Some(length / 2_f64.sqrt()));
    let mut last = usize::MAX;
    std::iter::from_fn(move || {
        let length = lengths.find(|length| (length.round() as usize) < last)?.round() as usize;
        last = length;
        (length > 0).then_some(length)
    })
}

fn digest(family: Family, bytes: &[u8]) -> Option<Digest> {
    let mut options = SimilarityOptions::default();
    options.sdhash.input_bytes = Some(bytes.len() as u64);
    let mut hasher = Hasher::with_options(family, &options);
    hasher.update(bytes);
    hasher.finish().ok()
}

/// Seconds that some work takes, measured several times, each over as many repetitions.
fn seconds<R>(repetitions: u32, mut work: impl FnMut() -> R) -> Vec<f64> {
    let mut time = || {
        let started = Instant::now();
        for _ in 0..repetitions {
            black_box(work());
        }
        started.elapsed().as_secs_f64() / f64::from(repetitions)
    };
    (0..TIMES).map(|_| time()).collect()
}

fn mean_and_spread(values: &mut [f64]) -> (Option<f64>, Option<[f64; 5]>) {
    let spread = spread(values);
    let sum: f64 = values.iter().sum();
    // By rounding, the mean of equal values could lie beside them.
    let mean = spread.map(|[least, .., greatest]| (sum / values.len() as f64).clamp(least, greatest));
    (mean, spread)
}

/// Emits a row for each mean of at least one pair.
fn emit_all(test: Test, mode: &'static str, parameter: u64, means: &[Mean], emit: &mut Emit<'_>) -> ControlFlow<()> {
    means.iter().filter(|own| own.runs > 0).try_for_each(|own| {
        let (value, spread) = mean_and_spread(&mut own.scores.clone());
        let (family, matched) = (Some(own.family), Some(own.matched));
        emit(Row { test, mode, family, parameter, runs: own.runs, matched, value, spread })
    })
}

impl Row {
    fn time(test: Test, family: Option<Family>, bytes: usize, mut seconds: Vec<f64>) -> Row {
        let (value, spread) = mean_and_spread(&mut seconds);
        Row { test, mode: "", family, parameter: bytes as u64, runs: TIMES, matched: None, value, spread }
    }
}

/// Scores that are summed up.
struct Mean {
    family: Family,
    runs: u32,
    matched: u32,
    scores: Vec<f64>,
}

/// The number of a score or a distance.
fn number(score: Score) -> u32 {
    match score {
        Score::Similarity(score) => score.into(),
        Score::Distance(distance) => distance,
    }
}

/// Whether a score is a match.
fn is_match(score: Score) -> bool {
    match score {
        Score::Similarity(score) => score > 0,
        Score::Distance(distance) => distance <= DISTANCE_MAX,
    }
}

/// How far a score is from the best one.
fn distance(score: Score) -> u32 {
    match score {
        Score::Similarity(score) => 100 - u32::from(score.min(100)),
        Score::Distance(distance) => distance,
    }
}

impl Mean {
    fn add(&mut self, one: Option<&Digest>, other: &[u8]) {
        let other = digest(self.family, other);
        let score = one.zip(other.as_ref()).and_then(|(one, other)| one.compare(other));
        self.note(score, score.is_some_and(is_match));
    }

    fn note(&mut self, score: Option<Score>, matches: bool) {
        self.runs += 1;
        let Some(score) = score else { return };
        self.scores.push(number(score).into());
        self.matched += u32::from(matches);
    }

    /// Looks a digest up among others: a match if `expected` is one, and no other is closer.
    fn look_up<'d>(&mut self, needle: Option<&Digest>, all: impl Iterator<Item = Option<&'d Digest>>, expected: usize) {
        let scores: Vec<Option<Score>> =
            all.map(|one| needle.zip(one).and_then(|(needle, one)| needle.compare(one))).collect();
        let score = scores[expected];
        let closest = scores.iter().flatten().map(|&score| distance(score)).min();
        self.note(score, score.is_some_and(|score| is_match(score) && Some(distance(score)) == closest));
    }
}

/// SplitMix64.
#[derive(Clone)]
struct Random(u64);

impl Random {
    /// The state grows by this with each number.
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

    /// Returns a generator of the next numbers, and passes over this many of them.
    fn split_off(&mut self, numbers: usize) -> Random {
        let next = self.clone();
        self.0 = self.0.wrapping_add(Random::STEP.wrapping_mul(numbers as u64));
        next
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Random::STEP);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, nearly uniform.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(count);
        bytes
    }

    /// `bytes` with a block over a random place.
    fn with_block(&mut self, bytes: &[u8], block: &[u8]) -> Vec<u8> {
        let mut changed = bytes.to_vec();
        let length = block.len().min(changed.len());
        let start = self.below(changed.len() - length + 1);
        changed[start..start + length].copy_from_slice(&block[..length]);
        changed
    }

    /// Deletes, substitutes or inserts one byte somewhere, and does so again until there are this many edits.
    fn edit(&mut self, bytes: &mut Vec<u8>, edits: u64) {
        let mut length = bytes.len();
        // The last part is for what is inserted at the end.
        let parts = bytes.chunks(EDITED_PART_BYTES).map(<[u8]>::to_vec).chain([Vec::new()]);
        let mut parts: Vec<Vec<u8>> = parts.collect();
        for _ in 0..edits {
            let (kind, byte) = (self.below(3), self.next() as u8);
            let places = if kind == 2 { length + 1 } else { length };
            if places == 0 {
                continue;
            }
            let (mut part, mut place) = (0, self.below(places));
            while part + 1 < parts.len() && place >= parts[part].len() {
                place -= parts[part].len();
                part += 1;
            }
            match kind {
                0 => {
                    parts[part].remove(place);
                    length -= 1;
                }
                1 => parts[part][place] = byte,
                _ => {
                    parts[part].insert(place, byte);
                    length += 1;
                }
            }
        }
        *bytes = parts.concat();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(tests: &[Test], files: &[Vec<u8>]) -> Vec<Row> {
        let frash = Frash { tests: tests.to_vec(), runs: 2, bytes: 40_000, ..Frash::default() };
        let frash = Frash { common_block_bytes: vec![40_000], ..frash };
        let mut rows = Vec::new();
        let _ = frash.run(files, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        });
        rows
    }

    fn of(rows: &[Row], family: Family, mode: &str) -> Vec<Row> {
        rows.iter().filter(|row| row.family == Some(family) && row.mode == mode).copied().collect()
    }

    #[test]
    fn larger_blocks_in_common_are_found_and_tiny_ones_are_not() {
        let rows = rows(&[Test::CommonBlock], &[]);
        for family in [Family::Ssdeep, Family::Sdhash, Family::MrshV2] {
            let own = of(&rows, family, "");
            assert_eq!((own[0].parameter, own[0].matched), (20_000, Some(2)), "{family}");
            assert_eq!(own.last().map(|row| (row.parameter, row.matched)), Some((1, Some(0))), "{family}");
        }
    }

    /// The sets of common blocks are made when they are needed, and have the bytes that they would have if all were
    /// made before the first block is placed.
    #[test]
    fn sets_are_the_same_whenever_they_are_made() {
        const BYTES: usize = 40_001;
        let (mut at_once, mut later) = (Random(7), Random(7));
        let sets: Vec<[Vec<u8>; 3]> = (0..3).map(|_| std::array::from_fn(|_| at_once.bytes(BYTES))).collect();
        for set in &sets {
            let mut made = later.split_off(3 * BYTES.div_ceil(8));
            assert!(set.iter().all(|bytes| made.bytes(BYTES) == *bytes));
        }
        assert_eq!(later.0, at_once.0);

        let frash =
            Frash { tests: vec![Test::CommonBlock], runs: 3, common_block_bytes: vec![BYTES], ..Frash::default() };
        let mut random = Random(frash.seed);
        let sets: Vec<[Vec<u8>; 3]> = (0..3).map(|_| std::array::from_fn(|_| random.bytes(BYTES))).collect();
        let (mut rows, mut expected) = (Vec::new(), Vec::new());
        let _ = frash.run(&[], &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        });
        for bytes in block_lengths(BYTES) {
            let mut means = frash.means();
            for [one, other, source] in &sets {
                let [one, other] = [one, other].map(|input| random.with_block(input, &source[..bytes]));
                means.iter_mut().for_each(|mean| mean.add(digest(mean.family, &one).as_ref(), &other));
            }
            let _ = emit_all(Test::CommonBlock, "", bytes as u64, &means, &mut |row| {
                expected.push(row);
                ControlFlow::Continue(())
            });
        }
        assert_eq!(rows, expected);
    }

    #[test]
    fn cuts_and_additions_are_measured_at_both_ends() {
        let rows = rows(&[Test::Fragment, Test::Alignment], &[]);
        for family in Family::ALL {
            assert_eq!(of(&rows, family, "random").len(), 23);
            assert_eq!(of(&rows, family, "end")[22].parameter, 99);
            assert_eq!(of(&rows, family, "head").len(), 50);
            assert_eq!(of(&rows, family, "tail")[49].parameter, 500);
        }
        // 95 % of a file, and a file after a tenth of noise, are found; by sdhash also a file after five times
        // as much.
        for family in [Family::Ssdeep, Family::Sdhash, Family::MrshV2, Family::Tlsh] {
            assert_eq!(of(&rows, family, "end")[0].matched, Some(2), "{family}");
            assert_eq!(of(&rows, family, "head")[0].matched, Some(2), "{family}");
        }
        assert_eq!(of(&rows, Family::Sdhash, "head")[49].matched, Some(2));
        assert_eq!(of(&rows, Family::Ssdeep, "head")[49].matched, Some(0));
    }

    #[test]
    fn noise_ends_when_nothing_matches() {
        let rows = rows(&[Test::Noise], &[Random(9).bytes(5_000)]);
        for family in [Family::Ssdeep, Family::Sdhash, Family::MrshV2] {
            let own = of(&rows, family, "");
            let (last, before) = own.split_last().unwrap();
            assert_eq!(last.matched, Some(0));
            assert!(!before.is_empty() && before.iter().all(|row| row.matched == Some(1)), "{family}");
        }
    }

    /// A file that no edit changes would match for ever. One that only the last edit changes matches until the end.
    #[test]
    fn noise_ends_whatever_the_files_are() {
        let (whole, tiny) = (Random(9).bytes(5_000), [vec![], vec![7]]);
        for test in [Test::Fragment, Test::Alignment, Test::Noise] {
            let alone = rows(&[test], std::slice::from_ref(&whole));
            assert_eq!(rows(&[test], &[std::slice::from_ref(&whole), &tiny[..]].concat()), alone);
            assert!(!alone.is_empty() && rows(&[test], &tiny).is_empty(), "{test:?}");
        }
        let rows = rows(&[Test::Noise], &[vec![7; 2]]);
        assert_eq!(of(&rows, Family::Ssdeep, "").last().map(|row| row.parameter), Some(NOISE_MAX));
    }

    /// The edits in parts are those that would be made one by one in the whole.
    #[test]
    fn edits_do_not_depend_on_parts() {
        for (length, edits) in [(0, 5), (1, 40), (300, 1_000), (EDITED_PART_BYTES, 300), (50_000, 60_000)] {
            let (mut parted, mut whole) = (Random(length as u64), Random(length as u64));
            let mut bytes = parted.bytes(length);
            let mut expected = whole.bytes(length);
            parted.edit(&mut bytes, edits);
            for _ in 0..edits {
                let (kind, byte) = (whole.below(3), whole.next() as u8);
                match (kind, expected.len()) {
                    (2, length) => expected.insert(whole.below(length + 1), byte),
                    (_, 0) => {}
                    (0, length) => drop(expected.remove(whole.below(length))),
                    (_, length) => expected[whole.below(length)] = byte,
                }
            }
            assert!(bytes == expected && parted.0 == whole.0, "{length} {edits}");
        }
    }

    /// Of one character, sdhash has no feature, mrsh-v2 too few chunks, and TLSH no digest. ssdeep has one, and equal
    /// ones score 100 whatever they are of (so does `ssdeep -d`).
    #[test]
    fn one_character_is_not_enough_but_for_ssdeep() {
        let rows = rows(&[Test::Variety], &[]);
        for family in Family::ALL {
            let own = of(&rows, family, "");
            assert_eq!((own.len(), own[98].matched), (99, Some(2)), "{family}");
            let (matched, value) = match family {
                Family::Ssdeep => (2, Some(100.0)),
                Family::Sdhash | Family::MrshV2 => (0, Some(0.0)),
                Family::Tlsh => (0, None),
            };
            assert_eq!((own[0].matched, own[0].value), (Some(matched), value), "{family}");
        }
        // Two are enough for features and chunks, but not for TLSH's quartiles.
        let two = Family::ALL.map(|family| (family, of(&rows, family, "")[1].matched));
        assert!(two.iter().all(|&(family, matched)| (matched == Some(2)) == (family != Family::Tlsh)), "{two:?}");
    }

    #[test]
    fn manipulated_files_are_found_among_others() {
        let rows = rows(&[Test::Needle, Test::Cross], &[]);
        for family in [Family::Ssdeep, Family::Sdhash, Family::MrshV2] {
            for manipulation in Manipulation::ALL {
                let own = of(&rows, family, manipulation.name());
                assert_eq!((own.len(), own[0].runs, own[0].parameter), (1, 10, 50));
            }
            assert_eq!(of(&rows, family, "end-cut")[0].matched, Some(10), "{family}");
        }
        // The original is contained in the manipulated file, or the other way round.
        for manipulation in Manipulation::ALL {
            assert_eq!(of(&rows, Family::Sdhash, manipulation.name())[0].matched, Some(10), "{}", manipulation.name());
        }
        assert_eq!(of(&rows, Family::Sdhash, "")[0].matched, Some(10));
        let one_file = [vec![7; 1000]];
        assert!(super::tests::rows(&[Test::Cross], &one_file).is_empty());
    }

    #[test]
    fn values_have_a_spread() {
        assert_eq!(spread(&mut [4.0, 1.0, 3.0, 2.0]), Some([1.0, 1.75, 2.5, 3.25, 4.0]));
        assert_eq!((spread(&mut [7.0]), spread(&mut [])), (Some([7.0; 5]), None));
        // Their sum, divided by ten, is a little less.
        assert_eq!(mean_and_spread(&mut [0.1; 10]), (Some(0.1), Some([0.1; 5])));
        for row in rows(&[Test::Fragment, Test::Generation], &[]) {
            let within = row
                .spread
                .is_none_or(|five| five.is_sorted() && (five[0]..=five[4]).contains(&row.value.unwrap_or(five[0])));
            assert!(within && row.spread.is_some() == row.value.is_some(), "{row:?}");
        }
    }

    #[test]
    fn blocks_get_shorter_by_equal_ratios() {
        let lengths: Vec<usize> = block_lengths(8 << 20).collect();
        assert_eq!((lengths[0], lengths[2], lengths.last()), (4 << 20, 2 << 20, Some(&1)));
        assert!(lengths.is_sorted_by(|a, b| a > b) && lengths.len() < 80, "{lengths:?}");
        assert_eq!((block_lengths(1).count(), block_lengths(0).count(), block_lengths(3).count()), (1, 0, 2));
    }

    /// Noise is a share of the length: twice as long a file gets twice as many edits.
    #[test]
    fn noise_grows_with_the_length() {
        let parameters = |bytes| -> Vec<u64> {
            let rows = rows(&[Test::Noise], &[Random(9).bytes(bytes)]);
            of(&rows, Family::Ssdeep, "").iter().map(|row| row.parameter).collect()
        };
        let (short, long) = (parameters(20_000), parameters(40_000));
        assert_eq!(short[..3], [5, 10, 15]);
        assert_eq!(short[..short.len().min(long.len())], long[..short.len().min(long.len())]);
    }

    /// Higher thresholds of a score, and lower ones of a distance, keep fewer pairs; unrelated bytes do not match.
    #[test]
    fn thresholds_trade_finds_for_false_positives() {
        let rows = rows(&[Test::Threshold], &[]);
        for family in Family::ALL {
            let (related, unrelated) = (of(&rows, family, "related"), of(&rows, family, "unrelated"));
            assert_eq!((related[0].runs, unrelated.len()), (80, related.len()), "{family}");
            assert!(related.is_sorted_by(|a, b| match family {
                Family::Tlsh => a.matched <= b.matched,
                _ => a.matched >= b.matched,
            }));
            let default = if family == Family::Tlsh { 100 } else { 20 };
            let at = |rows: &[Row]| rows.iter().find(|row| row.parameter == default).and_then(|row| row.matched);
            assert!(at(&related) >= Some(10), "{family}: {:?}", at(&related));
            assert_eq!(at(&unrelated), Some(0), "{family}");
        }
    }

    #[test]
    fn ratios_and_times_are_there() {
        let found = rows(&[Test::Compression, Test::Generation, Test::Comparison], &[]);
        let sdhash = of(&found, Family::Sdhash, "");
        let ratio = sdhash.iter().find(|row| row.test == Test::Compression && row.parameter == 40_000).unwrap();
        assert!((0.01..0.05).contains(&ratio.value.unwrap()), "{ratio:?}");
        let sha1 = found.iter().filter(|row| row.family.is_none());
        assert_eq!(sha1.map(|row| row.parameter).collect::<Vec<_>>(), [100, 1000, 10_000, 40_000]);
        let times = found.iter().filter(|row| row.test != Test::Compression);
        assert!(times.clone().all(|row| row.value >= Some(0.0)) && times.count() == 4 + 4 * 4 + 4 * 4 - 1);
        // The same seed, the same result.
        assert_eq!(rows(&[Test::Repetition], &[]), rows(&[Test::Repetition], &[]));
    }
}
