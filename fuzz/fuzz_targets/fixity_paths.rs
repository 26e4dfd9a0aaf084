#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::fixity;

fuzz_target!(|input: &[u8]| fixity::paths(input));
