//! Parts make one sweep: each run once.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// The names of errors' files without their folder.
fn told(error: &MergeError, folder: &TempDir) -> String {
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

/// Writes the part of the runs, without those in `lacking`, and gives its path.
fn part(folder: &TempDir, name: &str, runs: &[&Run], shard: &str, lacking: &[usize]) -> PathBuf {
    let path = folder.path().join(name);
    let shard = shard.parse().unwrap();
    let file = JournalFile::open(&path, &SweepPlan::new(runs), shard, Found::Refuse).unwrap();
    for run in file.journal().missing().into_iter().filter(|run| !lacking.contains(run)).rev() {
        file.journal().append(run, &record(runs[run], run)).unwrap();
    }
    path
}

#[test]
fn parts_that_fit_give_every_run_in_order() {
    let (folder, all) = (tempfile::tempdir().unwrap(), twelve_runs());
    let runs: Vec<&Run> = all.iter().collect();
    let expected: Vec<RunRecord> = runs.iter().enumerate().map(|(place, run)| record(run, place)).collect();
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
        told(&MergedJournals::open(&parts).unwrap_err(), &folder)
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
        "other and 1-3 are parts of different sweeps: from the first to the second, in run 5 seed was 9 and is 0"
    );
    assert_eq!(refused(&[&one, &torn, &two]), "torn (part 3 of 3) lacks run 2");
    assert!(refused(&[&folder.path().join("missing")]).starts_with("missing: "));
}
