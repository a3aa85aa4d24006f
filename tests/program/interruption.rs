//! Sweeps that are killed, and continue as if they had not been.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::Duration,
};

use super::{
    command::{PROGRAM, Scratch, done, refused, run},
    sweep_scenario,
};

/// Numbers that look random and are the same every time (splitmix64).
struct Numbers(u64);

impl Numbers {
    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// A journal that holds all runs of `scenario`: the only part of one.
fn complete_journal(scratch: &Scratch, scenario: &str) -> Vec<u8> {
    let place = Scratch::empty();
    done(&["run", &scratch.path(scenario), "--shard", "1/1", "--output", &place.path("r")]);
    fs::read(place.path("r.part-1-of-1")).unwrap()
}

/// The length of a file; 0 if there is none.
fn length(path: &str) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(PROGRAM.as_str());
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the journal has this length, or the process ends.
fn wait_for(child: &mut Child, journal: &str, bytes: u64) {
    while length(journal) < bytes && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_micros(100));
    }
}

#[test]
fn a_sweep_that_is_killed_at_many_moments_ends_as_one_that_is_not() {
    kill_a_sweep(20);
}

#[test]
#[ignore = "a minute: more of the same"]
fn a_sweep_that_is_killed_at_a_hundred_moments_ends_as_one_that_is_not() {
    kill_a_sweep(100);
}

/// Kills a sweep at `most` moments, and checks that it ends as one that is not killed.
fn kill_a_sweep(most: u32) {
    let scratch = sweep_scenario::folder(20);
    let (scenario, output) = (scratch.path("sweep.toml"), scratch.path("r.csv"));
    let expected = done(&["run", &scenario, "--format", "csv"]);
    let whole = complete_journal(&scratch, "sweep.toml").len() as u64;
    let journal = format!("{output}.partial");
    let arguments = ["run", &scenario, "--output", &output, "--resume", "--threads", "2"];
    let (mut numbers, mut kills) = (Numbers(1993), 0);
    while kills < most {
        let mut child = start(&arguments);
        // From before the journal is there until after it is complete, in steps of a twelfth at most.
        let target = length(&journal) + numbers.below(whole / 12);
        wait_for(&mut child, &journal, target);
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            assert!(scratch.read("r.csv") == expected, "after {kills} kills");
            fs::remove_file(&output).unwrap();
        } else {
            kills += 1;
            // Never a part of the results under their name.
            assert!(!Path::new(&output).exists() || scratch.read("r.csv") == expected);
        }
    }
    done(&arguments);
    assert!(scratch.read("r.csv") == expected);
    assert_eq!(scratch.names(), ["r.csv", "sweep.toml"]);
}

#[test]
fn a_journal_that_is_torn_anywhere_is_completed_to_the_same_bytes() {
    let scratch = sweep_scenario::folder(2);
    let whole = complete_journal(&scratch, "sweep.toml");
    // Up to the line of the run that finished first, which may differ between sweeps.
    let first = whole.windows(7).position(|window| window == b"{\"run\":").unwrap();
    let head = whole[..first].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    let mut numbers = Numbers(1995);
    // The head of a part also has its command.
    let (scenario, output) = (scratch.path("sweep.toml"), scratch.path("r"));
    for _ in 0..4 {
        let cut = usize::try_from(numbers.below(head as u64)).unwrap();
        fs::write(scratch.path("r.part-1-of-1.partial"), &whole[..cut]).unwrap();
        done(&["run", &scenario, "--shard", "1/1", "--output", &output, "--resume"]);
        let part = fs::read(scratch.path("r.part-1-of-1")).unwrap();
        assert!(part.starts_with(&whole[..head]) && part.len() == whole.len(), "cut at {cut}");
        fs::remove_file(scratch.path("r.part-1-of-1")).unwrap();
    }
    for (command, name) in [
        ("run", "r.csv"),
        ("run", "r.json"),
        ("run", "r.jsonl"),
        ("run", "r.md"),
        ("compare", "c.json"),
        ("compare", "c.txt"),
    ] {
        let (scenario, output) = (scratch.path("sweep.toml"), scratch.path(name));
        done(&[command, &scenario, "--output", &output]);
        let expected = scratch.read(name);
        for _ in 0..4 {
            let after = usize::try_from(numbers.below((whole.len() - head) as u64)).unwrap();
            let cut = head + after;
            fs::write(scratch.path(&format!("{name}.partial")), &whole[..cut]).unwrap();
            done(&[command, &scenario, "--output", &output, "--resume"]);
            assert!(scratch.read(name) == expected, "{command} {name} cut at {cut}");
        }
    }
}

#[test]
fn a_journal_that_is_found_is_neither_used_nor_overwritten_unasked() {
    let scratch = sweep_scenario::folder(2);
    let whole = complete_journal(&scratch, "sweep.toml");
    fs::write(scratch.path("r.csv.partial"), &whole).unwrap();
    let (scenario, output) = (scratch.path("sweep.toml"), scratch.path("r.csv"));
    for command in ["run", "compare"] {
        let stderr = refused(&[command, &scenario, "--output", &output]);
        for said in ["r.csv.partial", "--resume", "delete"] {
            assert!(stderr.contains(said), "{stderr}");
        }
    }
    assert_eq!(fs::read(scratch.path("r.csv.partial")).unwrap(), whole);
    assert_eq!(scratch.names(), ["r.csv.partial", "sweep.toml"]);
}

#[test]
fn a_changed_sweep_is_refused_with_what_changed() {
    let scratch = sweep_scenario::folder(2);
    let whole = complete_journal(&scratch, "sweep.toml");
    let text = scratch.read("sweep.toml");
    let refusal = |changed: &str| {
        fs::write(scratch.path("sweep.toml"), changed).unwrap();
        fs::write(scratch.path("r.csv.partial"), &whole).unwrap();
        let finished =
            run(&["run", &scratch.path("sweep.toml"), "--output", &scratch.path("r.csv"), "--resume"]);
        if finished.code == Some(2) {
            assert_eq!(fs::read(scratch.path("r.csv.partial")).unwrap(), whole);
        }
        (finished.code, finished.stderr)
    };
    assert_eq!(refusal(&format!("# a comment\n{text}")), (Some(0), String::new()));
    let cases = [
        ("[0, 1]", "[0, 2]", "in run 6 program.compute_cycles was 1 and is 2"),
        ("[4, 4]", "[2, 8]", "in run 0 machine.shape was [4,4] and is [2,8]"),
        ("[0, 1]", "[0, 1, 2]", "it is for 24 runs, expected 36"),
        ("small", "large", "in run 0 scenario was \"small runs\" and is \"large runs\""),
    ];
    for (was, now, expected) in cases {
        let (code, stderr) = refusal(&text.replace(was, now));
        assert!(code == Some(2) && stderr.contains(expected), "{stderr}");
    }
}

#[test]
fn a_journal_that_another_process_writes_is_left_to_it() {
    let scratch = sweep_scenario::folder(2);
    fs::write(scratch.path("r.csv.partial"), complete_journal(&scratch, "sweep.toml")).unwrap();
    let held = fs::File::options().write(true).open(scratch.path("r.csv.partial")).unwrap();
    held.lock().unwrap();
    let arguments = ["run", &scratch.path("sweep.toml"), "--output", &scratch.path("r.csv"), "--resume"];
    let finished = run(&arguments);
    assert_eq!(finished.code, Some(4));
    assert!(finished.stderr.contains("another process is writing it"), "{}", finished.stderr);
    assert!(finished.stderr.contains("--wait"), "{}", finished.stderr);
    drop(held);
    done(&arguments);
}

#[test]
fn a_second_process_waits_for_the_first_and_makes_what_it_left() {
    let scratch = sweep_scenario::folder(2);
    let (scenario, output) = (scratch.path("sweep.toml"), scratch.path("r.csv"));
    let expected = done(&["run", &scenario, "--format", "csv"]);
    let whole = complete_journal(&scratch, "sweep.toml");
    let half = whole.len() / 2;
    for (shard, journal) in [(None, "r.csv.partial"), (Some("1/1"), "r.csv.part-1-of-1.partial")] {
        fs::write(scratch.path(journal), &whole[..half]).unwrap();
        let held = fs::File::options().write(true).open(scratch.path(journal)).unwrap();
        held.lock().unwrap();
        let mut arguments = vec!["run", &scenario, "--output", &output, "--resume", "--wait"];
        arguments.extend(shard.iter().flat_map(|shard| ["--shard", shard]));
        let mut command = Command::new(PROGRAM.as_str());
        let mut waiting = command.args(&arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut stderr = BufReader::new(waiting.stderr.take().unwrap());
        stderr.read_line(&mut said).unwrap();
        assert!(said.starts_with("waiting for another process that writes "), "{said}");
        assert_eq!(length(&scratch.path(journal)), half as u64, "nothing is written meanwhile");
        // The first process completes a part, or dies with half of it.
        if shard.is_some() {
            fs::write(scratch.path(journal), &whole).unwrap();
            fs::rename(scratch.path(journal), scratch.path("r.csv.part-1-of-1")).unwrap();
        }
        drop(held);
        assert!(waiting.wait().unwrap().success());
    }
    assert_eq!(scratch.read("r.csv"), expected);
    assert_eq!(fs::read(scratch.path("r.csv.part-1-of-1")).unwrap(), whole);
    assert_eq!(scratch.names(), ["r.csv", "r.csv.part-1-of-1", "sweep.toml"]);
    let alone = run(&["run", &scenario, "--output", &output, "--wait"]);
    assert_eq!(alone.code, Some(2), "--wait needs --resume");
}

#[test]
fn what_cannot_be_resumed_or_divided_is_refused() {
    let scratch = sweep_scenario::folder(1);
    let (scenario, output) = (scratch.path("sweep.toml"), scratch.path("r.csv"));
    let rows = scratch.path("rows.csv");
    let cases: [(&[&str], &str); 7] = [
        (&["--resume"], "--output"),
        (&["--shard", "1/2"], "--output"),
        (&["--resume", "--output", "-"], "--output"),
        (&["--output", &output, "--resume", "--processes", &rows], "--processes"),
        (&["--output", &output, "--shard", "1/2", "--processes", &rows], "--processes"),
        (&["--output", &output, "--shard", "1/2", "--format", "csv"], "cubefold merge"),
        (&["--output", &output, "--shard", "3/2"], "part 3 of 2"),
    ];
    for (options, said) in cases {
        let stderr = refused(&[&["run", &scenario], options].concat());
        assert!(stderr.contains(said), "{stderr}");
    }
    assert_eq!(scratch.names(), ["sweep.toml"]);
}

#[test]
fn files_are_the_same_bytes_on_1_2_and_8_threads_and_with_little_memory() {
    let scratch = sweep_scenario::folder(3);
    for name in ["r.csv", "r.jsonl", "r.json", "r.parquet"] {
        let bytes = |options: &[&str]| {
            let output = scratch.path(name);
            done(&[&["run", &scratch.path("sweep.toml"), "--output", &output, "--force"], options].concat());
            fs::read(scratch.path(name)).unwrap()
        };
        let one = bytes(&["--threads", "1"]);
        for options in [&["--threads", "2"][..], &["--threads", "8"], &["--memory-limit", "64KiB"]] {
            assert!(bytes(options) == one, "{name} {options:?}");
        }
    }
}

#[test]
fn a_damaged_record_is_made_again_and_a_note_says_so() {
    let scratch = sweep_scenario::folder(2);
    let (scenario, output) = (scratch.path("sweep.toml"), scratch.path("r.csv"));
    let expected = done(&["run", &scenario, "--format", "csv"]);
    let mut damaged = complete_journal(&scratch, "sweep.toml");
    // In the last record but one.
    let feeds: Vec<usize> = (0..damaged.len()).filter(|&at| damaged[at] == b'\n').collect();
    damaged[feeds[feeds.len() - 3] + 40] ^= 1;
    fs::write(scratch.path("r.csv.partial"), &damaged).unwrap();
    let finished = run(&["run", &scenario, "--output", &output, "--resume"]);
    assert_eq!(finished.code, Some(0));
    let note = format!(
        "note: in {output}.partial a record was damaged; its run and those recorded after it are executed again\n"
    );
    assert_eq!(finished.stderr, note);
    assert!(scratch.read("r.csv") == expected);
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_at_the_header_leaves_nothing_behind() {
    let scratch = sweep_scenario::folder(2);
    let command = format!(
        "trap '' XFSZ; ulimit -f 0; exec {} run {} --output {}",
        PROGRAM.as_str(),
        scratch.path("sweep.toml"),
        scratch.path("r.csv")
    );
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("make room on the disk"), "{stderr}");
    assert_eq!(scratch.names(), ["sweep.toml"]);
}

#[test]
fn a_name_that_leaves_no_room_for_its_journal_is_refused_before_anything_runs() {
    let scratch = sweep_scenario::folder(2);
    let output = scratch.path(&format!("{}.csv", "n".repeat(245)));
    let finished = run(&["run", &scratch.path("sweep.toml"), "--output", &output]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("name has 249 bytes, expected at most 246"), "{}", finished.stderr);
    assert_eq!(scratch.names(), ["sweep.toml"]);
    let output = scratch.path(&format!("{}.csv", "n".repeat(242)));
    done(&["run", &scratch.path("sweep.toml"), "--output", &output]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
    let scratch = sweep_scenario::folder(1);
    for command in ["run", "check"] {
        let (link, target) = (scratch.path(&format!("{command}.csv")), format!("{command}-target.csv"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        done(&[command, &scratch.path("sweep.toml"), "--output", &link]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!scratch.read(&target).is_empty());
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_sweep_with_a_sentence_and_a_code_and_loses_nothing() {
    let scratch = sweep_scenario::folder(20);
    let (scenario, output) = (scratch.path("sweep.toml"), scratch.path("r.csv"));
    let expected = done(&["run", &scenario, "--format", "csv"]);
    let whole = complete_journal(&scratch, "sweep.toml").len() as u64;
    let journal = format!("{output}.partial");
    let arguments = ["run", &scenario, "--output", &output, "--resume", "--threads", "1"];
    for (signal, code, said) in [("INT", 130, "interrupted: "), ("TERM", 143, "terminated: ")] {
        let mut command = Command::new(PROGRAM.as_str());
        let mut child = command.args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let target = length(&journal) + whole / 4;
        wait_for(&mut child, &journal, target);
        let kill =
            Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
        assert!(kill.success());
        let ended = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(code), "{stderr}");
        assert!(stderr.starts_with(said) && stderr.ends_with("; continue with --resume\n"), "{stderr}");
        assert_eq!(scratch.names(), ["r.csv.partial", "sweep.toml"]);
    }
    done(&arguments);
    assert!(scratch.read("r.csv") == expected);
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_hidden_file_and_says_that_nothing_is_kept() {
    let scratch = Scratch::empty();
    let mut command = Command::new(PROGRAM.as_str());
    command.current_dir(super::command::root()).args(["verify", "--output", &scratch.path("claims.csv")]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    while scratch.names().is_empty() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(50));
    assert!(
        Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success()
    );
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "interrupted: nothing is kept\n");
    assert!(scratch.names().is_empty());
}
