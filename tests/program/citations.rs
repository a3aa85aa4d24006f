//! The origin of results: their digest, `--expect` and `cite`.

use serde_json::Value;

use super::command::{Scratch, done, json, refused, run};

const SCENARIO: &str = "seed = 2\n[machine]\nkind = \"ring\"\nshape = [8]\n\
                        [mapping]\nembeddings = [\"xor\"]\n";

/// The digest of a scenario's runs.
fn digest(arguments: &[&str]) -> String {
    json(&[&["run"], arguments].concat())["provenance"]["digest"].as_str().unwrap().to_owned()
}

#[test]
fn results_say_what_decides_them_and_on_which_files() {
    let messages = "stage,source,destination,units\n0,0,1,1\n";
    let of_file = format!("{SCENARIO}[program]\nkind = \"stages\"\nfile = \"m.csv\"\n");
    let scratch = Scratch::with(&[("s.toml", of_file.as_str()), ("m.csv", messages)]);
    let path = scratch.path("s.toml");
    let document = json(&["run", &path, "--threads", "1", "--set", "machine.hop_cycles=2"]);
    let provenance = &document["provenance"];
    let members: Vec<&String> = provenance.as_object().unwrap().keys().collect();
    assert_eq!(members, ["program", "version", "commit", "dirty", "model", "command", "digest", "files"]);
    assert_eq!((&provenance["program"], &provenance["model"]), (&"cubefold".into(), &4.into()));
    assert_eq!(provenance["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(provenance["command"], format!("cubefold run {path} --set machine.hop_cycles=2"));
    let file = &provenance["files"][0];
    assert_eq!((&file["key"], &file["path"]), (&"program.file".into(), &scratch.path("m.csv").into()));
    assert_eq!(file["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(provenance["files"].as_array().unwrap().len(), 1);
    // Another content is another run; another name is not.
    let before = digest(&[&path]);
    std::fs::write(scratch.path("m.csv"), messages.replace("0,0,1,1", "0,0,1,2")).unwrap();
    assert_ne!(digest(&[&path]), before);
    std::fs::write(scratch.path("n.csv"), messages).unwrap();
    assert_eq!(digest(&[&path, "--set", "program.file=n.csv"]), before);
}

#[test]
fn a_digest_of_several_runs_is_that_of_their_digests() {
    let both = SCENARIO.replace("\"xor\"", "\"xor\", \"standard\"");
    let scratch = Scratch::with(&[("s.toml", SCENARIO), ("both.toml", &both)]);
    let alone = digest(&[&scratch.path("s.toml")]);
    // The name of a scenario and options about output do not count.
    assert_eq!(digest(&[&scratch.path("s.toml"), "--set", "name=n", "--threads", "2"]), alone);
    assert_eq!(digest(&[&scratch.path("both.toml"), "--set", "mapping.embeddings=[\"xor\"]"]), alone);
    let other = digest(&[&scratch.path("s.toml"), "--set", "mapping.embeddings=[\"standard\"]"]);
    let both = digest(&[&scratch.path("both.toml")]);
    assert!(both != alone && both != other && both.len() == 64);
}

#[test]
fn runs_with_another_digest_than_expected_do_not_begin() {
    let scratch = Scratch::with(&[("s.toml", SCENARIO)]);
    let path = scratch.path("s.toml");
    let known = digest(&[&path]);
    for command in ["run", "compare"] {
        assert_eq!(run(&[command, &path, "--expect", &known]).code, Some(0));
        assert_eq!(run(&[command, &path, "--expect", &known[..12]]).code, Some(0));
        let refused = run(&[command, &path, "--expect", &known, "--set", "machine.hop_cycles=2"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
        let now = digest(&[&path, "--set", "machine.hop_cycles=2"]);
        let message = format!("the digest of the runs is {now}, expected {known}");
        assert!(
            refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ").contains(&message),
            "{refused:?}"
        );
    }
    assert_eq!(run(&["run", &path, "--expect", &known[..11]]).code, Some(2));
}

#[test]
fn results_are_cited_with_the_command_that_repeats_them() {
    let scratch = Scratch::with(&[("s.toml", SCENARIO)]);
    let results = scratch.path("r.json");
    done(&["run", &scratch.path("s.toml"), "--set", "machine.links=half-duplex", "--output", &results]);
    let document: Value = serde_json::from_str(&scratch.read("r.json")).unwrap();
    let digest = document["provenance"]["digest"].as_str().unwrap();
    let cited = run(&["cite", &results]);
    assert_eq!(cited.code, Some(0));
    let version = format!("  version = {{{}}},\n", env!("CARGO_PKG_VERSION"));
    assert!(cited.stdout.starts_with("@software{cubefold,\n  title = {{") && cited.stdout.contains(&version));
    assert!(cited.stdout.contains(&format!("model 4, digest {digest}}}\n}}\n")), "{}", cited.stdout);
    let last = cited.stdout.lines().last().unwrap();
    // No word has a blank or needs its quotes.
    let words = last.replace('\'', "");
    let command: Vec<&str> = words.split(' ').collect();
    assert_eq!(command[command.len() - 2..], ["--expect", digest]);
    assert_eq!(run(&command[1..]).code, Some(0), "{last}");
    // Only changed sources and missing ones are doubted.
    let with = |commit: Value, dirty: Value| {
        let mut changed = document.clone();
        changed["provenance"]["commit"] = commit;
        changed["provenance"]["dirty"] = dirty;
        std::fs::write(scratch.path("c.json"), changed.to_string()).unwrap();
        run(&["cite", &scratch.path("c.json")])
    };
    let clean = with("0123abcd".into(), false.into());
    assert!(clean.stderr.is_empty() && clean.stdout.contains("note = {commit 0123abcd, model"), "{clean:?}");
    assert!(
        with("0123abcd".into(), true.into()).stderr.contains("warning: the program was built from changed")
    );
    assert!(with(Value::Null, Value::Null).stderr.contains("warning: the program was built without git"));
}

#[test]
fn what_has_no_provenance_is_not_cited() {
    let scratch = Scratch::with(&[("s.toml", SCENARIO), ("old.json", "{\"runs\": []}")]);
    done(&["run", &scratch.path("s.toml"), "--output", &scratch.path("r.csv")]);
    for name in ["r.csv", "old.json", "s.toml", "missing.json"] {
        let said = refused(&["cite", &scratch.path(name)]);
        assert!(said.contains(name), "{said}");
    }
}
