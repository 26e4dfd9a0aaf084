#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::property;
use pfh_record::{FormatName, KnownList};

fuzz_target!(|input: &[u8]| property::list(FormatName::Known(KnownList::Icse), input));
