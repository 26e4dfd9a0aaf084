//! Counters, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Protocol {
    Http,
    Nsrlsvr,
}

impl Protocol {
    const ALL: [Protocol; 2] = [Protocol::Http, Protocol::Nsrlsvr];

    fn name(self) -> &'static str {
        match self {
            Protocol::Http => "http",
            Protocol::Nsrlsvr => "nsrlsvr",
        }
    }
}

/// The limit by which a client was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Connections,
    ClientConnections,
    Rate,
    Size,
    Memory,
    Timeout,
    Malformed,
    Host,
}

impl Refusal {
    const ALL: [Refusal; 8] = [
        Refusal::Connections,
        Refusal::ClientConnections,
        Refusal::Rate,
        Refusal::Size,
        Refusal::Memory,
        Refusal::Timeout,
        Refusal::Malformed,
        Refusal::Host,
    ];

    fn name(self) -> &'static str {
        match self {
            Refusal::Connections => "connections",
            Refusal::ClientConnections => "client-connections",
            Refusal::Rate => "rate",
            Refusal::Size => "size",
            Refusal::Memory => "memory",
            Refusal::Timeout => "timeout",
            Refusal::Malformed => "malformed",
            Refusal::Host => "host",
        }
    }
}

/// The counters of a server since its start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// By route and status. Both are of a fixed choice.
    http: Mutex<BTreeMap<(&'static str, u16), u64>>,
    /// By verb and answer. Both are of a fixed choice.
    nsrlsvr: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    of_protocols: [OfProtocol; 2],
    refused: [AtomicU64; Refusal::ALL.len()],
    set_errors: AtomicU64,
}

#[derive(Debug, Default)]
struct OfProtocol {
    look_ups: AtomicU64,
    hits: AtomicU64,
    connections: AtomicU64,
    open: AtomicU64,
}

/// A connection that is counted as open until this is dropped.
#[derive(Debug)]
pub(crate) struct Open<'a>(&'a OfProtocol);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn counted<K: Ord>(counts: &Mutex<BTreeMap<K, u64>>, key: K) {
    *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
}

impl Metrics {
    pub(crate) fn http_request(&self, route: &'static str, status: u16) {
        counted(&self.http, (route, status));
    }

    pub(crate) fn nsrlsvr_request(&self, verb: &'static str, answer: &'static str) {
        counted(&self.nsrlsvr, (verb, answer));
    }

    pub(crate) fn looked_up(&self, protocol: Protocol, look_ups: usize, hits: usize) {
        let of = &self.of_protocols[protocol as usize];
        of.look_ups.fetch_add(look_ups as u64, Ordering::Relaxed);
        of.hits.fetch_add(hits as u64, Ordering::Relaxed);
    }

    pub(crate) fn connected(&self, protocol: Protocol) -> Open<'_> {
        let of = &self.of_protocols[protocol as usize];
        of.connections.fetch_add(1, Ordering::Relaxed);
        of.open.fetch_add(1, Ordering::Relaxed);
        Open(of)
    }

    pub(crate) fn refused(&self, refusal: Refusal) {
        self.refused[refusal as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn set_failed(&self) {
        self.set_errors.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the text. `memory_bytes` are those in use, and `lost_sets` the sets that cannot be asked.
    pub(crate) fn text(&self, memory_bytes: usize, lost_sets: usize) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, samples: Vec<(String, u64)>| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in samples {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let http = self.http.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let http = http
            .into_iter()
            .map(|((route, status), count)| (format!("{{route=\"{route}\",status=\"{status}\"}}"), count));
        family("pfh_http_requests_total", "counter", "Requests answered over HTTP.", http.collect());
        let lines = self.nsrlsvr.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lines = lines
            .into_iter()
            .map(|((verb, answer), count)| (format!("{{verb=\"{verb}\",answer=\"{answer}\"}}"), count));
        family("pfh_nsrlsvr_requests_total", "counter", "Lines answered by the line protocol.", lines.collect());
        let mut by_protocol = |name: &str, kind: &str, help: &str, value: fn(&OfProtocol) -> &AtomicU64| {
            let samples = Protocol::ALL.map(|protocol| {
                let value = value(&self.of_protocols[protocol as usize]).load(Ordering::Relaxed);
                (format!("{{protocol=\"{}\"}}", protocol.name()), value)
            });
            family(name, kind, help, samples.to_vec());
        };
        by_protocol("pfh_look_ups_total", "counter", "Digests looked up.", |of| &of.look_ups);
        by_protocol("pfh_hits_total", "counter", "Digests found.", |of| &of.hits);
        by_protocol("pfh_connections_total", "counter", "Connections accepted.", |of| &of.connections);
        by_protocol("pfh_connections", "gauge", "Connections open.", |of| &of.open);
        let refused = Refusal::ALL.map(|refusal| {
            let count = self.refused[refusal as usize].load(Ordering::Relaxed);
            (format!("{{reason=\"{}\"}}", refusal.name()), count)
        });
        family("pfh_refused_total", "counter", "Connections and requests refused, by limit.", refused.to_vec());
        let alone = |value| vec![(String::new(), value)];
        let set_errors = self.set_errors.load(Ordering::Relaxed);
        family("pfh_set_errors_total", "counter", "Requests that failed because of a set.", alone(set_errors));
        let help = "Memory of requests and answers on their way, in bytes.";
        family("pfh_request_memory_bytes", "gauge", help, alone(memory_bytes as u64));
        let help = "Sets overwritten in place, truncated or unreadable: requests fail until a restart.";
        family("pfh_sets_lost", "gauge", help, alone(lost_sets as u64));
        text
    }
}
