#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::ledger;

fuzz_target!(|input: &[u8]| ledger::damaged(input));
