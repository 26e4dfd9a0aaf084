//! The hosts for which requests over HTTP are answered.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The hosts for which a server answers.
///
/// A page in a browser can make a name of its own mean the loopback address, and then ask the server there as its own
/// (DNS rebinding). The host in the request tells.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// Names beside those of this machine; `None` if the host does not matter.
    names: Option<Vec<String>>,
}

impl Hosts {
    /// The hosts of a server at this address, and those that are named. Where others reach it and none is named, the
    /// host does not matter.
    pub(crate) fn new(address: IpAddr, names: Vec<String>) -> Hosts {
        let matters = address.to_canonical().is_loopback() || !names.is_empty();
        Hosts { names: matters.then_some(names) }
    }

    /// Whether a request for this host, which may have a port, is answered.
    pub(crate) fn answer_for(&self, host: &str) -> bool {
        let Some(names) = &self.names else { return true };
        let host = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        cannot_be_rebound(host) || names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

/// Whether a host is an address, or a name that always means this machine: no page can make these lead elsewhere.
fn cannot_be_rebound(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost") || host.parse::<Ipv4Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_of_this_machine_and_named_ones_are_answered() {
        let (loopback, any) = (IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let named = || vec!["Sets.example".to_owned(), "b.example".to_owned()];
        let of_machine = [
            "localhost",
            "LocalHost:9180",
            "127.0.0.1",
            "127.9.9.9:80",
            "[::1]",
            "[::1]:80",
            "[0::0:1]:",
            "10.0.0.1",
            "[::2]:1",
            "0.0.0.0:9180",
            "[::ffff:127.0.0.1]",
            "localhost.",
            "a.localhost:80",
        ];
        let others = ["", ":80", "example", "localhost.example:80", "127.0.0.1.example", "::1", "[a.example]"];
        for (hosts, answers_named, answers_others) in [
            (Hosts::new(loopback, Vec::new()), false, false),
            (Hosts::new("::1".parse().unwrap(), Vec::new()), false, false),
            (Hosts::new("::ffff:127.0.0.1".parse().unwrap(), Vec::new()), false, false),
            (Hosts::new(loopback, named()), true, false),
            (Hosts::new(any, named()), true, false),
            (Hosts::new(any, Vec::new()), true, true),
        ] {
            assert!(of_machine.iter().all(|host| hosts.answer_for(host)), "{hosts:?}");
            for host in ["sets.example", "SETS.EXAMPLE:443", "B.example:9180"] {
                assert_eq!(hosts.answer_for(host), answers_named, "{hosts:?} {host}");
            }
            for host in others {
                assert_eq!(hosts.answer_for(host), answers_others, "{hosts:?} {host}");
            }
        }
    }
}
