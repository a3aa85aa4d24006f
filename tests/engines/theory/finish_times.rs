//! Finish times of product embeddings are sums over the fields, contention included (`docs/model.md`
//! section 8): under full-duplex and half-duplex links, the stages of each field following one another.

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::{HostDimension, LinkMode, Machine, TieRule, Wrap};

use super::setting::{PLAIN, Setting, Trial, embed, finishes, mixed};

const AROUND: Wrap = Wrap::Around;
const OPEN: Wrap = Wrap::Open;

/// The order of the stages of a field.
#[derive(Debug, Clone, Copy)]
enum Within {
    Ascending,
    Descending,
    /// `0; 1, 0; 2, 1, 0; ..`: dimensions recur.
    Bitonic,
}

impl Within {
    /// The dimensions of a field of this many bits, counted from 0.
    fn stages(self, bits: u64) -> Vec<u64> {
        match self {
            Self::Ascending => (0..bits).collect(),
            Self::Descending => (0..bits).rev().collect(),
            Self::Bitonic => (0..bits).flat_map(|top| (0..=top).rev()).collect(),
        }
    }
}

/// One coordinate of a machine with its field of the label.
struct Field {
    dimension: HostDimension,
    shift: u64,
    bits: u64,
}

fn fields(machine: &Machine) -> Vec<Field> {
    let mut shift = 0;
    let field = |dimension| {
        let bits = u64::from(machine.shape().length(dimension).ilog2());
        shift += bits;
        Field { dimension, shift: shift - bits, bits }
    };
    machine.shape().dimensions().map(field).collect()
}

/// Checks that every process finishes at `F_1(v_1) + F_2(v_2) + ..`, where `F_j(v)` is when process `v`
/// finishes if field `j` runs alone on the line or ring of coordinate `j`.
fn check(kind: EmbeddingKind, machine: &Machine, setting: Setting, within: Within, order: &[usize]) {
    let fields = fields(machine);
    let of_field = |&place: &usize| {
        let field = &fields[place];
        within.stages(field.bits).into_iter().map(|dimension| field.shift + dimension)
    };
    let stages: Vec<u64> = order.iter().flat_map(of_field).collect();
    let whole = Trial::with_stages(embed(kind, machine), setting, &stages);
    let parts: Vec<Vec<u64>> = fields
        .iter()
        .map(|field| {
            let alone = embed(kind, &machine.grid().unwrap().line(field.dimension));
            finishes(&Trial::with_stages(alone, setting, &within.stages(field.bits)).asynchronous())
        })
        .collect();
    for (process, finish) in finishes(&whole.asynchronous()).into_iter().enumerate() {
        let part = |(field, finishes): (&Field, &Vec<u64>)| {
            finishes[process >> field.shift & ((1 << field.bits) - 1)]
        };
        let sum: u64 = fields.iter().zip(&parts).map(part).sum();
        assert_eq!(
            finish,
            sum,
            "{kind} on {:?}, {setting:?}, {within:?}, {order:?}",
            machine.shape().lengths()
        );
    }
}

/// Checks all embeddings with the fields in ascending and in descending order.
fn check_all_embeddings(machine: &Machine, setting: Setting) {
    let ascending: Vec<usize> = (0..machine.shape().dimension_count()).collect();
    let descending: Vec<usize> = ascending.iter().rev().copied().collect();
    for kind in EmbeddingKind::ALL {
        for within in [Within::Ascending, Within::Descending, Within::Bitonic] {
            check(kind, machine, setting, within, &ascending);
            check(kind, machine, setting, within, &descending);
        }
    }
}

fn machines() -> [Machine; 5] {
    [
        mixed(&[(16, AROUND), (8, OPEN)]),
        mixed(&[(8, OPEN), (16, AROUND)]),
        mixed(&[(16, OPEN), (16, OPEN)]),
        mixed(&[(16, AROUND), (2, OPEN), (8, AROUND)]),
        mixed(&[(4, OPEN), (8, AROUND), (8, OPEN)]),
    ]
}

fn check_machines(links: LinkMode) {
    for machine in machines() {
        for (compute, hop, tie) in
            [(0, 1, TieRule::Direct), (3, 2, TieRule::Direct), (1, 5, TieRule::Negative)]
        {
            check_all_embeddings(&machine, Setting { links, compute, hop, tie });
        }
    }
}

#[test]
fn finish_times_are_sums_over_the_fields_under_full_duplex_links() {
    check_machines(LinkMode::FullDuplex);
}

#[test]
fn finish_times_are_sums_over_the_fields_under_half_duplex_links() {
    check_machines(LinkMode::HalfDuplex);
}

#[test]
fn the_sums_are_tried_with_contention() {
    // Without blocked cycles in some part the two tests above would say less than they claim.
    for links in [LinkMode::FullDuplex, LinkMode::HalfDuplex] {
        for machine in machines() {
            let setting = Setting { links, ..PLAIN };
            let blocked =
                |kind| Trial::ascend(embed(kind, &machine), setting).asynchronous().summary.totals().blocked;
            assert!(
                EmbeddingKind::ALL.into_iter().any(|kind| blocked(kind) > 0),
                "{:?}",
                machine.shape().lengths()
            );
        }
    }
}
