//! The numbers of random runs, written down as digests: a rebuilt engine must give every one of them again.
//!
//! `tests/golden/random_cases.txt` holds one digest for each thousand of the cases of `many_random_cases`. A digest
//! covers every row of every process and stage, the makespan, messages, hops, longest queue, busy cycles of every
//! link and all totals: of the hop engine, of what `auto` chooses, and of coordinated execution.

use std::fmt::Write;

use cubefold_simulator::{EngineChoice, Outcome, Request, Routing, StageRecord};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::engines_equal_reference::{busy_cycles, run};
use crate::many_random_cases::case;
use crate::random_problem::Case;

/// The cases of one digest.
const CASES: u64 = 1_000;

#[test]
fn the_first_thousand_cases() {
    check(1);
}

#[test]
#[ignore = "minutes: 20 000 cases"]
fn all_cases() {
    check(20);
}

/// Compares the digests of the first `thousands` thousands with the golden file.
fn check(thousands: usize) {
    let golden = include_str!("../golden/random_cases.txt");
    let expected: Vec<&str> = golden.lines().filter(|line| !line.starts_with('#')).take(thousands).collect();
    let found: Vec<String> = (0..thousands as u64).map(digest_of_thousand).collect();
    assert_eq!(found, expected, "in this order:\n{}", found.join("\n"));
}

fn digest_of_thousand(thousand: u64) -> String {
    let numbers = thousand * CASES..(thousand + 1) * CASES;
    let texts: Vec<String> = numbers.into_par_iter().map(|number| text(&case(number))).collect();
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text);
    }
    hash.finalize().iter().fold(String::new(), |mut digest, byte| {
        write!(digest, "{byte:02x}").unwrap();
        digest
    })
}

/// All numbers of a case.
fn text(case: &Case) -> String {
    let executions = [
        Request::asynchronous(EngineChoice::Hop),
        Request::asynchronous(EngineChoice::Auto),
        Request::coordinated(Routing::PLAIN),
    ];
    let runs = executions.map(|request| run(case, &request));
    runs.iter().fold(String::new(), |text, (outcome, records)| text + &text_of_run(outcome, records))
}

fn text_of_run(outcome: &Outcome, records: &[StageRecord]) -> String {
    let (summary, traffic) = (&outcome.summary, &outcome.traffic);
    let mut text = format!(
        "{} {} {} {:?}\n",
        summary.makespan().get(),
        traffic.messages,
        traffic.hops,
        traffic.longest_queue
    );
    for stage in traffic.routing.iter().flatten() {
        writeln!(text, "{} {}", stage.steps, stage.conflicts).unwrap();
    }
    for (link, cycles) in busy_cycles(outcome) {
        writeln!(text, "{link:?} {cycles}").unwrap();
    }
    let mut sorted: Vec<&StageRecord> = records.iter().collect();
    sorted.sort_by_key(|record| (record.stage, record.process));
    for record in sorted {
        let numbers = [
            record.sharing.get(),
            record.ready.get(),
            record.start.get(),
            record.finish.get(),
            record.transfer.get(),
            record.idle.get(),
        ];
        writeln!(text, "{} {} {numbers:?}", record.stage, record.process.label()).unwrap();
    }
    text
}
