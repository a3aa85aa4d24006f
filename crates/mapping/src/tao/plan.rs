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

/// One function of a composition: a bijection of coordinates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bijection {
    Permutation(Permutation),
    Fold(Fold),
    Expansion(Expansion),
    SimpleReduction(SimpleReduction),
    Supernodes(Supernodes),
}

impl Bijection {
    /// Writes the image of the coordinates `from`.
    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        match self {
            Self::Permutation(function) => function.write_image(from, image),
            Self::Fold(function) => function.write_image(from, image),
            Self::Expansion(function) => function.write_image(from, image),
            Self::SimpleReduction(function) => function.write_image(from, image),
            Self::Supernodes(function) => function.write_image(from, image),
        }
    }

    /// Writes the coordinates whose image this is.
    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        match self {
            Self::Permutation(function) => function.write_origin(image, origin),
            Self::Fold(function) => function.write_origin(image, origin),
            Self::Expansion(function) => function.write_origin(image, origin),
            Self::SimpleReduction(function) => function.write_origin(image, origin),
            Self::Supernodes(function) => function.write_origin(image, origin),
        }
    }
}

/// A composition of bijections; its inverse is composed of theirs (Tao 1988, 4.3.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Composition {
    functions: Vec<Bijection>, // the first applied first
}

impl Composition {
    /// The composition of some functions, the first applied first, without identical permutations.
    pub(super) fn new(mut functions: Vec<Bijection>) -> Self {
        functions
            .retain(|function| !matches!(function, Bijection::Permutation(order) if order.is_identity()));
        Self { functions }
    }

    /// The image of some coordinates.
    pub(super) fn image(&self, coordinates: CoordinateBuffer) -> CoordinateBuffer {
        let (mut here, mut next) = (coordinates, coordinates);
        for function in &self.functions {
            function.write_image(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }

    /// The image under the first function alone.
    pub(super) fn first_stage(&self, coordinates: CoordinateBuffer) -> CoordinateBuffer {
        let mut image = coordinates;
        if let Some(function) = self.functions.first() {
            function.write_image(&coordinates, &mut image);
        }
        image
    }

    /// The coordinates whose image these are.
    pub(super) fn origin(&self, image: CoordinateBuffer) -> CoordinateBuffer {
        let (mut here, mut next) = (image, image);
        for function in self.functions.iter().rev() {
            function.write_origin(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }
}
