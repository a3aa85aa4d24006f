//! Placements from launchers' files: the table that names one, and its files.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_formats::{
    format::Recogniser,
    input::region::Region,
    launcher::{
        self, CoordinateError, CoordinateMap, HostList, HostOptions, LauncherError, LauncherFile,
        LauncherFormat,
    },
    value::Kind,
};
use cubefold_mapping::{Placement, PlacementTable, PlacementTableError, ProcessId};

use super::{
    Run, asked_file,
    errors::{Errors, ScenarioError, ScenarioErrors, errors_at},
    placement_file::Failure,
    source_file::{Place, SourceFile},
    value::{Table, Value},
};

const KEYS: [&str; 5] = ["file", "format", "hosts", "coordinates", "slots_per_node"];

/// A launcher's file in a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LauncherEntry {
    /// Its format.
    pub format: LauncherFormat,
    /// The file, relative to the scenario.
    pub file: String,
    /// The list of host names, relative to the scenario, if it is given.
    pub hosts: Option<String>,
    /// The coordinate map that orders them, relative to the scenario, if there is one.
    pub coordinates: Option<String>,
    /// Slots of each host, if the scenario gives them; at least 1.
    pub slots_per_node: Option<u64>,
}

/// Reads the table `{ file = .., format = .., hosts = .. }` and reports its errors.
pub(super) fn entry(value: &Value, errors: &Errors) -> Option<LauncherEntry> {
    let before = errors.len();
    let table = Table::read(value, "embedding", &KEYS, errors)?;
    let file = table.required("file", "the path of a launcher's file", errors);
    let file = file.and_then(|value| path(value, &table.name("file"), errors));
    let formats = LauncherFormat::ALL.map(|format| (format.name(), format));
    let format = table.required("format", "the name of a format", errors)?;
    let format = format.choice(&table.name("format"), &formats, errors)?;
    let (hosts, slots_per_node) =
        (read_hosts_key(&table, format, errors), read_slots(&table, format, errors));
    let coordinates = read_coordinates_key(&table, format, errors);
    let entry = LauncherEntry { format, file: file?, hosts, coordinates, slots_per_node };
    (errors.len() == before).then_some(entry)
}

/// Suggests the scenario syntax for `FORMAT:PATH`, the name in results; `None` for other texts.
pub(super) fn as_table(name: &str) -> Option<String> {
    let (format, file) = name.split_once(':')?;
    let format = LauncherFormat::ALL.into_iter().find(|known| known.name() == format)?;
    let hosts = if format.names_hosts() { ", hosts = .." } else { "" };
    Some(format!("write it as {{ file = {file:?}, format = \"{format}\"{hosts} }}"))
}

fn path(value: &Value, name: &str, errors: &Errors) -> Option<String> {
    let text = value.text(name, errors)?;
    if text.is_empty() {
        return errors.fail(value.unexpected(name, "a path"));
    }
    Some(text.to_owned())
}

/// The path of the host names; reports one that the format does not use.
fn read_hosts_key(table: &Table<'_>, format: LauncherFormat, errors: &Errors) -> Option<String> {
    if format.names_hosts() {
        return path(table.get("hosts")?, &table.name("hosts"), errors);
    }
    refuse(table, "hosts", &format!("{format} names no hosts"), errors)
}

/// The path of the coordinate map; reports one that the format does not use, or that it lacks.
fn read_coordinates_key(table: &Table<'_>, format: LauncherFormat, errors: &Errors) -> Option<String> {
    if !format.takes_coordinates() {
        return refuse(table, "coordinates", &format!("{format} names no hosts"), errors);
    }
    let value = if format.needs_coordinates() {
        table.required("coordinates", "the path of the output of print(jax.devices())", errors)?
    } else {
        table.get("coordinates")?
    };
    path(value, &table.name("coordinates"), errors)
}

/// The slots of a host; reports slots that the format does not use.
fn read_slots(table: &Table<'_>, format: LauncherFormat, errors: &Errors) -> Option<u64> {
    let key = "slots_per_node";
    if format.names_hosts() && format.has_slots() {
        return table.get(key)?.natural(table.name(key), 1..=u32::MAX.into(), errors);
    }
    refuse(table, key, &format!("{format} has no slots of hosts"), errors)
}

/// Reports a key that must be absent.
fn refuse<T>(table: &Table<'_>, key: &str, reason: &str, errors: &Errors) -> Option<T> {
    let value = table.get(key)?;
    let message = format!("{} is given, expected none: {reason}", table.name(key));
    errors.fail(ScenarioError::at(&value.place, message, "not needed").with_help(format!("remove {key}")))
}

impl LauncherEntry {
    /// Reads the placement of `processes` processes on `region`, whose hosts have the names `known`, if any; `place` is
    /// where the scenario names the file, and `beside` finds its files.
    ///
    /// # Errors
    ///
    /// If one of the files cannot be read or is wrong: the first errors of each.
    pub(super) fn read(
        &self,
        processes: u64,
        region: Region<'_>,
        known: Option<HostList>,
        place: &Place,
        beside: impl Fn(&str) -> PathBuf,
    ) -> Result<Placement, Failure> {
        let (file, hosts) = (beside(&self.file), self.hosts.as_deref().map(&beside));
        let hosts = hosts.map(|path| read_names(&path, LIST)).transpose().map_err(Failure::Wrong);
        let source =
            SourceFile::read(&file).map_err(|error| Failure::unread(&file, "launcher's file", error))?;
        let mut hosts = among(hosts?, known.filter(|_| self.coordinates.is_none()));
        if hosts.is_none() && self.coordinates.is_none() && self.format.names_hosts() {
            return Err(no_hosts(self.format, place).into());
        }
        if let Some(path) = self.coordinates.as_deref().map(beside) {
            let map = read_map(&path).map_err(Failure::Wrong)?;
            let ordered = map.order(region.whole(), hosts.as_ref());
            hosts =
                Some(ordered.map_err(|error| Failure::of_file(&path, format!("coordinate map: {error}")))?);
        }
        let options = HostOptions { hosts: hosts.as_ref(), slots_per_node: self.slots_per_node };
        let placement = launcher::read(self.format, source.text(), processes, region, options);
        placement.map_err(|diagnostics| {
            let expected = self.format.to_string();
            let other = asked_file::other_format(&file, source.text(), &expected, &[]);
            let errors = || errors_at(&source, &diagnostics);
            Failure::Wrong(other.map_or_else(errors, |error| vec![error]))
        })
    }
}

/// The hosts of a file: those listed, or the known ones of the machine if none are, or only some of these.
fn among(listed: Option<HostList>, known: Option<HostList>) -> Option<HostList> {
    match (listed, known) {
        (Some(listed), Some(known))
            if listed.count() < known.count() && listed.names().all(|name| known.contains(name)) =>
        {
            Some(known.with_slots_of(&listed))
        }
        (listed, known) => listed.or(known),
    }
}

fn no_hosts(format: LauncherFormat, place: &Place) -> ScenarioError {
    let message = format!("{format} without hosts on a machine without names, expected a list of its hosts");
    ScenarioError::at(place, message, "no hosts").with_help("give hosts = \"..\", or the machine host_names")
}

impl Run {
    /// The placement of its processes as a launcher knows them: of a collective, only the ranks, each with all
    /// of its shares on its node.
    ///
    /// # Errors
    ///
    /// Never, since the placement of the run is valid.
    pub fn rank_placement(&self) -> Result<Arc<Placement>, PlacementTableError> {
        let (ranks, processes) = (self.program.rank_count(), self.program.body.process_count());
        if ranks == processes {
            return Ok(Arc::clone(&self.placement));
        }
        let nodes = ProcessId::first(ranks).map(|rank| self.placement.node(rank)).collect();
        PlacementTable::new(self.placement.machine(), nodes).map(|table| Arc::new(Placement::Table(table)))
    }

    /// Makes a launcher's file of a placement of its ranks.
    ///
    /// # Errors
    ///
    /// If host names are missing or unneeded, a number of slots is unneeded, the hosts do not fit the
    /// machine, or the format cannot express the placement.
    pub fn launcher_file<'a>(
        &'a self,
        ranks: &'a Placement,
        format: LauncherFormat,
        options: HostOptions<'a>,
    ) -> Result<LauncherFile<'a>, LauncherError> {
        LauncherFile::new(self.region(), ranks, format, options)
    }

    /// Checks that a list has one name for every host of its machine.
    ///
    /// # Errors
    ///
    /// As [`LauncherFile::check_hosts`].
    pub fn check_hosts(
        &self,
        ranks: &Placement,
        hosts: &HostList,
        slots_per_node: Option<u64>,
    ) -> Result<(), LauncherError> {
        LauncherFile::check_hosts(self.region(), ranks, hosts, slots_per_node)
    }

    /// The names of the hosts of its job in their order, if the machine's hosts have names, or the nodes of a cluster.
    #[must_use]
    pub fn job_hosts(&self) -> Option<HostList> {
        self.host_names.as_ref()?.of_job(self.region())
    }

    /// Orders the hosts of its machine by a coordinate map: those of a list, or all of the map.
    ///
    /// # Errors
    ///
    /// If a host is unknown, or the coordinates do not match the nodes of the machine one to one.
    pub fn hosts_in_order(
        &self,
        map: &CoordinateMap,
        listed: Option<&HostList>,
    ) -> Result<HostList, CoordinateError> {
        map.order(self.region().whole(), listed)
    }
}

/// Reads a list of hosts, as schedulers and launchers print it, for [`HostOptions`].
///
/// # Errors
///
/// If the file cannot be read, or a line is not a host name or repeats one: every error.
pub fn read_hosts(path: &Path) -> Result<HostList, ScenarioErrors> {
    read_names(path, LIST).map_err(ScenarioErrors::new)
}

/// Reads a coordinate map.
///
/// # Errors
///
/// If the file cannot be read, or is not a map: every error.
pub fn read_coordinates(path: &Path) -> Result<CoordinateMap, ScenarioErrors> {
    read_map(path).map_err(ScenarioErrors::new)
}

/// The word for a list of hosts in messages.
const LIST: &str = "list of hosts";

/// The length from which files are lists of names \[bytes\].
const LONG: usize = 1 << 22;

/// Reads names of hosts from a list, or from any file that holds hosts; `what` is the file in messages.
pub(super) fn read_names(path: &Path, what: &str) -> Result<HostList, Vec<ScenarioError>> {
    let source = SourceFile::read(path)
        .map_err(|error| vec![ScenarioError::of_file(path, format!("{what} {error}"))])?;
    if source.text().len() > LONG {
        return HostList::parse(source.text()).map_err(|diagnostics| errors_at(&source, &diagnostics));
    }
    let mut file = Recogniser::new(source.text().as_bytes());
    let asked = asked_file::asked_in(path, &source, &mut file, Kind::Hosts);
    if let Ok(Some((format, reading))) = &asked
        && format.name != "host-list"
    {
        let hosts = reading.content.hosts().unwrap_or_default();
        return HostList::with_slots(&hosts).ok_or_else(|| {
            let message = format!("{what} of {}: names that are no names of hosts", format.tool);
            vec![ScenarioError::of_file(path, message)]
        });
    }
    match (file.read_plain(source.text(), HostList::parse), asked) {
        (Ok(list), _) => Ok(list),
        (Err(_), Err(misfit)) => Err(misfit),
        (Err(diagnostics), Ok(_)) => Err(errors_at(&source, &diagnostics)),
    }
}

fn read_map(path: &Path) -> Result<CoordinateMap, Vec<ScenarioError>> {
    let source = SourceFile::read(path)
        .map_err(|error| vec![ScenarioError::of_file(path, format!("coordinate map {error}"))])?;
    CoordinateMap::parse(source.text()).map_err(|diagnostics| {
        let expected = "coordinates of hosts, or a network";
        let other = asked_file::other_format(path, source.text(), expected, &["coordinate-map"]);
        other.map_or_else(|| errors_at(&source, &diagnostics), |error| vec![error])
    })
}
