//! `pfh lab mount`.

use super::super::exit::{Ending, Failed};
use super::super::lab_args::MountArguments;

#[cfg(not(feature = "slowfs"))]
/// Tells that the program cannot mount.
pub(super) fn run(_: &MountArguments) -> Result<Ending, Failed> {
    Err(Failed::usage(
        "this pfh was built without devices; build it with `cargo build --release --package pfh --features slowfs`",
    ))
}

#[cfg(feature = "slowfs")]
pub(super) use with_devices::run;

#[cfg(feature = "slowfs")]
mod with_devices {
    use super::super::super::command::Command;
    use super::super::super::signals::{Signals, Undo};
    use super::super::super::{message, reading};
    use super::{Ending, Failed, MountArguments};
    use pfh_lab::advice::SIMULATED;
    use pfh_slowfs::{Device, PRESETS, SlowMount, Unmounted};
    use std::io::{self, Read};
    use std::path::Path;

    /// Largest description of a device.
    const DEVICE_BYTES_MAX: u64 = 1 << 20;

    /// Shows a directory until a signal comes, standard input is closed, or another program unmounts it.
    pub(in super::super) fn run(arguments: &MountArguments) -> Result<Ending, Failed> {
        let MountArguments { directory, mount_point, device, until_closed } = arguments;
        let model = read(device)?;
        let input = until_closed.then(message::standard_input).transpose();
        let input = input.map_err(|error| Failed::usage(format_args!("--until-closed: standard input: {error}")))?;
        pfh_source::raise_open_file_limit();
        let mut command = Command::printing()?;
        let [from, at, what] = [directory, mount_point, device].map(|path| message::quoted_path(path));
        let behaviour = model.to_string();
        let mount = Signals::listen().undoable(|| {
            let mount = SlowMount::new(directory, mount_point, model, SIMULATED)
                .map_err(|error| Failed::usage(format_args!("{from} at {at}: {error}")))?;
            let (detacher, place) = (mount.detacher(), at.clone());
            let undo: Undo = Box::new(move || {
                if let Err(error) = detacher.detach() {
                    message::error(not_unmounted(&place, &error));
                }
            });
            Ok::<_, Failed>((mount, undo))
        })?;
        message::plain(format_args!("mounted {from} at {at} as {what}: {behaviour}"));
        let running = mount.running().map_err(|error| Failed::internal(format_args!("{at}: {error}")))?;
        let input = input.map(|input| Box::new(input) as Box<dyn Read + Send>);
        command.run_until_signal(input.into_iter().chain([Box::new(running) as Box<dyn Read + Send>]));
        match mount.unmount() {
            Ok(Unmounted::Unused) => {}
            Ok(Unmounted::Before) => message::plain(format_args!("another program unmounted {at}")),
            Ok(Unmounted::InUse) => message::error(format_args!(
                "{at} was in use: it is unmounted, and whoever has files of it open gets errors from now on"
            )),
            Err(error) => {
                return Err(Failed::internal(not_unmounted(&at, &error)));
            }
        }
        command.finish(Ok(()), 1, None)
    }

    fn not_unmounted(at: &str, error: &io::Error) -> String {
        format!("{at} could not be unmounted: {error}; `fusermount3 -u -z` does it")
    }

    fn read(device: &Path) -> Result<Device, Failed> {
        let shown = message::quoted_path(device);
        if device.extension().is_none_or(|extension| extension != "toml") {
            return device.to_str().and_then(Device::named).ok_or_else(|| {
                let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                Failed::usage(format_args!(
                    "{shown} is no device: there are {}, and descriptions whose names end in `.toml`",
                    names.join(", ")
                ))
            });
        }
        let bytes = reading::read_small(device, DEVICE_BYTES_MAX)?;
        let text = String::from_utf8(bytes).map_err(|error| Failed::usage(format_args!("{shown}: {error}")))?;
        Device::parse(&text).map_err(|error| Failed::usage(format_args!("{shown}: {error}")))
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::super::lab_args::{DEVICES, SIMULATED};
        use super::*;

        #[test]
        fn the_help_describes_every_device() {
            assert!(PRESETS.iter().map(|preset| preset.name).eq(SIMULATED));
            for preset in PRESETS {
                let line = format!("  {:<6} {}\n", preset.name, preset.about);
                assert!(DEVICES.contains(&line), "{line}");
            }
        }
    }
}
