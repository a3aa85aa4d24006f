#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| cubefold_fuzz::inputs::edges(input));
