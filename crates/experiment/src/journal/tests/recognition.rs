//! A journal is continued by the sweep, the part and the program that began it, and by nobody else.

use super::*;

const RING: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n";

/// Why a journal of the scenario `was` cannot be continued by the scenario `now`; nothing when it can.
fn refusal(was: &str, now: &str) -> String {
    let (was, now) = (runs(was), runs(now));
    let bytes = bytes(journal_in_memory(&was.iter().collect::<Vec<_>>(), Shard::WHOLE));
    let now: Vec<&Run> = now.iter().collect();
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
        ("mapping.embeddings = [\"standard\", \"xor\"]\n", "it is for 3 runs, and 2 are asked for"),
        (
            "mapping.embeddings = [\"xor\", \"standard\", \"gray\", \"byweight\"]\n",
            "it is for 3 runs, and 4 are asked for; in run 0 embedding was \"standard\" and is \"xor\"",
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
        crate::load(std::slice::from_ref(&path)).unwrap().remove(0).runs
    };
    let (was, same, now) =
        (load("process,p_1\n0,0\n1,1\n"), load("process,p_1\n1,1\n0,0\n"), load("process,p_1\n0,1\n1,0\n"));
    let bytes = bytes(journal_in_memory(&[&was[0]], Shard::WHOLE));
    assert!(resumed(&bytes, &[&same[0]], Shard::WHOLE).is_ok());
    let error = resumed(&bytes, &[&now[0]], Shard::WHOLE).unwrap_err().to_string();
    assert!(error.starts_with("the sweep has changed: in run 0 placement_digest was \""), "{error}");
}

#[test]
fn another_part_another_version_and_another_form_are_refused() {
    let all = twelve_runs();
    let runs: Vec<&Run> = all.iter().collect();
    let bytes = bytes(journal_in_memory(&runs, "2/3".parse().unwrap()));
    let asked =
        |bytes: &[u8], shard: &str| resumed(bytes, &runs, shard.parse().unwrap()).unwrap_err().to_string();
    assert_eq!(asked(&bytes, "1/3"), "it is for part 2 of 3, and part 1 of 3 is asked for");
    assert_eq!(asked(&bytes, "1/1"), "it is for part 2 of 3, and the whole sweep is asked for");

    let mut header = Header::new(&SweepPlan::new(&runs), "2/3".parse().unwrap()).unwrap();
    header.cubefold = "0.0.9".to_owned();
    let mut other = vec![];
    header.write(&SweepPlan::new(&runs), &mut other).unwrap();
    let own = env!("CARGO_PKG_VERSION");
    let expected = format!("it was written by cubefold 0.0.9, and this is cubefold {own}");
    assert_eq!(asked(&other, "2/3"), expected);

    let form = [b"cubefold journal 2\n", &bytes[19..]].concat();
    assert_eq!(asked(&form, "2/3"), "it is a journal of form 2, expected form 1");
    for foreign in [&b"scenario,seed\n"[..], &[0; 100], b"cubefold"] {
        let error = resumed(foreign, &runs, Shard::WHOLE).err().map(|error| error.to_string());
        let begun = b"cubefold journal 1\n".starts_with(foreign);
        assert_eq!(error.as_deref(), (!begun).then_some("it is no journal"), "{foreign:?}");
    }
}

#[test]
fn what_is_refused_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.csv.partial");
    let (all, other) = (twelve_runs(), runs(RING));
    let (runs, other): (Vec<&Run>, Vec<&Run>) = (all.iter().collect(), other.iter().collect());
    let plan = SweepPlan::new(&runs);
    let open = |plan: &SweepPlan<'_>, found| JournalFile::open(&path, plan, Shard::WHOLE, found);
    let first = open(&plan, Found::Refuse).unwrap();
    first.journal().append(3, &record(runs[3], 3)).unwrap();
    assert!(matches!(open(&plan, Found::Resume), Err(JournalError::Locked)));
    drop(first);
    let bytes = std::fs::read(&path).unwrap();
    assert!(matches!(open(&plan, Found::Refuse), Err(JournalError::Found)));
    assert!(matches!(open(&SweepPlan::new(&other), Found::Resume), Err(JournalError::Changed(_))));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let again = open(&plan, Found::Resume).unwrap();
    assert_eq!(again.journal().missing(), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
    again.remove().unwrap();
    assert!(!path.exists());
    let gone = open(&plan, Found::Resume).unwrap();
    std::fs::remove_file(&path).unwrap();
    gone.remove().unwrap();
}
