#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| cubefold_engine_tests::compare_engines_of(input));
