//! Runs one program under named embeddings of an 8 x 8 torus.
//!
//! `cargo run --release -p cubefold --example named_embedding`

use std::{error::Error, io::Write as _};

use cubefold::{
    mapping::{EmbeddingKind, Hypercube, Placement, PlacementMetrics},
    simulator::{Communication, CubeProgram, Cycles, EngineChoice, Request, simulate},
    topology::{LinkMode, Machine, MachineKind, TieRule},
};

fn main() -> Result<(), Box<dyn Error>> {
    let torus = Machine::new(MachineKind::Torus, &[8, 8])?;
    // The 6-cube exchanges along dimension after dimension, with 1 cycle of computation before each exchange.
    let cube = Hypercube::new(6)?;
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(1))?;
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)?;
    let request = Request::asynchronous(EngineChoice::Auto);

    let mut output = std::io::stdout().lock();
    for (name, kind) in [("standard", EmbeddingKind::Standard), ("xor", EmbeddingKind::Xor)] {
        let placement = Placement::embed(kind, cube, &torus)?;
        let dilation = PlacementMetrics::measure(&cube, &placement, TieRule::Direct).dilation;
        let outcome = simulate(&program, &placement, links, &request, &mut ())?;
        let (makespan, total) = (outcome.summary.makespan().get(), dilation.total());
        writeln!(output, "{name:8} {makespan} cycles, total dilation {total} links")?;
    }
    Ok(())
}
