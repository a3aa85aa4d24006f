//! González et al. 1995: `standard` and `xor` on toruses of any powers of two, by the theorems of their section 4
//! (`docs/model.md` section 28.7).

use std::collections::BTreeMap;

use cubefold_mapping::EmbeddingKind;

use crate::{
    cases::{MachineLabel, shapes, torus},
    claim::{Claim, Quantity, Trial},
    cube::{embed, measure},
    findings::{Case, Findings, Scope, for_each},
};

/// The claims about an embedding: the number of edges of each dilation, the largest dilation and the sum; the largest,
/// the least and the mean node load.
const STANDARD: [Claim; 6] = [
    Claim::new(
        "González et al. 1995, 4.2",
        "dilations of which standard has another number than 2^(d-1) for each 2^i, i < d_j",
    ),
    Claim::new("González et al. 1995, 4.3", "dilation of standard on a torus: 2^(max d_j - 1)"),
    Claim::new(
        "González et al. 1995, 4.4",
        "total dilation of standard on a torus: 2^(d-1) sum (2^(d_j) - 1)",
    ),
    Claim::new("González et al. 1995, 4.5", "largest node load of standard on a torus: sum M(d_j)"),
    Claim::new("González et al. 1995, 4.5", "least node load of standard on a torus: 0"),
    Claim::new(
        "González et al. 1995, 4.6",
        "mean node load of standard on a torus: total dilation / 2^d - d/2",
    ),
];

/// As for standard, in the same order.
const XOR: [Claim; 6] = [
    Claim::new(
        "González et al. 1995, 4.2",
        "dilations of which xor has another number than 2^(d-1) for each 2^i, i < d_j - 1, and 2^(d_j - 2) once more",
    ),
    Claim::new("González et al. 1995, 4.3", "dilation of xor on a torus: 2^(max d_j - 2)"),
    Claim::new(
        "González et al. 1995, 4.4",
        "total dilation of xor on a torus: 2^(d-1) sum (3 * 2^(d_j - 2) - 1)",
    ),
    Claim::new(
        "González et al. 1995, 4.5",
        "largest node load of xor on a torus: sum (2^(d_j - 2) - 1 + M(d_j - 2))",
    ),
    Claim::new("González et al. 1995, 4.5", "least node load of xor on a torus: sum (2^(d_j - 2) - 1)"),
    Claim::new("González et al. 1995, 4.6", "mean node load of xor on a torus: total dilation / 2^d - d/2"),
];

/// In the order of the paper, claims about standard first.
pub(super) fn claims() -> Vec<Claim> {
    [STANDARD, XOR].concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most = scope.quick_or_full(10, 15);
    let all = (1..=most).flat_map(|bits| shapes(1 << bits));
    for_each(all, |lengths, findings| check_torus(&lengths, findings))
}

fn check_torus(lengths: &[u64], findings: &mut Findings) {
    let machine = torus(lengths);
    let case = MachineLabel(&machine).to_string();
    for (kind, claims) in [(EmbeddingKind::Standard, STANDARD), (EmbeddingKind::Xor, XOR)] {
        let promised = Promised::of(kind, lengths);
        let metrics = measure(&embed(kind, &machine));
        let (dilation, load) = (&metrics.dilation, metrics.node_load);
        let entries = promised.spectrum.keys().chain(dilation.spectrum.keys());
        let differs = |links: &&u64| promised.spectrum.get(links) != dilation.spectrum.get(links);
        let differing = entries.filter(differs).count() as u64;
        let d = u64::from(machine.node_count().ilog2());
        // Twice the mean: 2 total / 2^d - d.
        let doubled = Quantity::fraction(2 * promised.total - d * machine.node_count(), machine.node_count());
        let trials: [Trial; 6] = [
            Trial::equal(0, differing),                                              // 4.2
            Trial::equal(promised.longest(), dilation.max()),                        // 4.3
            Trial::equal(promised.total, dilation.total()),                          // 4.4
            Trial::equal(promised.most_load, load.max),                              // 4.5, largest
            Trial::equal(promised.least_load, load.min),                             // 4.5, least
            Trial::equal(doubled.over(2), Quantity::fraction(load.sum, load.count)), // 4.6
        ];
        for (claim, trial) in claims.into_iter().zip(trials) {
            findings.add(claim, trial, &case);
        }
    }
}

/// The values that the theorems give for one torus.
#[derive(Debug, Default)]
struct Promised {
    spectrum: BTreeMap<u64, u64>,
    total: u64,
    most_load: u64,
    least_load: u64,
}

impl Promised {
    /// The numbers for these lengths, powers of two; in a dimension of length 2 xor is standard.
    fn of(kind: EmbeddingKind, lengths: &[u64]) -> Self {
        let edges = lengths.iter().product::<u64>() / 2; // of a guest dimension: 2^(d-1)
        let mut promised = Self::default();
        for bits in lengths.iter().map(|length| length.ilog2()) {
            let distances: Vec<u64> = match kind {
                EmbeddingKind::Xor if bits >= 2 => {
                    promised.most_load += (1 << (bits - 2)) - 1 + busiest(bits - 2);
                    promised.least_load += (1 << (bits - 2)) - 1;
                    (0..bits - 1).chain([bits - 2]).map(|bit| 1 << bit).collect()
                }
                _ => {
                    promised.most_load += busiest(bits);
                    (0..bits).map(|bit| 1 << bit).collect()
                }
            };
            for links in distances {
                *promised.spectrum.entry(links).or_default() += edges;
                promised.total += edges * links;
            }
        }
        promised
    }

    fn longest(&self) -> u64 {
        self.spectrum.last_key_value().map_or(0, |(&links, _)| links)
    }
}

/// `M(d)`: the node load of the busiest node of a ring of `2^d` under standard.
fn busiest(d: u32) -> u64 {
    let power = 2_u64 << d;
    if d.is_multiple_of(2) {
        (power - 2) / 3 - u64::from(d) / 2
    } else {
        (power - 1) / 3 - u64::from(d).div_ceil(2)
    }
}
