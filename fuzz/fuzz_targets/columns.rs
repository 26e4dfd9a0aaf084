#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::property;

fuzz_target!(|input: &[u8]| property::columns(input));
