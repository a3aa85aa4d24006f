//! Runs divided among ranks equal the reference: here the ranks are threads that exchange only what processes of an
//! operating system could exchange.

use std::sync::{Barrier, Mutex};

use cubefold_reference::{asynchronous::asynchronous, stage_program::run_stages};
use cubefold_simulator::{
    CountLinkUse, EngineChoice, Outcome, RankTask, Ranks, Request, StageRecord, Workers, end_ranks,
    next_task, simulate,
};
use cubefold_topology::LinkMode;
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::{
    engines_equal_reference::check_outcome,
    random_problem::{
        Case, any_case, cube_case, message_sets_case, shared_cube_case, shared_message_sets_case,
    },
    sized_equal_reference::{compare, numbered_case},
    sized_slabs_equal_reference::is_divided,
};

/// The shared state of the ranks of a group.
#[derive(Debug)]
struct Group {
    letters: Vec<Mutex<Vec<u64>>>, // by recipient
    values: Mutex<Vec<u64>>,
    barrier: Barrier,
}

#[derive(Debug)]
struct ThreadRank {
    group: &'static Group,
    number: usize,
}

impl Ranks for ThreadRank {
    fn rank(&self) -> usize {
        self.number
    }

    fn count(&self) -> usize {
        self.group.letters.len()
    }

    fn exchange(&self, outgoing: &mut [Vec<u64>], incoming: &mut Vec<u64>, value: u64) -> u64 {
        for (words, letters) in outgoing.iter_mut().zip(&self.group.letters) {
            letters.lock().unwrap().append(words);
        }
        self.group.values.lock().unwrap().push(value);
        self.group.barrier.wait();
        let least = self.group.values.lock().unwrap().iter().copied().min().unwrap();
        incoming.append(&mut self.group.letters[self.number].lock().unwrap());
        if self.group.barrier.wait().is_leader() {
            self.group.values.lock().unwrap().clear();
        }
        self.group.barrier.wait();
        least
    }

    fn abort(&self) -> ! {
        std::process::abort()
    }
}

/// `count` ranks, for the rest of the program.
fn ranks(count: usize) -> Vec<&'static ThreadRank> {
    let letters = (0..count).map(|_| Mutex::default()).collect();
    let group: &Group =
        Box::leak(Box::new(Group { letters, values: Mutex::default(), barrier: Barrier::new(count) }));
    (0..count).map(|number| &*Box::leak(Box::new(ThreadRank { group, number }))).collect()
}

/// Runs a case on these ranks with `run`; returns the result of the leader.
fn run_on(
    ranks: &[&'static ThreadRank],
    run: impl Fn(&Request) -> (Outcome, Vec<StageRecord>) + Sync,
) -> (Outcome, Vec<StageRecord>) {
    let run = &|task: RankTask, count| {
        run(&Request::asynchronous(EngineChoice::Hop).by(Some(Workers::Ranks(task))).counting(count))
    };
    let left = &Mutex::new(vec![]); // the records of the ranks that are not the leader
    let all = |leading: &[StageRecord]| {
        let mut records = std::mem::take(&mut *left.lock().unwrap());
        records.extend(leading);
        records.sort_unstable_by_key(|record: &StageRecord| (record.process, record.stage));
        records
    };
    std::thread::scope(|scope| {
        for &rank in &ranks[1..] {
            scope.spawn(move || {
                while let Some(task) = next_task(rank) {
                    assert_eq!(task.number, 17);
                    let (_, records) = run(task, CountLinkUse::No);
                    left.lock().unwrap().extend(records);
                    rank.group.barrier.wait();
                }
            });
        }
        let task = RankTask { ranks: ranks[0], number: 17 };
        let run_and_wait = || {
            let (outcome, records) = run(task, CountLinkUse::Yes);
            ranks[0].group.barrier.wait();
            (outcome, all(&records))
        };
        let (first, again) = (run_and_wait(), run_and_wait());
        end_ranks(ranks[0]);
        assert_eq!(again.1, first.1);
        first
    })
}

/// A run on 2, 3, 5 or 8 ranks, of which some may have no nodes.
fn check(case: &Case) -> Result<(), TestCaseError> {
    if case.communication.links() == LinkMode::SingleDirection {
        return Ok(()); // one engine computes it
    }
    let number = case.placement.process_count() + case.communication.hop().get();
    let count = [2, 3, 5, 8][(number % 4) as usize];
    let run = |request: &Request| {
        let mut records = vec![];
        let (placement, rules) = (&case.placement, case.communication);
        let outcome = simulate(&*case.program, placement, rules, request, &mut records);
        (outcome.unwrap(), records)
    };
    check_outcome(case, run_on(&ranks(count), run), &asynchronous(&case.problem()))
}

/// Runs of messages with sizes.
fn check_sized(numbers: std::ops::Range<u64>) {
    let divided = numbers.map(|number| (number, numbered_case(number))).filter(|(_, case)| is_divided(case));
    for (number, case) in divided {
        let count = [2, 3, 5, 8][(number % 4) as usize];
        let run = |request: &Request| case.run(request).unwrap();
        let (outcome, records) = run_on(&ranks(count), run);
        let checked = compare(&outcome, &records, &run_stages(&case.problem()));
        checked.unwrap_or_else(|error| panic!("case {number} on {count} ranks: {error}\n{case:?}"));
    }
}

#[test]
fn messages_with_sizes() {
    check_sized(0..120);
}

#[test]
#[ignore = "minutes: threads that wait for each other in every cycle"]
fn many_messages_with_sizes() {
    check_sized(0..4000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn programs_with_a_process_a_node(case in prop_oneof![cube_case(64), message_sets_case(64)]) {
        check(&case)?;
    }

    #[test]
    fn programs_on_shared_nodes(case in prop_oneof![shared_cube_case(64), shared_message_sets_case(64)]) {
        check(&case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "minutes: threads that wait for each other in every cycle"]
    fn many_programs(case in any_case(256)) {
        check(&case)?;
    }
}
