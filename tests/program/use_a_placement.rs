//! The page on using a placement: its scenario, its job scripts and its table of formats.
#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use super::command::{PROGRAM, Scratch, blocks_of, done, text_of};

/// The hosts of an allocation, as `scontrol show hostnames` lists them.
const SCONTROL: &str =
    "#!/bin/bash\n[ \"$*\" = 'show hostnames node[1-8]' ]\nprintf 'node%s\\n' 1 2 3 4 5 6 7 8\n";

/// Tells where `srun` would start which rank.
const SRUN: &str = "#!/bin/bash\n[ \"$*\" = '--mpi=pmix --ntasks=8 --distribution=arbitrary ./program' ]\ncat -n \"$SLURM_HOSTFILE\" > started\n";

/// Records the input of `mpirun`.
const MPIRUN: &str = "#!/bin/bash\n[ \"$*\" = '-np 8 --hostfile hosts.txt --rankfile ranks.txt ./program' ]\ncp ranks.txt started\n";

/// Records the input of `mpiexec`.
const MPIEXEC: &str =
    "#!/bin/bash\n[ \"$*\" = '-machinefile ranks.txt -n 8 ./program' ]\ncp ranks.txt started\n";

/// The blocks of the page in a language.
fn blocks(language: &str) -> Vec<String> {
    blocks_of("docs/use-a-placement.md", language)
}

/// A folder with the scenario of the page, and these programs before all others.
fn folder(programs: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::with(&[("job.toml", &blocks("toml")[0])]);
    fs::create_dir(scratch.path("bin")).unwrap();
    std::os::unix::fs::symlink(PROGRAM.as_str(), scratch.path("bin/cubefold")).unwrap();
    for (name, text) in programs {
        let path = scratch.path(&format!("bin/{name}"));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    scratch
}

/// Runs a script in the folder, with the variables that Slurm sets.
fn run(scratch: &Scratch, script: &str) {
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", scratch.path("bin"));
    let mut bash = Command::new("bash");
    bash.current_dir(scratch.path("")).env("PATH", path).args(["-c", script]);
    let output = bash.env("SLURM_JOB_NODELIST", "node[1-8]").env("SLURM_NTASKS", "8").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_note =
        stderr.is_empty() || stderr.starts_with("note: the hosts are taken in the order of the nodes");
    assert!(output.status.success() && is_note, "{stderr}");
}

/// The node of every process under xor on the ring of the page.
fn xor_nodes(scratch: &Scratch) -> Vec<usize> {
    let csv = done(&["place", &scratch.path("job.toml"), "--embedding", "xor", "--format", "csv"]);
    csv.lines().skip(1).map(|row| row.split_once(',').unwrap().1.parse().unwrap()).collect()
}

#[test]
fn the_slurm_job_of_the_page_starts_every_rank_on_its_host() {
    let scratch = folder(&[("scontrol", SCONTROL), ("srun", SRUN)]);
    run(&scratch, &blocks("bash")[0]);
    let expected: Vec<String> = xor_nodes(&scratch).iter().map(|node| format!("node{}", node + 1)).collect();
    let started = scratch.read("started");
    let hosts: Vec<&str> = started.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(hosts, expected);
    assert_ne!(hosts[6..], ["node7", "node8"], "xor is not the order of the hosts");
}

#[test]
fn the_open_mpi_job_of_the_page_gives_mpirun_a_rankfile() {
    let scratch = folder(&[("mpirun", MPIRUN)]);
    let hosts: Vec<String> = (1..=8).map(|number| format!("node{number}")).collect();
    fs::write(scratch.path("hosts.txt"), hosts.join("\n")).unwrap();
    run(&scratch, &blocks("bash")[1]);
    let line = |(rank, node): (usize, &usize)| format!("rank {rank}=node{} slot=0", node + 1);
    let expected: Vec<String> = xor_nodes(&scratch).iter().enumerate().map(line).collect();
    assert_eq!(scratch.read("started").lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_hydra_job_of_the_page_gives_mpiexec_the_hosts() {
    let scratch = folder(&[("mpiexec", MPIEXEC)]);
    let hosts: Vec<String> = (1..=8).map(|number| format!("node{number}")).collect();
    fs::write(scratch.path("hosts.txt"), hosts.join("\n")).unwrap();
    run(&scratch, &blocks("bash")[2]);
    let expected: Vec<&String> = xor_nodes(&scratch).into_iter().map(|node| &hosts[node]).collect();
    assert_eq!(scratch.read("started").lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_placement_that_a_job_has_can_be_measured() {
    let scratch = folder(&[("scontrol", SCONTROL), ("srun", SRUN)]);
    run(&scratch, &blocks("bash")[0]);
    let before = blocks("toml")[0].split_once("   [mapping]").unwrap().0.to_owned();
    fs::write(scratch.path("both.toml"), format!("{before}{}", blocks("toml")[1])).unwrap();
    let page = done(&["compare", &scratch.path("both.toml")]);
    assert!(page.contains("slurm-hostfile:ranks.txt"), "{page}");
    let place = ["place", &scratch.path("both.toml"), "--embedding"];
    let placed = |name| done(&[&place[..], &[name]].concat());
    assert_eq!(placed("slurm-hostfile:ranks.txt"), placed("xor"));
}

#[test]
fn the_table_of_formats_shows_how_files_begin() {
    let page = text_of("docs/use-a-placement.md");
    let rows =
        page.split_once("| `--format` |").unwrap().1.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut count = 0;
    for row in rows {
        let mut cells = row.split('`').skip(1).step_by(2);
        let (format, beginning) = (cells.next().unwrap(), cells.next().unwrap());
        let file = text_of(&format!("tests/golden/launchers/ring-8.{format}"));
        assert!(file.starts_with(beginning.trim_end_matches('.')), "{row}");
        count += 1;
    }
    assert_eq!(count, 8);
}
