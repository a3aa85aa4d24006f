//! The cases of `tests/golden/cubes.json` that scenarios can state: link sequences, cubes as guests, meshes on lines and
//! in cubes (section 29 of the model).

use super::*;

#[test]
fn wrong_link_sequences_are_told() {
    let error = |stages: &str| errors(&format!("{RING}[program]\nstages = \"{stages}\"\n")).concat();
    assert!(error("br:4").contains("expected at most the 3 dimensions of the cube"));
    assert!(error("br:0").contains("br of 0 dimensions, expected 1 to 24"));
    assert!(error("brr").contains("degree-4 or minimum-alpha"));
    assert!(error("br:all").contains("expected a list of dimensions"));
}

#[test]
fn guests_that_wrap_are_refused_on_lines() {
    let text = "[machine]\nkind = \"line\"\nshape = [12]\n[program]\nkind = \"neighbour-exchange\"\n\
                guest = { kind = \"torus\", shape = [4, 3] }\n[mapping]\nembeddings = [\"byweight\"]\n";
    let errors = errors(text).concat();
    assert!(errors.contains("embedding byweight of a torus or mesh guest, expected a d-cube"), "{errors}");
}

#[test]
fn wrong_settings_of_pipelining_are_told() {
    let error = |keys: &str| errors(&format!("{RING}[program]\n{keys}\n")).concat();
    assert!(error("pipelining = 0").contains("expected an integer from 1 to 65536, or \"best\""));
    assert!(error("pipelining = \"Best\"").contains("expected an integer from 1"));
    assert!(error("ports = 2").contains("expected 1 or \"all\""));
    assert!(error("startup = \"1 us\"").contains("startup_cycles"));
    assert!(error("startup = \"1 us\"\nstartup_cycles = 3").contains("both"));
    assert!(error("compute_cycles = [1, 2]").contains("expected 3 entries, one for each stage"));
    let noise = |table: &str| error(&format!("compute_noise = {{ {table} }}"));
    assert!(noise("max = 3").contains("program.compute_noise.kind is missing"));
    assert!(noise("kind = \"uniform\"").contains("program.compute_noise.max is missing"));
    assert!(noise("kind = \"uniform\", mean = 3").contains("mean of uniform noise, expected max"));
    assert!(noise("kind = \"outliers\", one_in = 0, cycles = 1").contains("expected an integer from 1"));
    assert!(noise("kind = \"normal\"").contains("expected uniform, outliers or exponential"));
    assert!(error("kind = \"divide-and-conquer\"\npipelining = 2").contains("pipelining"));
    let wandering = "[machine]\nkind = \"shuffle-exchange\"\ndimensions = 3\n[program]\nkind = \"normal\"\npipelining = 2\n";
    let error = errors(wandering).concat();
    assert!(error.contains("program.pipelining of a normal program whose data move"), "{error}");
}

#[test]
fn new_settings_change_the_digest_only_where_they_are_set() {
    let text = |more: &str| scenario(&format!("{RING}[program]\n{more}\n")).runs[0].resolved.text();
    let plain = text("");
    for key in ["pipelining", "ports", "startup", "noise"] {
        assert!(!plain.contains(key), "{key} is in\n{plain}");
    }
    for more in [
        "pipelining = 2",
        "ports = 1",
        "startup_cycles = 1",
        "compute_noise = { kind = \"uniform\", max = 2 }",
    ] {
        assert_ne!(text(more), plain, "{more}");
    }
}
