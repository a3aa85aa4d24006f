//! Traces of collectives from profilers, as the traces of all ranks: a rank runs its operations in sequence, and the
//! time between two of them is a computation (`docs/model.md` section 23.4).

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_collectives::Operation;
use cubefold_formats::{
    asked::{Asked, ask},
    input::input_file::{self, InputError},
    read::large::read_streamed,
    value::{Content, Kind, Trace, TracedOperation},
};
use cubefold_topology::narrow;

use super::{
    trace_reader::{RankTrace, TraceNode, Work},
    trace_set::{RANK, TraceSet, rank_files},
};
use crate::{asked_file::error_of, budget::Budget, errors::ScenarioError, placement_file::Failure};

/// The most ranks; each has all operations.
const MAX_RANKS: u64 = 1 << 16;

/// The traces of all ranks, and sentences on assumptions.
#[derive(Debug)]
pub(crate) struct CollectiveTraces {
    pub(crate) set: Arc<TraceSet>,
    pub(super) notes: Vec<String>,
}

impl CollectiveTraces {
    /// Reads one trace that all ranks run or, with `{rank}` in the path, the traces of all ranks.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or has no collectives with times, or the traces do not fit together.
    pub(crate) fn read(path: &Path, budget: &Budget) -> Result<Self, Failure> {
        let files =
            if path.to_string_lossy().contains(RANK) { rank_files(path)? } else { vec![path.to_owned()] };
        let mut read = files.iter().map(|file| read_file(file, budget)).collect::<Result<Vec<_>, _>>()?;
        let ranks = count_of(&files, &read)?;
        let mut notes: Vec<String> = vec![];
        if let [only] = &read[..]
            && ranks > 1
        {
            let rank = only.rank.map_or_else(|| "one rank".to_owned(), |number| format!("rank {number}"));
            notes.push(format!("the trace of {rank} is that of all {ranks} ranks"));
        } else {
            read.sort_by_key(|trace| trace.rank);
        }
        let operations = read.iter().flat_map(|trace| trace.operations.as_deref().unwrap_or_default());
        if operations.clone().all(|operation| operation.span.is_none()) {
            notes.push("the trace has no times: operations follow one another at once".to_owned());
        } else {
            notes.push(
                "computations are the times between collectives: what ran beside these is left out"
                    .to_owned(),
            );
        }
        let scope = Scope { ranks, is_of_all: read.len() == 1 };
        let known: BTreeSet<Group> = operations
            .filter(|operation| operation.group.is_some_and(|size| size < ranks))
            .map(|operation| scope.group(operation))
            .collect::<Result<_, _>>()
            .map_err(|message| Failure::of_file(path, message))?;
        notes.extend(known.iter().filter_map(Group::note));
        let groups = known.iter().flat_map(|group| group.all(ranks)).collect();
        // A single trace stands for every rank; otherwise each rank has its own.
        let traces = (0..ranks).zip(read.iter().cycle()).map(|(rank, trace)| of_rank(trace, rank, scope));
        let traces = traces.collect::<Result<Vec<RankTrace>, String>>();
        let paths: Vec<PathBuf> =
            if files.len() > 1 { files } else { vec![path.to_owned(); usize::try_from(ranks).unwrap_or(1)] };
        let traces = traces.map_err(|message| Failure::of_file(path, message))?;
        let set = TraceSet::joined(path, paths, traces, &groups, budget)?;
        Ok(Self { set: Arc::new(set), notes })
    }
}

/// Larger files are read as streams \[bytes\].
const MAX_HELD: u64 = 64 << 20;

/// Reads a file in the format that it looks like.
fn read_format(path: &Path, budget: &Budget) -> Result<Asked, Failure> {
    let bytes = match input_file::read(path, MAX_HELD) {
        Err(InputError::TooLong(most)) => {
            return match read_streamed(path)? {
                Some((format, Ok(reading))) => Ok(Asked::Value(format, Arc::new(reading))),
                Some((format, Err(complaints))) => Ok(Asked::Wrong(format, complaints)),
                None => Err(InputError::TooLong(most).into()),
            };
        }
        read => read?,
    };
    // A JSON document takes several times the memory of its text.
    let taken = budget.take_for_a_while(8 * bytes.len() as u64, 0);
    taken.map_err(|over| over.of_file(path, "its trace:"))?;
    Ok(ask(&path.display().to_string(), &bytes, Kind::Trace))
}

/// Reads the operations of a file.
fn read_file(path: &Path, budget: &Budget) -> Result<Trace, Failure> {
    let of_other =
        |message: String, help: &str| Failure::from(ScenarioError::of_file(path, message).with_help(help));
    let (format, reading) = match read_format(path, budget)? {
        Asked::Value(format, reading) => (format, reading),
        Asked::Misfit(misfit) => return Err(error_of(path, &misfit).into()),
        Asked::Wrong(_, complaints) => return Err(Failure::complaints(path, &complaints)),
        Asked::Unknown => {
            let message = "no format is like this file, expected a trace of collectives".to_owned();
            return Err(of_other(message, "cubefold inspect --list has the formats"));
        }
    };
    let help = match format.name {
        "kineto" | "flight-recorder" => "",
        "goal" => "program.kind = \"goal\" runs it",
        "chakra" | "chakra-json" => "program.kind = \"chakra\" runs it, with {rank} in the path",
        "astra-sim-1-workload" => {
            "chakra_converter Text --input FILE --output FILE --num-npus N --num-passes 1 makes traces for kind = \"chakra\""
        }
        "msccl-xml" => "cubefold inspect counts its steps; a collective with algorithm = .. is nearest to it",
        _ => "program.kind = \"traffic\" sends its messages in one stage",
    };
    if !help.is_empty() {
        let message = format!(
            "the file is one of {}, expected collectives in time (kineto, flight-recorder)",
            format.tool
        );
        return Err(of_other(message, help));
    }
    match Arc::unwrap_or_clone(reading).content {
        Content::Trace(trace)
            if trace.operations.as_ref().is_some_and(|operations| !operations.is_empty()) =>
        {
            Ok(trace)
        }
        _ => Err(of_other("no operation, expected collectives".to_owned(), "")),
    }
}

/// The number of ranks of a job.
fn count_of(files: &[PathBuf], read: &[Trace]) -> Result<u64, Failure> {
    let path = &files[0];
    let known_count = read.iter().filter_map(|trace| trace.ranks).max();
    let found = files.len() as u64;
    let ranks = match known_count {
        _ if found > 1 => {
            if let Some(expected) = known_count.filter(|count| *count != found) {
                let message =
                    format!("traces of {found} ranks, expected those of {expected}, or one of them");
                return Err(Failure::of_file(path, message));
            }
            found
        }
        Some(ranks) => ranks,
        None => {
            let message = "a trace without its number of ranks, expected world_size or groups";
            return Err(Failure::of_file(path, message));
        }
    };
    if !(1..=MAX_RANKS).contains(&ranks) {
        return Err(Failure::of_file(path, format!("{ranks} ranks, expected 1 to {MAX_RANKS}")));
    }
    Ok(ranks)
}

/// The ranks of a job, and whether one trace is that of all of them.
#[derive(Debug, Clone, Copy)]
struct Scope {
    ranks: u64,
    is_of_all: bool,
}

/// The group of a collective.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// All ranks.
    World,
    /// `size` ranks, each `stride` after the one before; all ranks fall into such groups.
    Strided { size: u64, stride: u64, is_named: bool },
    /// These ranks, by the traces of all.
    Listed(Arc<[u64]>),
}

impl Scope {
    /// The group of an operation: its members if the trace names them. In a trace of all ranks the groups of the others
    /// have the same stride; without members, or with those of no stride, they are consecutive.
    fn group(self, traced: &TracedOperation) -> Result<Group, String> {
        let ranks = self.ranks;
        let size = match traced.group {
            Some(size) if size > ranks => {
                return Err(format!("a group of {size} of {ranks} ranks, expected at most all"));
            }
            Some(size) if size < ranks && size > 0 => size,
            Some(0) => {
                return Err(format!("a group of 0 of {ranks} ranks, expected a size that divides them"));
            }
            _ => return Ok(Group::World),
        };
        let is_whole = |members: &&Arc<[u64]>| {
            members.len() as u64 == size && members.last().is_some_and(|&last| last < ranks)
        };
        let members = traced.members.as_ref().filter(is_whole);
        if let Some(stride) = members.and_then(|members| stride(members, ranks)) {
            return Ok(Group::Strided { size, stride, is_named: true });
        }
        match members {
            Some(members) if !self.is_of_all => Ok(Group::Listed(Arc::clone(members))),
            _ if !ranks.is_multiple_of(size) => {
                Err(format!("a group of {size} of {ranks} ranks, expected a size that divides them"))
            }
            _ => Ok(Group::Strided { size, stride: 1, is_named: false }),
        }
    }
}

/// The distance of members that follow one another at one distance, if all ranks fall into such groups.
fn stride(members: &[u64], ranks: u64) -> Option<u64> {
    let stride = members.get(1)? - members[0];
    let row = stride.checked_mul(members.len() as u64).filter(|&row| ranks.is_multiple_of(row))?;
    let is_even = members.windows(2).all(|pair| pair[1] - pair[0] == stride);
    (is_even && members[0] % row < stride).then_some(stride)
}

impl Group {
    /// Its name, as that of the group of a rank.
    fn name(&self, rank: u64) -> String {
        match self {
            Self::World => String::new(),
            &Self::Strided { size, stride, .. } => {
                let first = rank / (size * stride) * (size * stride) + rank % stride;
                format!("{size} ranks from {first} by {stride}")
            }
            Self::Listed(members) => {
                let members: Vec<String> = members.iter().map(u64::to_string).collect();
                format!("ranks {}", members.join(", "))
            }
        }
    }

    /// All groups of this form, each with its members.
    fn all(&self, ranks: u64) -> Vec<(String, Vec<u32>)> {
        match self {
            Self::World => vec![],
            &Self::Strided { size, stride, .. } => {
                let is_first = |rank: &u64| rank % (size * stride) < stride;
                let members = |first: u64| (0..size).map(|place| narrow(first + place * stride)).collect();
                (0..ranks).filter(is_first).map(|first| (self.name(first), members(first))).collect()
            }
            Self::Listed(members) => {
                vec![(self.name(0), members.iter().copied().map(narrow).collect())]
            }
        }
    }

    /// The note on groups whose members are a guess.
    fn note(&self) -> Option<String> {
        match *self {
            Self::Strided { size, is_named: false, .. } => Some(format!(
                "groups of {size} are consecutive ranks: the trace names no members, or none at one distance"
            )),
            _ => None,
        }
    }
}

/// The operations of a rank, each after its predecessor.
fn of_rank(trace: &Trace, rank: u64, scope: Scope) -> Result<RankTrace, String> {
    let mut nodes: Vec<TraceNode> = vec![];
    let mut previous_end = 0.0;
    for traced in trace.operations.as_deref().unwrap_or_default() {
        if let Some([start, end]) = traced.span {
            let gap = nanoseconds(start - previous_end);
            if gap > 0 {
                push(&mut nodes, "computation", Work::Compute(gap), 0);
            }
            previous_end = f64::max(previous_end, end);
        }
        let measured = traced.span.map_or(0, |[start, end]| nanoseconds(end - start));
        push(&mut nodes, &traced.operation, collective(traced, rank, scope)?, measured);
    }
    Ok(RankTrace { nodes, ..RankTrace::default() })
}

fn collective(traced: &TracedOperation, rank: u64, scope: Scope) -> Result<Work, String> {
    let operation = Operation::ALL.into_iter().find(|operation| operation.name() == traced.operation);
    let operation = operation.ok_or_else(|| {
        format!(
            "a {} in the trace of one rank, expected collectives: its partner is not known",
            traced.operation
        )
    })?;
    let group = scope.group(traced)?.name(rank).into();
    Ok(Work::Collective { operation, bytes: traced.bytes, group, dimensions: None })
}

fn push(nodes: &mut Vec<TraceNode>, name: &str, work: Work, measured: u64) {
    let place = narrow(nodes.len() as u64);
    nodes.push(TraceNode {
        id: place.into(),
        name: name.into(),
        data: place.checked_sub(1).into_iter().collect(),
        control: [].into(),
        work,
        measured,
        stream: None,
        is_cpu: false,
    });
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time in seconds, cut off at 0"
)]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(size: u64, members: &[u64]) -> TracedOperation {
        let members = (!members.is_empty()).then(|| members.into());
        TracedOperation { group: Some(size), members, ..TracedOperation::default() }
    }

    #[test]
    fn groups_have_the_members_that_traces_name() {
        let (one, all) = (Scope { ranks: 8, is_of_all: true }, Scope { ranks: 8, is_of_all: false });
        let members = |scope: Scope, traced: &TracedOperation| {
            let group = scope.group(traced).unwrap();
            let all: Vec<Vec<u32>> = group.all(8).into_iter().map(|(_, members)| members).collect();
            (all, group.note().is_some())
        };
        // Without names, or with those of no distance in a trace of all, they are consecutive, as a note says.
        let consecutive = (vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]], true);
        assert_eq!(members(one, &traced(4, &[])), consecutive);
        assert_eq!(members(one, &traced(4, &[0, 1, 4, 6])), consecutive);
        assert_eq!(members(one, &traced(4, &[4, 5, 6, 7])), (consecutive.0.clone(), false));
        let strided = (vec![vec![0, 2, 4, 6], vec![1, 3, 5, 7]], false);
        assert_eq!(members(one, &traced(4, &[1, 3, 5, 7])), strided);
        let pairs = (vec![vec![0, 2], vec![1, 3], vec![4, 6], vec![5, 7]], false);
        assert_eq!(members(one, &traced(2, &[5, 7])), pairs);
        assert_eq!(members(all, &traced(3, &[0, 2, 5])), (vec![vec![0, 2, 5]], false));
        // Between groups of two by two lies no group of this distance.
        assert_eq!(members(all, &traced(2, &[2, 4])), (vec![vec![2, 4]], false));
        assert_eq!(all.group(&traced(8, &[])).unwrap(), Group::World);
        assert!(one.group(&traced(3, &[])).is_err() && one.group(&traced(9, &[])).is_err());
    }

    #[test]
    fn every_rank_is_in_the_group_of_its_name() {
        for (size, stride) in [(2, 1), (2, 2), (4, 2), (2, 4), (3, 4)] {
            let ranks = 24;
            let group = Group::Strided { size, stride, is_named: true };
            let all = group.all(ranks);
            for rank in 0..ranks {
                let of_rank = all.iter().find(|(name, _)| *name == group.name(rank)).unwrap();
                assert!(of_rank.1.contains(&narrow(rank)), "{size} {stride} {rank}");
            }
        }
    }
}
