//! `cubefold place`: one placement.

mod stage;

use std::io::{self, Write};

use cubefold_experiment::{
    Run,
    export::MachineRecord,
    launcher::{HostList, HostOptions, LauncherFile, LauncherFormat},
    load, read_hosts,
};
use serde::{Serialize, Serializer};

use super::{
    npy::write_npy,
    one_run::{addresses, one_run},
};
use crate::{
    arguments::{PlaceOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, PlacementFormat},
    output::{Output, is_same},
    table::write_grid,
};
use stage::StagePage;

pub(super) fn place(options: &PlaceOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = PlacementFormat::decide(options.format, shared.output())?;
    refuse_unneeded(format, options)?;
    let scenarios = load(std::slice::from_ref(&options.run.file)).map_err(Failure::Scenario)?;
    let run = one_run(&scenarios, options.run.embedding.as_deref())?;
    let hosts = options.hosts.as_deref().map(read_hosts).transpose().map_err(Failure::Scenario)?;
    let page = match options.stage {
        Some(stage) => Page::Stage(StagePage::new(stage, format, run)?),
        None => Page::new(format, run, hosts.as_ref(), options)?,
    };
    refuse_hosts_as_output(options, shared)?;
    let output = Output::open(shared.output(), &scenarios)?;
    output.write(|output| page.write(output, run))?;
    if let Some(note) = page.note().filter(|_| !shared.quiet) {
        // Where nobody reads the note nothing is lost.
        let _ = writeln!(io::stderr(), "note: {note}");
    }
    Ok(())
}

/// A placement that is about to be written, with nothing left that could be refused.
enum Page<'run> {
    Grid,
    Csv,
    Json,
    Npy,
    Launcher(LauncherFile<'run>),
    Stage(StagePage<'run>),
}

impl<'run> Page<'run> {
    fn new(
        format: PlacementFormat,
        run: &'run Run,
        hosts: Option<&'run HostList>,
        options: &PlaceOptions,
    ) -> Result<Self, Failure> {
        Ok(match format {
            PlacementFormat::Grid => Self::Grid,
            PlacementFormat::Csv => Self::Csv,
            PlacementFormat::Json => Self::Json,
            PlacementFormat::Npy => Self::Npy,
            PlacementFormat::Launcher(format) => {
                let options = HostOptions { hosts, slots_per_node: options.slots_per_node };
                let file = LauncherFile::new(format, run, options);
                Self::Launcher(file.map_err(|error| Failure::launcher(&error))?)
            }
        })
    }

    fn write(&self, output: &mut impl Write, run: &Run) -> io::Result<()> {
        match self {
            Self::Grid => write_grid(output, &run.placement),
            Self::Csv => write_csv(output, run),
            Self::Json => write_json(output, run),
            Self::Npy => write_npy(output, run),
            Self::Launcher(file) => file.write(output),
            Self::Stage(page) => page.write(output),
        }
    }

    /// What the file leaves to others.
    fn note(&self) -> Option<String> {
        match self {
            Self::Launcher(file) => file.note(),
            Self::Grid | Self::Csv | Self::Json | Self::Npy | Self::Stage(_) => None,
        }
    }
}

/// Refuses what is said about hosts to a format that knows none.
fn refuse_unneeded(format: PlacementFormat, options: &PlaceOptions) -> Result<(), Failure> {
    if matches!(format, PlacementFormat::Launcher(_)) {
        return Ok(());
    }
    let given =
        [("--hosts", options.hosts.is_some()), ("--slots-per-node", options.slots_per_node.is_some())];
    let Some((option, _)) = given.into_iter().find(|&(_, given)| given) else { return Ok(()) };
    let launchers = LauncherFormat::ALL.map(LauncherFormat::name).join(", ");
    Err(Failure::usage(
        format!("{option} without a launcher's format, expected --format with one of {launchers}"),
        format!("give --format, or leave out {option}"),
    ))
}

/// Refuses to write over the list of hosts.
fn refuse_hosts_as_output(options: &PlaceOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let (Some(hosts), Some(output)) = (&options.hosts, shared.output()) else { return Ok(()) };
    if !is_same(hosts, output) {
        return Ok(());
    }
    Err(Failure::usage(
        format!("cannot write {}: the hosts are read from {}", output.display(), hosts.display()),
        "name another file for the placement",
    ))
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
