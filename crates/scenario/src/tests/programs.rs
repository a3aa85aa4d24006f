use cubefold_mapping::ProcessId;
use cubefold_topology::{Extent, Wrap};

use super::*;

const MESH: &str = "[machine]\nkind = \"mesh\"\nshape = [6, 6]\n";

/// A scenario on the mesh with a placement of four processes.
fn on_mesh(rest: &str) -> Files {
    let text = format!("{MESH}{rest}\n[mapping]\nembeddings = [\"file:p.csv\"]\n");
    let placement = "process,p_1,p_2\n0,2,2\n1,3,2\n2,2,3\n3,3,3\n";
    Files::new(&[("s.toml", &text), ("p.csv", placement)])
}

const NEIGHBOURS: &str = "[program]\nkind = \"neighbour-exchange\"\n";

#[test]
fn neighbour_exchange_programs_have_guests_and_communications() {
    let guest = "guest = { kind = \"torus\", shape = [2, 2], wrap = [true, false] }\n";
    let run = |rest: &str| on_mesh(&format!("{NEIGHBOURS}{guest}{rest}")).load().unwrap().runs.remove(0);
    // The wrapping dimension of length 2 has one shift, the other two.
    assert_eq!(run("").program.body.stage_count(), 3);
    assert_eq!(run("communication = \"scatter\"").program.body.stage_count(), 1);
    assert_eq!(run("communication = \"permutation\"").program.body.stage_count(), 50);
    let seven = run("communication = \"permutation\"\nsets = 7\ncompute_cycles = 4");
    assert_eq!((seven.program.body.stage_count(), seven.program.body.facts().compute.get()), (7, 4));
    let shape = seven.program.guest().graph().unwrap().shape();
    assert_eq!(shape.extents().map(Extent::wrap).collect::<Vec<_>>(), [Wrap::Around, Wrap::Open]);
}

#[test]
fn wrong_guests_are_told_where_they_are_wrong() {
    let errors = |rest: &str| on_mesh(&format!("{NEIGHBOURS}{rest}")).displayed();
    assert_eq!(
        errors(""),
        ["s.toml:4:2: program.guest is missing, expected its shape: { kind = \"torus\", shape = [4, 6] }"]
    );
    assert_eq!(
        errors("guest = { kind = \"mesh\" }"),
        ["s.toml:6:9: program.guest has no lengths, expected shape = [4, 6] or the like"]
    );
    assert_eq!(
        errors("guest = { kind = \"tours\", shpae = [2, 2] }"),
        [
            "s.toml:6:18: program.guest.kind is \"tours\", expected line, ring, mesh, torus, hypercube, binary-tree, k-ary-tree, stretched-tree, two-trees, random-tree, caterpillar, mesh-of-trees, cube-connected-cycles, wrapped-butterfly, butterfly, shuffle-exchange, de-bruijn, grammar or network",
            "s.toml:6:27: unknown key \"shpae\" in program.guest, expected kind, shape, dimensions, arity, levels, vertices, legs, grammar, size, wrap or edges",
        ]
    );
    assert_eq!(
        errors("guest = { kind = \"ring\", shape = [1] }\nsets = 0\nstages = [0]"),
        [
            "s.toml:6:35: length of dimension 1 is 1, expected at least 2",
            "s.toml:7:8: program.sets is 0, expected an integer from 1 to 1000000",
            "s.toml:8:10: program.stages with a neighbour-exchange program, which has none",
        ]
    );
}

#[test]
fn more_permutation_sets_than_can_be_drawn_are_refused() {
    let rest =
        "guest = { kind = \"torus\", shape = [4096, 4096] }\ncommunication = \"permutation\"\nsets = 17";
    assert_eq!(
        on_mesh(&format!("{NEIGHBOURS}{rest}")).displayed(),
        ["s.toml:8:8: 17 sets of up to 16777216 messages, expected at most 2^28 in all"]
    );
}

#[test]
fn programs_run_inside_partitions() {
    let partition = "partition = { base = [2, 2], shape = [2, 2] }\n[program]\ndimensions = 2";
    let run = on_mesh(partition).load().unwrap().runs.remove(0);
    assert_eq!(run.machine.node_count(), 4);
    let partition = run.partition.unwrap();
    assert_eq!(partition.whole().node_count(), 36);
    assert_eq!(partition.address(run.placement.node(ProcessId::new(1))).as_slice(), [3, 2]);
}

#[test]
fn wrong_partitions_are_told_where_they_are_wrong() {
    for (partition, error) in [
        (
            "{ base = [2, 5], shape = [2, 2] }",
            "42: the partition takes coordinates 5 to 6 of dimension 2, expected at most 5",
        ),
        (
            "{ base = [2, 9], shape = [2, 2] }",
            "22: base of the partition: coordinate 9 in dimension 2, expected 0 to 5",
        ),
        (
            "{ shape = [2] }",
            "13: machine.partition.base is missing, expected the coordinates of its first node: [0, 0]",
        ),
    ] {
        let files = on_mesh(&format!("partition = {partition}\n[program]\ndimensions = 2"));
        assert_eq!(files.displayed(), [format!("s.toml:4:{error}")]);
    }
}

#[test]
fn loading_has_types_by_rule_or_by_process() {
    let loading = |rest: &str| {
        let text = format!("[program]\ndimensions = 2\n[program.loading]\n{rest}");
        on_mesh(&text).load().unwrap().runs.remove(0)
    };
    let types = |run: &Run| -> Vec<String> {
        let of = |process| run.loading.as_ref().unwrap().code_types.of(&run.program, process).to_owned();
        ProcessId::first(4).map(of).collect()
    };
    let cycles = |run: &Run| run.loading.as_ref().unwrap().cycles();
    let same = loading("");
    assert_eq!((types(&same), cycles(&same)), (["same"; 4].map(str::to_owned).into(), 2));
    let parity = loading("code_types = \"by parity\"\nbroadcast_cycles = 10");
    assert_eq!(
        (types(&parity), cycles(&parity)),
        (["even", "odd", "odd", "even"].map(str::to_owned).into(), 30)
    );
    let listed = loading("code_types = [\"b\", \"a\", 7, \"a\"]");
    assert_eq!((types(&listed), cycles(&listed)), (["b", "a", "7", "a"].map(str::to_owned).into(), 4));
}

#[test]
fn wrong_loadings_are_told_where_they_are_wrong() {
    let errors =
        |rest: &str| on_mesh(&format!("[program]\ndimensions = 2\n[program.loading]\n{rest}")).displayed();
    assert_eq!(
        errors("code_types = [1, 2]\nbroadcast_cycles = 0"),
        [
            "s.toml:7:14: 2 code types, expected 4, one for each process",
            "s.toml:8:20: program.loading.broadcast_cycles is 0, expected an integer from 1 to 4294967296",
        ]
    );
    assert_eq!(
        errors("code_types = \"by partiy\""),
        [
            "s.toml:7:14: program.loading.code_types is \"by partiy\", expected same, by parity, or a list with \
             the type of each process",
        ]
    );
}

#[test]
fn tao_picks_a_construction_or_takes_the_one_asked_for() {
    let text = |embeddings: &str| {
        format!(
            "[machine]\nkind = \"mesh\"\nshape = [4, 6]\n[program]\nkind = \"neighbour-exchange\"\n\
             guest = {{ kind = \"torus\", shape = [24] }}\n{embeddings}"
        )
    };
    let picked = scenario(&text(""));
    assert_eq!(picked.runs.len(), 1);
    assert_eq!(picked.runs[0].embedding.to_string(), "tao");
    let asked = scenario(&text("[mapping]\nembeddings = [\"tao:basic-h\", \"tao:basic-g\"]"));
    let names: Vec<String> = asked.runs.iter().map(|run| run.embedding.to_string()).collect();
    assert_eq!(names, ["tao:basic-h", "tao:basic-g"]);
    let refused = Files::new(&[("s.toml", &text("[mapping]\nembeddings = [\"tao:expansion-f\"]"))]);
    assert_eq!(
        refused.displayed(),
        ["s.toml:8:15: tao:expansion-f does not map this guest on the machine of shape 4x6"]
    );
    assert!(
        refused
            .help()
            .starts_with("conditions that fail:\nf: a guest dimension wraps, expected a line or mesh")
    );
    let cubes_only = Files::new(&[("s.toml", &text("[mapping]\nembeddings = [\"xor\"]"))]);
    assert_eq!(
        cubes_only.displayed(),
        ["s.toml:8:15: embedding xor of a torus or mesh guest, expected a d-cube"]
    );
}

#[test]
fn cs838_picks_a_construction_or_takes_the_one_asked_for() {
    let text = |guest: &str, embeddings: &str| {
        format!(
            "[machine]\nkind = \"mesh\"\nshape = [4, 4]\n[program]\nkind = \"neighbour-exchange\"\n\
             guest = {guest}\n[mapping]\nembeddings = [{embeddings}]"
        )
    };
    let line = "{ kind = \"line\", shape = [16] }";
    let asked = scenario(&text(line, "\"cs838\", \"cs838:z-order\""));
    let names: Vec<String> = asked.runs.iter().map(|run| run.embedding.to_string()).collect();
    assert_eq!(names, ["cs838", "cs838:z-order"]);
    let refused = Files::new(&[("s.toml", &text(line, "\"cs838:gray-path\""))]);
    assert_eq!(
        refused.displayed(),
        [
            "s.toml:8:15: cs838:gray-path does not map this line on a mesh of shape 4x4, expected a line of 2^n on a \
          hypercube of n dimensions"
        ]
    );
    assert_eq!(
        refused.help(),
        "constructions for this guest and machine: cs838:recursive-path, cs838:snake, cs838:z-order"
    );
    let torus = "{ kind = \"torus\", shape = [3, 5] }";
    let uncovered = Files::new(&[("s.toml", &text(torus, "\"cs838\""))]);
    assert_eq!(
        uncovered.displayed(),
        ["s.toml:8:15: no construction of CS838 1999 maps this torus on a mesh of shape 4x4"]
    );
    assert!(uncovered.help().starts_with("supported pairs:\ngray-path: a line of 2^n on a hypercube"));
}

#[test]
fn a_growing_tree_is_placed_by_the_seed() {
    let text = |seed: u64| {
        format!(
            "seed = {seed}\n[machine]\nkind = \"hypercube\"\ndimensions = 4\n[program]\nkind = \"neighbour-exchange\"\n\
             guest = {{ kind = \"binary-tree\", levels = 6 }}\n[mapping]\nembeddings = [\"cs838\"]"
        )
    };
    let nodes = |seed| scenario(&text(seed)).runs[0].placement.nodes();
    assert_eq!(nodes(7), nodes(7));
    assert_ne!(nodes(7), nodes(8));
}
