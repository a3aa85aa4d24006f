//! The lines of a machine determine the whole (`docs/model.md` section 8: finish times are sums over the fields),
//! on machines that are too large for the slow reference.

use cubefold_mapping::EmbeddingKind;
use cubefold_simulator::{BulkStages, Cycle, Cycles, EngineChoice, Outcome, Request, StageRecord};
use cubefold_topology::{LinkMode, Machine, Wrap};

use super::setting::{PLAIN, Setting, Trial, embed, mixed, ring, torus};

const AROUND: Wrap = Wrap::Around;
const OPEN: Wrap = Wrap::Open;

/// The finish, waiting and blocked time of every process, added up from the records of all its stages.
fn sums(records: &[StageRecord], processes: u64) -> Vec<(Cycle, Cycles, Cycles)> {
    let mut sums = vec![(Cycle::START, Cycles::ZERO, Cycles::ZERO); usize::try_from(processes).unwrap()];
    for record in records {
        let sum = &mut sums[record.process.label() as usize];
        sum.0 = sum.0.max(record.finish);
        sum.1 += record.waiting();
        sum.2 += record.blocked();
    }
    sums
}

/// Checks the times that follow from the lines against those of a run of every message over every link; returns whether
/// anything was blocked in it.
fn check(kind: EmbeddingKind, machine: &Machine, setting: Setting) -> bool {
    let trial = Trial::ascend(embed(kind, machine), setting);
    let (outcome, records) = trial.run(&Request::asynchronous(EngineChoice::Hop));
    let (_, of_lines) = trial.run(&Request::asynchronous(EngineChoice::BELT));
    let [expected, found] = [records, of_lines].map(|records| sums(&records, machine.node_count()));
    assert_eq!(found, expected, "{kind} on {machine:?}, {setting:?}");
    let last = expected.iter().map(|sum| sum.0).max();
    assert_eq!(last, Some(outcome.summary.makespan()));
    outcome.summary.totals().blocked > 0
}

fn check_all(links: LinkMode) {
    let mut contended = 0;
    for lengths in [[8, 8], [16, 16], [32, 16], [32, 32], [64, 64]] {
        for wraps in [[AROUND, AROUND], [OPEN, AROUND], [AROUND, OPEN], [OPEN, OPEN]] {
            let machine = mixed(&[(lengths[0], wraps[0]), (lengths[1], wraps[1])]);
            for hop in [1, 3] {
                let setting = Setting { links, compute: 2, hop, ..PLAIN };
                let kinds = EmbeddingKind::ALL.into_iter();
                contended += kinds.filter(|&kind| check(kind, &machine, setting)).count();
            }
        }
    }
    assert!(contended >= 20, "only {contended} runs had blocked cycles");
}

#[test]
fn the_lines_tell_the_times_of_every_process_under_full_duplex_links() {
    check_all(LinkMode::FullDuplex);
}

#[test]
fn the_lines_tell_the_times_of_every_process_under_half_duplex_links() {
    check_all(LinkMode::HalfDuplex);
}

/// A run of `byweight` on a ring by itself, every message of every stage followed.
fn on_ring(bits: u32, setting: Setting) -> Outcome {
    let trial = Trial::ascend(embed(EmbeddingKind::Byweight, &ring(bits)), setting);
    trial.in_sums(&Request::asynchronous(EngineChoice::Belt(BulkStages::No)))
}

#[test]
fn byweight_on_a_torus_of_2_to_the_28_takes_what_its_two_rings_take_one_after_the_other() {
    let setting = Setting { compute: 10, ..PLAIN };
    let whole = Trial::ascend(embed(EmbeddingKind::Byweight, &torus(&[1 << 15, 1 << 13])), setting);
    let whole = whole.in_sums(&Request::asynchronous(EngineChoice::BELT));
    let [first, second] = [15, 13].map(|bits| on_ring(bits, setting));
    let end = |outcome: &Outcome| outcome.summary.makespan().get();
    assert_eq!(end(&whole), end(&first) + end(&second));
    // Of the first ring there are 2^13, of the second 2^15.
    let (all, [one, other]) =
        (whole.summary.totals(), [&first, &second].map(|outcome| outcome.summary.totals()));
    assert_eq!(all.waiting, (one.waiting << 13) + (other.waiting << 15));
    assert_eq!(all.blocked, (one.blocked << 13) + (other.blocked << 15));
    assert_eq!(all.transfer, (one.transfer << 13) + (other.transfer << 15));
    assert!(one.blocked > 0 && other.blocked > 0);
}
