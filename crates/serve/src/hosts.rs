//! The hosts for which requests over HTTP are answered.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The hosts for which a server answers.
///
/// A page in a browser can make a name of its own mean the loopback address, and then ask the server there as its own
/// (DNS rebinding). The host in the request tells.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// Hosts beside those of this machine; `None` if the host does not matter.
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
        is_loopback(host) || names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

fn is_loopback(host: &str) -> bool {
    let in_brackets = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match in_brackets {
        Some(address) => address.parse().is_ok_and(|address: Ipv6Addr| address.is_loopback()),
        None => {
            host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_of_this_machine_and_named_ones_are_answered() {
        let (loopback, any) = (IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let named = || vec!["Sets.example".to_owned(), "[2001:db8::1]".to_owned()];
        let of_machine = ["localhost", "LocalHost:9180", "127.0.0.1", "127.9.9.9:80", "[::1]", "[::1]:80", "[0::0:1]:"];
        let others = ["", ":80", "example", "localhost.example:80", "127.0.0.1.example", "10.0.0.1", "::1", "[::2]:1"];
        for (hosts, answers_named, answers_others) in [
            (Hosts::new(loopback, Vec::new()), false, false),
            (Hosts::new("::1".parse().unwrap(), Vec::new()), false, false),
            (Hosts::new("::ffff:127.0.0.1".parse().unwrap(), Vec::new()), false, false),
            (Hosts::new(loopback, named()), true, false),
            (Hosts::new(any, named()), true, false),
            (Hosts::new(any, Vec::new()), true, true),
        ] {
            assert!(of_machine.iter().all(|host| hosts.answer_for(host)), "{hosts:?}");
            for host in ["sets.example", "SETS.EXAMPLE:443", "[2001:DB8::1]:9180"] {
                assert_eq!(hosts.answer_for(host), answers_named, "{hosts:?} {host}");
            }
            for host in others {
                assert_eq!(hosts.answer_for(host), answers_others, "{hosts:?} {host}");
            }
        }
    }
}
