//! Machines and guests that are not grids, and the programs of CS838 1999.

use cubefold_scenario::Scenario;

use super::*;

/// A machine of a kind with dimensions, on one line.
fn machine(kind: &str, dimensions: u64) -> String {
    format!("machine = {{ kind = \"{kind}\", dimensions = {dimensions} }}\n")
}

#[test]
fn divide_and_conquer_takes_the_hypercube_as_long_as_can_be_told_by_hand() {
    for dimensions in [1, 4, 7] {
        let program = "program = { kind = \"divide-and-conquer\", compute_cycles = 10 }\nmapping = { embeddings = [\"standard\"] }\n";
        let makespan = makespan(&format!("{}{program}", machine("hypercube", dimensions)));
        // A leaf is ready for its own after `d` divisions, and a combination hides the transfer of the
        // message that it waits for.
        assert_eq!(makespan, (dimensions + 1) * 10 + dimensions * (10 + 1));
    }
}

#[test]
fn normal_programs_wander_through_networks_and_stay_on_cubes() {
    let program = "program = { kind = \"normal\", stages = [2, 3, 0, 1, 0] }\n";
    assert_eq!(makespan(&format!("{}{program}", machine("shuffle-exchange", 4))), 2 * 5 - 1);
    let cube = scenario(&format!(
        "{}{program}mapping = {{ embeddings = [\"standard\"] }}\n",
        machine("hypercube", 4)
    ));
    let staying_on_cube = |scenario: &Scenario| {
        (scenario.runs[0].program.kind.name, scenario.runs[0].program.guest().cube().is_some())
    };
    assert_eq!((staying_on_cube(&cube), cube.runs[0].program.body.stage_count()), (("normal", true), 5));
    let wandering = "program = { kind = \"normal\" }\n";
    let cycles = scenario(&format!("{}{wandering}", machine("cube-connected-cycles", 4)));
    assert_eq!(staying_on_cube(&cycles), ("normal", false));
}

#[test]
fn normal_programs_of_one_more_dimension_wander_through_de_bruijn_networks() {
    let program = "program = { kind = \"normal\", stages = [2, 3, 0, 1, 0] }\n";
    // Exchanges are internal, so only the four moves take time.
    assert_eq!(makespan(&format!("{}{program}", machine("de-bruijn", 3))), 5 - 1);
    let computing = "program = { kind = \"normal\", stages = [2, 3, 0, 1, 0], compute_cycles = 10 }\n";
    assert_eq!(makespan(&format!("{}{computing}", machine("de-bruijn", 3))), 2 * 5 * 10 + 4);
}
