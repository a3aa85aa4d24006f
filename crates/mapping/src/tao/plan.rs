//! The construction that a theorem gives for a pair of shapes.

use super::bijection::Composition;
use super::contraction::Contraction;
use super::error::UnmetCondition;
use super::promise::{PromisedDilation, Routing};

/// The outcome of a theorem: a plan, or the conditions that the pair fails, at least one.
pub(super) type Planned = Result<Plan, Vec<UnmetCondition>>;

/// A construction for a pair, with all that its theorem states of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// The statement of the dissertation.
    pub(super) theorem: &'static str,
    /// The function in the dissertation's letters.
    pub(super) formula: String,
    /// The free choices that were made.
    pub(super) parameters: Vec<Parameter>,
    /// The contraction of the guest to the size of the host, where it is larger.
    pub(super) contraction: Option<Contraction>,
    /// The bijection from the contracted guest to the host.
    pub(super) composition: Composition,
    /// The dilation that the theorem states.
    pub(super) dilation: PromisedDilation,
    /// The routing of its messages without conflicts.
    pub(super) routing: Routing,
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

    /// A list of numbers.
    pub(super) fn list<T: std::fmt::Debug>(name: &'static str, list: &[T]) -> Self {
        Self { name, value: format!("{list:?}") }
    }
}
