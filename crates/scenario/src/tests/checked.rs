//! Scenarios that are checked without holding their runs.

use super::*;

fn check(files: &Files, memory: u64) -> Result<CheckedScenarios, ScenarioErrors> {
    check_with(std::slice::from_ref(&files.scenario), &[], memory)
}

fn load(files: &Files, memory: u64) -> Result<Scenario, ScenarioErrors> {
    load_with(std::slice::from_ref(&files.scenario), &[], memory).map(|mut scenarios| scenarios.remove(0))
}

fn numbers(count: u64) -> String {
    (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

#[test]
fn runs_that_are_too_many_to_hold_are_listed() {
    let seeds = numbers(5000);
    let text = format!("{RING}[mapping]\nembeddings = [\"xor\"]\n[sweep]\nseed = [{seeds}]\n");
    let files = Files::new(&[("s.toml", &text)]);
    let refused = load(&files, 4 << 20).unwrap_err().to_string();
    assert!(refused.contains("a sweep of 5000 runs needs about"), "{refused}");
    assert_are_the_same(&load(&files, u64::MAX).unwrap(), &check(&files, 4 << 20).unwrap());
}

#[test]
fn placements_that_are_too_many_to_keep_are_made_again() {
    // Each takes 32 KiB.
    let seeds = numbers(300);
    let text = format!(
        "machine = {{ kind = \"ring\", shape = [1024] }}\nmapping.embeddings = [\"xor\", \"random\"]\n[sweep]\n\
         seed = [{seeds}]\n\"machine.links\" = [\"full-duplex\", \"half-duplex\"]\n"
    );
    let files = Files::new(&[("s.toml", &text)]);
    assert!(load(&files, 4 << 20).is_err());
    assert_are_the_same(&load(&files, u64::MAX).unwrap(), &check(&files, 4 << 20).unwrap());
}

#[test]
fn a_file_of_a_placement_that_is_made_again_is_an_input() {
    let seeds = numbers(2000);
    let text = format!(
        "machine = {{ kind = \"ring\", shape = [1024] }}\nprogram.dimensions = 2\n[sweep]\n\
         \"mapping.embeddings\" = [[\"file:p.csv\"], [\"random\"]]\nseed = [{seeds}]\n"
    );
    let files = Files::new(&[("s.toml", &text), ("p.csv", "process,p_1\n0,5\n1,6\n2,9\n3,0\n")]);
    let checked = check(&files, 1 << 20).unwrap();
    assert!(checked.scenarios()[0].inputs.contains(&files.directory.path().join("p.csv")));
}

#[test]
fn rows_that_a_reader_keeps_count_as_memory() {
    let text =
        "machine = { kind = \"ring\", shape = [2] }\nprogram = { kind = \"traffic\", file = \"m.csv\" }\n";
    let rows = "0,1,8,1\n".repeat(20_000);
    let files =
        Files::new(&[("s.toml", text), ("m.csv", &format!("source,destination,bytes,messages\n{rows}"))]);
    let refused = check(&files, 1 << 20).unwrap_err().to_string();
    assert!(refused.contains("m.csv: its matrix: needs about"), "{refused}");
    check(&files, 8 << 20).unwrap();
}

#[test]
fn what_one_combination_needs_is_refused() {
    let text = "machine = { kind = \"ring\", shape = [65536] }\nmapping.embeddings = [\"random\"]\n\
                sweep.seed = [1, 2]\n";
    let files = Files::new(&[("s.toml", text)]);
    let refused = check(&files, 1 << 20).unwrap_err();
    assert!(refused.to_string().contains("embedding random: needs about"), "{refused}");
    check(&files, 3 << 20).unwrap();
}

#[test]
fn errors_are_counted_as_long_as_there_is_memory_for_them() {
    let shapes: Vec<String> = (0..2000).map(|length| format!("[1, {length}]")).collect();
    let text = format!(
        "machine.kind = \"torus\"\n[sweep]\nseed = [1, 2]\n\"machine.shape\" = [{}]\n",
        shapes.join(", ")
    );
    let files = Files::new(&[("s.toml", &text)]);
    let all = files.load().unwrap_err();
    assert!(all.count() >= 2000, "{}", all.count());
    let known = check(&files, 4 << 20).unwrap_err();
    assert!(known.count() < all.count());
    assert!(known.to_string().contains("no further errors are looked for"), "{known}");
}
