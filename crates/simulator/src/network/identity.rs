//! Who sends a message to whom in which stage.

/// The order of messages that joined a queue together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Identity {
    pub(crate) stage: u32,
    pub(crate) source: u32,
    pub(crate) destination: u32,
}

/// Those who know the identities of messages.
pub(crate) trait Identities {
    /// The identity of a message that is under way.
    fn identity(&self, message: u32) -> Identity;
}
