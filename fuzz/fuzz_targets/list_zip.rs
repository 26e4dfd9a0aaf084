#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::list;

fuzz_target!(|input: &[u8]| list::zip(input));
