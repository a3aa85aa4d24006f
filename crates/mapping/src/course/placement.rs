//! Guests placed by a construction of the notes.

use cubefold_topology::Machine;

use super::{
    error::CourseError,
    kind::CourseKind,
    pair::{Pair, Plan},
};
use crate::{PlacementTable, PlacementTableError, PromisedDilation};

/// Where a construction of CS838 1999 puts the processes of one guest on one host.
///
/// Its messages take the routes of the host; the promised dilation holds for them, since no route is longer than a path.
///
/// ```
/// use cubefold_mapping::{CourseKind, CoursePlacement};
/// use cubefold_topology::{Machine, MachineKind};
///
/// let ring = Machine::new(MachineKind::Ring, &[8])?;
/// let cube = Machine::new(MachineKind::Hypercube, &[2, 2, 2])?;
/// let placement = CoursePlacement::choose(&ring, &cube)?;
/// assert_eq!(placement.kind(), CourseKind::GrayCycle);
/// assert_eq!(placement.dilation().links, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoursePlacement {
    kind: CourseKind,
    guest: Machine,
    table: PlacementTable,
    dilation: PromisedDilation,
}

/// A pair of guest and host that no construction of the notes, or not the one asked for, covers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoursePlacementError {
    /// No construction is for the pair.
    #[error("no construction of CS838 1999 maps this guest on this host")]
    NotCovered,
    /// The construction asked for is for others.
    #[error("{kind} does not map this guest on this host, expected {}", kind.pair())]
    OtherPair {
        /// The construction.
        kind: CourseKind,
    },
    /// The construction could not be made.
    #[error(transparent)]
    Construction(#[from] CourseError),
    /// What was made is no placement.
    #[error(transparent)]
    Table(#[from] PlacementTableError),
}

impl CoursePlacement {
    /// The first construction in the order of [`CourseKind`] that is for the pair.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be made.
    pub fn choose(guest: &Machine, host: &Machine) -> Result<Self, CoursePlacementError> {
        let pair = Pair { guest, host };
        let plans = CourseKind::ALL.into_iter().filter_map(|kind| Some((kind, pair.plan(kind)?)));
        let (kind, plan) = plans.take(1).next().ok_or(CoursePlacementError::NotCovered)?;
        Self::new(kind, plan?, pair)
    }

    /// The construction asked for.
    ///
    /// # Errors
    ///
    /// When it is not for the pair, or cannot be made.
    pub fn named(kind: CourseKind, guest: &Machine, host: &Machine) -> Result<Self, CoursePlacementError> {
        let pair = Pair { guest, host };
        let plan = pair.plan(kind).ok_or(CoursePlacementError::OtherPair { kind })?;
        Self::new(kind, plan?, pair)
    }

    fn new(kind: CourseKind, plan: Plan, pair: Pair<'_>) -> Result<Self, CoursePlacementError> {
        let Plan { nodes, dilation } = plan;
        let table = PlacementTable::new(pair.host, nodes)?;
        Ok(Self { kind, guest: pair.guest.clone(), table, dilation })
    }

    /// Which construction it is.
    #[must_use]
    pub fn kind(&self) -> CourseKind {
        self.kind
    }

    /// The guest, whose nodes are the processes.
    #[must_use]
    pub fn guest(&self) -> &Machine {
        &self.guest
    }

    /// The nodes of the processes.
    #[must_use]
    pub fn table(&self) -> &PlacementTable {
        &self.table
    }

    /// The dilation that the notes state.
    #[must_use]
    pub fn dilation(&self) -> PromisedDilation {
        self.dilation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

    fn machine(kind: MachineKind, lengths: &[u64]) -> Machine {
        Machine::new(kind, lengths).unwrap()
    }

    /// The constructions that are for a pair, in order.
    fn all(guest: &Machine, host: &Machine) -> Vec<&'static str> {
        let made = |kind: &CourseKind| CoursePlacement::named(*kind, guest, host).is_ok();
        CourseKind::ALL.into_iter().filter(made).map(CourseKind::name).collect()
    }

    #[test]
    fn pairs_get_the_constructions_that_are_for_them() {
        use MachineKind::{Hypercube, Line, Mesh, Ring, Torus};
        let of = |guest: (MachineKind, &[u64]), host: (MachineKind, &[u64])| {
            all(&machine(guest.0, guest.1), &machine(host.0, host.1))
        };
        assert_eq!(of((Line, &[8]), (Hypercube, &[2; 3])), ["gray-path"]);
        assert_eq!(of((Ring, &[8]), (Hypercube, &[2; 3])), ["gray-cycle", "tour-cycle"]);
        assert_eq!(of((Line, &[16]), (Mesh, &[4, 4])), ["recursive-path", "snake", "z-order"]);
        assert_eq!(of((Ring, &[16]), (Mesh, &[4, 4])), ["recursive-cycle", "tour-cycle"]);
        assert_eq!(of((Ring, &[5]), (Line, &[5])), ["folded-torus", "tour-cycle"]);
        assert_eq!(of((Mesh, &[2, 12]), (Mesh, &[2, 3, 4])), ["snake"]);
        assert_eq!(of((Mesh, &[4, 3]), (Torus, &[4, 3])), ["mesh-in-torus"]);
        assert_eq!(of((Torus, &[4, 2]), (Mesh, &[4, 2])), ["folded-torus"]);
        assert_eq!(of((Torus, &[4, 3]), (Ring, &[12])), ["torus-in-ring"]);
        assert_eq!(of((Torus, &[3, 3]), (Ring, &[9])), [""; 0]);
        assert_eq!(of((Mesh, &[9, 4]), (Mesh, &[6, 6])), ["rectangle-in-square"]);
        assert_eq!(of((Mesh, &[6, 6]), (Mesh, &[9, 4])), ["square-in-rectangle"]);
        assert_eq!(of((Mesh, &[2, 9]), (Mesh, &[3, 6])), ["example-meshes"]);
        assert_eq!(of((Ring, &[5]), (Torus, &[2, 3])), [""; 0]);
    }

    #[test]
    fn the_first_that_applies_is_chosen_and_others_say_what_they_are_for() {
        let (line, square) = (machine(MachineKind::Line, &[16]), machine(MachineKind::Mesh, &[4, 4]));
        assert_eq!(CoursePlacement::choose(&line, &square).unwrap().kind(), CourseKind::RecursivePath);
        let message = |kind| CoursePlacement::named(kind, &line, &square).unwrap_err().to_string();
        assert_eq!(
            message(CourseKind::TorusInRing),
            "torus-in-ring does not map this guest on this host, expected a torus y x z, y and z different, on a ring of y z"
        );
        let none = CoursePlacement::choose(&square, &line).unwrap_err();
        assert_eq!(none.to_string(), "no construction of CS838 1999 maps this guest on this host");
    }
}
