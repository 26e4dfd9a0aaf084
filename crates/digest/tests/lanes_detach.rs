//! A message that moves between managers has the digest that it would have had without.

mod common;

use common::skip::{Need, skipped};
use pfh_digest::Algorithm;
use pfh_digest::lanes::{Event, LaneManager};

type Manager = LaneManager<Vec<u8>, usize>;

#[test]
fn messages_move_between_managers_at_any_chunk_end() {
    let sets: [&[&str]; 3] = [&["md5"], &["sha256", "md5"], &["sha512", "sha1"]];
    for names in sets {
        let algorithms: Vec<_> = names.iter().map(|name| Algorithm::from_name(name).unwrap()).collect();
        // Not multiples of a block, so that something is carried over.
        for chunk_bytes in [1, 63, 64, 100, 128, 1000] {
            let Some(mut managers) = Manager::new(&algorithms).zip(Manager::new(&algorithms)) else {
                skipped(Need::Lanes, format_args!("no lanes for {names:?} on this CPU"));
                continue;
            };
            // How many a manager takes depends on the CPU.
            let messages: Vec<Vec<u8>> =
                (0..managers.0.lanes().min(7)).map(|n| (0..n * 777).map(|byte| (byte % 251) as u8).collect()).collect();
            let mut digests = vec![Vec::new(); messages.len()];
            let mut offsets = vec![0; messages.len()];
            let mut chunk = |message: usize, buffer: &mut Vec<u8>| {
                let from = offsets[message];
                let to = (from + chunk_bytes).min(messages[message].len());
                offsets[message] = to;
                buffer.resize(chunk_bytes + Manager::RESERVE_BYTES, 0);
                buffer[..to - from].copy_from_slice(&messages[message][from..to]);
                (to - from, to == messages[message].len())
            };
            for message in 0..messages.len() {
                let mut buffer = Vec::new();
                let (bytes, last) = chunk(message, &mut buffer);
                managers.0.submit(message, buffer, bytes, last);
            }
            loop {
                let (one, other) = (&mut managers.0, &mut managers.1);
                match one.advance() {
                    Event::NeedsData { lane, mut buffer } => {
                        let detached = one.detach(lane);
                        let lane = other.attach(detached);
                        let (bytes, last) = chunk(*other.tag(lane), &mut buffer);
                        other.refill(lane, buffer, bytes, last);
                    }
                    Event::Finished { tag, digests: found, .. } => digests[tag] = found.to_vec(),
                    Event::Idle if other.active() == 0 => break,
                    Event::Idle => {}
                }
                std::mem::swap(&mut managers.0, &mut managers.1);
            }
            for (message, digests) in messages.iter().zip(&digests) {
                let expected: Vec<_> = algorithms.iter().map(|algorithm| algorithm.digest(message)).collect();
                assert_eq!(*digests, expected, "{names:?}, {} bytes in chunks of {chunk_bytes}", message.len());
            }
        }
    }
}
