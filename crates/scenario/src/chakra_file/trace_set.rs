//! The traces of all ranks, and the links between them: messages with both ends and collectives with all shares.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use cubefold_collectives::Operation;
use cubefold_topology::narrow;

use super::{
    process_groups::{ProcessGroups, along_dimensions, first_members, read_groups},
    trace_reader::{RankTrace, TraceMessage, TraceNode, Work, read_trace},
};
use crate::{budget::Budget, placement_file::Failure};

/// The placeholder for the number of a rank in the name of its file.
pub(crate) const RANK: &str = "{rank}";
/// The most ranks whose dropped dependencies are reported individually.
const MAX_TOLD: usize = 4;
/// Memory per operation that takes part in an activity \[bytes\].
const BYTES_A_PART: u64 = 160;

/// The traces of all ranks.
#[derive(Debug)]
pub(crate) struct TraceSet {
    /// The files, by rank.
    pub(crate) paths: Vec<PathBuf>,
    /// The operations, by rank.
    pub(super) traces: Vec<RankTrace>,
    /// The groups of ranks that take part in collectives.
    pub(super) groups: ProcessGroups,
    /// Messages and collectives, ordered by key.
    pub(super) activities: Vec<Activity>,
}

/// An operation: a rank and the place in its trace.
pub(super) type NodePlace = (u32, u32);

/// A message or a collective.
#[derive(Debug)]
pub(super) struct Activity {
    /// The place of its operation in the trace of the sender or the lowest member, and that rank.
    key: (u32, u32),
    pub(super) kind: ActivityKind,
}

/// The operations that take part in an activity.
#[derive(Debug)]
pub(super) enum ActivityKind {
    Pair {
        send: NodePlace,
        receive: NodePlace,
        bytes: u64,
    },
    Collective {
        operation: Operation,
        /// The contribution of each member.
        bytes: u64,
        /// The number of its group.
        group: usize,
        /// The place of its operation in the trace of each member.
        places: Vec<u32>,
    },
}

impl TraceSet {
    /// Reads the traces of all ranks, with `{rank}` in the path, and the file of their groups; `lengths` are the
    /// lengths of the machine's dimensions, along which collectives may go.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is wrong, a rank is missing, or the parts of a message or of a collective do not fit
    /// together.
    pub(crate) fn read(
        pattern: &Path,
        groups: Option<&Path>,
        lengths: &[u64],
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let paths = rank_files(pattern)?;
        let mut traces = vec![];
        for (rank, path) in (0..).zip(&paths) {
            traces.push(read_trace(path, rank, budget)?);
        }
        let mut file = groups.map(|path| read_groups(path, paths.len())).transpose()?.unwrap_or_default();
        let along = along_dimensions(&mut traces, lengths, &mut file);
        along.map_err(|(rank, message)| Failure::of_file(&paths[rank], message))?;
        Self::joined(pattern, paths, traces, &file, budget)
    }

    /// Joins the traces of all ranks, from the files at `paths`; `file` has the members of groups.
    ///
    /// # Errors
    ///
    /// When the parts of a message or of a collective do not fit together.
    pub(super) fn joined(
        pattern: &Path,
        paths: Vec<PathBuf>,
        traces: Vec<RankTrace>,
        file: &BTreeMap<String, Vec<u32>>,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let groups = ProcessGroups::new(&traces, file);
        let groups = groups.map_err(|(rank, message)| Failure::of_file(&paths[rank], message))?;
        let mut set = Self { paths, traces, groups, activities: vec![] };
        let is_part = |node: &&TraceNode| matches!(node.work, Work::Message(_) | Work::Collective { .. });
        let parts: u64 =
            set.traces.iter().map(|trace| trace.nodes.iter().filter(is_part).count() as u64).sum();
        let taken = budget.take(parts.saturating_mul(BYTES_A_PART));
        taken.map_err(|over| over.of_file(pattern, "its messages:"))?;
        set.match_collectives()?;
        set.match_messages()?;
        set.activities.sort_unstable_by_key(|activity| activity.key);
        Ok(set)
    }

    pub(super) fn node(&self, (rank, place): NodePlace) -> &TraceNode {
        &self.traces[rank as usize].nodes[place as usize]
    }

    /// Adds the collectives: the n-th of a group is the n-th at each member.
    fn match_collectives(&mut self) -> Result<(), Failure> {
        let mut shares: Vec<BTreeMap<u32, Vec<u32>>> = self
            .groups
            .all
            .iter()
            .map(|(_, members)| members.iter().map(|&member| (member, vec![])).collect())
            .collect();
        for (rank, trace) in (0..).zip(&self.traces) {
            for (place, node) in (0..).zip(&trace.nodes) {
                if let Work::Collective { group, .. } = &node.work
                    && let Some(&number) = self.groups.of_rank[rank as usize].get(group)
                    && let Some(places) = shares[number].get_mut(&rank)
                {
                    places.push(place);
                }
            }
        }
        for (group, of_members) in shares.iter().enumerate() {
            self.check_counts(group, of_members)?;
            let Some((&lowest, first)) = of_members.first_key_value() else { continue };
            for (number, &place) in first.iter().enumerate() {
                let places: Vec<u32> = of_members.values().map(|places| places[number]).collect();
                self.check_shares(group, number, &places)?;
                let Work::Collective { operation, bytes, .. } = self.node((lowest, place)).work else {
                    continue;
                };
                let kind = ActivityKind::Collective { operation, bytes, group, places };
                self.activities.push(Activity { key: (place, lowest), kind });
            }
        }
        Ok(())
    }

    /// Checks that all members of a group have the same number of its collectives.
    fn check_counts(&self, group: usize, of_members: &BTreeMap<u32, Vec<u32>>) -> Result<(), Failure> {
        let Some((one, first)) = of_members.first_key_value() else { return Ok(()) };
        let Some((other, found)) = of_members.iter().find(|of_member| of_member.1.len() != first.len())
        else {
            return Ok(());
        };
        let (more, least) = if first.len() > found.len() { (one, found.len()) } else { (other, first.len()) };
        let last = self.node((*more, of_members[more][least]));
        let message = format!(
            "collectives of group \"{}\": rank {one} has {}, rank {other} has {}, expected as many; the first without another end is {} of rank {more}",
            self.groups.all[group].0,
            first.len(),
            found.len(),
            last.described()
        );
        Err(Failure::of_file(&self.paths[*more as usize], message))
    }

    /// Checks that the shares of a collective are of one kind and size.
    fn check_shares(&self, group: usize, number: usize, places: &[u32]) -> Result<(), Failure> {
        let (name, members) = &self.groups.all[group];
        let mut parts = members.iter().copied().zip(places.iter().copied());
        let Some(first) = parts.next() else { return Ok(()) };
        let asked = |part: NodePlace| match self.node(part).work {
            Work::Collective { operation, bytes, .. } => Some((operation, bytes)),
            Work::Nothing | Work::Compute(_) | Work::Message(_) => None,
        };
        let Some(other) = parts.find(|&part| asked(part) != asked(first)) else { return Ok(()) };
        let shown = |part: NodePlace| {
            let what = asked(part).map(|asked| format!("{} of {} bytes", asked.0.name(), asked.1));
            format!("rank {}, {}: {}", part.0, self.node(part).described(), what.unwrap_or_default())
        };
        let message = format!(
            "collective {number} of group \"{name}\" differs: {}; {}; expected the same kind and size",
            shown(first),
            shown(other)
        );
        Err(Failure::of_file(&self.paths[other.0 as usize], message))
    }

    /// Adds the messages: sends and receives of one source, destination and tag match in the order of the files.
    fn match_messages(&mut self) -> Result<(), Failure> {
        let mut ends: BTreeMap<(u32, u32, i128), [Vec<NodePlace>; 2]> = BTreeMap::new();
        for (rank, trace) in (0..).zip(&self.traces) {
            for (place, node) in (0..).zip(&trace.nodes) {
                let Work::Message(message) = node.work else { continue };
                if message.peer as usize >= self.traces.len() {
                    let last = self.traces.len() - 1;
                    let message =
                        format!("{}: rank {}, expected 0 to {last}", node.described(), message.peer);
                    return Err(Failure::of_file(&self.paths[rank as usize], message));
                }
                let pair = if message.is_send { (rank, message.peer) } else { (message.peer, rank) };
                let list = ends.entry((pair.0, pair.1, message.tag)).or_default();
                list[usize::from(!message.is_send)].push((rank, place));
            }
        }
        for ((source, destination, tag), [sends, receives]) in &ends {
            if sends.len() != receives.len() {
                let least = sends.len().min(receives.len());
                let (part, end) = match sends.get(least) {
                    Some(&send) => (send, "a send without a receive"),
                    None => (receives[least], "a receive without a send"),
                };
                let message = format!(
                    "{}: {end}: from rank {source} to rank {destination} with tag {tag} there are {} sends and {} receives, expected as many",
                    self.node(part).described(),
                    sends.len(),
                    receives.len()
                );
                return Err(Failure::of_file(&self.paths[part.0 as usize], message));
            }
            for (&send, &receive) in sends.iter().zip(receives) {
                let bytes = self.bytes_of_pair(send, receive)?;
                self.activities.push(Activity {
                    key: (send.1, send.0),
                    kind: ActivityKind::Pair { send, receive, bytes },
                });
            }
        }
        Ok(())
    }

    /// The size of a message, which both ends agree on.
    fn bytes_of_pair(&self, send: NodePlace, receive: NodePlace) -> Result<u64, Failure> {
        let size = |part: NodePlace| match self.node(part).work {
            Work::Message(TraceMessage { bytes, .. }) => bytes,
            Work::Nothing | Work::Compute(_) | Work::Collective { .. } => None,
        };
        let (sent, received) = (size(send).unwrap_or(0), size(receive));
        if let Some(received) = received.filter(|received| *received != sent) {
            let message = format!(
                "{} receives {received} bytes, but {} of rank {} sends {sent}, expected the same size",
                self.node(receive).described(),
                self.node(send).described(),
                send.0
            );
            return Err(Failure::of_file(&self.paths[receive.0 as usize], message));
        }
        Ok(sent)
    }

    /// Sentences on gaps in the traces; `has_control` says whether control dependencies count.
    pub(super) fn notes(&self, has_control: bool) -> Vec<String> {
        let mut notes = vec![];
        let mut dropped = self.traces.iter().enumerate().filter_map(|(rank, trace)| {
            let kinds = if has_control { &trace.dropped[..] } else { &trace.dropped[..1] };
            let count: u64 = kinds.iter().map(|kind| kind.count).sum();
            Some((rank, count, kinds.iter().find_map(|kind| kind.first)?))
        });
        for (rank, count, (id, missing)) in dropped.by_ref().take(MAX_TOLD) {
            notes.push(format!(
                "rank {rank}: {count} dependencies on operations that the trace does not have are dropped, the first: {id} on {missing}"
            ));
        }
        let (ranks, count) = dropped.fold((0, 0), |(ranks, sum), (_, count, _)| (ranks + 1, sum + count));
        if ranks > 0 {
            notes.push(format!("{count} further ones are dropped at {ranks} other ranks"));
        }
        if let Some(rank) = self.traces.iter().position(|trace| trace.without_duration > 0) {
            let count: u64 = self.traces.iter().map(|trace| trace.without_duration).sum();
            notes.push(format!(
                "{count} computations without a duration take no time, the first of them at rank {rank}"
            ));
        }
        for &group in &self.groups.inferred {
            let (name, members) = &self.groups.all[group];
            notes.push(format!(
                "nothing says who is in group \"{name}\": the {} ranks that have its collectives, {}",
                members.len(),
                first_members(members)
            ));
        }
        notes
    }
}

/// The files of all ranks, from 0 on.
pub(super) fn rank_files(pattern: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = pattern.to_string_lossy();
    let Some((before, after)) = text.split_once(RANK) else {
        let message = format!("no {RANK} in the name, expected it in the place of the number");
        return Err(Failure::of_file(pattern, message));
    };
    let (folder, prefix) = match before.rsplit_once('/') {
        Some((folder, prefix)) => (format!("{folder}/"), prefix),
        None => ("./".to_owned(), before),
    };
    // The number may be in the name of a folder.
    let suffix = after.split('/').next().unwrap_or_default();
    let unreadable = |error: std::io::Error| Failure::Unreadable(format!("folder {folder}: {error}"));
    let (mut ranks, mut padded): (Vec<u32>, Option<String>) = (vec![], None);
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(suffix));
        let Some((number, rank)) = number.and_then(|number| Some((number, number.parse::<u32>().ok()?)))
        else {
            continue;
        };
        if rank.to_string() == number {
            ranks.push(rank);
        } else {
            padded.get_or_insert_with(|| format!("{prefix}{number}{suffix}"));
        }
    }
    ranks.retain(|rank| Path::new(&format!("{before}{rank}{after}")).exists());
    ranks.sort_unstable();
    let path = |rank: u32| PathBuf::from(format!("{before}{rank}{after}"));
    let next = ranks.iter().zip(0..).find(|(found, expected)| *found != expected);
    if let Some((found, missing)) = next {
        let message = format!(
            "the trace of rank {missing} is missing, but that of rank {found} is there, expected ranks from 0 on without a gap"
        );
        return Err(Failure::of_file(&path(missing), message));
    }
    if let Some(name) = padded.filter(|_| ranks.is_empty()) {
        let message = format!(
            "{name} has a number with zeros before it, expected {prefix}0{suffix}, {prefix}1{suffix} and so on"
        );
        return Err(Failure::of_file(pattern, message));
    }
    if ranks.len() < 2 {
        let message = format!("{} traces, expected those of at least 2 ranks, from 0 on", ranks.len());
        return Err(Failure::of_file(pattern, message));
    }
    Ok((0..narrow(ranks.len() as u64)).map(path).collect())
}
