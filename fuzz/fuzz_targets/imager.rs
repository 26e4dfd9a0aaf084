#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_fuzz::property;
use pfh_record::{FixityList, FormatName};

fuzz_target!(|input: &[u8]| property::list(FormatName::Fixity(FixityList::Imager), input));
