//! Coordinated runs worked by hand, and random choices of dimensions (`docs/model.md` section 6; Tao 1988,
//! 4.2 and 4.5.1).

use std::num::NonZeroU64;

use cubefold_mapping::{EmbeddingKind, Placement};
use cubefold_simulator::{DimensionChoice, Outcome, PhaseLength, Request, Routing};
use cubefold_topology::{LinkMode, TieRule};

use super::setting::{
    IN_ORDER, PLAIN, Setting, Trial, embed, line, makespan, mesh, place, steps_and_conflicts, torus,
};

/// Steps and conflicts of each stage under the three link modes.
fn under_every_mode(placement: &Placement, stages: &[u64]) -> [Vec<(u64, u64)>; 3] {
    LinkMode::ALL.map(|links| {
        let setting = Setting { links, ..PLAIN };
        steps_and_conflicts(&Trial::with_stages(placement.clone(), setting, stages).coordinated())
    })
}

#[test]
fn a_square_on_a_line_of_4() {
    // Stage 0: one link up, one link down. Stage 1: two up, two down; messages that start apart and move at
    // one pace never meet. Full-duplex both ways at once; the others up, then down.
    let [full, half, single] = under_every_mode(&embed(EmbeddingKind::Standard, &line(2)), &[0, 1]);
    assert_eq!(full, [(1, 0), (2, 0)]);
    assert_eq!(half, [(2, 0), (4, 0)]);
    assert_eq!(single, [(2, 0), (4, 0)]);
}

#[test]
fn half_duplex_every_process_waits_for_both_movements() {
    // T_a = 3, T_c = 2, steps 2 and 4: the makespan is 2 * 3 + 2 * 6 = 18 for every process. Stage 0: each
    // message needs 2 of 4 cycles, stage 1: 4 of 8. Waiting is 4 * 2 + 4 * 4 = 24.
    let setting = Setting { links: LinkMode::HalfDuplex, compute: 3, hop: 2, tie: TieRule::Direct };
    let (outcome, records) = Trial::ascend(embed(EmbeddingKind::Standard, &line(2)), setting).run(&IN_ORDER);
    let finishes: Vec<u64> = records[4..].iter().map(|record| record.finish.get()).collect();
    assert_eq!((finishes, makespan(&outcome)), (vec![18, 18, 18, 18], 18));
    let totals = outcome.summary.totals();
    assert_eq!((totals.waiting, totals.transfer, totals.blocked), (24, 4 * 2 + 4 * 4, 0));
    assert_eq!((outcome.summary.idle_at_end(), outcome.traffic.longest_queue), (0, None));
}

#[test]
fn standard_on_a_4_by_2_mesh_needs_two_movements_a_stage_in_modes_2_and_3() {
    // Distances 1, 2 along dimension 1 and 1 along dimension 2. Every stage uses one dimension, so there
    // are two movements in either mode, one up and one down, each as long as the distance.
    let [full, half, single] = under_every_mode(&embed(EmbeddingKind::Standard, &mesh(&[4, 2])), &[0, 1, 2]);
    assert_eq!(full, [(1, 0), (2, 0), (1, 0)]);
    assert_eq!(half, [(2, 0), (4, 0), (2, 0)]);
    assert_eq!(single, [(2, 0), (4, 0), (2, 0)]);
}

#[test]
fn single_direction_takes_the_dimensions_one_after_another() {
    // One stage of dimension 0 on a (3, 2)-mesh: 0 at (0, 0), 1 at (1, 0), along dimension 1; 2 at (2, 0),
    // 3 at (2, 1), along dimension 2. One step in all; up and down; or (1,+), (1,-), (2,+), (2,-).
    let [full, half, single] = under_every_mode(&place(&mesh(&[3, 2]), &[0, 1, 2, 5]), &[0]);
    assert_eq!((full, half, single), (vec![(1, 0)], vec![(2, 0)], vec![(4, 0)]));
}

#[test]
fn two_messages_that_meet_after_a_turn_conflict_once() {
    // The placement on a (3, 3)-mesh of the asynchronous case in which two messages meet:
    //
    //   p_2 = 2    .   3   .
    //   p_2 = 1    .   1   .
    //   p_2 = 0    0   .   2
    //
    // Phase 1 is one link along dimension 1 for everybody: + for 0->1 and 3->2, - for 2->3 and 1->0. In
    // phase 2 0->1 (one link) and 2->3 (two) start at (1, 0), both up: a conflict, and three steps. 1->0
    // goes down one link, 3->2 two. Full-duplex 1 + 3; in the other modes (1 + 1) + (3 + 2).
    let [full, half, single] = under_every_mode(&place(&mesh(&[3, 3]), &[0, 4, 2, 7]), &[0]);
    assert_eq!((full, half, single), (vec![(4, 1)], vec![(7, 1)], vec![(7, 1)]));
}

#[test]
fn a_phase_length_lets_messages_turn_before_others_have_arrived() {
    // One stage of dimension 0 on a (3, 3)-mesh, full-duplex: 0 at (0, 0) and 1 at (2, 0), two links along
    // dimension 1; 2 at (0, 1) and 3 at (1, 2), a link along dimension 1 and one along dimension 2. Without
    // a limit the turn waits for the second link of the others, 2 + 1 steps; with phases of one link, 1 + 1.
    let trial = Trial::with_stages(place(&mesh(&[3, 3]), &[0, 2, 3, 7]), PLAIN, &[0]);
    let limited = Routing { phase_length: PhaseLength::Links(NonZeroU64::MIN), ..Routing::PLAIN };
    assert_eq!(steps_and_conflicts(&trial.coordinated()), [(3, 0)]);
    assert_eq!(steps_and_conflicts(&trial.run(&Request::coordinated(limited)).0), [(2, 0)]);
}

/// Sixty-four processes strewn over a torus, so that most messages differ in several coordinates.
fn strewn() -> Placement {
    let nodes: Vec<u32> = (0..64).map(|process| (37 * process + 11) % 64).collect();
    place(&torus(&[4, 4, 4]), &nodes)
}

/// Coordinated, dimensions chosen at random under a key of this byte repeated.
fn at_random(byte: u8, phase_length: Option<u64>) -> Request {
    let dimension_choice = DimensionChoice::Random { key: [byte; 32] };
    let phase_length =
        phase_length.and_then(NonZeroU64::new).map_or(PhaseLength::Unlimited, PhaseLength::Links);
    Request::coordinated(Routing { dimension_choice, phase_length, ..Routing::PLAIN })
}

fn busy_cycles(outcome: &Outcome) -> u64 {
    outcome.traffic.link_use.as_ref().unwrap().busy_links().map(|(_, cycles)| cycles.get()).sum()
}

#[test]
fn the_same_key_makes_the_same_run() {
    for links in LinkMode::ALL {
        let trial = Trial::ascend(strewn(), Setting { links, ..PLAIN });
        let ((first, first_records), (second, second_records)) =
            (trial.run(&at_random(7, None)), trial.run(&at_random(7, None)));
        assert_eq!(steps_and_conflicts(&first), steps_and_conflicts(&second), "{links}");
        assert_eq!(first_records, second_records, "{links}");
    }
}

#[test]
fn another_key_makes_another_run() {
    let trial = Trial::ascend(strewn(), PLAIN);
    let runs = [1, 2, 3, 4].map(|byte| steps_and_conflicts(&trial.run(&at_random(byte, None)).0));
    assert!(runs.iter().any(|run| *run != runs[0]));
}

#[test]
fn random_choices_deliver_every_message_over_as_many_links() {
    for links in LinkMode::ALL {
        let setting = Setting { links, compute: 2, hop: 3, ..PLAIN };
        let trial = Trial::ascend(strewn(), setting);
        let (in_order, _) = trial.run(&IN_ORDER);
        for (byte, phase_length) in (0..8).flat_map(|byte| [None, Some(1)].map(|length| (byte, length))) {
            let (outcome, records) = trial.run(&at_random(byte, phase_length));
            assert_eq!(records.len(), 64 * 6);
            assert_eq!(outcome.traffic.messages, 64 * 6);
            assert_eq!(outcome.traffic.hops, in_order.traffic.hops);
            // Routes stay shortest in any order of their dimensions.
            assert_eq!(busy_cycles(&outcome), 3 * in_order.traffic.hops);
            assert_eq!(outcome.summary.totals().transfer, in_order.summary.totals().transfer);
            let steps: u64 = steps_and_conflicts(&outcome).iter().map(|&(steps, _)| steps).sum();
            assert_eq!(makespan(&outcome), 6 * 2 + 3 * steps);
        }
    }
}

#[test]
fn random_choices_change_nothing_where_messages_differ_in_one_coordinate() {
    // A cube program under a product embedding leaves no choice.
    for kind in EmbeddingKind::ALL {
        let trial = Trial::ascend(embed(kind, &torus(&[8, 4, 2])), PLAIN);
        assert_eq!(trial.run(&at_random(5, None)).1, trial.run(&IN_ORDER).1, "{kind}");
    }
}
