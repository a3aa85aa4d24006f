//! A journal never gives a wrong row, whatever became of its bytes.

use super::*;

/// The runs of a small sweep, their records, and a journal that holds them in another order.
fn written() -> (Vec<Run>, Vec<RunRecord>, Vec<u8>) {
    let all: Vec<Run> = twelve_runs().into_iter().take(4).collect();
    let runs: Vec<&Run> = all.iter().collect();
    let records: Vec<RunRecord> = runs.iter().enumerate().map(|(place, run)| record(run, place)).collect();
    let journal = journal_in_memory(&runs, Shard::WHOLE);
    for place in [2, 0, 3, 1] {
        journal.append(place, &records[place]).unwrap();
    }
    let bytes = bytes(journal);
    (all, records, bytes)
}

/// Whether each record is that of its run.
fn are_right(held: &[(usize, RunRecord)], records: &[RunRecord]) -> bool {
    held.iter().all(|(place, record)| *record == records[*place])
}

#[test]
fn a_journal_cut_at_any_byte_keeps_the_whole_records_before_and_goes_on() {
    let (all, records, bytes) = written();
    let runs: Vec<&Run> = all.iter().collect();
    let mut counts = vec![];
    for cut in 0..=bytes.len() {
        let journal = resumed(&bytes[..cut], &runs, Shard::WHOLE).unwrap();
        let held = held(&journal);
        assert!(are_right(&held, &records), "cut at {cut}");
        counts.push(held.len());
        for place in journal.missing() {
            journal.append(place, &records[place]).unwrap();
        }
        let found: Vec<RunRecord> = journal.records().map(Result::unwrap).collect();
        assert_eq!(found, records, "cut at {cut}");
        // What is torn is gone, not only written over.
        let again = resumed(&super::bytes(journal), &runs, Shard::WHOLE).unwrap();
        assert!(again.missing().is_empty(), "cut at {cut}");
    }
    assert!(counts.is_sorted());
    assert_eq!((counts[0], counts[bytes.len() - 1], counts[bytes.len()]), (0, 3, 4));
}

#[test]
fn a_journal_with_any_byte_changed_is_refused_or_gives_right_records() {
    let (all, records, bytes) = written();
    let runs: Vec<&Run> = all.iter().collect();
    for place in 0..bytes.len() {
        for change in [1, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[place] ^= change;
            let Ok(journal) = resumed(&changed, &runs, Shard::WHOLE) else { continue };
            let held = held(&journal);
            assert!(are_right(&held, &records) && held.len() < 4, "byte {place} changed by {change}");
        }
    }
}

#[test]
fn rubbish_behind_the_last_record_is_cut_away() {
    let (all, records, bytes) = written();
    let runs: Vec<&Run> = all.iter().collect();
    let tails: [&[u8]; 4] = [b"\n", &[0; 100], b"ffffffff 0000000000000000 {", &bytes];
    for tail in tails {
        let journal = resumed(&[&bytes, tail].concat(), &runs, Shard::WHOLE).unwrap();
        assert_eq!(journal.records().map(Result::unwrap).collect::<Vec<_>>(), records);
        assert_eq!(super::bytes(journal), bytes);
    }
}

#[test]
fn a_journal_that_changes_while_it_is_read_is_an_error() {
    let (all, _, bytes) = written();
    let runs: Vec<&Run> = all.iter().collect();
    let journal = resumed(&bytes, &runs, Shard::WHOLE).unwrap();
    journal.contents.lock().unwrap().storage.cut(bytes.len() as u64 - 3).unwrap();
    let errors: Vec<bool> = journal.records().map(|record| record.is_err()).collect();
    assert_eq!(errors, [false, true, false, false]);
}

#[test]
fn records_are_read_back_as_they_were_to_the_last_bit() {
    let (_, records, _) = written();
    let mut record = records[0].clone();
    // Numbers that a careless reader rounds.
    for (step, bits) in (0_u64..2000).map(|step| (step, step.wrapping_mul(0x9e37_79b9_7f4a_7c15))) {
        let mean = f64::from_bits(bits);
        record.waiting.mean = mean.is_finite().then_some(mean);
        record.placement.expansion = Some(f64::from(u32::try_from(step).unwrap()) / 3.0);
        record.totals.waiting_cycles = u128::MAX - u128::from(bits);
        record.makespan_cycles = u64::MAX - step;
        let text = serde_json::to_string(&record).unwrap();
        let read: RunRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(read, record);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}
