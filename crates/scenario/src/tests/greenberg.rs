use cubefold_mapping::{GreenbergConstruction, Placement};

use super::*;

/// A scenario with the embedding on a machine, for a guest.
fn on(machine: &str, program: &str) -> Files {
    by("greenberg", machine, program)
}

/// The same with another embedding.
fn by(embedding: &str, machine: &str, program: &str) -> Files {
    let text = format!(
        "[machine]\n{machine}\n[program]\nkind = \"neighbour-exchange\"\n{program}\n[mapping]\nembeddings = [\"{embedding}\"]\n"
    );
    Files::new(&[("s.toml", &text)])
}

const SIX: &str = "kind = \"hypercube\"\ndimensions = 6";

#[test]
fn grids_lie_in_their_smallest_hypercube_or_by_the_gray_code_in_a_larger_one() {
    let run = |machine: &str, program: &str| on(machine, program).load().unwrap().runs.remove(0);
    for (dimensions, guest, construction) in [
        (6, "{ kind = \"mesh\", shape = [5, 11] }", GreenbergConstruction::Reflection),
        (7, "{ kind = \"mesh\", shape = [5, 11] }", GreenbergConstruction::Gray),
        (9, "{ kind = \"torus\", shape = [5, 11] }", GreenbergConstruction::Gray),
        (6, "{ kind = \"mesh\", shape = [11, 5], wrap = [false, true] }", GreenbergConstruction::Reflection),
        (5, "{ kind = \"mesh\", shape = [8, 4] }", GreenbergConstruction::Gray),
        (5, "{ kind = \"torus\", shape = [8, 4] }", GreenbergConstruction::Gray),
        (4, "{ kind = \"line\", shape = [11] }", GreenbergConstruction::Gray),
        (6, "{ kind = \"ring\", shape = [50] }", GreenbergConstruction::Gray),
        (7, "{ kind = \"mesh\", shape = [5, 5, 4] }", GreenbergConstruction::Reflection),
        (5, "{ kind = \"mesh\", shape = [3, 3, 3] }", GreenbergConstruction::Tiles),
        (3, "{ kind = \"hypercube\", dimensions = 3 }", GreenbergConstruction::Gray),
    ] {
        let found =
            run(&format!("kind = \"hypercube\"\ndimensions = {dimensions}"), &format!("guest = {guest}"));
        let Placement::Greenberg(placement) = &*found.placement else { panic!("{guest}") };
        let built = (placement.construction(), found.placement.is_one_to_one());
        assert_eq!(built, (construction, true), "{guest}");
    }
    // Any machine with lengths of 2 is a hypercube.
    run("kind = \"mesh\"\nshape = [2, 2, 2, 2]", "guest = { kind = \"mesh\", shape = [3, 5] }");
}

#[test]
fn machines_of_another_size_are_told_where_they_are_written() {
    let errors = |machine: &str, guest: &str| on(machine, &format!("guest = {guest}")).displayed();
    let mesh = "{ kind = \"mesh\", shape = [5, 11] }";
    assert_eq!(
        errors("kind = \"hypercube\"\ndimensions = 5", mesh),
        ["s.toml:3:14: embedding greenberg: a hypercube of 5 dimensions, expected 6, or 7 or more"]
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
    let mesh = |shape: &str| guest(&format!("{{ kind = \"mesh\", shape = {shape} }}"));
    let cube = |dimensions: u8| format!("machine = {{ kind = \"hypercube\", dimensions = {dimensions} }}");
    for (dimensions, shape, expected) in [
        (5, "[5, 11]", "6 is the smallest hypercube with a node for each process"),
        (6, "[3, 5, 5]", "7 is the smallest hypercube with a node for each process"),
        (7, "[5, 5, 5]", "8 is what the guest needs with its dimensions in pairs"),
        (4, "[4, 8]", "5 is the smallest hypercube that its Gray code fits"),
    ] {
        assert_eq!(help(&cube(dimensions), &mesh(shape)), format!("machine.dimensions = {expected}"));
    }
    assert_eq!(
        help("machine = { kind = \"ring\", shape = [64] }", &mesh("[5, 11]")),
        format!("{} is the smallest hypercube with a node for each process", cube(6))
    );
    assert_eq!(
        help(&cube(6), &guest("{ kind = \"torus\", shape = [5, 11] }")),
        "of the two sides of a mesh by reflection only the shorter one, which is compressed, may wrap: the reflections \
         carry the ends of the other apart (errata G18); \"greenberg:folded\" folds the longer one, and \
         \"greenberg:gray\" closes both in a larger hypercube"
    );
}

#[test]
fn a_construction_is_taken_by_name_or_refused() {
    let torus = "guest = { kind = \"torus\", shape = [5, 11] }";
    let mesh = "guest = { kind = \"mesh\", shape = [5, 11] }";
    for (embedding, machine, guest, construction) in [
        ("greenberg:folded", SIX, torus, GreenbergConstruction::Folded),
        ("greenberg:longer-side", SIX, mesh, GreenbergConstruction::LongerSide),
        ("greenberg:gray", "kind = \"hypercube\"\ndimensions = 8", mesh, GreenbergConstruction::Gray),
        ("polymorphic", "kind = \"torus\"\nshape = [3, 7]", mesh, GreenbergConstruction::Polymorphic),
        ("polymorphic", SIX, mesh, GreenbergConstruction::Polymorphic),
    ] {
        let run = by(embedding, machine, guest).load().unwrap().runs.remove(0);
        let Placement::Greenberg(placement) = &*run.placement else { panic!("{embedding}") };
        assert_eq!(placement.construction(), construction);
    }
    let refused = |embedding, machine, guest| by(embedding, machine, guest).displayed();
    assert_eq!(
        refused("greenberg:gray", SIX, mesh),
        ["s.toml:3:14: embedding greenberg:gray: a hypercube of 6 dimensions, expected 7 or more"]
    );
    assert_eq!(
        refused("greenberg:folded", SIX, mesh),
        [
            "s.toml:6:9: embedding greenberg:folded: dimension 2 of length 11, the longer side, does not wrap, expected \
             a ring to fold"
        ]
    );
    assert_eq!(
        refused("polymorphic", "kind = \"hypercube\"\ndimensions = 7", mesh),
        [
            "s.toml:3:14: embedding polymorphic: a machine of another shape, expected a torus of F_n x L_n nodes: 3 x \
             7, 5 x 11, 13 x 29, 21 x 47, .., or its smallest hypercube"
        ]
    );
}

#[test]
fn a_cube_program_is_no_mesh() {
    let text = "[machine]\nkind = \"hypercube\"\ndimensions = 3\n[mapping]\nembeddings = [\"greenberg\"]\n";
    let files = Files::new(&[("s.toml", text)]);
    assert_eq!(files.displayed(), ["s.toml:5:15: embedding greenberg of a d-cube, expected a mesh guest"]);
}
