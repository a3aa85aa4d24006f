//! Tao 1988, 4.3.1 and 5.4.1: every node finds its processes by the inverse.

use cubefold_mapping::{ConstructionKind, ProcessId};

use super::{claim::Claim, dilation::Covered, findings::Findings, pairs::Case, trial::Trial};

const BASIC: Claim = Claim::new("Tao 4.3.1", "processes that the inverses of f_L, g_L, h_L do not return");
const SAME_SHAPE: Claim = Claim::new("Tao 4.3.1", "processes that the inverse of pi o T_L does not return");
const EXPANSION: Claim =
    Claim::new("Tao 4.3.1", "processes that the inverses of F_V, G_V, H_V do not return");
const SIMPLE: Claim = Claim::new("Tao 4.3.1", "processes that the inverses of U_V, U_V o T do not return");
const GENERAL: Claim =
    Claim::new("Tao 4.3.1", "processes that the inverses of F'_S, H'_S, G'_S, H''_S, G''_S do not return");
const SQUARE: Claim =
    Claim::new("Tao 4.3.1", "processes that the inverses of the square chains do not return");

/// In the order of the dissertation.
pub(super) const CLAIMS: &[Claim] = &[BASIC, SAME_SHAPE, EXPANSION, SIMPLE, GENERAL, SQUARE];

/// Takes every process to its node and back.
pub(super) fn check(covered: &Covered, findings: &mut Findings) {
    let construction = covered.construction;
    let claim = match construction.kind() {
        ConstructionKind::BasicF | ConstructionKind::BasicG | ConstructionKind::BasicH => BASIC,
        ConstructionKind::SameShape => SAME_SHAPE,
        ConstructionKind::ExpansionF | ConstructionKind::ExpansionH | ConstructionKind::ExpansionG => {
            EXPANSION
        }
        ConstructionKind::SimpleReduction => SIMPLE,
        ConstructionKind::GeneralReduction => GENERAL,
        _ => SQUARE,
    };
    let returns = |&process: &ProcessId| construction.process(construction.node(process)) == process;
    let lost =
        ProcessId::first(construction.guest().node_count()).filter(|process| !returns(process)).count();
    findings.add(claim, Trial::equal(0, lost as u64), &Case(construction));
}
