//! The functions that constructions are composed of, each with its inverse.

use super::expansion::Expansion;
use super::permutation::Permutation;
use super::room::Room;
use super::same_shape::Fold;
use super::simple_reduction::SimpleReduction;
use super::supernodes::Supernodes;

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
    pub(super) fn write_image(&self, from: &Room, image: &mut Room) {
        match self {
            Self::Permutation(step) => step.write_image(from, image),
            Self::Fold(step) => step.write_image(from, image),
            Self::Expansion(step) => step.write_image(from, image),
            Self::SimpleReduction(step) => step.write_image(from, image),
            Self::Supernodes(step) => step.write_image(from, image),
        }
    }

    /// Writes the coordinates whose image this is.
    pub(super) fn write_origin(&self, image: &Room, origin: &mut Room) {
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
    pub(super) fn image(&self, coordinates: Room) -> Room {
        let (mut here, mut next) = (coordinates, coordinates);
        for step in &self.steps {
            step.write_image(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }

    /// The image under the first step alone.
    pub(super) fn first_stage(&self, coordinates: Room) -> Room {
        let mut image = coordinates;
        if let Some(step) = self.steps.first() {
            step.write_image(&coordinates, &mut image);
        }
        image
    }

    /// The coordinates whose image these are.
    pub(super) fn origin(&self, image: Room) -> Room {
        let (mut here, mut next) = (image, image);
        for step in self.steps.iter().rev() {
            step.write_origin(&here, &mut next);
            std::mem::swap(&mut here, &mut next);
        }
        here
    }
}
