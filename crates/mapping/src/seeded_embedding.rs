//! Embeddings that need no more than the guest, the machine and a seed: a name, lines for help, and one function.
//!
//! A line in the registry of the experiment crate makes it one that scenarios can name.

use std::fmt;

use cubefold_topology::{Machine, NodeId};

use crate::Placement;

/// An embedding that a seed decides.
#[derive(Debug, Clone, Copy)]
pub struct SeededEmbedding {
    /// Its name in files.
    pub name: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// Its source: author, year, section.
    pub source: &'static str,
    /// The guests and machines that it takes.
    pub takes: &'static str,
    /// Makes a placement.
    pub place: fn(&PlacementTask<'_>) -> Result<Placement, EmbeddingRefusal>,
}

/// The input of a seeded embedding.
#[derive(Clone, Copy)]
pub struct PlacementTask<'a> {
    /// The guest, as the machine that it would fill: its nodes are the processes.
    pub guest: &'a Machine,
    /// The machine.
    pub machine: &'a Machine,
    /// The nodes that the job has, if not all hosts.
    pub hosts: Option<&'a [NodeId]>,
    /// The number of processes that a node takes; at least 1.
    pub per_node: u64,
    /// The key of the random generator for a named task, from the seed of the scenario.
    pub key: &'a dyn Fn(&str) -> [u8; 32],
}

impl fmt::Debug for PlacementTask<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut task = formatter.debug_struct("PlacementTask");
        task.field("guest", &self.guest).field("machine", &self.machine).finish_non_exhaustive()
    }
}

/// The reason why an embedding does not place a guest on a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EmbeddingRefusal {
    /// Found and expected.
    pub message: String,
    /// Advice on how to correct the input.
    pub help: &'static str,
}

impl EmbeddingRefusal {
    pub(crate) fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self { message: message.into(), help }
    }
}
