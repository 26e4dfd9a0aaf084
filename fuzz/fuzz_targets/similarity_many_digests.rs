#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::similarity;

fuzz_target!(|input: &[u8]| similarity::many_digests(input));
