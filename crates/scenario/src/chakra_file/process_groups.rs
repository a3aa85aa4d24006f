//! The process groups of Chakra traces: the ranks that take part in a collective.
//!
//! Members come from the file that the scenario names, from METADATA nodes, or else are the ranks with collectives of
//! the group. Unless they are defined, the group without a name and `"0"` have all ranks.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use cubefold_formats::input::input_file;
use serde::Deserialize;

use super::trace_reader::{RankTrace, Work};
use crate::{placement_file::Failure, value::written_lengths};

/// The most bytes of a file of groups.
const MAX_FILE: u64 = 1 << 26;

/// A group that a trace defines.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Definition {
    #[serde(rename = "pg_name", deserialize_with = "name")]
    name: String,
    #[serde(default)]
    ranks: Vec<u32>,
    #[serde(default)]
    group_size: u64,
}

/// Reads the name of a group, which may be a number.
fn name<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    })
}

/// Reads the definitions in the inputs of a METADATA node: a list in JSON, inside a list of strings of Python.
pub(super) fn definitions(values: &str) -> Result<Vec<Definition>, String> {
    let (Some(start), Some(end)) = (values.find("[{"), values.rfind("}]")) else { return Ok(vec![]) };
    let list = values.get(start..end + 2).unwrap_or("");
    let read = serde_json::from_str(list).or_else(|error| {
        // A string that contains quotes is escaped.
        serde_json::from_str(&list.replace("\\\"", "\"")).map_err(|_| error)
    });
    read.map_err(|error| format!("the list of process groups is no JSON: {error}"))
}

/// Reads a file of groups of ranks below `ranks`: an object of lists of ranks.
pub(super) fn read_groups(path: &Path, ranks: usize) -> Result<BTreeMap<String, Vec<u32>>, Failure> {
    let wrong = |message: String| Failure::of_file(path, message);
    let bytes = input_file::read(path, MAX_FILE);
    let bytes = bytes.map_err(|error| {
        wrong(format!("the file of program.groups cannot be read: {}", std::io::Error::from(error)))
    })?;
    let groups: BTreeMap<String, Vec<u32>> = serde_json::from_slice(&bytes)
        .map_err(|error| wrong(format!("{error}, expected groups such as {{\"1\": [0, 1]}}")))?;
    match groups.iter().find_map(|(name, members)| no_rank(name, members, ranks)) {
        Some(message) => Err(wrong(message)),
        None => Ok(groups),
    }
}

/// Describes a member of a group that is not a rank, or a group without members.
fn no_rank(name: &str, members: &[u32], ranks: usize) -> Option<String> {
    if members.is_empty() {
        return Some(format!("group \"{name}\" has no rank, expected its members"));
    }
    let other = members.iter().find(|member| **member as usize >= ranks)?;
    Some(format!("group \"{name}\" has rank {other}, expected 0 to {}", ranks - 1))
}

/// Names the groups of collectives that go along some dimensions of the machine (ASTRA-sim's `involved_dim`), and adds
/// their members to `groups`: the ranks that differ only there. A group with a name is unchanged.
///
/// # Errors
///
/// If a list and `lengths` differ in length, or the numbers of ranks and nodes differ: the rank and the reason.
pub(super) fn along_dimensions(
    traces: &mut [RankTrace],
    lengths: &[u64],
    groups: &mut BTreeMap<String, Vec<u32>>,
) -> Result<(), (usize, String)> {
    let ranks = traces.len();
    for (rank, trace) in traces.iter_mut().enumerate() {
        for node in &mut trace.nodes {
            let described = node.described();
            let Work::Collective { group, dimensions, .. } = &mut node.work else { continue };
            let Some(along) = dimensions.as_deref().filter(|_| matches!(&**group, "" | "0")) else {
                continue;
            };
            let is_whole = along.iter().all(|is_along| *is_along);
            if is_whole && (along.len() == lengths.len() || lengths.len() < 2) {
                continue;
            }
            if along.len() != lengths.len() {
                let (found, expected) = (along.len(), lengths.len());
                let message = format!(
                    "{described}: involved_dim of {found} dimensions, expected {expected}: those of the machine"
                );
                return Err((rank, message));
            }
            if lengths.iter().product::<u64>() != ranks as u64 {
                let shape = written_lengths(lengths);
                let message = format!(
                    "{described}: involved_dim in traces of {ranks} ranks, expected one for each node of {shape}"
                );
                return Err((rank, message));
            }
            let first = first_along(rank as u64, lengths, along);
            let numbers = along.iter().enumerate().filter(|(_, is_along)| **is_along);
            let numbers: Vec<String> = numbers.map(|(number, _)| number.to_string()).collect();
            let name = format!("dimensions {} of rank {first}", numbers.join(", "));
            *group = name.clone().into_boxed_str();
            groups.entry(name).or_insert_with(|| {
                let is_member = |other: &u32| first_along((*other).into(), lengths, along) == first;
                (0..).take(ranks).filter(is_member).collect()
            });
        }
    }
    Ok(())
}

/// The lowest of the ranks that differ from a rank only in these dimensions; the first coordinate changes fastest.
fn first_along(rank: u64, lengths: &[u64], along: &[bool]) -> u64 {
    let (mut first, mut stride) = (0, 1);
    for (&length, &is_along) in lengths.iter().zip(along) {
        if !is_along {
            first += rank / stride % length * stride;
        }
        stride *= length;
    }
    first
}

/// The groups of a set of traces.
#[derive(Debug, Default)]
pub(super) struct ProcessGroups {
    /// Name and members in ascending order, by number.
    pub(super) all: Vec<(String, Vec<u32>)>,
    /// By rank, the group number of each name that it uses.
    pub(super) of_rank: Vec<BTreeMap<Box<str>, usize>>,
    /// The numbers of groups whose members are inferred from their users.
    pub(super) inferred: BTreeSet<usize>,
}

impl ProcessGroups {
    /// Finds the groups of all collectives.
    ///
    /// # Errors
    ///
    /// If members of a group are not ranks, or a rank uses a group that it is not in: the rank and the reason.
    pub(super) fn new(
        traces: &[RankTrace],
        file: &BTreeMap<String, Vec<u32>>,
    ) -> Result<Self, (usize, String)> {
        let names: Vec<BTreeSet<Box<str>>> = traces.iter().map(names_used).collect();
        let by_trace: Vec<BTreeMap<&str, &Definition>> = traces.iter().map(known).collect();
        let mut anywhere: BTreeMap<&str, &Definition> = BTreeMap::new();
        for (name, definition) in
            by_trace.iter().flatten().filter(|(_, definition)| !definition.ranks.is_empty())
        {
            anywhere.entry(*name).or_insert(*definition);
        }
        let mut groups = Self::default();
        let mut numbers: BTreeMap<(String, Vec<u32>), usize> = BTreeMap::new();
        let everybody: Vec<u32> = (0..).take(traces.len()).collect();
        for (rank, used) in names.iter().enumerate() {
            let mut of_rank = BTreeMap::new();
            for name in used {
                let defined = file.get(&**name).or_else(|| {
                    let defined =
                        by_trace[rank].get(&**name).filter(|definition| !definition.ranks.is_empty());
                    let defined = defined.or_else(|| anywhere.get(&**name));
                    defined.map(|definition| &definition.ranks)
                });
                let is_whole = by_trace[rank]
                    .get(&**name)
                    .is_some_and(|definition| definition.group_size == traces.len() as u64);
                let (mut members, is_inferred) = match defined {
                    Some(members) => (members.clone(), false),
                    None if is_whole || matches!(&**name, "" | "0") => (everybody.clone(), false),
                    None => {
                        let users = everybody.iter().zip(&names).filter(|(_, names)| names.contains(name));
                        (users.map(|(user, _)| *user).collect(), true)
                    }
                };
                members.sort_unstable();
                members.dedup();
                check(name, &members, rank, traces.len()).map_err(|message| (rank, message))?;
                let next = groups.all.len();
                let number = *numbers.entry((name.to_string(), members.clone())).or_insert(next);
                if number == next {
                    groups.all.push((name.to_string(), members));
                }
                if is_inferred {
                    groups.inferred.insert(number);
                }
                of_rank.insert(name.clone(), number);
            }
            groups.of_rank.push(of_rank);
        }
        Ok(groups)
    }
}

/// The names of the groups of a rank's collectives.
fn names_used(trace: &RankTrace) -> BTreeSet<Box<str>> {
    let names = trace.nodes.iter().filter_map(|node| match &node.work {
        Work::Collective { group, .. } => Some(group.clone()),
        Work::Nothing | Work::Compute(_) | Work::Message(_) => None,
    });
    names.collect()
}

/// The definitions of a trace by name; if a name has several, the last with members.
fn known(trace: &RankTrace) -> BTreeMap<&str, &Definition> {
    let mut known: BTreeMap<&str, &Definition> = BTreeMap::new();
    for definition in &trace.groups {
        if !definition.ranks.is_empty() || !known.contains_key(&*definition.name) {
            known.insert(&definition.name, definition);
        }
    }
    known
}

/// Checks that members are ranks, and that a rank that uses the group is one of them.
fn check(name: &str, members: &[u32], rank: usize, ranks: usize) -> Result<(), String> {
    if let Some(message) = no_rank(name, members, ranks) {
        return Err(message);
    }
    if !members.iter().any(|member| *member as usize == rank) {
        let members = first_members(members);
        return Err(format!("rank {rank} has collectives of group \"{name}\", whose members are {members}"));
    }
    Ok(())
}

/// The first members of a group, for messages.
pub(super) fn first_members(members: &[u32]) -> String {
    let shown: Vec<String> = members.iter().take(8).map(u32::to_string).collect();
    let more = if members.len() > 8 { ", .." } else { "" };
    format!("{}{more}", shown.join(", "))
}
