//! Asynchronous runs worked by hand (`docs/model.md` section 5).

use cubefold_mapping::{EmbeddingKind, Placement};
use cubefold_topology::LinkMode;

use cubefold_simulator::Outcome;

use super::setting::{PLAIN, Setting, Trial, embed, finishes, line, mesh, place};

/// `PLAIN` under other links.
fn under(links: LinkMode) -> Setting {
    Setting { links, ..PLAIN }
}

fn blocked(outcome: &Outcome) -> u128 {
    outcome.summary.totals().blocked
}

fn waiting(outcome: &Outcome) -> u128 {
    outcome.summary.totals().waiting
}

/// `standard`, d = 2, on the line of 4.
fn square_on_a_line() -> Placement {
    embed(EmbeddingKind::Standard, &line(2))
}

#[test]
fn full_duplex_a_square_on_a_line_of_4() {
    // Stage 0: 0 and 1, 2 and 3 exchange over one link each, [0, 1). Stage 1: 0 and 2, 1 and 3 over two,
    // [1, 3): 0->2 crosses link 0-1 while 1->3 crosses 1-2, then 1-2 while 1->3 crosses 2-3.
    let outcome = Trial::ascend(square_on_a_line(), PLAIN).asynchronous();
    assert_eq!(finishes(&outcome), [3, 3, 3, 3]);
    assert_eq!((waiting(&outcome), blocked(&outcome)), (0, 0));
    assert_eq!(outcome.traffic.longest_queue, Some(0));
    assert_eq!((outcome.traffic.messages, outcome.traffic.hops), (8, 4 + 4 * 2));
}

#[test]
fn half_duplex_a_square_on_a_line_of_4() {
    // Stage 0 is a.. and stage 1 b..; each link carries one message at a time:
    //   cycle   link 0-1   link 1-2   link 2-3
    //   0       a 0->1                a 2->3      1->0 and 3->2 have the larger sources
    //   1       a 1->0     b 1->3     a 3->2      1 and 3 have finished stage 0 and exchange
    //   2       b 0->2     b 2->0     b 3->1      3->1 joined its link at 1, 1->3 at 2
    //   3       b 2->0     b 0->2     b 1->3      0->2 before 3->1: both joined at 3
    //   4                  b 3->1
    // Process 1 has its message at 5, the others at 4. Stage 0 blocks 0 and 2 by a cycle each; in stage 1
    // 1->3 sets out at 1 and arrives at 4, blocked 1; 3->1 arrives at 5, blocked 2; 0->2 and 2->0 set out
    // at 2 and arrive at 4, blocked 0. In all 1 + 1 + 1 + 2 = 5.
    let outcome = Trial::ascend(square_on_a_line(), under(LinkMode::HalfDuplex)).asynchronous();
    assert_eq!(finishes(&outcome), [4, 5, 4, 4]);
    assert_eq!((waiting(&outcome), blocked(&outcome)), (0, 5));
    assert_eq!(outcome.traffic.longest_queue, Some(1));
}

#[test]
fn single_direction_a_square_on_a_line_of_4() {
    //   cycle   direction   transmissions
    //   0       +           a 0->1, a 2->3
    //   1       +           b 1->3           1 and 3 have finished stage 0 and exchange
    //   2       +           b 1->3
    //   3       -           a 1->0, a 3->2   nothing is left to go up
    //   4       -           b 2->0, b 3->1   0 and 2 exchange from 4 on
    //   5       -           b 2->0, b 3->1
    //   6, 7    +           b 0->2
    // Finishes 6 6 8 3. Blocked: 0 and 2 by 3 each in stage 0; in stage 1 3->1 sets out at 1 and arrives
    // at 6, blocked 3; 0->2 sets out at 4 and arrives at 8, blocked 2. In all 3 + 3 + 3 + 2 = 11. In
    // cycles 1 and 2 both a 3->2 and b 3->1 wait at node 3.
    let outcome = Trial::ascend(square_on_a_line(), under(LinkMode::SingleDirection)).asynchronous();
    assert_eq!(finishes(&outcome), [6, 6, 8, 3]);
    assert_eq!((waiting(&outcome), blocked(&outcome)), (0, 11));
    assert_eq!(outcome.traffic.longest_queue, Some(2));
}

#[test]
fn half_duplex_the_smaller_source_has_the_link_first() {
    // One link, T_a = 3, T_c = 2: 0->1 in [3, 5), 1->0 in [5, 7).
    let setting = Setting { compute: 3, hop: 2, ..under(LinkMode::HalfDuplex) };
    let outcome = Trial::ascend(embed(EmbeddingKind::Standard, &line(1)), setting).asynchronous();
    assert_eq!(finishes(&outcome), [7, 5]);
    assert_eq!(blocked(&outcome), 2);
}

#[test]
fn full_duplex_two_messages_meet_at_a_channel() {
    // One stage of dimension 0 on a (3, 3)-mesh; process 0 at (0, 0), 1 at (1, 1), 2 at (2, 0), 3 at (1, 2):
    //
    //   p_2 = 2    .   3   .
    //   p_2 = 1    .   1   .
    //   p_2 = 0    0   .   2
    //
    // 0->1 and 2->3 both reach (1, 0) at 1 and want to go up. 0->1 goes first, having the smaller source,
    // and arrives at 2; 2->3 goes at 2 and 3 and arrives at 4, blocked 1. 1->0 goes down the first column
    // and arrives at 2, 3->2 down the third and arrives at 3.
    let placement = place(&mesh(&[3, 3]), &[0, 4, 2, 7]);
    let outcome = Trial::with_stages(placement, PLAIN, &[0]).asynchronous();
    assert_eq!(finishes(&outcome), [2, 2, 3, 4]);
    assert_eq!(blocked(&outcome), 1);
    assert_eq!(outcome.traffic.longest_queue, Some(1));
}

#[test]
fn full_duplex_of_two_messages_that_meet_the_one_of_the_earlier_stage_goes_first() {
    // A line of 4 with processes 0 2 3 1 from the left, and dimension 0 twice. 0 and 1 are three links
    // apart, 2 and 3 one. These finish stage 0 at 1 and send 2->3 again, at 1, from node 1, just when 0->1
    // of stage 0 comes by: that goes first, so 2->3 arrives at 3, blocked 1, and 3->2 likewise. 0 and 1
    // finish stage 0 at 3 and stage 1 at 6.
    let placement = place(&line(2), &[0, 3, 1, 2]);
    let trial = Trial::with_stages(placement, PLAIN, &[0, 0]);
    let outcome = trial.asynchronous();
    assert_eq!(finishes(&outcome), [6, 6, 3, 3]);
    assert_eq!((waiting(&outcome), blocked(&outcome)), (0, 2));
    assert_eq!((outcome.traffic.longest_queue, trial.predicted()), (Some(1), 6));
}

#[test]
fn full_duplex_a_process_waits_for_its_partner() {
    // A line of 4 with processes 0 1 3 2 from the left, stages 1 and 0, T_a = 5, T_c = 2. Stage 0: all are
    // ready at 5; 0 and 2 are three links apart and finish at 11, 1 and 3 one link and finish at 7. Stage
    // 1: ready at 16 and 12; 1 waits 4 for 0, 3 waits 4 for 2, one link each: all finish at 18.
    let placement = place(&line(2), &[0, 1, 3, 2]);
    let outcome =
        Trial::with_stages(placement, Setting { compute: 5, hop: 2, ..PLAIN }, &[1, 0]).asynchronous();
    assert_eq!(finishes(&outcome), [18, 18, 18, 18]);
    assert_eq!((waiting(&outcome), blocked(&outcome)), (8, 0));
}

#[test]
fn single_direction_goes_round_all_directions_from_where_it_is() {
    // The (2, 2)-mesh. Ascending: (1,+) at 0, (1,-) at 1, (2,+) at 2, (2,-) at 3; 1 and 3 have finished
    // stage 0 at 1, 0 and 2 at 2. Stage 1 pairs 0 with 2 and 1 with 3: all up messages at 2, down at 3.
    let square = embed(EmbeddingKind::Standard, &mesh(&[2, 2]));
    let setting = under(LinkMode::SingleDirection);
    let ascending = Trial::with_stages(square.clone(), setting, &[0, 1]).asynchronous();
    assert_eq!(finishes(&ascending), [4, 4, 3, 3]);
    // Descending: nothing is queued in dimension 1 at first, so (2,+) at 0 and (2,-) at 1; from there
    // round to (1,+) at 2 and (1,-) at 3. Had the turn gone back to (2,+), it would find nothing.
    let descending = Trial::with_stages(square, setting, &[1, 0]).asynchronous();
    assert_eq!(finishes(&descending), [4, 3, 4, 3]);
}

#[test]
fn single_direction_stays_while_its_own_direction_has_messages() {
    // One stage of dimension 0 on a (3, 2)-mesh: 0 at (0, 0), 1 at (2, 0), two links apart; 2 at (0, 1),
    // 3 at (1, 1), one link. (1,+): 0->1 and 2->3 at 0, 0->1 alone at 1, while 3->2 is kept waiting at 1.
    // (1,-): 1->0 at 2 and 3, 3->2 at 2.
    let placement = place(&mesh(&[3, 2]), &[0, 2, 3, 4]);
    let outcome = Trial::with_stages(placement, under(LinkMode::SingleDirection), &[0]).asynchronous();
    assert_eq!(finishes(&outcome), [4, 2, 3, 1]);
    assert_eq!(blocked(&outcome), 4);
}
