//! A read-only view of a directory that is as slow as a chosen storage device, and fails like one: a hard disk, a
//! solid-state disk, a network storage or a disk that dies can be had wherever FUSE is.
//!
//! [`Device`] is the description of a device, [`DeviceModel`] its arithmetic in a time that the caller brings, and
//! [`SlowMount`] the mounted filesystem. `docs/reference/devices.md` describes the files of devices, and the part that
//! the kernel has in each measurement.
#![forbid(unsafe_code)]

mod device;
mod model;
pub mod passthrough;
mod pool;
mod slow;

pub use device::{BadRange, Device, DeviceError, Files, PRESETS, Preset, Stall};
pub use model::{DeviceModel, FileKey, ReadRequest, Reservation};
pub use slow::{Detacher, MountError, SlowMount, Unmounted};
