//! Adds an embedding with a name to a scenario, and compares it with those that cubefold has.
//!
//! `cargo run --release -p cubefold --example own_embedding`

use std::{error::Error, io::Write as _, path::Path};

use cubefold::{
    runs::{KeepRecords, Progress, execute},
    scenario::{Site, load_text},
    topology::NodeId,
};

const SCENARIO: &str = r#"
name = "snake"

[machine]
kind = "mesh"
shape = [8, 8]

[program]
kind = "cc-cube"
compute_cycles = 10

[mapping]
embeddings = ["standard", "xor", "random"]
"#;

/// The nodes of a mesh row by row, every second row backwards.
fn snake(site: &Site) -> Vec<NodeId> {
    let width = u32::try_from(site.machine.shape().lengths()[0]).unwrap_or(u32::MAX);
    let nodes = site.machine.nodes().map(|node| {
        let (row, column) = (node.index() / width, node.index() % width);
        let column = if row % 2 == 0 { column } else { width - 1 - column };
        NodeId::new(row * width + column)
    });
    nodes.collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut scenario = load_text(Path::new("snake.toml"), SCENARIO)?;
    scenario.add_embedding("snake", snake)?;

    let mut output = std::io::stdout().lock();
    for (place, run) in scenario.runs.iter().enumerate() {
        let finished = execute(run, place, KeepRecords::No, &Progress::default())?;
        writeln!(output, "{:8} {} cycles", run.embedding, finished.outcome.summary.makespan().get())?;
    }
    Ok(())
}
