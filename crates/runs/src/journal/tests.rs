//! Journals that were cut, damaged, changed, divided and merged.

use std::{io::Cursor, path::PathBuf};

use cubefold_records::RunRecord;
use cubefold_scenario::Run;
use tempfile::TempDir;

use super::*;
use crate::support::{journal_in_memory, record_at, records, runs, twelve_runs};

/// The bytes of a journal in memory.
fn bytes_of(journal: Journal<Cursor<Vec<u8>>>) -> Vec<u8> {
    journal.contents.into_inner().unwrap().storage.into_inner()
}

/// The journal in these bytes, continued.
fn resumed(bytes: &[u8], runs: &[Run], shard: Shard) -> Result<Journal<Cursor<Vec<u8>>>, JournalError> {
    let runs: Vec<&Run> = runs.iter().collect();
    Journal::resume(Cursor::new(bytes.to_vec()), &SweepPlan::new(&runs).unwrap(), shard)
}

/// The finished runs of a journal, with their records.
fn held<S: Storage>(journal: &Journal<S>) -> Vec<(usize, RunRecord)> {
    let missing = journal.missing();
    let finished = journal.header.shard.runs(journal.header.runs).filter(|run| !missing.contains(run));
    finished.zip(journal.records().map(Result::unwrap)).collect()
}

/// The runs of a small sweep, their records, and a journal that holds them in another order.
fn written() -> (Vec<Run>, Vec<RunRecord>, Vec<u8>) {
    let all: Vec<Run> = twelve_runs().into_iter().take(4).collect();
    let records = records(&all);
    let runs: Vec<&Run> = all.iter().collect();
    let journal = journal_in_memory(&runs, Shard::WHOLE);
    for place in [2, 0, 3, 1] {
        journal.append(place, &records[place]).unwrap();
    }
    let bytes = bytes_of(journal);
    (all, records, bytes)
}

/// Whether each record belongs to its run.
fn are_right(held: &[(usize, RunRecord)], records: &[RunRecord]) -> bool {
    held.iter().all(|(place, record)| *record == records[*place])
}

/// Where a journal is cut: every `step` bytes, and all places beside the ends of lines.
fn cuts(bytes: &[u8], step: usize) -> impl Iterator<Item = usize> {
    let is_beside_an_end =
        |cut: usize| bytes[cut.saturating_sub(2)..bytes.len().min(cut + 1)].contains(&b'\n');
    (0..=bytes.len()).filter(move |&cut| cut % step == 0 || is_beside_an_end(cut))
}

#[test]
fn a_journal_that_is_cut_keeps_the_whole_records_before_and_goes_on() {
    check_cuts(7);
}

#[test]
#[ignore = "long"]
fn a_journal_cut_at_any_byte_keeps_the_whole_records_before_and_goes_on() {
    check_cuts(1);
}

fn check_cuts(step: usize) {
    let (runs, records, bytes) = written();
    let (mut counts, mut before) = (vec![], None);
    for cut in cuts(&bytes, step) {
        let journal = resumed(&bytes[..cut], &runs, Shard::WHOLE).unwrap();
        let held = held(&journal);
        assert!(are_right(&held, &records), "cut at {cut}");
        counts.push(held.len());
        // The continuation after a cut does not depend on where in a record the cut is.
        if before.replace(held.len()) == Some(held.len()) && cut % 8 > 0 {
            continue;
        }
        for place in journal.missing() {
            journal.append(place, &records[place]).unwrap();
        }
        let found: Vec<RunRecord> = journal.records().map(Result::unwrap).collect();
        assert_eq!(found, records, "cut at {cut}");
        // A torn record is removed, not only overwritten.
        let again = resumed(&bytes_of(journal), &runs, Shard::WHOLE).unwrap();
        assert!(again.missing().is_empty(), "cut at {cut}");
    }
    assert!(counts.is_sorted());
    assert_eq!((counts[0], &counts[counts.len() - 2..]), (0, &[3, 4][..]));
}

#[test]
fn a_journal_with_a_byte_changed_is_refused_or_gives_right_records() {
    check_changes(7);
}

#[test]
#[ignore = "long"]
fn a_journal_with_any_byte_changed_is_refused_or_gives_right_records() {
    check_changes(1);
}

/// Changes a byte in every `step` bytes, one at a time.
fn check_changes(step: usize) {
    let (runs, records, bytes) = written();
    for place in (0..bytes.len()).step_by(step) {
        let change = [1, 0x20, 0x80][place % 3];
        let mut changed = bytes.clone();
        changed[place] ^= change;
        let Ok(journal) = resumed(&changed, &runs, Shard::WHOLE) else { continue };
        let held = held(&journal);
        assert!(are_right(&held, &records), "byte {place} changed by {change}");
        assert!(held.len() < 4 || bytes_of(journal) == bytes, "byte {place} changed by {change}");
    }
}

#[test]
fn a_damaged_record_ends_the_journal_before_it() {
    let (runs, records, bytes) = written();
    let lines: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1).collect();
    // The first line, the header, two lines for each of four runs, and the records of runs 2, 0, 3 and 1.
    for (place, missing) in [(9, vec![0, 1, 2, 3]), (10, vec![0, 1, 3]), (11, vec![1, 3]), (12, vec![1])] {
        let mut damaged = bytes.clone();
        damaged[lines[place] + 30] ^= 1;
        let journal = resumed(&damaged, &runs, Shard::WHOLE).unwrap();
        assert_eq!((journal.missing(), journal.was_damaged()), (missing, true));
        for run in journal.missing() {
            journal.append(run, &records[run]).unwrap();
        }
        assert_eq!(journal.records().map(Result::unwrap).collect::<Vec<_>>(), records);
        assert!(resumed(&bytes_of(journal), &runs, Shard::WHOLE).unwrap().missing().is_empty());
    }
    assert!(!resumed(&bytes, &runs, Shard::WHOLE).unwrap().was_damaged());
    // A record that was never completed is no damage.
    assert!(!resumed(&bytes[..bytes.len() - 1], &runs, Shard::WHOLE).unwrap().was_damaged());
}

#[test]
fn rubbish_after_the_last_record_is_cut_away() {
    let (runs, records, bytes) = written();
    let tails: [&[u8]; 4] = [b"\n", &[0; 100], b"ffffffff 0000000000000000 {", &bytes];
    for tail in tails {
        let journal = resumed(&[&bytes, tail].concat(), &runs, Shard::WHOLE).unwrap();
        assert_eq!(journal.records().map(Result::unwrap).collect::<Vec<_>>(), records);
        assert_eq!(bytes_of(journal), bytes);
    }
}

#[test]
fn a_journal_that_changes_while_it_is_read_is_an_error() {
    let (runs, _, bytes) = written();
    let journal = resumed(&bytes, &runs, Shard::WHOLE).unwrap();
    journal.contents.lock().unwrap().storage.cut(bytes.len() as u64 - 3).unwrap();
    let errors: Vec<bool> = journal.records().map(|record| record.is_err()).collect();
    assert_eq!(errors, [false, true, false, false]);
}

#[test]
fn records_are_read_back_as_they_were_to_the_last_bit() {
    let (_, records, _) = written();
    let mut record = records[0].clone();
    // Numbers that an inexact reader rounds.
    for (step, bits) in (0_u64..2000).map(|step| (step, step.wrapping_mul(0x9e37_79b9_7f4a_7c15))) {
        let mean = f64::from_bits(bits);
        record.waiting.as_mut().unwrap().mean = mean.is_finite().then_some(mean);
        record.placement.as_mut().unwrap().expansion = Some(f64::from(u32::try_from(step).unwrap()) / 3.0);
        record.totals.as_mut().unwrap().waiting_cycles = u128::MAX - u128::from(bits);
        record.makespan_cycles = Some(u64::MAX - step);
        let text = serde_json::to_string(&record).unwrap();
        let read: RunRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(read, record);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}

const RING: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n";

/// The reason why the scenario `now` cannot continue a journal of the scenario `was`; empty if it can.
fn refusal(was: &str, now: &str) -> String {
    let (was, now) = (runs(was), runs(now));
    let bytes = bytes_of(journal_in_memory(&was.iter().collect::<Vec<_>>(), Shard::WHOLE));
    resumed(&bytes, &now, Shard::WHOLE).err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn how_a_scenario_is_written_does_not_count() {
    let spaced = "# a comment\nmachine = { kind='ring',   shape = [ 0x8 ], hop_cycles = 1 }\n";
    assert_eq!(refusal(RING, spaced), "");
}

#[test]
fn what_has_changed_is_named() {
    let cases = [
        ("program.compute_cycles = 5\n", "in run 0 program.compute_cycles was 0 and is 5"),
        ("machine.links = 2\n", "in run 0 machine.links was \"full-duplex\" and is \"half-duplex\""),
        ("seed = 3\n", "in run 0 seed was 0 and is 3"),
        ("name = \"other\"\n", "in run 0 scenario was \"s\" and is \"other\""),
        ("execution.engine = \"hop\"\n", "in run 0 engine was \"auto\" and is \"hop\""),
        ("execution.tie = \"positive\"\n", "in run 0 execution.tie was \"direct\" and is \"positive\""),
        (
            "execution.mode = \"coordinated\"\n",
            "in run 0 execution.mode was \"asynchronous\" and is \"coordinated\"",
        ),
        (
            "mapping.embeddings = [\"standard\", \"gray\", \"byweight\"]\n",
            "in run 1 embedding was \"xor\" and is \"gray\"",
        ),
        ("mapping.embeddings = [\"standard\", \"xor\"]\n", "it is for 3 runs, expected 2"),
        (
            "mapping.embeddings = [\"xor\", \"standard\", \"gray\", \"byweight\"]\n",
            "it is for 3 runs, expected 4; in run 0 embedding was \"standard\" and is \"xor\"",
        ),
    ];
    let ring = "machine.kind = \"ring\"\nmachine.shape = [8]\n";
    for (more, expected) in cases {
        assert_eq!(refusal(ring, &format!("{more}{ring}")), format!("the sweep has changed: {expected}"));
    }
}

#[test]
fn other_contents_of_a_placement_file_are_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    std::fs::write(
        &path,
        "mapping.embeddings = [\"file:p.csv\"]\nmachine = { kind = \"line\", shape = [2] }\n",
    )
    .unwrap();
    let load = |placement: &str| {
        std::fs::write(folder.path().join("p.csv"), placement).unwrap();
        cubefold_scenario::load(std::slice::from_ref(&path)).unwrap().remove(0).runs
    };
    let (was, same, now) =
        (load("process,p_1\n0,0\n1,1\n"), load("process,p_1\n1,1\n0,0\n"), load("process,p_1\n0,1\n1,0\n"));
    let bytes = bytes_of(journal_in_memory(&[&was[0]], Shard::WHOLE));
    assert!(resumed(&bytes, &same[..1], Shard::WHOLE).is_ok());
    let error = resumed(&bytes, &now[..1], Shard::WHOLE).unwrap_err().to_string();
    assert!(error.starts_with("the sweep has changed: in run 0 placement_digest was \""), "{error}");
}

#[test]
fn another_part_another_version_and_another_form_are_refused() {
    let all = twelve_runs();
    let runs: Vec<&Run> = all.iter().collect();
    let bytes = bytes_of(journal_in_memory(&runs, "2/3".parse().unwrap()));
    let asked =
        |bytes: &[u8], shard: &str| resumed(bytes, &all, shard.parse().unwrap()).unwrap_err().to_string();
    assert_eq!(asked(&bytes, "1/3"), "it is for part 2 of 3, expected part 1 of 3");
    assert_eq!(asked(&bytes, "1/1"), "it is for part 2 of 3, expected the whole sweep");

    let mut header = Header::new(&SweepPlan::new(&runs).unwrap(), "2/3".parse().unwrap());
    header.cubefold = "0.0.9".to_owned();
    header.engines = "other".to_owned();
    let mut other = vec![];
    header.write(&SweepPlan::new(&runs).unwrap(), &mut other).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("it was written by cubefold 0.0.9, and this is cubefold {version}");
    assert_eq!(asked(&other, "2/3"), expected);

    let form = [b"cubefold journal 1\n", &bytes[19..]].concat();
    assert_eq!(asked(&form, "2/3"), "it is a journal of form 1, expected form 2");
    for foreign in [&b"scenario,seed\n"[..], &[0; 100], b"cubefold"] {
        let error = resumed(foreign, &all, Shard::WHOLE).err().map(|error| error.to_string());
        let begun = b"cubefold journal 2\n".starts_with(foreign);
        assert_eq!(error.as_deref(), (!begun).then_some("it is not a journal"), "{foreign:?}");
    }
}

#[test]
fn what_is_refused_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.csv.partial");
    let (all, other) = (twelve_runs(), runs(RING));
    let (runs, other): (Vec<&Run>, Vec<&Run>) = (all.iter().collect(), other.iter().collect());
    let plan = SweepPlan::new(&runs).unwrap();
    let open = |plan: &SweepPlan<'_>, found| JournalFile::open(&path, plan, Shard::WHOLE, found, || ());
    let first = open(&plan, Found::Refuse).unwrap();
    first.journal().append(3, &record_at(runs[3], 3)).unwrap();
    assert!(matches!(open(&plan, Found::Resume), Err(JournalError::Locked)));
    drop(first);
    let bytes = std::fs::read(&path).unwrap();
    assert!(matches!(open(&plan, Found::Refuse), Err(JournalError::Found)));
    assert!(matches!(open(&SweepPlan::new(&other).unwrap(), Found::Resume), Err(JournalError::Changed(_))));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let again = open(&plan, Found::Resume).unwrap();
    assert_eq!(again.journal().missing(), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
    again.remove().unwrap();
    assert!(!path.exists());
    let gone = open(&plan, Found::Resume).unwrap();
    std::fs::remove_file(&path).unwrap();
    gone.remove().unwrap();
}

/// The message of an error, with files without their folder.
fn message(error: &MergeError, folder: &TempDir) -> String {
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

/// Writes a part of the runs, except those in `lacking`, and returns its path.
fn part(folder: &TempDir, name: &str, runs: &[&Run], shard: &str, lacking: &[usize]) -> PathBuf {
    let path = folder.path().join(name);
    let shard = shard.parse().unwrap();
    let file = JournalFile::open(&path, &SweepPlan::new(runs).unwrap(), shard, Found::Refuse, || ()).unwrap();
    for run in file.journal().missing().into_iter().filter(|run| !lacking.contains(run)).rev() {
        file.journal().append(run, &record_at(runs[run], run)).unwrap();
    }
    path
}

#[test]
fn parts_that_fit_give_every_run_in_order() {
    let (folder, all) = (tempfile::tempdir().unwrap(), twelve_runs());
    let runs: Vec<&Run> = all.iter().collect();
    let expected = records(&all);
    for of in [1, 2, 5, 12, 15] {
        let name = |k: u32| format!("{k}-of-{of}");
        let parts = (1..=of).map(|k| part(&folder, &name(k), &runs, &format!("{k}/{of}"), &[]));
        let mut parts: Vec<PathBuf> = parts.collect();
        parts.reverse();
        let merged = MergedJournals::open(&parts).unwrap();
        assert_eq!(merged.records().map(Result::unwrap).collect::<Vec<_>>(), expected, "{of} parts");
    }
}

#[test]
fn gaps_overlaps_and_other_sweeps_are_refused_by_name() {
    let (folder, all) = (tempfile::tempdir().unwrap(), twelve_runs());
    let runs: Vec<&Run> = all.iter().collect();
    let [one, two, three] =
        ["1/3", "2/3", "3/3"].map(|shard| part(&folder, &shard.replace('/', "-"), &runs, shard, &[]));
    let half = part(&folder, "half", &runs, "1/2", &[]);
    let torn = part(&folder, "torn", &runs, "3/3", &[2]);
    let mut other = all.clone();
    other[5].seed = 9;
    let other = part(&folder, "other", &other.iter().collect::<Vec<_>>(), "3/3", &[]);
    let refused = |parts: &[&PathBuf]| {
        let parts: Vec<PathBuf> = parts.iter().map(|&part| part.clone()).collect();
        message(&MergedJournals::open(&parts).unwrap_err(), &folder)
    };
    // Run r is in part (r + r / 3) mod 3 + 1: part 1 has 0, 5, 7, 9; part 2 has 1, 3, 8, 10; part 3 the others.
    assert_eq!(
        refused(&[&one, &three]),
        "none of the parts given (2) has runs 1, 3, 8, 10, of 12 runs in all; missing: part 2 of 3"
    );
    assert_eq!(
        refused(&[&three]),
        "none of the parts given (1) has runs 0, 1, 3, 5, 7, 8, 9, 10, of 12 runs in all; missing: part 1 of 3, part 2 of 3"
    );
    assert_eq!(
        refused(&[&one, &two, &three, &two]),
        "2-3 (part 2 of 3) and 2-3 (part 2 of 3) overlap: both have runs 1, 3, 8, 10"
    );
    // Part 1 of 2 has 0, 3, 4, 7, 8, 11.
    assert_eq!(
        refused(&[&half, &two]),
        "half (part 1 of 2) and 2-3 (part 2 of 3) overlap: both have runs 3, 8"
    );
    assert_eq!(
        refused(&[&other, &one]),
        "other and 1-3 are parts of different sweeps: from the first to the second, a run differs that one of them alone describes"
    );
    let mut first = all.clone();
    first[0].seed = 9;
    let first = part(&folder, "first", &first.iter().collect::<Vec<_>>(), "3/3", &[]);
    assert_eq!(
        refused(&[&first, &one]),
        "first and 1-3 are parts of different sweeps: from the first to the second, in run 0 seed was 9 and is 0"
    );
    assert_eq!(refused(&[&one, &torn, &two]), "torn (part 3 of 3) lacks run 2");
    assert!(refused(&[&folder.path().join("missing")]).starts_with("missing: "));
}
