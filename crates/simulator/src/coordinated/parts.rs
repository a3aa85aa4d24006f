//! The messages of a stage in parts that are routed one after another.
//!
//! If processes share nodes, messages that share a source node or a destination node are in different parts
//! (errata A9; a message inside a node is in none, since it takes no step). Such a part is further divided by
//! the subsets of the placement.

use std::collections::BTreeMap;

use cubefold_mapping::{Placement, PlacementForm};
use cubefold_topology::{NodeId, narrow};

use crate::StageMessage;

/// Messages that are routed together, with the number of their subset.
pub(super) struct Part {
    pub(super) subset: u32,
    pub(super) messages: Vec<StageMessage>, // by source and destination
}

pub(super) struct Splitter<'run> {
    placement: &'run Placement,
    shared: Option<SharedNodes>, // if processes share nodes
}

impl<'run> Splitter<'run> {
    pub(super) fn new(placement: &'run Placement, nodes: &[NodeId]) -> Self {
        let shared = (!placement.is_one_to_one()).then(|| SharedNodes::new(nodes));
        Self { placement, shared }
    }

    /// The parts of a stage, in routing order; `messages` are by source and destination.
    pub(super) fn parts(&mut self, messages: Vec<StageMessage>) -> Vec<Part> {
        let apart = match &mut self.shared {
            None => vec![messages],
            Some(shared) => shared.first_fit(&messages),
        };
        apart.into_iter().flat_map(|messages| self.by_subset(messages)).collect()
    }

    /// Groups the messages by the numbers of their subsets, the smallest first.
    fn by_subset(&self, messages: Vec<StageMessage>) -> Vec<Part> {
        match self.placement.form() {
            PlacementForm::Product(_) | PlacementForm::Table(_) => vec![Part { subset: 0, messages }],
            PlacementForm::Construction(_) => {
                let mut subsets: BTreeMap<u32, Vec<StageMessage>> = BTreeMap::new();
                for message in messages {
                    let subset = self.placement.subset(message.source, message.destination);
                    subsets.entry(subset).or_default().push(message);
                }
                subsets.into_iter().map(|(subset, messages)| Part { subset, messages }).collect()
            }
        }
    }
}

/// Nodes with several processes, and for each the parts of a stage with a message that leaves or reaches it.
struct SharedNodes {
    rank_of: Vec<u32>, // by process: the rank of its node among the used ones
    ranks: usize,
    leaving: Vec<u64>, // by word and rank: a bit for each of 64 parts
    reaching: Vec<u64>,
}

impl SharedNodes {
    fn new(nodes: &[NodeId]) -> Self {
        let mut used = nodes.to_vec();
        used.sort_unstable();
        used.dedup();
        let rank = |node| narrow(used.partition_point(|other| other < node) as u64);
        Self {
            rank_of: nodes.iter().map(rank).collect(),
            ranks: used.len(),
            leaving: vec![],
            reaching: vec![],
        }
    }

    /// Assigns each message to the first part in which no message has its source or destination
    /// node.
    fn first_fit(&mut self, messages: &[StageMessage]) -> Vec<Vec<StageMessage>> {
        self.leaving.clear();
        self.reaching.clear();
        let mut parts: Vec<Vec<StageMessage>> = vec![];
        for message in messages {
            let [from, to] = [message.source, message.destination]
                .map(|process| self.rank_of[process.label() as usize] as usize);
            if from == to {
                continue;
            }
            let part = self.claim_first(from, to);
            if part == parts.len() {
                parts.push(vec![]);
            }
            parts[part].push(*message);
        }
        parts
    }

    /// Claims both nodes in the first part without a message that leaves `from` or reaches `to`. Returns its
    /// index.
    fn claim_first(&mut self, from: usize, to: usize) -> usize {
        let mut word = 0;
        loop {
            let begin = word * self.ranks;
            if begin == self.leaving.len() {
                self.leaving.resize(begin + self.ranks, 0);
                self.reaching.resize(begin + self.ranks, 0);
            }
            let (leaving, reaching) = (&mut self.leaving[begin + from], &mut self.reaching[begin + to]);
            let free = !(*leaving | *reaching);
            if free != 0 {
                let lowest = free & free.wrapping_neg();
                *leaving |= lowest;
                *reaching |= lowest;
                return 64 * word + lowest.trailing_zeros() as usize;
            }
            word += 1;
        }
    }
}
