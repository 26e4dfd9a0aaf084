//! Places for connections: all together, those of each client, and those that only HTTP may take.

use crate::limits::{Limits, network};
use crate::metrics::{Protocol, Refusal};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One place in this number is for HTTP alone, so that whoever asks how the server fares is answered however many
/// connections of the line protocol wait.
const PLACES_PER_RESERVED: usize = 16;

/// The places for connections, taken and free.
#[derive(Debug)]
pub(crate) struct Places {
    /// A permit for each place.
    free: Arc<Semaphore>,
    all: u32,
    /// Places that the line protocol leaves free.
    reserved: usize,
    per_client: usize,
    /// The number of places that each client has by each protocol. Those that have none are not there.
    taken: Mutex<HashMap<Client, usize>>,
}

/// A client by one of the protocols: each has places of its own, so that neither uses up those of the other.
type Client = (Protocol, IpAddr);

/// The place of a connection, which dropping gives back.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    client: Client,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    pub(crate) fn new(limits: &Limits) -> Places {
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        Places {
            free: Arc::new(Semaphore::new(all as usize)),
            all,
            reserved: (all as usize / PLACES_PER_RESERVED).max(1).min((all as usize).saturating_sub(1)),
            per_client: limits.connections_per_client,
            taken: Mutex::default(),
        }
    }

    /// Takes a place for a connection of a client.
    ///
    /// # Errors
    /// The limit by which it has none.
    pub(crate) fn take(self: &Arc<Places>, protocol: Protocol, client: IpAddr) -> Result<Place, Refusal> {
        let client = (protocol, network(client));
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&client).copied().unwrap_or(0);
        if own >= self.per_client {
            return Err(Refusal::ClientConnections);
        }
        let reserved = match protocol {
            Protocol::Http => 0,
            Protocol::Nsrlsvr => self.reserved,
        };
        if self.free.available_permits() <= reserved {
            return Err(Refusal::Connections);
        }
        let permit = Arc::clone(&self.free).try_acquire_owned().map_err(|_| Refusal::Connections)?;
        taken.insert(client, own + 1);
        Ok(Place { places: Arc::clone(self), client, _permit: permit })
    }

    /// Waits until no place is taken.
    pub(crate) async fn all_free(&self) {
        // It is never closed.
        let _ = self.free.acquire_many(self.all).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(connections: usize, connections_per_client: usize) -> Arc<Places> {
        Arc::new(Places::new(&Limits { connections, connections_per_client, ..Limits::default() }))
    }

    fn client(number: u32) -> IpAddr {
        IpAddr::V4(number.into())
    }

    /// Takes places until there is none; returns them, and the reason.
    fn all_of(places: &Arc<Places>, protocol: Protocol, number: u32) -> (Vec<Place>, Refusal) {
        let mut taken = Vec::new();
        loop {
            match places.take(protocol, client(number)) {
                Ok(place) => taken.push(place),
                Err(refusal) => return (taken, refusal),
            }
        }
    }

    #[test]
    fn a_client_leaves_places_to_others() {
        let places = places(100, 30);
        for protocol in [Protocol::Nsrlsvr, Protocol::Http] {
            let (greedy, refusal) = all_of(&places, protocol, 1);
            assert_eq!((greedy.len(), refusal), (30, Refusal::ClientConnections));
            // The other protocol, and another client.
            let other = if protocol == Protocol::Http { Protocol::Nsrlsvr } else { Protocol::Http };
            assert!(places.take(other, client(1)).is_ok() && places.take(protocol, client(2)).is_ok());
            drop(greedy);
            assert!(places.take(protocol, client(1)).is_ok());
        }
        let one: IpAddr = "2001:db8::1".parse().unwrap();
        let other: IpAddr = "2001:db8::ffff:2".parse().unwrap();
        let both: Vec<Place> =
            (0..15).flat_map(|_| [one, other]).map(|ip| places.take(Protocol::Http, ip).unwrap()).collect();
        assert_eq!(places.take(Protocol::Http, other).err(), Some(Refusal::ClientConnections));
        drop(both);
        assert!(places.taken.lock().unwrap().is_empty());
    }

    #[test]
    fn the_last_places_are_for_http() {
        let places = places(32, 16);
        let of_lines: Vec<(Vec<Place>, Refusal)> =
            (0..3).map(|number| all_of(&places, Protocol::Nsrlsvr, number)).collect();
        let refusals = of_lines.iter().map(|(taken, refusal)| (taken.len(), *refusal)).collect::<Vec<_>>();
        let none = Refusal::Connections;
        assert_eq!(refusals, [(16, Refusal::ClientConnections), (14, none), (0, none)]);
        let (of_http, refusal) = all_of(&places, Protocol::Http, 0);
        assert_eq!((of_http.len(), refusal), (2, none));
    }

    #[test]
    fn a_single_place_is_for_either() {
        let places = places(1, 1);
        assert!(places.take(Protocol::Nsrlsvr, client(1)).is_ok());
        assert!(places.take(Protocol::Http, client(1)).is_ok());
    }
}
