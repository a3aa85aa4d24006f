//! `cubefold place`: one placement.

mod stage;

use std::{
    io::{self, Write},
    sync::Arc,
};

use cubefold_formats::{
    input::printable,
    launcher::{HostList, HostOptions, LauncherFile, LauncherFormat},
};
use cubefold_mapping::{Placement, ProcessId};
use cubefold_records::MachineRecord;
use cubefold_scenario::{Run, Setting, read_coordinates, read_hosts};
use cubefold_topology::Coordinates;
use serde::{Serialize, Serializer};
use stage::StagePage;

use crate::{
    arguments::{HostFileOptions, PlaceOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, PlacementFormat},
    grouping::{addresses, one_run, refuse_open_loop},
    option_value::StageName,
    output::{Output, refuse_as_output, say},
    table::write_grid,
};

pub(super) fn place(options: &PlaceOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = PlacementFormat::decide(options.format, shared.output())?;
    refuse_unneeded(format, &options.hosts)?;
    let mut scenarios = options.run.scenario.load(shared)?;
    if let Some(setting) = allocation_of_hosts(one_run(&scenarios, &options.run)?, &options.hosts)? {
        let mut allocated = options.run.scenario.clone();
        allocated.set.settings.push(setting);
        scenarios = allocated.load(shared)?;
    }
    let run = one_run(&scenarios, &options.run)?;
    refuse_open_loop([run], "a placement")?;
    let written = Written::new(run, format, options.stage, &options.hosts)?;
    refuse_hosts_as_output(&options.hosts, shared)?;
    written.write(Output::open(shared, &scenarios)?, shared)
}

/// Whether the files of a format contain the names of hosts.
fn names_hosts(format: PlacementFormat) -> bool {
    match format {
        PlacementFormat::Launcher(launcher) => launcher.names_hosts(),
        PlacementFormat::Hosts => true,
        PlacementFormat::Grid | PlacementFormat::Csv | PlacementFormat::Json | PlacementFormat::Npy => false,
    }
}

/// A placement to write, with its run.
pub(super) struct Written<'run> {
    run: &'run Run,
    format: PlacementFormat,
    stage: Option<StageName>,
    options: &'run HostFileOptions,
    hosts: Option<HostList>,
    ranks: Ranks,
}

impl<'run> Written<'run> {
    pub(super) fn new(
        run: &'run Run,
        format: PlacementFormat,
        stage: Option<StageName>,
        options: &'run HostFileOptions,
    ) -> Result<Self, Failure> {
        let hosts = hosts_in_order(run, options, names_hosts(format))?;
        let written = Self { run, format, stage, options, hosts, ranks: Ranks::new(run)? };
        written.page()?;
        Ok(written)
    }

    fn page(&self) -> Result<Page<'_>, Failure> {
        match self.stage {
            Some(stage) => Ok(Page::Stage(StagePage::new(stage, self.format, self.run)?)),
            None => Page::new(self.format, self.run, &self.ranks, self.hosts.as_ref(), self.options),
        }
    }

    /// Writes it, and the notes on it.
    pub(super) fn write(&self, output: Output, shared: &SharedOptions) -> Result<(), Failure> {
        let page = self.page()?;
        output.write(|output| page.write(output, self.run, &self.ranks))?;
        let order = self.hosts.as_ref().and_then(|hosts| note_on_order(self.run, hosts));
        for note in page.note().into_iter().chain(order).filter(|_| !shared.quiet) {
            say(&format!("note: {}", printable(&note)));
        }
        Ok(())
    }
}

/// The processes of a job: those of the program, or the ranks of a collective, each on one node.
struct Ranks(Arc<Placement>);

impl Ranks {
    fn new(run: &Run) -> Result<Self, Failure> {
        let placement = run.rank_placement();
        placement.map(Self).map_err(|error| Failure::usage(error.to_string(), "change the scenario"))
    }

    /// Every process with the coordinates of its node.
    fn addresses<'run>(&'run self, run: &'run Run) -> impl Iterator<Item = (ProcessId, Coordinates)> + 'run {
        addresses(run).take(usize::try_from(self.0.process_count()).unwrap_or(usize::MAX))
    }
}

/// A note on the assumed order of a list of hosts; `None` if a coordinate map gives it.
fn note_on_order(run: &Run, hosts: &HostList) -> Option<String> {
    if hosts.is_of_map() {
        return None;
    }
    let whole = run.partition.as_deref().map_or(&*run.machine, |partition| partition.whole());
    let place = |node: u64| {
        let node = whole.node(node).ok()?;
        let numbers: Vec<String> =
            whole.shape().coordinates(node).as_slice().iter().map(ToString::to_string).collect();
        Some(format!("({})", numbers.join(", ")))
    };
    let mut placed = hosts.names().zip(0..).map(|(name, node)| Some(format!("{name} at {}", place(node)?)));
    let first = placed.next()??;
    let second = placed.next().flatten().map_or_else(String::new, |second| format!(", {second}"));
    Some(format!(
        "the hosts are taken in the order of the nodes, the first coordinate fastest: {first}{second}; \
         --coordinates FILE puts them in that order"
    ))
}

/// A placement, checked and ready to be written.
enum Page<'run> {
    Grid,
    Csv,
    Json,
    Npy,
    Hosts(&'run HostList),
    Launcher(LauncherFile<'run>),
    Stage(StagePage<'run>),
}

/// Refuses a grid with hardly any occupied nodes.
fn check_grid(placement: &Placement) -> Result<(), Failure> {
    const NODES: u64 = 1 << 20;
    const NODES_A_PROCESS: u64 = 64;
    let (nodes, processes) = (placement.machine().node_count(), placement.process_count());
    let most = NODES.max(processes.saturating_mul(NODES_A_PROCESS));
    if nodes <= most {
        return Ok(());
    }
    let message = format!("a grid of {nodes} nodes for {processes} processes, expected at most {most} nodes");
    Err(Failure::usage(message, "--format csv has a line for each process"))
}

impl<'run> Page<'run> {
    fn new(
        format: PlacementFormat,
        run: &'run Run,
        ranks: &'run Ranks,
        hosts: Option<&'run HostList>,
        options: &HostFileOptions,
    ) -> Result<Self, Failure> {
        Ok(match format {
            PlacementFormat::Grid => {
                check_grid(&ranks.0)?;
                Self::Grid
            }
            PlacementFormat::Csv => Self::Csv,
            PlacementFormat::Json => Self::Json,
            PlacementFormat::Npy => Self::Npy,
            PlacementFormat::Hosts => {
                let hosts = hosts.ok_or_else(no_hosts)?;
                let checked = run.check_hosts(&ranks.0, hosts, options.slots_per_node);
                checked.map_err(|error| Failure::launcher(&error))?;
                Self::Hosts(hosts)
            }
            PlacementFormat::Launcher(format) => {
                let options = HostOptions { hosts, slots_per_node: options.slots_per_node };
                let file = run.launcher_file(&ranks.0, format, options);
                Self::Launcher(file.map_err(|error| Failure::launcher(&error))?)
            }
        })
    }

    fn write(&self, output: &mut impl Write, run: &Run, ranks: &Ranks) -> io::Result<()> {
        match self {
            Self::Grid => write_grid(output, &ranks.0),
            Self::Csv => write_csv(output, run, ranks),
            Self::Json => write_json(output, run, ranks),
            Self::Npy => write_npy(output, run, ranks),
            Self::Hosts(hosts) => hosts.names().try_for_each(|name| writeln!(output, "{name}")),
            Self::Launcher(file) => file.write(output),
            Self::Stage(page) => page.write(output),
        }
    }

    /// A note on the settings that the file leaves to the launcher.
    fn note(&self) -> Option<String> {
        match self {
            Self::Launcher(file) => file.note(),
            Self::Grid | Self::Csv | Self::Json | Self::Npy | Self::Hosts(_) | Self::Stage(_) => None,
        }
    }
}

/// Refuses options about hosts for a format without hosts.
pub(super) fn refuse_unneeded(format: PlacementFormat, options: &HostFileOptions) -> Result<(), Failure> {
    if matches!(format, PlacementFormat::Launcher(_) | PlacementFormat::Hosts) {
        return Ok(());
    }
    let given = [
        ("--hosts", options.hosts.is_some()),
        ("--coordinates", options.coordinates.is_some()),
        ("--slots-per-node", options.slots_per_node.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|&(_, given)| given) else { return Ok(()) };
    let launchers = LauncherFormat::ALL.map(LauncherFormat::name).join(", ");
    Err(Failure::usage(
        format!("{option} without a launcher's format, expected --format with one of {launchers}"),
        format!("give --format, or leave out {option}"),
    ))
}

/// The key that makes the listed hosts the nodes of the job, if the machine names them and has more; a network
/// given as coordinates orders them.
fn allocation_of_hosts(run: &Run, options: &HostFileOptions) -> Result<Option<Setting>, Failure> {
    let (Some(known), None, Some(path)) = (&run.host_names, &run.allocation, &options.hosts) else {
        return Ok(None);
    };
    let listed = read_hosts(path).map_err(Failure::Scenario)?;
    if listed.count() >= known.count() || !listed.names().all(|name| known.contains(name)) {
        return Ok(None);
    }
    let ordered = match &options.coordinates {
        Some(path) => {
            let map = read_coordinates(path).map_err(Failure::Scenario)?;
            let along = map.along_network(&listed).map_err(|error| {
                let message = format!("{}: {error}", path.display());
                Failure::usage(message, "give --coordinates with the network that has these hosts")
            });
            along?.unwrap_or(listed)
        }
        None => listed,
    };
    let names: Vec<String> = ordered.names().map(|name| format!("{name:?}")).collect();
    let text = format!("machine.allocation=[{}]", names.join(", "));
    text.parse().map(Some).map_err(|_| Failure::usage(text, "name the hosts in machine.allocation"))
}

/// The hosts, in the order of the coordinate map if there is one; without one, the hosts that the machine names.
fn hosts_in_order(
    run: &Run,
    options: &HostFileOptions,
    names_hosts: bool,
) -> Result<Option<HostList>, Failure> {
    let hosts = options.hosts.as_deref().map(read_hosts).transpose().map_err(Failure::Scenario)?;
    if let Some(job) = run.job_hosts() {
        let is_of_job =
            |list: &HostList| list.count() == job.count() && list.names().all(|name| job.contains(name));
        match &hosts {
            None if options.coordinates.is_none() && names_hosts => return Ok(Some(job)),
            Some(list) if is_of_job(list) => return Ok(Some(job.with_slots_of(list))),
            Some(list) if options.coordinates.is_none() => {
                let unknown = list.names().find(|name| !job.contains(name));
                if let Some(name) = unknown {
                    return Err(unknown_host(run, name));
                }
            }
            _ => {}
        }
    }
    let Some(path) = &options.coordinates else { return Ok(hosts) };
    let map = read_coordinates(path).map_err(Failure::Scenario)?;
    let ordered = run.hosts_in_order(&map, hosts.as_ref()).map_err(|error| {
        Failure::usage(
            format!("{}: {error}", path.display()),
            "the scenario must have the machine of these hosts: give --hosts with those of the job, and its shape",
        )
    });
    ordered.map(Some)
}

fn unknown_host(run: &Run, name: &str) -> Failure {
    let is_of_machine = run.host_names.as_ref().is_some_and(|names| names.contains(name));
    let (of, advice) = if is_of_machine {
        ("job (machine.allocation)", "list the hosts of the job")
    } else {
        ("machine, whose hosts have names", "list hosts of the machine")
    };
    Failure::usage(format!("host {:?} of the list is none of the {of}", printable(name)), advice)
}

fn no_hosts() -> Failure {
    Failure::usage(
        "--format hosts without hosts, expected a list or a coordinate map",
        "give --hosts FILE, --coordinates FILE, or both",
    )
}

/// Refuses to overwrite the list of hosts or the coordinate map.
pub(super) fn refuse_hosts_as_output(
    options: &HostFileOptions,
    shared: &SharedOptions,
) -> Result<(), Failure> {
    let inputs = options.hosts.iter().chain(&options.coordinates);
    refuse_as_output(inputs, shared.output(), "hosts", "placement")
}

/// A row for each process: `process,p_1,p_2,..`.
fn write_csv(output: &mut impl Write, run: &Run, ranks: &Ranks) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(output);
    let dimensions = run.machine.shape().dimensions();
    let coordinates = dimensions.map(|dimension| format!("p_{dimension}"));
    table.write_record(std::iter::once("process".to_owned()).chain(coordinates))?;
    for (process, address) in ranks.addresses(run) {
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
    nodes: (&'run Run, &'run Ranks),
}

fn write_json(output: &mut impl Write, run: &Run, ranks: &Ranks) -> io::Result<()> {
    let document = PlacementDocument {
        format: "cubefold-placement",
        version: 1,
        machine: MachineRecord::new(run),
        embedding: run.embedding.to_string(),
        nodes: (run, ranks),
    };
    serde_json::to_writer(&mut *output, &document)?;
    writeln!(output)
}

/// The coordinates of each process, one at a time, so that a large placement is never held as a whole.
fn nodes<S: Serializer>(&(run, ranks): &(&Run, &Ranks), serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ranks.addresses(run).map(|(_, address)| address.as_slice().to_vec()))
}

/// The magic bytes of such files, and the version of the format, 1.0.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// The header ends at a multiple of this many bytes from the beginning of the file.
const ALIGNMENT: usize = 64;

/// Writes an array with a row of coordinates per process: unsigned integers of 32 bits, little-endian.
///
/// "NPY format", `NumPy` reference, `numpy.lib.format`.
fn write_npy(output: &mut impl Write, run: &Run, ranks: &Ranks) -> io::Result<()> {
    let columns = run.machine.shape().dimension_count();
    output.write_all(&header(ranks.0.process_count(), columns))?;
    for (_, address) in ranks.addresses(run) {
        for coordinate in address.as_slice() {
            output.write_all(&coordinate.to_le_bytes())?;
        }
    }
    Ok(())
}

/// The header before the numbers: a Python dictionary, and its length.
fn header(rows: u64, columns: usize) -> Vec<u8> {
    let dictionary = format!("{{'descr': '<u4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let before = MAGIC.len() + size_of::<u16>();
    let whole = (before + dictionary.len() + 1).next_multiple_of(ALIGNMENT);
    let padded = format!("{dictionary:<width$}\n", width = whole - before - 1);
    // Two numbers of at most 20 digits: the length is far below 2^16.
    let length = u16::try_from(padded.len()).unwrap_or(u16::MAX);
    [MAGIC, &length.to_le_bytes(), padded.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_fill_whole_blocks_and_tell_their_length() {
        for (rows, columns) in [(8, 1), (1 << 32, 32)] {
            let header = header(rows, columns);
            assert!(header.len().is_multiple_of(ALIGNMENT));
            let length = u16::from_le_bytes([header[8], header[9]]);
            assert_eq!(usize::from(length) + 10, header.len());
            assert_eq!(header.last(), Some(&b'\n'));
        }
        let text = String::from_utf8_lossy(&header(8, 1)[10..]).into_owned();
        assert_eq!(text.trim_end(), "{'descr': '<u4', 'fortran_order': False, 'shape': (8, 1), }");
    }
}
