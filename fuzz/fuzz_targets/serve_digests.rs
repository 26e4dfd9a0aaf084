#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::serve;

fuzz_target!(|input: &[u8]| serve::digests(input));
