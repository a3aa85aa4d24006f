//! Messages with sizes on several threads: runs divided into slabs equal the reference in every row of the random cases
//! that can be divided, a share of them in every run of the tests, all on request.

use std::num::NonZeroUsize;

use cubefold_reference::stage_program::run_stages;
use cubefold_simulator::{CountLinkUse, EngineChoice, Request, Workers};
use cubefold_topology::LinkMode;
use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::sized_equal_reference::{SizedCase, compare, neighbour_case, numbered_case};

const ALL: u64 = 20_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 120;

#[test]
fn a_share_of_the_cases() {
    check_cases(SHARE);
}

#[test]
#[ignore = "minutes: 20 000 cases of threads that wait for each other in every cycle"]
fn all_cases() {
    check_cases(ALL);
}

/// Whether a run may be divided, and is not one of messages of one unit.
pub(crate) fn is_divided(case: &SizedCase) -> bool {
    case.placement.machine().graph().is_none() && case.communication.links() != LinkMode::SingleDirection
}

/// Machines have 2 to 64 nodes in one to three dimensions of 2 to 9: on two to seven threads there are borders inside
/// lines and between them, slabs of one line and of one node, and more threads than nodes.
fn check_cases(count: u64) {
    let crossed: u64 = (0..count).into_par_iter().map(check_case).sum();
    assert!(2 * crossed >= count, "{crossed} of {count} cases were divided");
}

/// Compares two runs of a case, if it can be divided (1 or 0), and of one between neighbours.
fn check_case(number: u64) -> u64 {
    let case = numbered_case(number);
    let divided = is_divided(&case);
    if divided {
        check_on(&case, number, [2, 3, 5, 7]);
        check_on(&case, number, [4, 2, 3, 2]);
    }
    let neighbours = neighbour_case(&mut ChaCha12Rng::seed_from_u64(number));
    if number.is_multiple_of(4) && is_divided(&neighbours) {
        check_on(&neighbours, number / 4, [2, 3, 5, 7]);
    }
    divided.into()
}

pub(crate) fn check_on(case: &SizedCase, number: u64, threads: [usize; 4]) {
    let threads = NonZeroUsize::new(threads[usize::try_from(number % 4).unwrap()]).unwrap();
    let request = Request::asynchronous(EngineChoice::Hop).by(Some(Workers::Threads(threads)));
    let run = case.run(&request.counting(CountLinkUse::Yes));
    let checked =
        run.and_then(|(outcome, records)| compare(&outcome, &records, &run_stages(&case.problem())));
    checked.unwrap_or_else(|error| panic!("case {number} on {threads} threads: {error}\n{case:?}"));
}
