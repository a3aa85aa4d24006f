//! The construction that a theorem gives for a pair of shapes.

use super::bijection::Composition;
use super::error::UnmetCondition;
use super::promise::{PromisedDilation, Routing};
use super::resizing::Resizing;

/// The outcome of a theorem: a plan, or the conditions that the pair fails, at least one.
pub(super) type Planned = Result<Plan, Vec<UnmetCondition>>;

/// A construction for a pair, with everything that its theorem states about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// The statement of the dissertation.
    pub(super) theorem: &'static str,
    /// The function in the dissertation's letters.
    pub(super) formula: String,
    /// The free choices that were made.
    pub(super) parameters: Vec<Parameter>,
    /// The change of the guest's size to that of the host, or of a box of it, where they differ.
    pub(super) resizing: Option<Resizing>,
    /// The bijection from the resized guest to the host.
    pub(super) composition: Composition,
    /// The dilation that the theorem states.
    pub(super) dilation: PromisedDilation,
    /// The conflict-free routing of its messages; `None` if none is promised.
    pub(super) routing: Option<Routing>,
}

/// One free choice of a construction: an expansion factor, a permutation and the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The dissertation's letter for it.
    pub name: &'static str,
    /// Its value, lists in brackets and dimensions counted from 1.
    pub value: String,
}

impl Parameter {
    pub(super) fn new(name: &'static str, value: &impl ToString) -> Self {
        Self { name, value: value.to_string() }
    }

    pub(super) fn list<T: std::fmt::Debug>(name: &'static str, list: &[T]) -> Self {
        Self { name, value: format!("{list:?}") }
    }
}
