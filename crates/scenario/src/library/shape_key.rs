//! The key by which machines with the same links share their routes.

use cubefold_topology::{Extent, GraphSource, LinkTime, Machine, Network, Wrap};
use sha2::{Digest, Sha256};

/// Everything that determines the neighbours of nodes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShapeKey {
    kind: &'static str,
    lengths: Vec<u64>,
    wraps: Vec<Wrap>,
    links: Option<[u8; 32]>,      // hash of a network's links
    times: Option<Vec<LinkTime>>, // by class, where links differ
}

impl ShapeKey {
    pub(super) fn new(machine: &Machine) -> Self {
        Self {
            kind: machine.kind().name(),
            lengths: machine.shape().lengths().to_vec(),
            wraps: machine.extents().map(Extent::wrap).collect(),
            links: machine.graph().map(|network| hash_of_links(network, machine.source())),
            times: machine.link_times().map(<[LinkTime]>::to_vec),
        }
    }
}

/// The SHA-256 of a network's links and of the words that are its nodes; the list itself would take memory for every
/// placement.
fn hash_of_links(network: &Network, source: Option<&GraphSource>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for &first in network.first_channels() {
        hash.update(first.to_le_bytes());
    }
    for end in network.channel_ends() {
        hash.update(end.index().to_le_bytes());
    }
    if let Some(GraphSource::Grammar(words)) = source {
        hash.update(format!("{:?}", words.grammar()));
        hash.update(words.size().to_le_bytes());
    }
    hash.update(network.host_count().to_le_bytes());
    hash.update([u8::from(network.hosts_forward())]);
    hash.finalize().into()
}
