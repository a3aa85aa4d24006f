//! Evaluates a thousand placements of one program, and keeps the best: the loop of a search.
//!
//! `cargo run --release -p cubefold --example many_placements`

use std::{error::Error, io::Write as _};

use cubefold::{
    mapping::Hypercube,
    simulator::{Communication, CubeProgram, Cycles, Evaluator},
    topology::{LinkMode, Machine, MachineKind, NodeId, TieRule},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Machine::new(MachineKind::Mesh, &[8, 8])?;
    let cube = Hypercube::new(6)?;
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(10))?;
    let links = Communication::new(LinkMode::HalfDuplex, Cycles::new(1), TieRule::Direct)?;

    // Plan and buffers are made once; an evaluation costs only the events of its run.
    let mut evaluator = Evaluator::new(&program, &mesh, links)?;
    let mut nodes: Vec<NodeId> = mesh.nodes().collect();
    let start = evaluator.makespan(&nodes, None)?.ok_or("a run without a limit ends")?;

    let mut generator = ChaCha12Rng::seed_from_u64(1);
    let mut best = start;
    for _ in 0..1_000 {
        let (one, other) = (generator.random_range(0..nodes.len()), generator.random_range(0..nodes.len()));
        nodes.swap(one, other);
        // A run that cannot be faster than the best is cut off early, and is `None`.
        match evaluator.makespan(&nodes, Some(best))? {
            Some(faster) => best = faster,
            None => nodes.swap(one, other),
        }
    }
    let mut output = std::io::stdout().lock();
    writeln!(output, "row by row {} cycles, after 1000 exchanges {} cycles", start.get(), best.get())?;
    Ok(())
}
