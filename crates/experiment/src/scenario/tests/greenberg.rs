use cubefold_mapping::{GreenbergMethod, Placement};

use super::*;

/// A scenario with the embedding on a machine, for a guest.
fn on(machine: &str, program: &str) -> Files {
    let text = format!(
        "[machine]\n{machine}\n[program]\nkind = \"neighbour-exchange\"\n{program}\n[mapping]\nembeddings = [\"greenberg\"]\n"
    );
    Files::new(&[("s.toml", &text)])
}

const SIX: &str = "kind = \"hypercube\"\ndimensions = 6";

#[test]
fn meshes_and_lines_lie_in_the_smallest_hypercube() {
    let run = |machine: &str, program: &str| on(machine, program).load().unwrap().runs.remove(0);
    for (dimensions, guest, method) in [
        (6, "{ kind = \"mesh\", shape = [5, 11] }", GreenbergMethod::Reflection),
        (6, "{ kind = \"mesh\", shape = [11, 5], wrap = [false, true] }", GreenbergMethod::Reflection),
        (5, "{ kind = \"mesh\", shape = [8, 4] }", GreenbergMethod::Gray),
        (5, "{ kind = \"torus\", shape = [8, 4] }", GreenbergMethod::Gray),
        (4, "{ kind = \"line\", shape = [11] }", GreenbergMethod::Gray),
        (7, "{ kind = \"mesh\", shape = [5, 5, 4] }", GreenbergMethod::Reflection),
        (3, "{ kind = \"hypercube\", dimensions = 3 }", GreenbergMethod::Gray),
    ] {
        let found =
            run(&format!("kind = \"hypercube\"\ndimensions = {dimensions}"), &format!("guest = {guest}"));
        let Placement::Greenberg(placement) = &*found.placement else { panic!("{guest}") };
        assert_eq!((placement.method(), found.placement.is_one_to_one()), (method, true), "{guest}");
    }
    // Any machine with lengths of 2 is a hypercube.
    run("kind = \"mesh\"\nshape = [2, 2, 2, 2]", "guest = { kind = \"mesh\", shape = [3, 5] }");
}

#[test]
fn machines_of_another_size_are_told_where_they_are_written() {
    let errors = |machine: &str, guest: &str| on(machine, &format!("guest = {guest}")).displayed();
    let mesh = "{ kind = \"mesh\", shape = [5, 11] }";
    assert_eq!(
        errors("kind = \"hypercube\"\ndimensions = 7", mesh),
        ["s.toml:3:14: embedding greenberg: a hypercube of 7 dimensions, expected 6"]
    );
    assert_eq!(
        errors("kind = \"torus\"\nshape = [2, 32]", mesh),
        [
            "s.toml:3:13: embedding greenberg: length of dimension 2 of the machine is 32, expected a hypercube"
        ]
    );
}

#[test]
fn guests_that_wrap_elsewhere_or_are_too_large_are_told_where_they_are_written() {
    let errors = |guest: &str| on(SIX, &format!("guest = {guest}")).displayed();
    assert_eq!(
        errors("{ kind = \"torus\", shape = [5, 11] }"),
        [
            "s.toml:6:9: embedding greenberg: dimension 2 of length 11 wraps and is the longer side of a mesh by \
             reflection, expected one that does not wrap"
        ]
    );
    assert_eq!(
        errors("{ kind = \"ring\", shape = [50] }"),
        [
            "s.toml:6:9: embedding greenberg: dimension 1 of length 50 wraps and is placed by the Gray code, expected \
             one that does not wrap"
        ]
    );
    assert_eq!(
        errors("{ kind = \"mesh\", shape = [5000, 5000] }"),
        ["s.toml:6:9: embedding greenberg: 25000000 processes, expected at most 16777216"]
    );
}

#[test]
fn helps_say_what_would_do() {
    let help = |machine: &str, program: &str| {
        let text = format!("{machine}\n{program}\nmapping.embeddings = [\"greenberg\"]\n");
        Files::new(&[("s.toml", &text)]).help()
    };
    let guest = |guest: &str| format!("program = {{ kind = \"neighbour-exchange\", guest = {guest} }}");
    let mesh = guest("{ kind = \"mesh\", shape = [5, 11] }");
    assert_eq!(
        help("machine = { kind = \"hypercube\", dimensions = 7 }", &mesh),
        "machine.dimensions = 6 is the smallest hypercube with a node for each process"
    );
    assert_eq!(
        help(
            "machine = { kind = \"hypercube\", dimensions = 5 }",
            &guest("{ kind = \"mesh\", shape = [3, 3, 3] }")
        ),
        "machine.dimensions = 6 is what the guest needs with its dimensions in pairs"
    );
    assert_eq!(
        help("machine = { kind = \"ring\", shape = [64] }", &mesh),
        "machine = { kind = \"hypercube\", dimensions = 6 } is the smallest hypercube with a node for each process"
    );
    let six = "machine = { kind = \"hypercube\", dimensions = 6 }";
    assert_eq!(
        help(six, &guest("{ kind = \"torus\", shape = [5, 11] }")),
        "of the two sides of a mesh by reflection only the shorter one, which is compressed, may wrap: the reflections \
         carry the ends of the other apart (errata G18)"
    );
    assert_eq!(
        help(six, &guest("{ kind = \"ring\", shape = [50] }")),
        "a side that is placed by the Gray code may wrap where its length is a power of two: only there the code ends \
         beside its beginning"
    );
}

#[test]
fn a_cube_program_is_no_mesh() {
    let text = "[machine]\nkind = \"hypercube\"\ndimensions = 3\n[mapping]\nembeddings = [\"greenberg\"]\n";
    let files = Files::new(&[("s.toml", text)]);
    assert_eq!(files.displayed(), ["s.toml:5:15: embedding greenberg of a d-cube, expected a mesh guest"]);
}
