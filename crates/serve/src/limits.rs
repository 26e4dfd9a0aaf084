//! Limits of a server: what clients can make it hold, and how often each may ask.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The limits of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most connections at a time, of all protocols together. Further ones are refused at once. A sixteenth of them is
    /// for HTTP alone.
    pub connections: usize,
    /// Most connections of one client at a time, by each protocol. Further ones are refused at once.
    pub connections_per_client: usize,
    /// Most digests in a request over HTTP.
    pub digests: usize,
    /// Longest body of a request over HTTP, in bytes.
    pub body_bytes: usize,
    /// Most digests in a line of the line protocol.
    pub line_digests: usize,
    /// Longest line of the line protocol, in bytes.
    pub line_bytes: usize,
    /// Most requests of one client in a second, and as many at once; 0 for no limit. A client is an IPv4 address or the
    /// first 64 bits of an IPv6 address. All loopback addresses are one client.
    pub requests_per_second: u32,
    /// Most memory for requests and answers that are on their way, half of it for each, in bytes. A request of many
    /// digests waits until there is enough for its beginning, for the whole of it, and for its answer, each time for
    /// [`timeout`](Limits::timeout) at most, and is then refused; if it does not state its length, or its answer is
    /// longer than expected, it is refused at once where it grows beyond what is left.
    pub memory_bytes: usize,
    /// Time for a client to begin its first request, to send a request once it has begun, and to take the next 256 KiB
    /// of an answer, or what is left of it.
    pub timeout: Duration,
    /// Time for which a connection of the line protocol may be without a request after its first.
    pub idle: Duration,
    /// Time for the requests under way when the server is stopped.
    pub stop: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 4096,
            connections_per_client: 1024,
            digests: 10_000,
            body_bytes: 1 << 20,
            line_digests: 1024,
            line_bytes: 1 << 17,
            requests_per_second: 1000,
            memory_bytes: 64 << 20,
            timeout: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            stop: Duration::from_secs(5),
        }
    }
}

/// Memory for requests, or for answers, that are on their way.
///
/// The two have memory of their own, so that requests that wait for room for their answers do not take that room.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// A permit for each byte.
    free: Arc<Semaphore>,
    limit_bytes: u32,
}

impl Memory {
    pub(crate) fn new(limit_bytes: usize) -> Memory {
        let limit_bytes = u32::try_from(limit_bytes).unwrap_or(u32::MAX);
        Memory { free: Arc::new(Semaphore::new(limit_bytes as usize)), limit_bytes }
    }

    /// Begins a share of the memory, with nothing in it.
    pub(crate) fn share(&self) -> Share {
        Share { free: Arc::clone(&self.free), permit: None }
    }

    /// Waits for a share of this many bytes, after all who wait already.
    pub(crate) async fn wait(&self, bytes: usize, patience: Duration) -> Result<Share, NoMemory> {
        let permits = u32::try_from(bytes).ok().filter(|bytes| *bytes <= self.limit_bytes).ok_or(NoMemory)?;
        let acquired = timeout(patience, Arc::clone(&self.free).acquire_many_owned(permits)).await;
        let permit = acquired.map_err(|_| NoMemory)?.map_err(|_| NoMemory)?;
        Ok(Share { free: Arc::clone(&self.free), permit: Some(permit) })
    }

    /// Returns the number of bytes in use.
    pub(crate) fn used(&self) -> usize {
        self.limit_bytes as usize - self.free.available_permits()
    }
}

/// The error that there is no memory left for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory;

/// A share of the memory, which dropping gives back.
#[derive(Debug)]
pub(crate) struct Share {
    free: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Returns the number of bytes in it.
    pub(crate) fn bytes(&self) -> usize {
        self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    /// Makes the share greater, without waiting.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), NoMemory> {
        let permits = u32::try_from(bytes).map_err(|_| NoMemory)?;
        let more = Arc::clone(&self.free).try_acquire_many_owned(permits).map_err(|_| NoMemory)?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        Ok(())
    }

    /// Divides the share: the result has this many of its bytes, or all if it has no more.
    pub(crate) fn split(&mut self, bytes: usize) -> Share {
        let bytes = bytes.min(self.bytes());
        let permit = self.permit.as_mut().and_then(|permit| permit.split(bytes));
        Share { free: Arc::clone(&self.free), permit }
    }
}

/// Clients whose rates are known at a time, in each of two generations.
const CLIENTS_MAX: usize = 16 * 1024;

/// How often each client asks: a bucket of tokens for each, which fills at the rate that is allowed.
///
/// There are two generations of buckets: when the newer one is full, the older one is forgotten, and with it the
/// clients that have not asked for the longest time.
#[derive(Debug)]
pub(crate) struct Rates {
    per_second: f64,
    buckets: Mutex<[HashMap<IpAddr, Bucket>; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Rates {
    pub(crate) fn new(per_second: u32) -> Rates {
        Rates { per_second: f64::from(per_second), buckets: Mutex::default() }
    }

    /// Takes a token of a client.
    ///
    /// # Errors
    /// The time until it has one.
    pub(crate) fn take(&self, client: IpAddr, now: Instant) -> Result<(), Duration> {
        if self.per_second == 0.0 {
            return Ok(());
        }
        let client = network(client);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let [newer, older] = &mut *buckets;
        let mut bucket = match newer.get(&client).or_else(|| older.get(&client)) {
            Some(bucket) => *bucket,
            None => Bucket { tokens: self.per_second, at: now },
        };
        let elapsed = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + elapsed * self.per_second).min(self.per_second);
        bucket.at = bucket.at.max(now);
        let taken = if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            Ok(())
        } else {
            Err(Duration::from_secs_f64((1.0 - bucket.tokens) / self.per_second))
        };
        if newer.len() >= CLIENTS_MAX && !newer.contains_key(&client) {
            *older = std::mem::take(newer);
        }
        newer.insert(client, bucket);
        taken
    }
}

/// Returns the address that stands for a client: an IPv4 address, or the network of an IPv6 address, since whoever has
/// one has all addresses in it. So it is with loopback addresses.
pub(crate) fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        address if address.is_loopback() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    #[test]
    fn a_client_gets_its_rate() {
        let (rates, begun) = (Rates::new(10), Instant::now());
        let taken = |client, after: u64| rates.take(client, begun + Duration::from_millis(after));
        assert_eq!((0..20).filter(|_| taken(client(1), 0).is_ok()).count(), 10);
        let wait = taken(client(1), 0).unwrap_err();
        assert!(wait <= Duration::from_millis(100) && wait > Duration::from_millis(99), "{wait:?}");
        assert!(taken(client(2), 0).is_ok(), "another client has its own");
        assert!(taken(client(1), 101).is_ok() && taken(client(1), 101).is_err());
        // A clock that goes back gives nothing.
        assert!(taken(client(1), 0).is_err());
        assert_eq!((0..20).filter(|_| taken(client(1), 60_000).is_ok()).count(), 10);
        let one: IpAddr = "2001:db8::1".parse().unwrap();
        let other: IpAddr = "2001:db8::ffff:2".parse().unwrap();
        assert_eq!((0..20).filter(|_| taken(one, 0).is_ok() | taken(other, 0).is_ok()).count(), 5);
        let mapped: IpAddr = "::ffff:0.0.0.9".parse().unwrap();
        assert_eq!(network(mapped), client(9));
        for loopback in ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.2"] {
            assert_eq!(network(loopback.parse().unwrap()), IpAddr::V4(Ipv4Addr::LOCALHOST), "{loopback}");
        }
        assert!((0..10_000).all(|_| Rates::new(0).take(client(1), begun).is_ok()));
    }

    #[test]
    fn few_clients_are_remembered() {
        let (rates, now) = (Rates::new(2), Instant::now());
        for number in 0..100_000 {
            assert!(rates.take(client(number), now).is_ok());
            // One that keeps asking is never forgotten.
            assert_eq!(rates.take(client(u32::MAX), now).is_ok(), number < 2);
        }
        let buckets = rates.buckets.lock().unwrap();
        assert!(buckets.iter().all(|generation| generation.len() <= CLIENTS_MAX));
    }

    #[test]
    fn memory_is_given_back() {
        let memory = Memory::new(100);
        let mut one = memory.share();
        assert_eq!((one.grow(60), one.grow(41), one.grow(40)), (Ok(()), Err(NoMemory), Ok(())));
        let mut other = memory.share();
        assert_eq!(other.grow(1), Err(NoMemory));
        assert_eq!((memory.used(), one.bytes()), (100, 100));
        let part = one.split(70);
        assert_eq!((memory.used(), one.bytes(), part.bytes()), (100, 30, 70));
        drop(part);
        assert_eq!((memory.used(), one.bytes(), one.split(31).bytes(), one.bytes()), (30, 30, 30, 0));
        drop(one);
        assert_eq!((memory.used(), other.grow(usize::MAX), other.grow(100)), (0, Err(NoMemory), Ok(())));
    }

    #[tokio::test]
    async fn who_waits_for_memory_gets_it_in_turn() {
        let memory = Memory::new(100);
        let (long, short) = (Duration::from_secs(30), Duration::from_millis(10));
        assert_eq!(memory.wait(101, long).await.err(), Some(NoMemory), "it would wait for ever");
        let first = memory.wait(70, long).await.unwrap();
        assert_eq!(memory.wait(31, short).await.err(), Some(NoMemory));
        let waiting = tokio::spawn({
            let memory = memory.clone();
            async move { memory.wait(100, long).await }
        });
        // Free memory goes to the one who waits, and not to one who comes later and asks for less.
        while memory.used() < 100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(memory.share().grow(1), Err(NoMemory));
        drop(first);
        assert_eq!(waiting.await.unwrap().unwrap().bytes(), 100);
        assert_eq!(memory.used(), 0);
    }
}
