//! What a theorem gives for a pair of shapes.

use super::contraction::Contraction;
use super::promise::{PromisedDilation, Routing};
use super::step::Step;

/// A construction with all that its theorem says of it.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The statement that it rests on.
    pub(super) theorem: &'static str,
    /// The function in the dissertation's letters.
    pub(super) formula: String,
    /// The free choices that were made.
    pub(super) parameters: Vec<Parameter>,
    /// What makes the guest as large as the host, where it is larger.
    pub(super) contraction: Option<Contraction>,
    /// The functions after it, a bijection together, the first applied first.
    pub(super) steps: Vec<Step>,
    pub(super) dilation: PromisedDilation,
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
