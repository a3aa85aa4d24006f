//! Messages in rotated order, and messages that cost their processes time: every engine equals the reference on random
//! cases.

use cubefold_simulator::Cycles;
use rayon::prelude::*;

use crate::sized_equal_reference::{SizedCase, check, numbered_case};

/// The random case with this number, rotated with a number of ranks a node that divides them.
fn rotated(number: u64) -> SizedCase {
    let case = numbered_case(number);
    let ranks = case.placement.process_count();
    let divisors: Vec<u64> = (1..=ranks).filter(|divisor| ranks.is_multiple_of(*divisor)).collect();
    let per_node = divisors[usize::try_from(number).unwrap() % divisors.len()];
    SizedCase { rotated: Some(per_node), ..case }
}

#[test]
fn rotated_order_equals_the_reference() {
    let differs = |number: &u64| {
        let case = rotated(*number);
        check(&case).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:?}"));
        let listed = SizedCase { rotated: None, ..case.clone() };
        let run = |case: &SizedCase| case.makespan();
        run(&case) != run(&listed)
    };
    let different = (0..600_u64).into_par_iter().filter(differs).count();
    assert!(different >= 30, "the order matters in {different} cases only");
}

#[test]
fn costs_of_messages_equal_the_reference() {
    let costs_more = |number: &u64| {
        let case = if number.is_multiple_of(2) { rotated(*number) } else { numbered_case(*number) };
        let cost = Cycles::new([1, 2, 7, 40][usize::try_from(number / 2 % 4).unwrap()]);
        let costly = SizedCase { communication: case.communication.with_message_cost(cost), ..case.clone() };
        check(&costly).unwrap_or_else(|error| panic!("case {number}: {error}\n{costly:?}"));
        costly.makespan() > case.makespan()
    };
    let more = (0..800_u64).into_par_iter().filter(costs_more).count();
    assert!(more >= 700, "costs matter in {more} cases only");
}
