use super::*;

/// Scenarios that together have every key.
const EXAMPLES: [&str; 2] = [include_str!("example.toml"), include_str!("neighbours.toml")];

/// Bytes that have a meaning in TOML or CSV, and some that do not.
const BYTES: [u8; 12] = *b"\"'][{=#,\n-9x";

/// Reads a text; any result without a panic is right.
fn read(text: &str) {
    let source = SourceFile::excerpt(Path::new("s.toml"), text.to_owned(), 0);
    if let Err(errors) = Scenario::from_source(&source, &[], &mut Library::default()) {
        check_marks(&errors);
    }
}

/// Checks that every error has marks inside its text.
fn check_marks(errors: &[ScenarioError]) {
    assert!(!errors.is_empty());
    for error in errors {
        assert!(error.position().is_none_or(|(line, column)| line > 0 && column > 0));
        let report = error.report();
        let text = report.source_code();
        for label in report.labels().into_iter().flatten() {
            assert!(text.unwrap().read_span(label.inner(), 1, 1).is_ok());
        }
    }
}

#[test]
fn the_scenarios_are_right_before_they_are_changed() {
    for (example, runs) in EXAMPLES.iter().zip([60, 2]) {
        assert_eq!(scenario(example).runs.len(), runs);
    }
}

#[test]
fn a_scenario_cut_anywhere_is_read_or_refused() {
    for example in EXAMPLES {
        for at in (0..example.len()).filter(|&at| example.is_char_boundary(at)) {
            let (before, after) = example.split_at(at);
            read(before);
            read(after);
        }
    }
}

#[test]
fn a_scenario_with_any_byte_changed_is_read_or_refused() {
    for example in EXAMPLES {
        for at in 0..example.len() {
            // A quarter of the bytes at each position, changing from position to position.
            for byte in BYTES.into_iter().skip(at % 4).step_by(4) {
                let mut text = example.as_bytes().to_vec();
                text[at] = byte;
                read(&String::from_utf8_lossy(&text));
            }
            let mut shorter = example.as_bytes().to_vec();
            shorter.remove(at);
            read(&String::from_utf8_lossy(&shorter));
        }
    }
}

#[test]
fn a_placement_file_with_any_byte_changed_is_read_or_refused() {
    let text = "machine = { kind = \"mesh\", shape = [3, 2] }\nprogram.dimensions = 2\n\
                mapping.embeddings = [\"file:p.csv\"]\n";
    let table = b"process,p_1,p_2\n0,0,0\r\n2,1,1\n\n1,\"2\",0\n3,2,1\n";
    let files = Files::new(&[("s.toml", text), ("p.csv", "")]);
    let load = |table: &[u8]| {
        fs::write(files.directory.path().join("p.csv"), table).unwrap();
        if let Err(errors) = files.load() {
            check_marks(&errors.into_iter().collect::<Vec<_>>());
        }
    };
    for at in 0..table.len() {
        load(&table[..at]);
        for byte in BYTES.into_iter().chain([b'\xff']) {
            let mut changed = table.to_vec();
            changed[at] = byte;
            load(&changed);
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    read(&format!("name = {}", "[".repeat(100_000)));
    read(&format!("{}= 1", "a.".repeat(100_000)));
    read(&"[a]\n".repeat(1000));
}
