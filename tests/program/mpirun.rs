//! A rankfile in the hands of a real `mpirun`, where there is one.

use std::process::{Command, Output};

use super::command::{Scratch, done};

/// A command that starts ranks of an ordinary program as a rankfile binds them, and reports the bindings.
fn mpirun(rankfile: &str) -> Command {
    let mut command = Command::new("mpirun");
    // In a container the user is root, which Open MPI refuses unless it is told otherwise twice.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--report-bindings", "-np", "2", "--rankfile", rankfile, "true"]);
    command
}

/// The reason to skip the test: no Open MPI, or no two cores for it.
fn reason_to_skip() -> Option<&'static str> {
    let version = Command::new("mpirun").arg("--version").output();
    let is_open_mpi = |output: &Output| String::from_utf8_lossy(&output.stdout).contains("Open MPI");
    if !version.as_ref().is_ok_and(is_open_mpi) {
        return Some("there is no mpirun of Open MPI");
    }
    // A machine of one core, or a container that may not bind, cannot run this: a rankfile written by hand shows
    // whether it can.
    let scratch = Scratch::with(&[("ranks.txt", "rank 0=localhost slot=0\nrank 1=localhost slot=1\n")]);
    let bound = mpirun(&scratch.path("ranks.txt")).output();
    (!bound.is_ok_and(|output| output.status.success()))
        .then_some("mpirun cannot bind two ranks to two cores")
}

/// The core that a rank is bound to, in the report `.. rank 0 bound to socket 0[core 1[hwt 0]]: [./B]`.
fn core(report: &str, rank: u32) -> Option<u32> {
    let line = report.lines().find(|line| line.contains(&format!("rank {rank} bound to")))?;
    line.split_once("[core ")?.1.split_once('[')?.0.parse().ok()
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn mpirun_binds_ranks_in_swapped_slots_as_the_rankfile_says() {
    if let Some(reason) = reason_to_skip() {
        eprintln!("skipped: {reason}");
        return;
    }
    // Two nodes on this host, the processes swapped: rank 0 in slot 1, rank 1 in slot 0.
    let scratch = Scratch::with(&[
        ("s.toml", "machine = { kind = \"line\", shape = [2] }\nmapping.embeddings = [\"file:p.csv\"]\n"),
        ("p.csv", "process,p_1\n0,1\n1,0\n"),
        ("hosts.txt", "localhost\n"),
    ]);
    let (scenario, hosts, ranks) =
        (scratch.path("s.toml"), scratch.path("hosts.txt"), scratch.path("ranks.txt"));
    let place = ["place", &scenario, "--format", "open-mpi-rankfile", "--hosts", &hosts];
    done(&[&place[..], &["--slots-per-node", "2", "--quiet", "--output", &ranks]].concat());
    assert_eq!(scratch.read("ranks.txt"), "rank 0=localhost slot=1\nrank 1=localhost slot=0\n");
    let output = mpirun(&ranks).output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{report}");
    assert_eq!((core(&report, 0), core(&report, 1)), (Some(1), Some(0)), "{report}");
}
