//! Which files of a walk become samples: a bounded number, however many files there are.

/// Neighbouring files that are drawn together, so that what lies between them is as in a real run.
const RUN_FILES: usize = 32;

/// Most runs that are kept as samples.
const RUNS_MAX: usize = 512;

/// Most files that are kept by their size.
const LONG_MAX: usize = 256;

/// A file of this size is long, whatever the others are.
const LONG_BYTES: u64 = 8 << 20;

/// Paths longer than this are counted, and are no samples.
const PATH_BYTES_MAX: usize = 8192;

/// A file that was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// Its path in raw bytes.
    pub path: Vec<u8>,
    /// Its place in the walk.
    pub place: u64,
}

/// Draws samples from a walk of unknown length (Vitter 1985, Random sampling with a reservoir).
///
/// Every second run of files is a candidate, and is not asked for sizes: the system would remember the names, and the
/// sample would come faster than files that nobody touched before. Among files whose size is known, some are drawn in
/// proportion to it (Efraimidis and Spirakis 2006, Weighted random sampling with a reservoir).
#[derive(Debug)]
pub struct Surveyor {
    random: fastrand::Rng,
    /// The run that is being filled.
    open: Vec<Sampled>,
    files: u64,
    candidates: u64,
    runs: Vec<Vec<Sampled>>,
    /// With the key and the size of each.
    long: Vec<(f64, u64, Sampled)>,
}

impl Surveyor {
    /// Begins. The same seed draws the same samples from the same walk.
    #[must_use]
    pub fn new(seed: u64) -> Surveyor {
        Surveyor {
            random: fastrand::Rng::with_seed(seed),
            open: Vec::new(),
            files: 0,
            candidates: 0,
            runs: Vec::new(),
            long: Vec::new(),
        }
    }

    /// Takes the next file of the walk; returns files whose sizes are now to be asked for.
    pub fn push(&mut self, path: Vec<u8>) -> Vec<Sampled> {
        self.open.push(Sampled { path, place: self.files });
        self.files += 1;
        if self.open.len() < RUN_FILES {
            return Vec::new();
        }
        self.close()
    }

    /// Takes the end of the walk, or of the time for it; returns files as [`Surveyor::push`] does.
    pub fn close(&mut self) -> Vec<Sampled> {
        let run = std::mem::take(&mut self.open);
        let is_candidate = self.files.div_ceil(RUN_FILES as u64) % 2 == 1;
        if run.is_empty() || !is_candidate || run.iter().any(|file| file.path.len() > PATH_BYTES_MAX) {
            return run;
        }
        self.candidates += 1;
        if self.runs.len() < RUNS_MAX {
            self.runs.push(run);
            return Vec::new();
        }
        match self.random.u64(..self.candidates) as usize {
            place if place < RUNS_MAX => std::mem::replace(&mut self.runs[place], run),
            _ => run,
        }
    }

    /// Takes a file with its size.
    pub fn sized(&mut self, file: Sampled, bytes: u64) {
        if bytes == 0 || file.path.len() > PATH_BYTES_MAX {
            return;
        }
        // Keys u^(1/w), compared by their logarithms, which do not underflow.
        let key = (1.0 - self.random.f64()).ln() / bytes as f64;
        if self.long.len() < LONG_MAX {
            self.long.push((key, bytes, file));
            return;
        }
        let least = (0..self.long.len()).min_by(|&a, &b| self.long[a].0.total_cmp(&self.long[b].0)).unwrap_or(0);
        if key > self.long[least].0 {
            self.long[least] = (key, bytes, file);
        }
    }

    /// Returns the number of files so far.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Returns the runs, in random order, and the files drawn by size, the most probable first. If there are fewer long
    /// files than places for them, short ones have places too, and are left out here.
    #[must_use]
    pub fn samples(&self) -> (Vec<Vec<Sampled>>, Vec<Sampled>) {
        let mut runs = self.runs.clone();
        self.random.clone().shuffle(&mut runs);
        let mut long = self.long.clone();
        long.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let longest = long.iter().map(|(_, bytes, _)| *bytes).max().unwrap_or(0);
        long.retain(|(_, bytes, _)| *bytes >= LONG_BYTES.min(longest / 4));
        (runs, long.into_iter().map(|(.., file)| file).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Walks files of the given sizes, and returns the surveyor and the number of files that were asked for sizes.
    fn walk(sizes: impl Iterator<Item = u64> + Clone) -> (Surveyor, u64) {
        let mut surveyor = Surveyor::new(5);
        let mut asked = 0;
        let all: Vec<u64> = sizes.collect();
        let take = |surveyor: &mut Surveyor, files: Vec<Sampled>| {
            let count = files.len() as u64;
            files.into_iter().for_each(|file| {
                let bytes = all[file.place as usize];
                surveyor.sized(file, bytes);
            });
            count
        };
        for number in 0..all.len() {
            let files = surveyor.push(format!("file{number}").into_bytes());
            asked += take(&mut surveyor, files);
        }
        let files = surveyor.close();
        asked += take(&mut surveyor, files);
        (surveyor, asked)
    }

    #[test]
    fn every_file_is_a_candidate_or_has_a_size() {
        for count in [0, 1, 3, 32, 33, 64, 65, 1000] {
            let (surveyor, asked) = walk((0..count).map(|_| 1000));
            let (runs, long) = surveyor.samples();
            let sampled: u64 = runs.iter().map(|run| run.len() as u64).sum();
            assert_eq!((surveyor.files(), sampled + asked), (count, count));
            assert_eq!(long.len() as u64, asked.min(LONG_MAX as u64));
        }
    }

    #[test]
    fn memory_is_bounded_and_all_parts_are_drawn_from() {
        let count = 200_000;
        let (surveyor, asked) = walk((0..count).map(|_| 1000));
        let (runs, long) = surveyor.samples();
        assert_eq!((runs.len(), long.len()), (RUNS_MAX, LONG_MAX));
        assert_eq!(asked + (RUNS_MAX * RUN_FILES) as u64, count);
        let tenths: BTreeSet<u64> = runs.iter().map(|run| run[0].place * 10 / count).collect();
        assert_eq!(tenths.len(), 10);
        for run in &runs {
            assert!(run.windows(2).all(|pair| pair[1].place == pair[0].place + 1), "neighbours");
        }
    }

    #[test]
    fn long_files_are_drawn_first() {
        // Of each hundred files one has nearly all bytes.
        let (surveyor, _) = walk((0..20_000).map(|number| if number % 100 == 40 { 1 << 30 } else { 1000 }));
        let (_, long) = surveyor.samples();
        assert!(long.len() > 50 && long.iter().all(|file| file.place % 100 == 40));
    }

    #[test]
    fn the_longest_paths_are_counted_only() {
        let mut surveyor = Surveyor::new(1);
        surveyor.push(vec![b'x'; PATH_BYTES_MAX + 1]);
        assert_eq!(surveyor.close().len(), 1);
        assert_eq!((surveyor.files(), surveyor.samples().0.len()), (1, 0));
    }
}
