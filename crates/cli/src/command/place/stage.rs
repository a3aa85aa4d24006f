//! `cubefold place --stage`: the slots of Greenberg's intermediate mesh after a stage.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use cubefold_mapping::{PairedAxes, Placement, ReflectionNumbers, SlotTable};
use cubefold_records::MachineRecord;
use cubefold_scenario::Run;
use cubefold_topology::HostDimension;
use serde::Serialize;

use crate::{failure::Failure, format::PlacementFormat, option_value::StageName, table::write_stage};

/// A stage, ready to be written.
pub(super) struct StagePage<'run> {
    run: &'run Run,
    stage: StageName,
    format: StageFormat,
    parts: Vec<(&'run PairedAxes, SlotTable)>, // at least one
}

enum StageFormat {
    Grid,
    Csv,
    Json,
}

impl<'run> StagePage<'run> {
    pub(super) fn new(stage: StageName, format: PlacementFormat, run: &'run Run) -> Result<Self, Failure> {
        let format = match format {
            PlacementFormat::Grid => StageFormat::Grid,
            PlacementFormat::Csv => StageFormat::Csv,
            PlacementFormat::Json => StageFormat::Json,
            PlacementFormat::Npy | PlacementFormat::Hosts | PlacementFormat::Launcher(_) => {
                return Err(Failure::usage(
                    "--stage with a format of nodes, expected --format with one of grid, csv, json",
                    "before the last stage there are slots of an intermediate mesh; leave out --stage, or change the format",
                ));
            }
        };
        let parts = match &*run.placement {
            Placement::Greenberg(placement) if placement.parts().is_empty() => {
                let construction = placement.construction();
                return Err(Failure::usage(
                    format!("--stage of the {construction} construction, which is made in one"),
                    "leave out --stage",
                ));
            }
            Placement::Greenberg(placement) => parts(stage, placement.parts())?,
            Placement::Product(_)
            | Placement::Table(_)
            | Placement::Construction(_)
            | Placement::Classic(_) => {
                return Err(Failure::usage(
                    format!("--stage of embedding {}, expected greenberg", run.embedding),
                    "other embeddings are made in one; leave out --stage",
                ));
            }
        };
        Ok(Self { run, stage, format, parts })
    }

    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        match self.format {
            StageFormat::Grid => self.write_grids(output),
            StageFormat::Csv => self.write_csv(output),
            StageFormat::Json => self.write_json(output),
        }
    }

    fn write_grids(&self, output: &mut impl Write) -> io::Result<()> {
        for (place, (part, table)) in self.parts.iter().enumerate() {
            let gap = if place == 0 { "" } else { "\n" };
            write!(output, "{gap}")?;
            write_stage(output, self.stage, part, table)?;
        }
        Ok(())
    }

    /// A row for each node of each mesh.
    fn write_csv(&self, output: &mut impl Write) -> io::Result<()> {
        let mut table = csv::Writer::from_writer(output);
        table.write_record([
            "row_dimension",
            "column_dimension",
            "row",
            "column",
            "slot_row",
            "slot_column",
        ])?;
        for (part, slots) in &self.parts {
            for (row, column, slot) in slots.iter() {
                let dimensions = (dimension_number(part), part.columns().number());
                table.serialize((dimensions, row, column, slot.row, slot.column))?;
            }
        }
        table.flush()
    }

    fn write_json(&self, output: &mut impl Write) -> io::Result<()> {
        let document = StageDocument {
            format: "cubefold-stage",
            version: 1,
            machine: MachineRecord::new(self.run),
            embedding: self.run.embedding.to_string(),
            stage: self.stage.0.name(),
            parts: self.parts.iter().map(|(part, table)| PartRecord::new(part, table)).collect(),
        };
        serde_json::to_writer(&mut *output, &document)?;
        writeln!(output)
    }
}

/// The dimensions that have the stage, with their slots.
fn parts(stage: StageName, all: &[PairedAxes]) -> Result<Vec<(&PairedAxes, SlotTable)>, Failure> {
    let mut found = vec![];
    let mut without = None;
    for part in all {
        match part.embedding().slots(stage.0) {
            Ok(table) => found.push((part, table)),
            Err(error) => without = Some(error),
        }
    }
    match without {
        Some(error) if found.is_empty() => {
            Err(Failure::usage(error.to_string(), "give --stage with one of these, or leave it out"))
        }
        Some(_) | None => Ok(found),
    }
}

/// The number of the dimension of the rows; `None` if there is only one dimension.
fn dimension_number(part: &PairedAxes) -> Option<usize> {
    part.rows().map(HostDimension::number)
}

#[derive(Serialize)]
struct StageDocument {
    format: &'static str,
    version: u32,
    machine: MachineRecord,
    embedding: String,
    stage: &'static str,
    parts: Vec<PartRecord>,
}

#[derive(Serialize)]
struct PartRecord {
    row_dimension: Option<usize>,
    column_dimension: usize,
    method: &'static str,
    mesh: [u32; 2],
    intermediate_mesh: [u32; 2],
    reflection: Option<ReflectionRecord>,
    slots: Vec<Vec<[u32; 2]>>,
}

/// The numbers of the reflection method, for every stage.
#[derive(Serialize)]
struct ReflectionRecord {
    singlet_rows: u32,
    doublet_rows: u32,
    columns_used: [u32; 2],
    doublets_swapped: u64,
    slots_with_two_nodes: u32,
    empty_slots: u32,
    spectrum_before_percolation: BTreeMap<usize, u64>,
}

impl PartRecord {
    fn new(part: &PairedAxes, table: &SlotTable) -> Self {
        let (embedding, sides) = (part.embedding(), table.sides());
        let intermediate = embedding.intermediate();
        let slot = |row, column| {
            let slot = table.slot(row, column);
            [slot.row, slot.column]
        };
        let row = |row| (0..sides.columns()).map(|column| slot(row, column)).collect();
        Self {
            row_dimension: dimension_number(part),
            column_dimension: part.columns().number(),
            method: embedding.method().name(),
            mesh: [sides.rows(), sides.columns()],
            intermediate_mesh: [intermediate.rows(), intermediate.columns()],
            reflection: embedding.numbers().map(ReflectionRecord::new),
            slots: (0..sides.rows()).map(row).collect(),
        }
    }
}

impl ReflectionRecord {
    fn new(numbers: &ReflectionNumbers) -> Self {
        let spectrum = numbers.spectrum.iter().copied().enumerate();
        Self {
            singlet_rows: numbers.singlet_rows,
            doublet_rows: numbers.doublet_rows,
            columns_used: [numbers.fewest_columns, numbers.most_columns],
            doublets_swapped: numbers.doublets_swapped,
            slots_with_two_nodes: numbers.doubled_slots,
            empty_slots: numbers.empty_slots,
            spectrum_before_percolation: spectrum.filter(|&(_, edges)| edges > 0).collect(),
        }
    }
}
