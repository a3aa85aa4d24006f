//! The figures of González & Valero 1993.

use cubefold_mapping::{EmbeddingKind, ProcessId};
use cubefold_topology::{Machine, NodeId};

use super::super::{
    Case,
    claim::Claim,
    findings::Findings,
    pairs::{Words, torus},
    trial::Trial,
};
use super::{cube, embed, line};

const STANDARD: Claim = Claim::new(
    "González & Valero 1993, figure 4",
    "distances of standard on the line of 8 that differ from the figure",
);
const BYWEIGHT: Claim = Claim::new(
    "González & Valero 1993, figure 4",
    "distances of byweight on the line of 8 that differ from the figure",
);
const XOR: Claim = Claim::new(
    "González & Valero 1993, figure 6",
    "nodes of the (8, 8)-torus with another process under xor than in the figure",
);

/// In the order of the paper.
pub(super) const CLAIMS: [Claim; 3] = [STANDARD, BYWEIGHT, XOR];

/// Figure 4 (a): `D_i(n)`, a row for each dimension and a column for each process.
const STANDARD_LINE: [[u64; 8]; 3] = [[1; 8], [2; 8], [4; 8]];
const BYWEIGHT_LINE: [[u64; 8]; 3] =
    [[3, 3, 4, 4, 4, 4, 3, 3], [2, 3, 2, 3, 3, 2, 3, 2], [1, 2, 2, 1, 1, 2, 2, 1]];

/// Figure 6: the process on each node, a row for each `p_2` and a column for each `p_1`.
const XOR_TORUS: [[u32; 8]; 8] = [
    [0, 1, 2, 3, 6, 7, 4, 5],
    [8, 9, 10, 11, 14, 15, 12, 13],
    [16, 17, 18, 19, 22, 23, 20, 21],
    [24, 25, 26, 27, 30, 31, 28, 29],
    [48, 49, 50, 51, 54, 55, 52, 53],
    [56, 57, 58, 59, 62, 63, 60, 61],
    [32, 33, 34, 35, 38, 39, 36, 37],
    [40, 41, 42, 43, 46, 47, 44, 45],
];

pub(super) fn cases() -> Vec<Case> {
    vec![
        Box::new(|findings| check_line(EmbeddingKind::Standard, STANDARD, &STANDARD_LINE, findings)),
        Box::new(|findings| check_line(EmbeddingKind::Byweight, BYWEIGHT, &BYWEIGHT_LINE, findings)),
        Box::new(check_torus),
    ]
}

fn check_line(kind: EmbeddingKind, claim: Claim, figure: &[[u64; 8]; 3], findings: &mut Findings) {
    let line = line(3);
    let (placement, cube) = (embed(kind, &line), cube(&line));
    let mut wrong = 0;
    for (dimension, row) in cube.dimensions().zip(figure) {
        for (process, &expected) in ProcessId::first(8).zip(row) {
            let [near, far] = [process, cube.neighbour(process, dimension)].map(|own| placement.node(own));
            wrong += u64::from(line.distance(near, far) != expected);
        }
    }
    findings.add(claim, Trial::equal(0, wrong), &Words(&line));
}

fn check_torus(findings: &mut Findings) {
    let torus: Machine = torus(&[8, 8]);
    let placement = embed(EmbeddingKind::Xor, &torus);
    let differs = |(node, &process): (NodeId, &u32)| !placement.processes(node).eq([ProcessId::new(process)]);
    let wrong = torus.nodes().zip(XOR_TORUS.as_flattened()).filter(|&pair| differs(pair)).count();
    findings.add(XOR, Trial::equal(0, wrong as u64), &Words(&torus));
}
