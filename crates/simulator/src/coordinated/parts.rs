//! The messages of a stage in parts that are routed one after another.
//!
//! Where processes share nodes, messages that share a source node or a destination node go apart
//! (errata A9; a message inside a node is left out, since it takes no step). Within such a part the
//! placement tells which subset a message belongs to.

use std::collections::{BTreeMap, BTreeSet};

use cubefold_topology::NodeId;

use super::Message;

/// Messages that are routed together, with the number of their subset.
pub(super) struct Part {
    pub(super) subset: u32,
    pub(super) messages: Vec<Message>,
}

/// Whether processes may share nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// No two do.
    None,
    /// Some do.
    Some,
}

/// The parts of a stage, in the order in which they are routed; `messages` are by source and destination.
pub(super) fn parts(messages: Vec<Message>, sharing: Sharing) -> Vec<Part> {
    let apart = match sharing {
        Sharing::None => vec![messages],
        Sharing::Some => without_shared_nodes(messages),
    };
    apart.into_iter().flat_map(by_subset).collect()
}

/// A part that may still grow, and the nodes that its messages leave and reach.
#[derive(Default)]
struct OpenPart {
    sources: BTreeSet<NodeId>,
    destinations: BTreeSet<NodeId>,
    messages: Vec<Message>,
}

impl OpenPart {
    fn can_take(&self, message: &Message) -> bool {
        !self.sources.contains(&message.at) && !self.destinations.contains(&message.to)
    }

    fn take(&mut self, message: Message) {
        self.sources.insert(message.at);
        self.destinations.insert(message.to);
        self.messages.push(message);
    }
}

/// Greedily: each message goes to the first part in which no message has its source or destination node.
fn without_shared_nodes(messages: Vec<Message>) -> Vec<Vec<Message>> {
    let mut parts: Vec<OpenPart> = vec![];
    for message in messages.into_iter().filter(|message| message.at != message.to) {
        let first = parts.iter().position(|part| part.can_take(&message)).unwrap_or(parts.len());
        if first == parts.len() {
            parts.push(OpenPart::default());
        }
        parts[first].take(message);
    }
    parts.into_iter().map(|part| part.messages).collect()
}

/// The messages by the numbers of their subsets, the smallest first.
fn by_subset(messages: Vec<Message>) -> impl Iterator<Item = Part> {
    let mut subsets: BTreeMap<u32, Vec<Message>> = BTreeMap::new();
    for message in messages {
        subsets.entry(message.subset).or_default().push(message);
    }
    subsets.into_iter().map(|(subset, messages)| Part { subset, messages })
}
