//! Plans listings that are larger than any tree at hand: sizes are drawn, with replacement, from those in a file (one
//! in a line, such as `find /usr -type f -printf '%s\n'` prints). Prints tab-separated rows; `bench/plan.py` runs it.
//!
//!     simulate SIZES FILES SHARDS [FOLDER]
//!
//! Without FOLDER only the cutting runs; with it, the planner writes a whole plan there.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "it prints")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use std::{env, fs};

use pfh_plan::{Cut, Cutter, PlanOptions, Planner, weight};

const PER_FILE_BYTES: u64 = 64 << 10;

/// SplitMix64 (Steele, Lea and Flood 2014): the same sizes in each run and each pass.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * end as u128) >> 64) as usize
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [sizes, files, shards, rest @ ..] = &arguments[..] else { return Err("SIZES FILES SHARDS [FOLDER]".into()) };
    let sizes = fs::read_to_string(sizes)?.lines().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let (files, shards): (u64, u32) = (files.parse()?, shards.parse()?);
    let draw = |draws: &mut Draws| sizes[draws.below(sizes.len())];
    let started = Instant::now();
    if let [folder] = rest {
        let mut planner = Planner::create(Path::new(folder), PER_FILE_BYTES)?;
        let mut draws = Draws(1);
        for number in 0..files {
            // Directories of a hundred files, with paths about as long as those of /usr.
            let path = format!(
                "data/{:03}/{:04}/directory-{:06}/file-{number:09}.dat",
                number % 7,
                number / 1_000_000,
                number / 100
            );
            planner.file(path.as_bytes(), draw(&mut draws), false)?;
        }
        let options = PlanOptions::new("sha256".parse()?, b"/data".to_vec());
        planner.finish(options, Cut::Shards(shards), &AtomicBool::new(false))?;
    }
    let (mut total, mut longest) = (0_u128, 0);
    let mut draws = Draws(1);
    for _ in 0..files {
        let weight = weight(draw(&mut draws), PER_FILE_BYTES);
        (total, longest) = (total + u128::from(weight), longest.max(weight));
    }
    let (mut cutter, mut draws) = (Cutter::new(shards, total), Draws(1));
    let mut of_shard = vec![0_u64; shards as usize];
    for _ in 0..files {
        let weight = weight(draw(&mut draws), PER_FILE_BYTES);
        of_shard[cutter.next(weight) as usize] += weight;
    }
    let elapsed = started.elapsed().as_secs_f64();
    let mean = total as f64 / f64::from(shards);
    let heaviest = of_shard.iter().copied().max().unwrap_or(0);
    let peak = fs::read_to_string("/proc/self/status")?;
    let peak = peak.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default().trim().to_owned();
    println!(
        "plan\t{files}\t{shards}\t{:.3}\t{:.6}\t{peak}\t{elapsed:.1}",
        heaviest as f64 / mean,
        longest as f64 / total as f64
    );
    // Heaviest first, each to the node that is free first; time in units of one node's time for all.
    of_shard.sort_unstable_by_key(|&weight| Reverse(weight));
    for nodes in [1, 2, 4, 8, 16, 32, 64] {
        let mut free: BinaryHeap<Reverse<u64>> = (0..nodes).map(|_| Reverse(0)).collect();
        for weight in &of_shard {
            if let Some(Reverse(time)) = free.pop() {
                free.push(Reverse(time + weight));
            }
        }
        let end = free.into_iter().map(|Reverse(time)| time).max().unwrap_or(0);
        let share = end as f64 / total as f64;
        println!("nodes\t{files}\t{shards}\t{nodes}\t{share:.6}\t{:.4}", share * f64::from(nodes));
    }
    Ok(())
}
