//! `cubefold place`: one placement.

use std::io::{self, Write};

use cubefold_experiment::{Run, export::MachineRecord, load};
use serde::{Serialize, Serializer};

use super::one_run::{addresses, one_run};
use crate::{
    arguments::{PlaceOptions, SharedOptions},
    failure::Failure,
    format::{ByExtension, PlacementFormat},
    output::Output,
    table::write_grid,
};

pub(super) fn place(options: &PlaceOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = PlacementFormat::decide(options.format, shared.output())?;
    let scenarios = load(std::slice::from_ref(&options.file)).map_err(Failure::Scenario)?;
    let run = one_run(&scenarios, options.embedding.as_deref())?;
    let output = Output::open(shared.output(), &scenarios)?;
    output.write(|output| match format {
        PlacementFormat::Grid => write_grid(output, &run.placement),
        PlacementFormat::Csv => write_csv(output, run),
        PlacementFormat::Json => write_json(output, run),
    })
}

/// A row for each process: `process,p_1,p_2,..`.
fn write_csv(output: &mut impl Write, run: &Run) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(output);
    let dimensions = run.machine.shape().dimensions();
    let coordinates = dimensions.map(|dimension| format!("p_{dimension}"));
    table.write_record(std::iter::once("process".to_owned()).chain(coordinates))?;
    for (process, address) in addresses(run) {
        table.serialize((process.label(), address.as_slice()))?;
    }
    table.flush()
}

#[derive(Serialize)]
struct PlacementDocument<'run> {
    format: &'static str,
    version: u32,
    machine: MachineRecord,
    embedding: String,
    #[serde(serialize_with = "nodes")]
    nodes: &'run Run,
}

fn write_json(output: &mut impl Write, run: &Run) -> io::Result<()> {
    let document = PlacementDocument {
        format: "cubefold-placement",
        version: 1,
        machine: MachineRecord::new(run),
        embedding: run.embedding.to_string(),
        nodes: run,
    };
    serde_json::to_writer(&mut *output, &document)?;
    writeln!(output)
}

/// The coordinates of each process, one after another: a large placement is never held as a whole.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn nodes<S: Serializer>(run: &&Run, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(addresses(run).map(|(_, address)| address.as_slice().to_vec()))
}
