//! Damaged files are read or refused, whatever is wrong with them.

use cubefold_formats::{inspection::Inspection, read::FORMATS};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{answer, given};

/// Numbers and signs at which readers of numbers and lists break.
const WORDS: [&str; 16] = [
    "0",
    "-1",
    "18446744073709551616",
    "1048576",
    "4294967295",
    "1e308",
    "1e-2147483648",
    "nan",
    "[0-99999999]",
    "\u{e9}",
    "\"",
    "\0",
    "{{{{",
    "<a>",
    "%",
    "\n",
];

fn damaged(bytes: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..=bytes.len());
        match random.random_range(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.splice(at..at, WORDS[random.random_range(0..WORDS.len())].bytes()).for_each(drop),
            2 => {
                let end = (at + random.random_range(0..9)).min(bytes.len());
                bytes.splice(at..end, WORDS[random.random_range(0..WORDS.len())].bytes()).for_each(drop);
            }
            3 if at < bytes.len() => bytes[at] = random.random(),
            4 => {
                let end = (at + random.random_range(0..40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + random.random_range(0..80)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part).for_each(drop);
            }
        }
    }
    bytes
}

#[test]
fn damage_never_panics() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for own in given() {
        for _ in 0..40 {
            let bytes = damaged(&own.bytes, &mut random);
            let found = Inspection::of_bytes(own.name.clone(), &bytes, None);
            assert!(answer(&found).is_object());
            found.write(&mut std::io::sink()).unwrap();
        }
    }
}

#[test]
fn every_reader_survives_every_file() {
    for own in given() {
        for format in FORMATS {
            let whole = answer(&Inspection::of_bytes(own.name.clone(), &own.bytes, Some(format)));
            let half = &own.bytes[..own.bytes.len() / 2];
            let part = answer(&Inspection::of_bytes(own.name.clone(), half, Some(format)));
            assert!(whole.is_object() && part.is_object());
        }
    }
}
