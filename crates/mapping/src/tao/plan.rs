//! What a theorem gives for a pair of shapes, and the composition of functions that it consists of.

use super::contraction::Contraction;
use super::error::UnmetCondition;
use super::expansion::Expansion;
use super::general_reduction::Supernodes;
use super::promise::{PromisedDilation, Routing};
use super::radix::CoordinateBuffer;
use super::same_shape::{Fold, Permutation};
use super::simple_reduction::SimpleReduction;

/// The outcome of a theorem: a plan, or the conditions that the pair fails, at least one.
pub(super) type Planned = Result<Plan, Vec<UnmetCondition>>;

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

/// One function of a composition: a bijection of coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Permutation(Permutation),
    Fold(Fold),
    Expansion(Expansion),
    SimpleReduction(SimpleReduction),
    Supernodes(Supernodes),
}

impl Step {
    /// Writes the image of the coordinates `from`.
    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        match self {
            Self::Permutation(step) => step.write_image(from, image),
            Self::Fold(step) => step.write_image(from, image),
            Self::Expansion(step) => step.write_image(from, image),
            Self::SimpleReduction(step) => step.write_image(from, image),
            Self::Supernodes(step) => step.write_image(from, image),
        }
    }

    /// Writes the coordinates whose image this is.
    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        match self {
            Self::Permutation(step) => step.write_origin(image, origin),
            Self::Fold(step) => step.write_origin(image, origin),
            Self::Expansion(step) => step.write_origin(image, origin),
            Self::SimpleReduction(step) => step.write_origin(image, origin),
            Self::Supernodes(step) => step.write_origin(image, origin),
        }
    }
}

/// A composition of bijections, the first applied first; its inverse is composed of theirs (Tao 1988, 4.3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Composition {
    steps: Vec<Step>,
}

impl Composition {
    /// The composition of some steps; permutations that change nothing are left out.
    pub(super) fn new(steps: Vec<Step>) -> Self {
        let moves = |step: &Step| !matches!(step, Step::Permutation(order) if order.is_identity());
        Self { steps: steps.into_iter().filter(moves).collect() }
    }

    /// The image of some coordinates.
    pub(super) fn image(&self, coordinates: CoordinateBuffer) -> CoordinateBuffer {
        let (mut here, mut next) = (coordinates, coordinates);
        for step in &self.steps {
            step.write_image(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }

    /// The image under the first step alone.
    pub(super) fn first_stage(&self, coordinates: CoordinateBuffer) -> CoordinateBuffer {
        let mut image = coordinates;
        if let Some(step) = self.steps.first() {
            step.write_image(&coordinates, &mut image);
        }
        image
    }

    /// The coordinates whose image these are.
    pub(super) fn origin(&self, image: CoordinateBuffer) -> CoordinateBuffer {
        let (mut here, mut next) = (image, image);
        for step in self.steps.iter().rev() {
            step.write_origin(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }
}
