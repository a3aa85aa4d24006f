use cubefold_mapping::Hypercube;
use cubefold_simulator::{CubeProgram, Cycles, EngineChoice};
use cubefold_topology::{Extent, LinkMode, MachineKind, TieRule, Wrap};

use super::*;

/// The example of the interface.
const EXAMPLE: &str = include_str!("example.toml");

/// The swept values of all runs, one line per run.
fn combinations(scenario: &Scenario) -> Vec<String> {
    let line = |run: &Run| {
        let values: Vec<&str> = run.combination.iter().map(|(_, value)| &**value).collect();
        format!("{} {}", values.join(" "), run.embedding)
    };
    scenario.runs.iter().map(line).collect()
}

#[test]
fn the_example_has_two_modes_three_times_two_machines_and_five_embeddings() {
    let scenario = scenario(EXAMPLE);
    assert_eq!(scenario.name, "xor on a torus");
    assert!(scenario.swept);
    assert_eq!(scenario.runs.len(), 2 * 3 * 2 * 5);
    let lines = combinations(&scenario);
    assert_eq!(lines[0], "\"full-duplex\" 1 \"ring\" [64] standard");
    assert_eq!(lines[1], "\"full-duplex\" 1 \"ring\" [64] xor");
    assert_eq!(lines[5], "\"full-duplex\" 1 \"torus\" [4, 4, 4] standard");
    assert_eq!(lines[10], "\"full-duplex\" 10 \"ring\" [64] standard");
    assert_eq!(lines[59], "\"half-duplex\" 100 \"torus\" [4, 4, 4] optimal");
    let last = &scenario.runs[59];
    assert_eq!(&*last.combination[0].0, "machine.links");
    assert_eq!(
        (last.communication.links(), last.program.body.facts().compute.get()),
        (LinkMode::HalfDuplex, 100)
    );
    assert_eq!((last.machine.kind(), last.seed), (MachineKind::Torus, 7));
}

#[test]
fn what_is_not_written_has_its_default() {
    let scenario = scenario(RING);
    assert_eq!((scenario.name.as_str(), scenario.swept, scenario.runs.len()), ("s", false, 3));
    let run = &scenario.runs[2];
    assert_eq!((&*run.scenario, run.seed, run.communication.hop().get()), ("s", 0, 1));
    assert_eq!((run.communication.links(), run.execution), (LinkMode::FullDuplex, Execution::default()));
    assert_eq!(run.communication.tie(), TieRule::Direct);
    let cube = Hypercube::new(3).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
    assert_eq!(run.program.body.special().cube(), Some(&program));
    assert_eq!(run.embedding.to_string(), "byweight");
    assert!(run.combination.is_empty());
}

#[test]
fn keys_vary_in_the_order_of_the_file_not_of_the_alphabet() {
    let text = format!(
        "{RING}[mapping]\nembeddings = [\"xor\", \"gray\"]\n[sweep]\nseed = [1, 2]\n\
         \"program.compute_cycles\" = [3, 4]\n\"machine.hop_cycles\" = [5, 6]\n"
    );
    let lines = combinations(&scenario(&text));
    assert_eq!(lines.len(), 16);
    assert_eq!(lines[..4], ["1 3 5 xor", "1 3 5 gray", "1 3 6 xor", "1 3 6 gray"]);
    assert_eq!(lines[8], "2 3 5 xor");
}

#[test]
fn cases_vary_faster_than_keys_wherever_they_are_written() {
    let text = format!(
        "{RING}[[sweep.cases]]\nseed = 1\n[[sweep.cases]]\nseed = 2\n\
         \"mapping.embeddings\" = [\"optimal\"]\n[sweep]\n\"machine.links\" = [1, 3]\n"
    );
    assert_eq!(
        combinations(&scenario(&text)),
        [
            "1 1 standard",
            "1 1 xor",
            "1 1 byweight",
            "1 2 [\"optimal\"] optimal",
            "3 1 standard",
            "3 1 xor",
            "3 1 byweight",
            "3 2 [\"optimal\"] optimal"
        ]
    );
}

#[test]
fn link_modes_have_numbers_too() {
    let modes = ["1", "2", "3", "\"single-direction\""]
        .map(|links| scenario(&format!("{RING}links = {links}")).runs[0].communication.links().number());
    assert_eq!(modes, [1, 2, 3, 3]);
}

#[test]
fn hypercubes_take_dimensions_or_a_shape() {
    let by_dimensions = scenario("machine = { kind = \"hypercube\", dimensions = 3 }");
    let by_shape = scenario("machine = { kind = \"hypercube\", shape = [2, 2, 2] }");
    assert_eq!(by_dimensions.runs[0].machine, by_shape.runs[0].machine);
    // The sweep's size has precedence over the file's, in either unit.
    let swept = scenario(
        "machine = { kind = \"torus\", shape = [8] }\n[[sweep.cases]]\n\"machine.kind\" = \"hypercube\"\n\
         \"machine.dimensions\" = 2\n[[sweep.cases]]\n\"machine.shape\" = [4, 4]\n",
    );
    let shapes: Vec<_> = swept.runs.iter().map(|run| run.machine.shape().lengths().to_vec()).collect();
    assert_eq!((&shapes[0], &shapes[3]), (&vec![2, 2], &vec![4, 4]));
}

#[test]
fn wrap_overrides_the_kind() {
    let run = scenario("machine = { kind = \"torus\", shape = [4, 8], wrap = [true, false] }").runs.remove(0);
    let wraps: Vec<_> = run.machine.extents().map(Extent::wrap).collect();
    assert_eq!(wraps, [Wrap::Around, Wrap::Open]);
}

#[test]
fn random_placements_follow_the_seed_and_fit_smaller_programs() {
    let runs = |seed: u64, machine: &str| {
        let text = format!("seed = {seed}\n{machine}\n[mapping]\nembeddings = [\"random\"]\n");
        scenario(&text).runs.remove(0)
    };
    let ring = "[machine]\nkind = \"ring\"\nshape = [64]";
    assert_eq!(runs(1, ring).placement, runs(1, ring).placement);
    assert_ne!(runs(1, ring).placement, runs(2, ring).placement);
    let roomy = runs(1, "[machine]\nkind = \"mesh\"\nshape = [5, 7]\n[program]\ndimensions = 5");
    assert!(roomy.placement.is_one_to_one());
    let network = "[machine]\nkind = \"butterfly\"\ndimensions = 3\n[program]\ndimensions = 4";
    assert!(runs(1, network).placement.is_one_to_one());
    let few = format!("{RING}[program]\ndimensions = 4\n[mapping]\nembeddings = [\"random\"]");
    assert_eq!(errors(&few), ["7:15: 16 processes on 8 nodes, expected at most 8 for random"]);
}

#[test]
fn stages_are_named_or_listed() {
    let stages = |written: &str| -> Vec<u8> {
        let run = scenario(&format!("{RING}[program]\nstages = {written}")).runs.remove(0);
        let program = run.program.body.special().cube().expect("the default is a cube program");
        program.stages().iter().map(|dimension| dimension.number()).collect()
    };
    assert_eq!(stages("\"ascend\""), [0, 1, 2]);
    assert_eq!(stages("\"descend\""), [2, 1, 0]);
    assert_eq!(stages("\"bitonic\""), [0, 1, 0, 2, 1, 0]);
    assert_eq!(stages("[1, 1]"), [1, 1]);
}

#[test]
fn executions_are_coordinated_when_asked_for() {
    let execution = |written: &str| scenario(&format!("{RING}[execution]\n{written}")).runs[0].execution;
    let coordinated = |dimension_choice, phases| ExecutionMode::Coordinated { dimension_choice, phases };
    assert_eq!(
        execution("mode = \"coordinated\"").mode,
        coordinated(DimensionChoice::Lowest, Phases::Embedding)
    );
    assert_eq!(
        execution("mode = \"coordinated\"\ndimension_choice = \"random\"\nphases = 4").mode,
        coordinated(DimensionChoice::Random, Phases::Length(4.try_into().unwrap()))
    );
    assert_eq!(
        execution("mode = \"coordinated\"\nphases = \"unlimited\"").mode,
        coordinated(DimensionChoice::Lowest, Phases::Unlimited)
    );
    let hop = execution("engine = \"hop\"\ndimension_choice = \"lowest\"");
    assert_eq!((hop.engine, hop.mode), (EngineChoice::Hop, ExecutionMode::Asynchronous));
    let negative = scenario(&format!("{RING}[execution]\ntie = \"negative\""));
    assert_eq!(negative.runs[0].communication.tie(), TieRule::Negative);
}

#[test]
fn placements_are_shared_where_machine_cube_and_embedding_are_the_same() {
    let scenario = scenario(&format!("{RING}[sweep]\nseed = [1, 2]\n\"machine.links\" = [1, 2]"));
    assert_eq!(scenario.runs.len(), 12);
    for run in &scenario.runs[3..] {
        let first = scenario.runs.iter().find(|first| first.embedding == run.embedding).unwrap();
        assert!(Arc::ptr_eq(&first.placement, &run.placement));
    }
}

#[test]
fn ten_thousand_combinations_share_one_reading_of_each_file() {
    let rows: Vec<String> = (0..8).map(|process| format!("{process},{process}\n")).collect();
    let table = format!("process,p_1\n{}", rows.concat());
    let numbers: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let list = numbers.join(", ");
    let text = format!(
        "machine = {{ file = \"m.toml\" }}\n[mapping]\nembeddings = [\"xor\", \"file:p.csv\"]\n[sweep]\n\
         seed = [{list}]\n\"program.compute_cycles\" = [{list}]\n"
    );
    let machine = "kind = \"ring\"\nshape = [8]";
    let files = Files::new(&[("s.toml", &text), ("m.toml", machine), ("p.csv", &table)]);
    let scenario = files.load().unwrap();
    assert_eq!(scenario.runs.len(), 20_000);
    assert!(
        scenario
            .runs
            .iter()
            .skip(1)
            .step_by(2)
            .all(|run| Arc::ptr_eq(&run.placement, &scenario.runs[1].placement))
    );
}

#[test]
fn values_of_the_base_that_every_combination_replaces_are_not_looked_at() {
    let scenario = scenario(
        "[machine]\nkind = \"none yet\"\nshape = [0]\n[sweep]\n\"machine.kind\" = [\"ring\", \"line\"]\n\
         \"machine.shape\" = [[4], [8]]\n",
    );
    assert_eq!(scenario.runs.len(), 12);
}
