//! Chunks become numbers: FNV-1a in 64 bits (G. Fowler, L. Noll, K.-P. Vo).

/// The value of an empty chunk.
pub(super) const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Chunks that are hashed at once: a multiplication takes four times as long as a core needs to begin another one.
const LANES: usize = 4;

fn step(value: u64, byte: u8) -> u64 {
    (value ^ u64::from(byte)).wrapping_mul(PRIME)
}

/// The value of a chunk that goes on with `bytes`.
pub(super) fn fnv1a(value: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(value, |value, &byte| step(value, byte))
}

/// The values of the chunks that end at `ends`, one behind another from the beginning of `bytes` on. The first one goes on from
/// `first`.
pub(super) fn values(first: u64, bytes: &[u8], ends: &[usize], values: &mut Vec<u64>) {
    values.clear();
    values.resize(ends.len(), BASIS);
    if let Some(value) = values.first_mut() {
        *value = first;
    }
    let mut chunks = (0..ends.len()).map(|chunk| {
        let start = if chunk == 0 { 0 } else { ends[chunk - 1] };
        (chunk, &bytes[start..ends[chunk]])
    });
    let mut lanes: [(usize, &[u8]); LANES] = [(0, &[]); LANES];
    let mut state = [0; LANES];
    loop {
        for lane in 0..LANES {
            if lanes[lane].1.is_empty() {
                // An idle lane has no value to keep: chunks have a byte at least.
                let Some(chunk) = chunks.next() else { return finish(&lanes, &state, values) };
                (lanes[lane], state[lane]) = (chunk, values[chunk.0]);
            }
        }
        let common = lanes.iter().map(|lane| lane.1.len()).min().unwrap_or(0);
        state = run(lanes.map(|lane| &lane.1[..common]), state);
        for (lane, &state) in lanes.iter_mut().zip(&state) {
            lane.1 = &lane.1[common..];
            values[lane.0] = state;
        }
    }
}

/// Too few chunks are left for all lanes.
fn finish(lanes: &[(usize, &[u8]); LANES], state: &[u64; LANES], values: &mut [u64]) {
    for (&(chunk, bytes), &state) in lanes.iter().zip(state).filter(|(lane, _)| !lane.1.is_empty()) {
        values[chunk] = fnv1a(state, bytes);
    }
}

/// Equally many bytes of each lane.
fn run(bytes: [&[u8]; LANES], mut state: [u64; LANES]) -> [u64; LANES] {
    let [b0, b1, b2, b3] = bytes;
    for (((&b0, &b1), &b2), &b3) in b0.iter().zip(b1).zip(b2).zip(b3) {
        let [s0, s1, s2, s3] = state;
        state = [step(s0, b0), step(s1, b1), step(s2, b2), step(s3, b3)];
    }
    state
}
