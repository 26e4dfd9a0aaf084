//! A running server.

use crate::hosts::Hosts;
use crate::http;
use crate::limits::Limits;
use crate::metrics::{Protocol, Refusal};
use crate::nsrlsvr;
use crate::routes;
use crate::state::{LOOK_UP_THREADS, State};
use axum::Router;
use pfh_known::{Class, Classifier};
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// Connections that the system accepts before the server does.
const BACKLOG: u32 = 4096;

/// Bytes of an answer that the system keeps for a connection: those that the client has not taken are to wait here,
/// where they are limited and their time is measured, and not there.
const SEND_BUFFER_BYTES: u32 = 128 << 10;

/// Most threads for connections; look-ups have threads of their own.
const THREADS_MAX: usize = 4;

/// Time until another connection is accepted after the system could not accept one, having no file left.
const AFTER_ACCEPT_ERROR: Duration = Duration::from_millis(50);

/// Time for look-ups under way when the time for requests is over.
const AFTER_STOP: Duration = Duration::from_millis(500);

/// The addresses, protocols and limits of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Address for HTTP. Port 0 is any free one. At a loopback address, requests are answered for hosts of this machine
    /// only: `localhost` and addresses.
    pub http: SocketAddr,
    /// Other hosts for which requests over HTTP are answered: names and addresses without a port, those of IPv6 in
    /// brackets. At an address that is no loopback one, requests are answered for every host if this is empty.
    pub hosts: Vec<String>,
    /// Address for the line protocol of nsrlsvr, if it is to be spoken.
    pub nsrlsvr: Option<SocketAddr>,
    /// The classes whose files the line protocol calls known.
    pub nsrlsvr_classes: Vec<Class>,
    /// The limits.
    pub limits: Limits,
    /// The name and the version of the program, for `/info`.
    pub program: String,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            http: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            hosts: Vec::new(),
            nsrlsvr: None,
            nsrlsvr_classes: Class::ALL.to_vec(),
            limits: Limits::default(),
            program: concat!("pfh ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// The error of a server that cannot start.
#[derive(Debug)]
pub struct StartError {
    /// The address that cannot be used; `None` if the system gives no threads.
    pub address: Option<SocketAddr>,
    /// The reason.
    pub error: io::Error,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(address) => write!(f, "{address} cannot be listened on: {}", self.error),
            None => write!(f, "the server cannot start: {}", self.error),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// A server that answers until it is stopped or dropped.
pub struct Server {
    /// `None` once it is stopped.
    runtime: Option<Runtime>,
    state: Arc<State>,
    stop: watch::Sender<bool>,
    http: SocketAddr,
    nsrlsvr: Option<SocketAddr>,
}

impl Server {
    /// Starts a server. When this returns, it accepts connections.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(classifier: Classifier, options: Options) -> Result<Server, StartError> {
        let Options { http, hosts, nsrlsvr, nsrlsvr_classes, limits, program } = options;
        let hosts = Hosts::new(http.ip(), hosts);
        let runtime = Builder::new_multi_thread()
            .worker_threads(thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX))
            .max_blocking_threads(LOOK_UP_THREADS)
            .thread_name("pfh-serve")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| StartError { address: None, error })?;
        let (stop, stopped) = watch::channel(false);
        let state = Arc::new(State::new(classifier, limits, nsrlsvr_classes, program, hosts, stopped));
        let entered = runtime.enter();
        let listen = |address: SocketAddr| {
            let listened = listen(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
            listened.map_err(|error| StartError { address: Some(address), error })
        };
        let (http, http_listener) = listen(http)?;
        let nsrlsvr = nsrlsvr.map(listen).transpose()?;
        drop(entered);
        let router = routes::router(Arc::clone(&state));
        runtime.spawn(accept(Arc::clone(&state), http_listener, Speaker::Http(router)));
        let nsrlsvr = nsrlsvr.map(|(address, listener)| {
            runtime.spawn(accept(Arc::clone(&state), listener, Speaker::Nsrlsvr));
            address
        });
        Ok(Server { runtime: Some(runtime), state, stop, http, nsrlsvr })
    }

    /// Returns the address for HTTP.
    pub fn http(&self) -> SocketAddr {
        self.http
    }

    /// Returns the address for the line protocol, if it is spoken.
    pub fn nsrlsvr(&self) -> Option<SocketAddr> {
        self.nsrlsvr
    }

    /// Stops: no more connections are accepted, and requests under way are answered within [`Limits::stop`]. Returns
    /// whether all were.
    pub fn stop(mut self) -> bool {
        let Some(runtime) = self.runtime.take() else { return true };
        let _ = self.stop.send(true);
        let ended =
            runtime.block_on(async { timeout(self.state.limits.stop, self.state.places.all_free()).await.is_ok() });
        runtime.shutdown_timeout(AFTER_STOP);
        ended
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that was just stopped leaves connections that would keep the address for a minute.
    socket.set_reuseaddr(true)?;
    // Connections get it from their listener.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// The protocol of a listener.
enum Speaker {
    Http(Router),
    Nsrlsvr,
}

impl Speaker {
    fn protocol(&self) -> Protocol {
        match self {
            Speaker::Http(_) => Protocol::Http,
            Speaker::Nsrlsvr => Protocol::Nsrlsvr,
        }
    }
}

async fn accept(state: Arc<State>, listener: TcpListener, speaker: Speaker) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = state.stopped() => return,
        };
        let Ok((stream, client)) = accepted else {
            sleep(AFTER_ACCEPT_ERROR).await;
            continue;
        };
        let (protocol, client) = (speaker.protocol(), client.ip());
        let place = match state.places.take(protocol, client) {
            Ok(place) => place,
            Err(refusal) => {
                state.metrics.refused(refusal);
                refuse(stream, protocol, refusal).await;
                continue;
            }
        };
        // Answers are short; waiting to fill a packet would only delay them.
        let _ = stream.set_nodelay(true);
        let state = Arc::clone(&state);
        match &speaker {
            Speaker::Http(router) => {
                let router = router.clone();
                tokio::spawn(async move {
                    let open = Arc::clone(&state);
                    let _open = (open.metrics.connected(protocol), place);
                    http::serve(state, router, stream, client).await;
                });
            }
            Speaker::Nsrlsvr => {
                tokio::spawn(async move {
                    let open = Arc::clone(&state);
                    let _open = (open.metrics.connected(protocol), place);
                    nsrlsvr::serve(state, stream, client).await;
                });
            }
        }
    }
}

/// Closes a connection beyond the limit, over HTTP with an answer. Nothing here waits for the client.
async fn refuse(mut stream: TcpStream, protocol: Protocol, refusal: Refusal) {
    // Bytes that were not read would make the system reset the connection, and with it the answer.
    let _ = stream.try_read(&mut [0; 4096]);
    if protocol == Protocol::Http {
        let reason = match refusal {
            Refusal::ClientConnections => "too many connections of one client",
            _ => "too many connections",
        };
        let _ = stream.try_write(http::unavailable(reason).as_bytes());
    }
    let _ = stream.shutdown().await;
}
