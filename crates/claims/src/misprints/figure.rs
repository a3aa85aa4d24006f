//! Errata A10: figure 3.11.

use cubefold_mapping::{ConstructionKind, ProcessId};

use super::super::{
    claim::Claim,
    findings::Findings,
    pairs::{Case, mesh},
    routed::{dilation, table},
    trial::Trial,
};

/// The column of `F_V`.
pub(super) const FIGURE: Claim = Claim::misprinted(
    "Tao figure 3.11",
    "dilation of the column of F_V, (4, 6)-mesh into (2, 2, 2, 3)-mesh, wrong where i_1 = 1 or 3: 1; by the \
     definition it is",
    "A10",
);

pub(super) fn check(findings: &mut Findings) {
    let (guest, host) = (mesh(&[4, 6]), mesh(&[2, 2, 2, 3]));
    let defined = super::named(FIGURE, ConstructionKind::ExpansionF, &guest, &host, findings);
    let line = super::named(FIGURE, ConstructionKind::BasicF, &mesh(&[24]), &host, findings);
    let (Some((defined, placement)), Some((line, _))) = (defined, line) else { return };
    let case = Case(&defined);
    // As printed: f_(2,2,2,3)(6 i_1 + i_2) in the rows with i_1 = 1 and 3.
    let printed = |process: ProcessId| {
        let (first, second) = (process.label() % 4, process.label() / 4);
        match first {
            1 | 3 => line.node(ProcessId::new(6 * first + second)),
            _ => defined.node(process),
        }
    };
    let nodes = ProcessId::first(guest.node_count()).map(printed).collect();
    findings.add(FIGURE, Trial::equal(1, dilation(&guest, &table(&host, nodes))), &case);
    findings.add_reading(FIGURE, Trial::equal(1, dilation(&guest, &placement)), &case);
}
