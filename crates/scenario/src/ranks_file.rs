//! Placements from files that name the host of every rank: logs of launchers, statistics, rank files.

use std::path::Path;

use cubefold_formats::{
    asked::{Asked, ask},
    input::{input_file, region::Region},
    launcher::{self, HostList, HostOptions, LauncherFormat},
    value::Kind,
};
use cubefold_mapping::Placement;

use super::{
    allocation::job_hosts, asked_file::at_lines, errors::ScenarioError, placement_file::Failure,
    settings::Settings, source_file::SourceFile,
};

/// Larger files are tables of processes and coordinates \[bytes\].
const MOST: u64 = 64 << 20;

/// The placement of `processes` ranks from a file that names their hosts; `None` if the file has another form.
pub(super) fn read(
    settings: &Settings<'_>,
    path: &Path,
    processes: u64,
    region: Region<'_>,
) -> Option<Result<Placement, Failure>> {
    if input_file::is_opened_already(path) || path == Path::new(input_file::STANDARD_INPUT) {
        return None;
    }
    let bytes = input_file::read(path, MOST).ok()?;
    if bytes.starts_with(b"process,") {
        return None;
    }
    let (format, reading) = match ask(&path.display().to_string(), &bytes, Kind::Ranks) {
        Asked::Value(format, reading) => (format, reading),
        Asked::Wrong(_, complaints) => {
            let source = SourceFile::read(path).ok()?;
            return Some(Err(Failure::Wrong(at_lines(path, &source, &complaints))));
        }
        Asked::Misfit(_) | Asked::Unknown => return None,
    };
    let ranks = reading.content.ranks()?;
    let wrong =
        |message: String, help: &str| Failure::from(ScenarioError::of_file(path, message).with_help(help));
    let Some(hosts) = job_hosts(settings, region) else {
        let message = format!("hosts of ranks ({}) on a machine without names", format.name);
        return Some(Err(wrong(message, "machine.host_names = \"..\" names its hosts in their order")));
    };
    let mut lines = String::new();
    for (rank, name) in ranks.iter().enumerate() {
        match known(&hosts, name) {
            Ok(host) => lines.push_str(host),
            Err(message) => {
                let is_idle = region.allocation.is_some() && machine_has(settings, region, name);
                let help = if is_idle { "the host is not in machine.allocation" } else { "" };
                return Some(Err(wrong(format!("rank {rank} on {name}, {message}"), help)));
            }
        }
        lines.push('\n');
    }
    // A rankfile also has the slot of a rank, which on a cluster is a device.
    let rankfile = LauncherFormat::OPEN_MPI_RANKFILE;
    let has_devices = format.name == rankfile.name() && ranks.iter().all(|name| hosts.contains(name));
    let (launcher, text) = match std::str::from_utf8(&bytes) {
        Ok(text) if has_devices && region.devices_per_host() > 1 => (rankfile, text),
        _ => (LauncherFormat::SLURM_HOSTFILE, lines.as_str()),
    };
    let options = HostOptions { hosts: Some(&hosts), slots_per_node: None };
    Some(launcher::read(launcher, text, processes, region, options).map_err(|diagnostics| {
        let errors =
            diagnostics.kept().iter().map(|diagnostic| ScenarioError::of_file(path, &diagnostic.message));
        Failure::Wrong(errors.collect())
    }))
}

/// Whether a host of the machine has a name.
fn machine_has(settings: &Settings<'_>, region: Region<'_>, name: &str) -> bool {
    let all = Region { allocation: None, ..region };
    job_hosts(settings, all).is_some_and(|hosts| known(&hosts, name).is_ok())
}

/// The host with a name: the whole name, else up to the first dot.
fn known<'h>(hosts: &'h HostList, name: &'h str) -> Result<&'h str, String> {
    if hosts.contains(name) {
        return Ok(name);
    }
    let first = |host: &'h str| host.split('.').next().unwrap_or_default();
    let mut alike = hosts.names().filter(|host| first(host) == first(name));
    match (alike.next(), alike.next()) {
        (Some(host), None) => Ok(host),
        (Some(one), Some(other)) => Err(format!("which could be {one} or {other}")),
        (None, _) => Err("expected a host of the job".to_owned()),
    }
}
