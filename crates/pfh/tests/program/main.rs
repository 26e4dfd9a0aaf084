//! Tests of the whole program as users see it: arguments, standard streams, files, signals and exit statuses.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

mod audit;
mod bag;
mod blocks;
mod certify;
/// One text for all crates.
#[path = "../../../testing/src/chromium.rs"]
mod chromium;
mod compare;
mod convert;
mod copy;
mod copy_faults;
mod documentation;
mod dupes;
mod facts;
mod faults;
mod findings;
mod fixture;
mod formats;
mod habits;
mod hostile;
#[path = "../../../similarity/tests/similarity/inputs.rs"]
/// The inputs of the vectors.
mod inputs;
mod joined;
mod known;
mod known_doubts;
mod known_export;
#[cfg(feature = "serve")]
mod known_serve;
mod known_sets;
mod lab;
mod lab_programs;
mod lab_report;
#[cfg(feature = "slowfs")]
mod lab_storage;
/// One text for all crates.
#[path = "../../../testing/src/looked_at.rs"]
mod looked_at;
mod matrix;
mod messages;
mod network;
mod open_files;
mod options;
mod output;
mod pages;
mod parameters;
mod peers;
mod recipes;
mod resume;
mod shard;
mod similarity;
mod verify;

use pfh_testing as skip;
