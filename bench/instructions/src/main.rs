//! `pfh-bench-instructions ALGORITHM` hashes a fixed set of messages in the lanes of plain words. `cargo xtask
//! instructions` runs it under callgrind, which counts what happens in [`hash_all`].
#![forbid(unsafe_code)]

use std::error::Error;

use pfh_digest::Algorithm;
use pfh_digest::lanes::{Backend, Event, LaneManager, kernels_of};

type Manager = LaneManager<Vec<u8>, Message>;

const MESSAGES: usize = 48;
const CHUNK_BYTES: usize = 4 << 10;

/// A message of which `rest` bytes are still to come.
struct Message {
    rest: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).ok_or("usage: pfh-bench-instructions ALGORITHM")?;
    let algorithm = Algorithm::from_name(&name).map_err(|error| error.to_string())?;
    let backend = Backend::from_name("portable").map_err(|error| error.to_string())?;
    // One kernel: which of several runs depends on times, and these on the machine.
    let (kernel, _) = kernels_of(backend, algorithm).swap_remove(0);
    let mut manager = Manager::with_kernel(algorithm, backend, &kernel).ok_or("an algorithm without lanes")?;
    let buffers = (0..manager.lanes()).map(|_| vec![0x5a; CHUNK_BYTES + Manager::RESERVE_BYTES]).collect();
    println!("{}", hash_all(&mut manager, buffers));
    Ok(())
}

/// Lengths from 0 to some 20 KB, so that lanes end and are refilled at all times. Returns a sum over the digests.
#[inline(never)]
fn hash_all(manager: &mut Manager, mut buffers: Vec<Vec<u8>>) -> u64 {
    let mut lengths = (0..MESSAGES).map(|index| index * index * 9);
    let (mut sum, mut more) = (0, true);
    loop {
        while more && let Some(buffer) = buffers.pop() {
            match lengths.next() {
                Some(length) => {
                    let bytes = length.min(CHUNK_BYTES);
                    let message = Message { rest: length - bytes };
                    manager.submit(message, buffer, bytes, bytes == length);
                }
                None => more = false,
            }
        }
        match manager.advance() {
            Event::NeedsData { lane, buffer } => {
                let message = manager.tag_mut(lane);
                let bytes = message.rest.min(CHUNK_BYTES);
                message.rest -= bytes;
                let last = message.rest == 0;
                manager.refill(lane, buffer, bytes, last);
            }
            Event::Finished { buffer, digests, .. } => {
                sum += u64::from(digests[0].bytes()[0]);
                buffers.push(buffer);
            }
            Event::Idle => return sum,
        }
    }
}
