//! `pfh known serve`.

use super::exit::{Ending, Failed};
use super::serve_args::ServeArguments;

#[cfg(not(feature = "serve"))]
/// Tells that the program has no server.
pub(crate) fn run(_: &ServeArguments) -> Result<Ending, Failed> {
    Err(Failed::usage(
        "this pfh was built without the server; build it with `cargo build --release --package pfh --features serve`",
    ))
}

#[cfg(feature = "serve")]
pub(crate) use with_server::run;

#[cfg(feature = "serve")]
mod with_server {
    use super::super::command::Command;
    use super::super::{message, verdicts};
    use super::{Ending, Failed, ServeArguments};
    use pfh_serve::{Limits, Options, Server, never_known};
    use std::time::Duration;

    /// Open files beside those of connections and sets: standard streams, signals, the runtime, listeners, and
    /// connections that are being refused.
    const OTHER_FILES: u64 = 64;

    /// Most connections of one client: this part of all, and this number at least, which browsers and scripts need.
    const CLIENT_PART: usize = 4;
    const CLIENT_CONNECTIONS_MIN: usize = 16;

    /// Memory for making sets of lists.
    const LIST_BYTES: u64 = 256 << 20;

    /// Runs `pfh known serve`.
    pub(crate) fn run(arguments: &ServeArguments) -> Result<Ending, Failed> {
        let mut options = Options::default();
        options.http = arguments.listen;
        options.hosts.clone_from(&arguments.hosts);
        options.nsrlsvr = arguments.nsrlsvr;
        options.nsrlsvr_classes.clone_from(&arguments.nsrlsvr_classes);
        let (classifier, unread) = verdicts::open_all(&arguments.sets, false, None, None, LIST_BYTES, false)?;
        options.limits = limits(arguments)?;
        let mut command = Command::printing()?;
        command.count_lines(unread);
        let never_known = never_known(&classifier);
        let server = Server::start(classifier, options).map_err(Failed::usage)?;
        if !never_known.is_empty() {
            message::error(format_args!(
                "no set has digests by {}: the paths of hashlookup for these know no file",
                never_known.join(", ")
            ));
        }
        // Clients of the original ask for no others.
        if server.nsrlsvr().is_some() && never_known.contains(&"MD5") {
            message::error("no set has digests by MD5: clients of nsrlsvr, which ask for these, find no file");
        }
        let addresses = [("http", Some(server.http())), ("nsrlsvr", server.nsrlsvr())];
        for (protocol, address) in addresses {
            let Some(address) = address else { continue };
            if !address.ip().is_loopback() {
                message::error(format_args!(
                    "whoever reaches {address} may ask: there is no authentication and no encryption"
                ));
            }
            command.write(format!("{protocol}://{address}\n").as_bytes());
        }
        if command.deliver_now() {
            command.run_until_signal([]);
        }
        if !server.stop() {
            message::error("some requests under way took too long, and their connections were closed");
        }
        command.finish(Ok(()), 1, None)
    }

    fn limits(arguments: &ServeArguments) -> Result<Limits, Failed> {
        let default = Limits::default();
        let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let open_files = pfh_source::raise_open_file_limit();
        let other_files = OTHER_FILES + arguments.sets.len() as u64;
        let possible = usize::try_from(open_files.saturating_sub(other_files)).unwrap_or(usize::MAX).max(1);
        let connections = match arguments.max_connections {
            None => default.connections.min(possible),
            Some(asked) if number(asked.get()) <= possible => number(asked.get()),
            Some(asked) => {
                return Err(Failed::usage(format_args!(
                    "the limit of {open_files} open files is too low for {asked} connections: raise it to {} or more \
                     (ulimit -n), or ask for {possible}",
                    u64::from(asked.get()) + other_files
                )));
            }
        };
        let of_client = (connections / CLIENT_PART).max(CLIENT_CONNECTIONS_MIN);
        Ok(Limits {
            connections,
            connections_per_client: arguments.max_client_connections.map_or(of_client, |asked| number(asked.get())),
            digests: number(arguments.max_digests.get()),
            body_bytes: bytes(arguments.max_body),
            line_digests: number(arguments.max_line_digests.get()),
            line_bytes: bytes(arguments.max_line),
            requests_per_second: arguments.max_rate,
            memory_bytes: bytes(arguments.memory),
            timeout: Duration::from_secs(arguments.timeout.get().into()),
            idle: Duration::from_secs(arguments.idle.get().into()),
            stop: default.stop,
        })
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::args::Arguments;
        use super::super::super::known_args::{KnownArguments, KnownCommand};
        use super::*;
        use clap::Parser;

        #[test]
        fn the_options_have_the_defaults_of_the_server() {
            let parsed = Arguments::try_parse_from(["pfh", "known", "serve", "set"]).unwrap();
            let super::super::super::args::Command::Known(KnownArguments { command: KnownCommand::Serve(arguments) }) =
                parsed.command
            else {
                panic!("another command")
            };
            assert_eq!(limits(&arguments).unwrap(), Limits::default());
        }
    }
}
