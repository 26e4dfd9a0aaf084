#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::kernels;

fuzz_target!(|input: &[u8]| kernels::fnv1a_many(input));
