//! Placement of the ranks of a running job: bindings and job maps of launchers, start-up logs, and the
//! `hostname` of each rank.

use std::collections::BTreeMap;

use crate::{
    format::{FileText, Format, Likeness, Read, Reader, wrong},
    read::hosts::is_address,
    value::{Content, Kind},
};

const HOLDS: &[Kind] = &[Kind::Ranks, Kind::Hosts];
pub(super) const MAX_RANKS: u64 = 1 << 20;

pub(super) static OPEN_MPI_BINDINGS: Format = Format {
    name: "open-mpi-bindings",
    tool: "mpirun --report-bindings of Open MPI",
    holds: HOLDS,
    is_like: |file| likeness(file, binding),
    reader: Reader::Reads(|file| read(file, binding)),
};

pub(super) static PRRTE_JOB_MAP: Format = Format {
    name: "prrte-job-map",
    tool: "mpirun --display map of Open MPI",
    holds: HOLDS,
    is_like: |file| {
        let has = |part: &str| file.text.contains(part);
        ((has("Data for node:") && has("Process rank:")) || has("Data for proc:")).into()
    },
    reader: Reader::Reads(read_job_map),
};

pub(super) static INTEL_MPI_STARTUP: Format = Format {
    name: "intel-mpi-startup",
    tool: "the start-up log of Intel MPI (I_MPI_DEBUG=4)",
    holds: HOLDS,
    is_like: |file| file.lines().any(|(_, line)| is_startup_header(line)).into(),
    reader: Reader::Reads(read_startup),
};

pub(super) static LABELLED_HOSTNAMES: Format = Format {
    name: "labelled-hostnames",
    tool: "srun --label hostname, mpirun --tag-output hostname",
    holds: HOLDS,
    is_like: |file| {
        let mut labels: Vec<u64> = vec![];
        for (_, line) in file.rows() {
            match labelled(line) {
                Some((label, _)) => labels.push(label),
                None => return Likeness::No,
            }
        }
        labels.sort_unstable();
        // A few may be missing, which is an error.
        let most = if file.is_sample() { u64::MAX } else { 2 * labels.len() as u64 };
        let are_ranks = labels.len() > 1 && labels[0] == 0 && labels.last().is_some_and(|last| *last < most);
        let count = labels.len();
        labels.dedup();
        // A line may stand twice, which is no error.
        (are_ranks && 2 * labels.len() > count).into()
    },
    reader: Reader::Reads(|file| read(file, labelled)),
};

pub(super) static XTHI: Format = Format {
    name: "xthi",
    tool: "xthi and acheck, which print the affinity of each rank",
    holds: HOLDS,
    is_like: |file| {
        let nodes = |file: &FileText<'_>| file.lines().any(|(_, line)| host_of_node(line).is_some());
        likeness(file, affinity).max((nodes(file) && file.text.contains("MPI summary")).into())
    },
    reader: Reader::Reads(read_affinity),
};

/// The rank and the host in a line.
type Place<'t> = Option<(u64, &'t str)>;

fn likeness(file: &FileText<'_>, place: fn(&str) -> Place<'_>) -> Likeness {
    file.lines().any(|(_, line)| place(line).is_some()).into()
}

/// Reads the lines that match a pattern and skips the others.
fn read(file: &FileText<'_>, place: fn(&str) -> Place<'_>) -> Read {
    gathered(file.lines().filter_map(|(line, text)| place(text).map(|(rank, host)| (line, rank, host))))
}

/// Collects the hosts of ranks; each rank must be on one host, and none may be missing.
pub(super) fn gathered<'t>(places: impl Iterator<Item = (usize, u64, &'t str)>) -> Read {
    let mut hosts: BTreeMap<u64, (usize, &str)> = BTreeMap::new();
    for (line, rank, host) in places {
        if rank >= MAX_RANKS {
            return wrong(line, format!("rank {rank}, expected below {MAX_RANKS}"));
        }
        let (earlier, known) = *hosts.entry(rank).or_insert((line, host));
        if known != host {
            return wrong(
                line,
                format!("rank {rank} on {known} (line {earlier}) and on {host} (line {line})"),
            );
        }
    }
    let Some((&last, _)) = hosts.last_key_value() else {
        return wrong(0, "no line with a rank and its host");
    };
    if let Some(missing) = (0..last).find(|rank| !hosts.contains_key(rank)) {
        return wrong(0, format!("no line for rank {missing} of {}", last + 1));
    }
    Ok(Content::Ranks(hosts.into_values().map(|(_, host)| host.to_owned()).collect()).into())
}

/// Parses `[HOST:PID] MCW rank N bound to ..` or `[HOST:PID] Rank N is not bound ..`.
fn binding(line: &str) -> Place<'_> {
    let (before, after) = line.split_once(" MCW rank ").or_else(|| line.split_once("] Rank "))?;
    let mut words = after.split_whitespace();
    let rank = words.next()?.parse().ok()?;
    if !matches!(words.next()?, "bound" | "is") {
        return None;
    }
    let tag = before.rsplit_once('[')?.1.trim_end_matches(']');
    let (host, process) = tag.rsplit_once(':')?;
    process.parse::<u64>().ok()?;
    (!host.is_empty()).then_some((rank, host))
}

fn read_job_map(file: &FileText<'_>) -> Read {
    let mut host = None;
    let mut places = vec![];
    for (line, text) in file.lines() {
        if let Some((_, after)) = text.split_once("Data for node:") {
            host = after.trim_start().split(['\t', ' ']).next().filter(|name| !name.is_empty());
        }
        let rank = text.split_once("Process rank:").map(|(_, after)| after).or_else(|| {
            let name = text.split_once("Data for proc:")?.1.split_whitespace().next()?;
            name.rsplit_once(',').map(|(_, rank)| rank)
        });
        let Some(rank) = rank.and_then(|rank| rank.split_whitespace().next()) else { continue };
        match (rank.trim_end_matches(|sign: char| !sign.is_ascii_digit()).parse(), host) {
            (Ok(rank), Some(host)) => places.push((line, rank, host)),
            (Ok(rank), None) => return wrong(line, format!("rank {rank} before a line \"Data for node:\"")),
            (Err(_), _) => return wrong(line, format!("rank is {rank:?}, expected an integer")),
        }
    }
    gathered(places.into_iter())
}

fn startup_words(line: &str) -> Option<std::str::SplitWhitespace<'_>> {
    Some(line.split_once("MPI startup():")?.1.split_whitespace())
}

/// Whether a word is part of a CPU list such as `{0,1,2-3}`.
fn is_cpus(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || b"{},-".contains(&byte))
}

fn is_startup_header(line: &str) -> bool {
    startup_words(line).is_some_and(|words| words.take(4).eq(["Rank", "Pid", "Node", "name"]))
}

fn read_startup(file: &FileText<'_>) -> Read {
    let (mut is_table, mut places) = (false, vec![]);
    for (line, text) in file.lines() {
        let Some(mut words) = startup_words(text) else { continue };
        if is_startup_header(text) {
            is_table = true;
            continue;
        }
        let row = (words.next(), words.next(), words.next());
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok());
        match (number(row.0), number(row.1), row.2) {
            (Some(rank), Some(_), Some(host)) if is_table => places.push((line, rank, host)),
            // The CPU list of a row may continue on further lines.
            _ => is_table &= row.0.is_some_and(is_cpus),
        }
    }
    gathered(places.into_iter())
}

/// Parses `N: HOST`, `[N] HOST` or `[J,N]<stdout>:HOST`.
fn labelled(line: &str) -> Place<'_> {
    let line = line.trim();
    let (label, host) = match line.strip_prefix('[') {
        Some(rest) => {
            let (label, host) = rest.split_once(']')?;
            let host = host.trim_start();
            let host = host.strip_prefix("<stdout>:").unwrap_or(host);
            (label.rsplit_once(',').map_or(label, |(_, rank)| rank), host)
        }
        None => line.split_once(':')?,
    };
    let host = host.trim();
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
    let begins = host.starts_with(|sign: char| sign.is_ascii_alphabetic()) || is_address(host);
    let is_host = begins && host.chars().all(is_name);
    label.trim().parse().ok().filter(|_| is_host).map(|label| (label, host))
}

/// Parses `Node N, hostname HOST, ..`, of the summary before the ranks.
fn host_of_node(line: &str) -> Place<'_> {
    let (node, after) = line.trim().strip_prefix("Node")?.split_once(',')?;
    let host = after.trim().strip_prefix("hostname")?.split(',').next()?.trim();
    node.trim().parse().ok().filter(|_| !host.is_empty()).map(|node| (node, host))
}

/// Parses `Node N, rank R, thread T, (affinity = ..)`: the rank and its node.
fn rank_on_node(line: &str) -> Option<(u64, u64)> {
    let mut parts = line.trim().strip_prefix("Node")?.split(',');
    let node = parts.next()?.trim().parse().ok()?;
    Some((parts.next()?.trim().strip_prefix("rank")?.trim().parse().ok()?, node))
}

fn read_affinity(file: &FileText<'_>) -> Read {
    let nodes: BTreeMap<u64, &str> = file.lines().filter_map(|(_, line)| host_of_node(line)).collect();
    let mut places = vec![];
    for (line, text) in file.lines() {
        if let Some((rank, node)) = rank_on_node(text) {
            let Some(host) = nodes.get(&node) else {
                return wrong(line, format!("rank {rank} on node {node}, expected a node with a hostname"));
            };
            places.push((line, rank, *host));
        }
        places.extend(affinity(text).map(|(rank, host)| (line, rank, host)));
    }
    gathered(places.into_iter())
}

/// Parses `rank N, thread T, on HOST. (core affinity ..)` or `MPI 000 - OMP 000 - HWT 001 - Node HOST`.
fn affinity(line: &str) -> Place<'_> {
    if let Some((_, after)) = line.split_once("rank ")
        && line.contains("affinity")
    {
        let rank = after.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()?;
        let host = after.split_once(" on ")?.1.split_once(". (").map_or("", |(host, _)| host);
        return (!host.is_empty()).then_some((rank, host));
    }
    let mut words = line.split_whitespace();
    if words.next()? != "MPI" || !line.contains("OMP") {
        return None;
    }
    let rank = words.next()?.parse().ok()?;
    words.find(|word| *word == "Node")?;
    Some((rank, words.next()?))
}
