#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::known;

fuzz_target!(|input: &[u8]| known::bloom(input));
