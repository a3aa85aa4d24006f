//! `byweight` on a line has the least possible dilation (`docs/model.md` section 8; Harper 1966).

use cubefold_mapping::EmbeddingKind;

use super::bijections::for_each_bijection;
use super::setting::{distances, embed, line, measure, place};

/// `sum_(k=0)^(d-1) binomial(k, floor(k/2))`.
fn harper(bits: u32) -> u64 {
    let binomial = |n: u64, k: u64| (1..=k).fold(1, |product, i| product * (n - k + i) / i);
    (0..u64::from(bits)).map(|k| binomial(k, k / 2)).sum()
}

#[test]
fn byweight_dilation_is_harpers_sum_on_every_line() {
    for bits in 1..=16 {
        let dilation = measure(&embed(EmbeddingKind::Byweight, &line(bits))).dilation.max();
        assert_eq!(dilation, harper(bits), "line of 2^{bits}");
    }
}

#[test]
fn no_bijection_on_a_line_of_up_to_8_has_less_dilation_than_byweight() {
    for bits in 1..=3 {
        let (line, mut least) = (line(bits), u64::MAX);
        for_each_bijection(1 << bits, |nodes| {
            let dilation = distances(&place(&line, nodes)).into_iter().flatten().max().unwrap();
            least = least.min(dilation);
        });
        assert_eq!(least, harper(bits), "line of 2^{bits}");
    }
}

/// Whether some order of the processes of the d-cube, at most 16, keeps all neighbours within `dilation`, at
/// least 1, on the line.
///
/// Orders are built from the left. How one can go on depends only on which processes are placed and on the
/// last `dilation` of them, so that of the orders which agree in these one is kept. Process 0 goes first:
/// exclusive or with a label takes any order to one that begins so, and neighbours to neighbours.
fn some_order_stays_within(bits: u32, dilation: u32) -> bool {
    let neighbours = |process: u64| (0..bits).fold(0_u64, |set, i| set | 1 << (process ^ (1 << i)));
    // The set placed, a bit a process; the last ones placed, four bits a process, the latest lowest.
    let mut orders = vec![(1_u64, 0_u64)];
    for placed in 1..1_u32 << bits {
        let mut longer = vec![];
        for (set, last) in orders {
            // Who lies `dilation` left of the next position has its last chance of a neighbour there.
            let leaving = (placed >= dilation).then(|| last >> (4 * (dilation - 1)) & 15);
            for next in (0..1_u64 << bits).filter(|next| set >> next & 1 == 0) {
                let with_next = set | 1 << next;
                if leaving.is_none_or(|process| neighbours(process) & !with_next == 0) {
                    longer.push((with_next, (last << 4 | next) & ((1 << (4 * dilation)) - 1)));
                }
            }
        }
        longer.sort_unstable();
        longer.dedup();
        orders = longer;
    }
    !orders.is_empty()
}

#[test]
fn no_order_on_a_line_of_16_has_less_dilation_than_byweight() {
    // The smaller lines check the search.
    for bits in 2..=4 {
        let least = u32::try_from(harper(bits)).unwrap();
        assert!(some_order_stays_within(bits, least), "line of 2^{bits}");
        assert!(!some_order_stays_within(bits, least - 1), "line of 2^{bits}");
    }
}
