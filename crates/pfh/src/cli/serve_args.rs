//! The command line of `pfh known serve`.

use super::quantity::{AT_LEAST_ONE, parse_bytes};
use clap::{Args, ValueHint};
use pfh_known::Class;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZeroU16, NonZeroU32};

const EXAMPLES: &str = "\
Examples:
  pfh known serve nsrl.pfhk bad=case.pfhk
      two sets at http://127.0.0.1:9180, for clients of hashlookup and scripts
  curl http://127.0.0.1:9180/lookup/md5/5d41402abc4b2a76b9719d911017c592
  curl -d '{\"digests\":[\"5d41402abc4b2a76b9719d911017c592\"]}' http://127.0.0.1:9180/v1/lookup
  pfh known serve --nsrlsvr 127.0.0.1 nsrl.pfhk
      also for clients of nsrlsvr, such as nsrllookup and Plaso, at its port 9120

Exit status:
  0    stopped by Ctrl-C or SIGTERM
  2    the command line is wrong, a set or an address cannot be used, or this pfh has no server
  3    stopped, and some lines of a list had not been read
  4    the addresses could not be written
  130  a second signal came before the requests under way had ended";

/// The port for HTTP.
const HTTP_PORT: u16 = 9180;

/// The port of nsrlsvr.
const NSRLSVR_PORT: u16 = 9120;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct ServeArguments {
    /// Sets and lists, or CLASS=SET to give the files of one another class: good, bad or other.
    #[arg(value_name = "SET", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) sets: Vec<OsString>,

    /// Answer HTTP at this address [default port: 9180; port 0 is any free one].
    ///
    /// The addresses are printed as soon as they can be used, each on a line. There is no authentication and no
    /// encryption: whoever reaches the address may ask.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9180", value_parser = parse_http)]
    pub(crate) listen: SocketAddr,

    /// Also answer HTTP for this host (repeatable), beside localhost and addresses.
    ///
    /// At a loopback address, requests for other hosts are refused, since a web page could make its own name lead here.
    /// At other addresses, they are refused only if hosts are named. A proxy that passes the host on needs the name by
    /// which its clients reach it.
    #[arg(long = "host", value_name = "NAME", value_parser = parse_host)]
    pub(crate) hosts: Vec<String>,

    /// Also speak the protocol of nsrlsvr at this address [default port: 9120].
    #[arg(long, value_name = "ADDRESS", value_parser = parse_nsrlsvr)]
    pub(crate) nsrlsvr: Option<SocketAddr>,

    /// Classes of the files that the protocol of nsrlsvr calls known, which has no classes: good, bad, other.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "good,bad,other")]
    pub(crate) nsrlsvr_classes: Vec<Class>,

    /// Most connections at a time; further ones are refused [default: 4096, or what the limit on open files allows].
    #[arg(long, value_name = "N")]
    pub(crate) max_connections: Option<NonZeroU32>,

    /// Most connections of one client at a time by each protocol; further ones are refused [default: a quarter of
    /// --max-connections, and 16 at least].
    ///
    /// A proxy is one client, and so are all programs that reach the server at a loopback address.
    #[arg(long, value_name = "N")]
    pub(crate) max_client_connections: Option<NonZeroU32>,

    /// Most requests of one client in a second; 0 for any number. A client is an address (IPv6: a network of 64 bits).
    #[arg(long, value_name = "N", default_value = "1000")]
    pub(crate) max_rate: u32,

    /// Most digests in a request over HTTP.
    #[arg(long, value_name = "N", default_value = "10000")]
    pub(crate) max_digests: NonZeroU32,

    /// Longest body of a request over HTTP (K, M, G: powers of 1024).
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = parse_limit)]
    pub(crate) max_body: u64,

    /// Most digests in a line of the protocol of nsrlsvr.
    #[arg(long, value_name = "N", default_value = "1024")]
    pub(crate) max_line_digests: NonZeroU32,

    /// Longest line of the protocol of nsrlsvr (K, M, G: powers of 1024).
    #[arg(long, value_name = "SIZE", default_value = "128K", value_parser = parse_limit)]
    pub(crate) max_line: u64,

    /// Memory limit for requests and answers on their way, beside a few kilobytes of each connection (K, M, G: powers
    /// of 1024). The sets are mapped, and are not in it.
    #[arg(short, long, value_name = "SIZE", default_value = "64M", value_parser = parse_limit)]
    pub(crate) memory: u64,

    /// Time for a client to begin its first request, to send one that it has begun, and to take each part of an answer.
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(crate) timeout: NonZeroU16,

    /// Time for which a connection of the protocol of nsrlsvr may be without a request after its first.
    #[arg(long, value_name = "SECONDS", default_value = "300")]
    pub(crate) idle: NonZeroU16,
}

/// Parses a limit in bytes, with which something can pass.
fn parse_limit(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        0 => Err(AT_LEAST_ONE.to_owned()),
        bytes => Ok(bytes),
    }
}

fn parse_http(text: &str) -> Result<SocketAddr, String> {
    parse_address(text, HTTP_PORT)
}

fn parse_nsrlsvr(text: &str) -> Result<SocketAddr, String> {
    parse_address(text, NSRLSVR_PORT)
}

/// Parses `127.0.0.1:80`, `[::1]:80`, and both without a port; `localhost` is 127.0.0.1. No name is looked up.
fn parse_address(text: &str, port: u16) -> Result<SocketAddr, String> {
    let local = text.strip_prefix("localhost").filter(|rest| rest.is_empty() || rest.starts_with(':'));
    let numeric = local.map(|rest| format!("{}{rest}", Ipv4Addr::LOCALHOST));
    let text = numeric.as_deref().unwrap_or(text);
    let alone = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = text.parse().or_else(|_| alone.parse().map(|address: IpAddr| SocketAddr::new(address, port)));
    address.map_err(|_| "write an address in numbers, such as 127.0.0.1:9000 or [::1]:9000".to_owned())
}

/// Parses a host as it stands in requests, without a port.
fn parse_host(text: &str) -> Result<String, String> {
    let in_brackets = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_host = match in_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
    };
    if is_host {
        Ok(text.to_owned())
    } else {
        Err("write a name or an address without a port, such as sets.example or [2001:db8::1]".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_no_port() {
        for text in ["localhost", "sets.example", "10.0.0.1", "[2001:db8::1]"] {
            assert_eq!(parse_host(text), Ok(text.to_owned()));
        }
        for text in ["", "sets.example:80", "http://sets.example", "2001:db8::1", "[sets]", "a b", "ä"] {
            assert!(parse_host(text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_have_a_port_or_get_one() {
        for (text, expected) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("127.0.0.1", "127.0.0.1:7"),
            ("localhost", "127.0.0.1:7"),
            ("localhost:9", "127.0.0.1:9"),
            ("::1", "[::1]:7"),
            ("[::1]", "[::1]:7"),
            ("[::1]:9", "[::1]:9"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(parse_address(text, 7).map(|address| address.to_string()), Ok(expected.to_owned()), "{text}");
        }
        for text in ["", ":80", "example.org", "localhosts", "localhost:x", "1.2.3.4:65536", "127.0.0.1:", "[::1"] {
            assert!(parse_address(text, 7).is_err(), "{text}");
        }
    }
}
