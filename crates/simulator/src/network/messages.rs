//! What is known of each message besides where it is.

/// Those who know the identities of messages.
pub(crate) trait Identities {
    /// The identity of a message that is under way.
    fn identity(&self, message: u32) -> Identity;
}

/// The identities of messages, by their places.
#[derive(Debug)]
pub(crate) struct Messages {
    identities: Vec<Identity>,
}

/// Who sends a message to whom in which stage: the order of messages that joined a queue together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Identity {
    pub(crate) stage: u32,
    pub(crate) source: u32,
    pub(crate) destination: u32,
}

impl Identities for Messages {
    fn identity(&self, message: u32) -> Identity {
        self.identities[message as usize]
    }
}

impl Messages {
    /// Room for `count` messages at a time.
    pub(crate) fn new(count: usize) -> Self {
        Self { identities: vec![Identity::default(); count] }
    }

    /// Makes `message` the one of this identity.
    pub(crate) fn set(&mut self, message: u32, identity: Identity) {
        self.identities[message as usize] = identity;
    }
}
