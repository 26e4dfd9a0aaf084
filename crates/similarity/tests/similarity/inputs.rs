//! The generators of inputs, as the docstring of `tests/vectors/gen_inputs.py` defines them.

use serde_json::Value;

const WORDS: &str = "the of and to in a is that for it as was with be by on not he his but at are this have from or had an \
    they which one you were her all she there would their we him been has when who will more no if out so said what up its \
    about into than them can only other new some could time these two may then do first any my now such like our over man \
    me even most made after also did many before must through years where much your way well down should because each just \
    those people how too little state good very make world still own see men work long get here between both life being \
    under never day night";

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// `bytes` bytes of noise.
pub(crate) fn random(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let mut out: Vec<u8> = (0..bytes.div_ceil(8)).flat_map(|_| random.next().to_le_bytes()).collect();
    out.truncate(bytes);
    out
}

/// `bytes` bytes of words.
pub(crate) fn text(seed: u64, bytes: usize) -> Vec<u8> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    assert_eq!(words.len(), 128);
    let mut random = Random(seed);
    let mut out = Vec::with_capacity(bytes + 16);
    while out.len() < bytes {
        let r = random.next();
        out.extend_from_slice(words[(((r & 0xFFFF) * ((r >> 16) & 0xFFFF)) >> 25) as usize].as_bytes());
        out.extend_from_slice(match (r >> 32) & 15 {
            0 => b".\n",
            1 => b", ",
            _ => b" ",
        });
    }
    out.truncate(bytes);
    out
}

/// `bytes` bytes of 32-byte records.
pub(crate) fn records(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let mut out = Vec::with_capacity(bytes + 32);
    for i in 0_u32.. {
        if out.len() >= bytes {
            break;
        }
        let r = random.next();
        out.extend_from_slice(&i.to_le_bytes());
        out.extend_from_slice(&(0xCAFE_0000 + i % 7).to_le_bytes());
        out.extend_from_slice(&(r as u16 & 0xFF).to_le_bytes());
        out.extend_from_slice(&((r >> 8) as u16 & 3).to_le_bytes());
        out.extend_from_slice(&i.wrapping_mul(48).to_le_bytes());
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&(r >> 16).to_le_bytes());
    }
    out.truncate(bytes);
    out
}

/// The bytes that a description stands for.
pub(crate) fn generate(spec: &Value) -> Vec<u8> {
    let number = |field: &str| spec[field].as_u64().unwrap_or_else(|| panic!("no number `{field}` in {spec}"));
    let size = |field: &str| usize::try_from(number(field)).expect("fits");
    let part = |field: &str| generate(&spec[field]);
    match spec["kind"].as_str().expect("a kind") {
        "random" => random(number("seed"), size("len")),
        "text" => text(number("seed"), size("len")),
        "records" => records(number("seed"), size("len")),
        "const" => vec![number("byte") as u8; size("len")],
        "hex" => {
            let digits = spec["hex"].as_str().expect("hexadecimal digits");
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
            (0..digits.len()).step_by(2).map(byte).collect()
        }
        "repeat" => part("of").iter().copied().cycle().take(size("len")).collect(),
        "concat" => spec["parts"].as_array().expect("parts").iter().flat_map(generate).collect(),
        "slice" => part("of")[size("off")..size("off") + size("len")].to_vec(),
        "insert" => {
            let mut bytes = part("of");
            bytes.splice(size("off")..size("off"), part("data"));
            bytes
        }
        "delete" => {
            let mut bytes = part("of");
            bytes.drain(size("off")..size("off") + size("len"));
            bytes
        }
        "replace" => {
            let (mut bytes, data) = (part("of"), part("data"));
            bytes[size("off")..size("off") + data.len()].copy_from_slice(&data);
            bytes
        }
        "noise" => {
            let (mut bytes, mut random) = (part("of"), Random(number("seed")));
            for _ in 0..number("count") {
                let r = random.next();
                let at = (r % bytes.len() as u64) as usize;
                bytes[at] ^= 1 + ((r >> 48) % 255) as u8;
            }
            bytes
        }
        kind => panic!("unknown kind {kind}"),
    }
}
