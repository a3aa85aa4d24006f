//! Collectives on toruses: Swing (De Sensi et al., NSDI 2024) and its rivals, the placement by xor,
//! all-to-all and TACOS.
//!
//! Link loads are counted message by message over the routes of the machine, and compared with closed
//! forms; times are from the engine, and compared with published ones.

mod deficiencies;
mod distances;
mod published;
mod step_times;
mod tables;

use std::num::NonZeroU64;

use cubefold_collectives::{Algorithm, Collective, CollectiveSpecification, Exchange, Operation, Ports};
use cubefold_mapping::Placement;
use cubefold_topology::{Machine, MachineKind, Shape};

use crate::{
    cases::{machine, table},
    claim::Claim,
    findings::{Case, Scope},
};

/// In the order of the report.
pub(super) fn claims() -> Vec<Claim> {
    [deficiencies::CLAIMS, distances::CLAIMS, step_times::CLAIMS, published::CLAIMS].concat()
}

/// Printed statements that fail.
pub(super) fn misprinted_claims() -> Vec<Claim> {
    [deficiencies::MISPRINTED, distances::MISPRINTED, published::MISPRINTED].concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    [deficiencies::cases(scope), distances::cases(scope), step_times::cases(scope), published::cases(scope)]
        .into_iter()
        .flatten()
        .collect()
}

/// A collective on a torus of the same shape.
#[derive(Debug, Clone, Copy)]
struct Run<'lengths> {
    lengths: &'lengths [u64],
    operation: Operation,
    algorithm: Algorithm,
    exchange: Option<Exchange>,
    ports: Ports,
}

impl<'lengths> Run<'lengths> {
    /// An all-reduce on one port.
    fn all_reduce(lengths: &'lengths [u64], algorithm: Algorithm, exchange: Option<Exchange>) -> Self {
        Self { lengths, operation: Operation::AllReduce, algorithm, exchange, ports: Ports::One }
    }

    /// The collective on all ports.
    fn on_all_ports(self) -> Self {
        Self { ports: Ports::All, ..self }
    }

    /// The collective of a vector whose steps cost `compute_cycles` cycles to start.
    #[expect(clippy::expect_used, reason = "an algorithm that is defined for the shape")]
    fn collective(self, vector_units: u64, compute_cycles: u64) -> Collective {
        let shape = Shape::new(self.lengths).expect("lengths of at least 2");
        let plain = CollectiveSpecification::new(self.operation, self.algorithm, shape, vector_units);
        let Self { exchange, ports, .. } = self;
        let asked = CollectiveSpecification { exchange, ports, compute_cycles, ..plain };
        Collective::new(asked).expect("a collective that is defined")
    }
}

/// The torus of a shape.
fn torus(lengths: &[u64]) -> Machine {
    machine(if lengths.len() == 1 { MachineKind::Ring } else { MachineKind::Torus }, lengths)
}

/// Every share of rank `r` on node `r`.
fn placed(machine: &Machine, shares: u32) -> Placement {
    table(machine, (0..shares).flat_map(|_| machine.nodes()).collect())
}

/// A number of at least 1.
fn at_least_one(number: u32) -> NonZeroU64 {
    NonZeroU64::new(number.into()).unwrap_or(NonZeroU64::MIN)
}

/// A shape in words: `64x64`.
fn name(lengths: &[u64]) -> String {
    lengths.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}
