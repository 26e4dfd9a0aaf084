#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::plan;

fuzz_target!(|input: &[u8]| plan::json(input));
