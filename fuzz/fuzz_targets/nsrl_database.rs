#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::nsrl;

fuzz_target!(|input: &[u8]| nsrl::database(input));
