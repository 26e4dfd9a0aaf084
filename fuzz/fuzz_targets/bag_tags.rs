#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::bag;

fuzz_target!(|input: &[u8]| bag::tags(input));
