//! The corpora of the fuzz targets, as tests: inputs that the fuzzer found to behave differently are tried in every run.

#[expect(unreachable_pub, reason = "public in the crate of the targets")]
#[path = "../../fuzz/src/inputs.rs"]
mod inputs;

use std::fs;

use super::command::root;

type Target = fn(&[u8]);

#[test]
fn every_input_of_the_corpora_is_taken_or_refused() {
    let targets: [(&str, Target); 6] = [
        ("scenario", inputs::scenario),
        ("placement", inputs::placement),
        ("launcher", inputs::launcher),
        ("edges", inputs::edges),
        ("program_file", inputs::program_file),
        ("journal", inputs::journal),
    ];
    for (name, target) in targets {
        let files = fs::read_dir(root().join("fuzz/corpus").join(name)).unwrap();
        let inputs: Vec<Vec<u8>> = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
        assert!(!inputs.is_empty(), "{name}");
        for input in &inputs {
            target(input);
        }
    }
}
