//! A server over sets of known digests.
//!
//! [`Server::start`] answers by HTTP, with the interface of hashlookup (draft-dulaunoy-hashlookup-format) and one of
//! pfh for batches, and on request by the line protocol of nsrlsvr. docs/reference/known-server.md describes all three,
//! and `GET /openapi.json` describes those over HTTP. Everything that a client can make the server hold is limited; see
//! [`Limits`].
//!
//! ```
//! use pfh_known::Classifier;
//! use pfh_serve::{Options, Server};
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! let server = Server::start(Classifier::default(), Options::default())?;
//! let mut client = TcpStream::connect(server.http())?;
//! client.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"));
//! assert!(server.stop());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answers;
mod digests;
mod hosts;
mod http;
mod limits;
mod line;
mod metrics;
mod nsrlsvr;
mod pieces;
mod places;
mod routes;
mod server;
mod state;
mod stream;

pub use digests::{RequestError, parse_digests};
pub use limits::Limits;
pub use line::Line;
pub use routes::{OPENAPI, never_known, routes};
pub use server::{Options, Server, StartError};
