//! Notes on what a run in seconds assumes of sizes and times: blocks smaller than a unit, messages inside a node, and
//! processors that processes share.

use cubefold_collectives::{CollectiveSpecification, Groups, Step};
use cubefold_simulator::LocalCost;

use super::Run;

/// The notes on the sizes and times of a run; none in cycles, which stand for no machine.
pub(super) fn time_notes(run: &Run) -> Vec<String> {
    let Some(scale) = run.scale else { return vec![] };
    [coarse_blocks(run, scale.unit_bytes()), free_messages(run), shared_processors(run)]
        .into_iter()
        .flatten()
        .collect()
}

/// A collective that divides its vector into more blocks than there are units: some messages are left out, and the others
/// are larger than on the machine.
fn coarse_blocks(run: &Run, unit_bytes: u64) -> Option<String> {
    let collective = run.program.collective.as_deref()?;
    let groups = collective.steps().iter().filter_map(Step::groups);
    let blocks =
        |asked: &CollectiveSpecification| asked.block_count().saturating_mul(asked.share_count() as u64);
    let coarse = groups
        .map(Groups::specification)
        .find(|asked| asked.divides_vector() && asked.vector_units < blocks(asked))?;
    Some(format!(
        "{} divides {} units of {unit_bytes} bytes into {} blocks, some of which are empty: times of short messages \
         need a smaller machine.unit_bytes, which costs no time.",
        coarse.algorithm.name(),
        coarse.vector_units,
        blocks(coarse),
    ))
}

/// Messages between the ranks of a node that take no time.
fn free_messages(run: &Run) -> Option<String> {
    let is_free = run.program.ranks_per_node > 1 && run.communication.local_cost() == LocalCost::default();
    is_free.then(|| {
        "messages inside a node take no time (machine.local has their bandwidth and latency).".to_owned()
    })
}

/// Processes of a node that compute one after another.
fn shared_processors(run: &Run) -> Option<String> {
    let (processes, processors) = (run.placement.max_load(), run.communication.processors().get());
    let shares = processes > processors && run.program.job.is_none();
    (shares && run.program.body.facts().total_compute > 0).then(|| {
        let served = if processors == 1 {
            "one after another".to_owned()
        } else {
            format!("on {processors} processors")
        };
        format!(
            "{processes} processes of a node compute {served} (machine.processors_per_node = {processes}: side by side)."
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::load_text;

    const MACHINE: &str = "kind = \"full-mesh\", nodes = 4, link = { bandwidth = \"1 GB/s\" }";

    fn notes(machine: &str, program: &str) -> Vec<String> {
        let text = format!("machine = {{ {machine} }}\nprogram = {{ {program} }}\n");
        load_text(Path::new("s.toml"), &text).unwrap().runs[0].notes()
    }

    #[test]
    fn blocks_smaller_than_a_unit_are_told() {
        let of = |bytes: u64, algorithm: &str| {
            let program = format!("kind = \"all-reduce\", algorithm = \"{algorithm}\", bytes = {bytes}");
            notes(&format!("{MACHINE}, unit_bytes = 1024"), &program)
        };
        assert_eq!(of(4096, "ring"), Vec::<String>::new());
        assert!(
            of(3072, "ring")[0]
                .starts_with("ring divides 3 units of 1024 bytes into 4 blocks, some of which")
        );
        assert!(of(4096, "bidirectional-ring")[0].contains("4 units of 1024 bytes into 8 blocks"));
        assert_eq!(of(1024, "tree"), Vec::<String>::new());
    }

    #[test]
    fn what_processes_of_a_node_take_no_time_for_or_share_is_told() {
        let collective = "kind = \"all-reduce\", algorithm = \"ring\", bytes = 65536, processes_per_node = 2";
        let free = "messages inside a node take no time (machine.local has their bandwidth and latency).";
        assert_eq!(notes(MACHINE, collective), [free]);
        let local = format!("{MACHINE}, local = {{ bandwidth = \"9 GB/s\" }}");
        assert_eq!(notes(&local, collective), Vec::<String>::new());
        assert_eq!(
            notes("kind = \"full-mesh\", nodes = 4", &collective.replace("bytes", "units")),
            Vec::<String>::new()
        );
        let exchange =
            "kind = \"permutation\", pattern = \"complement\", processes_per_node = 2, compute = \"1 us\"";
        let shared = "2 processes of a node compute one after another (machine.processors_per_node = 2: side by side).";
        assert_eq!(notes(&local, exchange), [shared]);
        assert_eq!(notes(&format!("{local}, processors_per_node = 2"), exchange), Vec::<String>::new());
    }
}
