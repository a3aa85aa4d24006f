//! What is known of each message besides where it is.

use cubefold_mapping::ProcessId;

use crate::Cycle;

/// The messages that may be under way, by their places.
#[derive(Debug)]
pub(crate) struct Messages {
    identities: Vec<Identity>,
    starts: Vec<Cycle>,
}

/// Who sends a message to whom in which stage: the order of messages that joined a queue together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Identity {
    pub(crate) stage: u32,
    pub(crate) source: u32,
    pub(crate) destination: u32,
}

impl Messages {
    /// Room for `count` messages at a time.
    pub(crate) fn new(count: usize) -> Self {
        Self { identities: vec![Identity::default(); count], starts: vec![Cycle::START; count] }
    }

    /// Makes `message` the one of this identity, injected at `start`.
    pub(crate) fn set(&mut self, message: u32, identity: Identity, start: Cycle) {
        self.identities[message as usize] = identity;
        self.starts[message as usize] = start;
    }

    pub(crate) fn identity(&self, message: u32) -> Identity {
        self.identities[message as usize]
    }

    /// The cycle at which the message was injected.
    pub(crate) fn start(&self, message: u32) -> Cycle {
        self.starts[message as usize]
    }
}

impl Identity {
    pub(crate) fn source(self) -> ProcessId {
        ProcessId::new(self.source)
    }

    pub(crate) fn destination(self) -> ProcessId {
        ProcessId::new(self.destination)
    }
}
