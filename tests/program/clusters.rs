//! The scripts of the page on clusters, run with a scheduler of a few lines in the place of Slurm. `tests/cluster` runs
//! them with a real one.
#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use super::{
    command::{PROGRAM, Scratch, blocks_of, done},
    sweep_scenario,
};

/// Runs the jobs of a script one after another, with the variables that Slurm sets.
const SBATCH: &str = r#"#!/bin/bash
set -euo pipefail
script="${@: -1}"
array=$(sed -n 's/^#SBATCH --array=1-//p' "$script")
SLURM_CPUS_PER_TASK=$(sed -n 's/^#SBATCH --cpus-per-task=//p' "$script")
gigabytes=$(sed -n 's/^#SBATCH --mem=\([0-9]*\)G/\1/p' "$script")
SLURM_MEM_PER_NODE=$((${gigabytes:-1} * 1024))
export SLURM_CPUS_PER_TASK SLURM_MEM_PER_NODE
for dependency in "$@"; do
    case $dependency in --dependency=afterok:4711) echo "after 4711" >> jobs ;; esac
done
if [ -n "$array" ]; then
    for task in $(seq 1 "$array"); do
        echo "$script $task" >> jobs
        SLURM_ARRAY_TASK_ID=$task bash "$script" >&2
    done
else
    echo "$script" >> jobs
    bash "$script" >&2
fi
echo 4711
"#;

/// Writes a program into the folder of programs.
fn install(scratch: &Scratch, name: &str, text: &str) {
    let path = scratch.path(&format!("bin/{name}"));
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_array_of_the_page_on_clusters_makes_what_one_run_makes() {
    let [sweep, merge, submit] = blocks_of("docs/clusters.md", "bash")[..3].to_vec().try_into().unwrap();
    let scratch = sweep_scenario::folder(3);
    fs::create_dir(scratch.path("bin")).unwrap();
    install(&scratch, "sbatch", SBATCH);
    install(&scratch, "srun", "#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec \"$@\"\n");
    std::os::unix::fs::symlink(PROGRAM.as_str(), scratch.path("bin/cubefold")).unwrap();
    for (name, text) in
        [("sweep.sh", &sweep), ("merge.sh", &merge), ("big.toml", &scratch.read("sweep.toml"))]
    {
        fs::write(scratch.path(name), text).unwrap();
    }
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", scratch.path("bin"));
    let mut bash = Command::new("bash");
    bash.current_dir(scratch.path("")).env("PATH", path).args(["-euo", "pipefail", "-c", &submit]);
    let output = bash.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    let tasks: Vec<String> = (1..=8).map(|task| format!("sweep.sh {task}")).collect();
    assert_eq!(scratch.read("jobs").lines().collect::<Vec<_>>()[..8], tasks);
    assert!(scratch.read("jobs").ends_with("after 4711\nmerge.sh\n"));
    assert_eq!(scratch.read("results.csv"), done(&["run", &scratch.path("big.toml"), "--format", "csv"]));
    for task in 1..=8 {
        assert!(scratch.names().contains(&format!("results.csv.part-{task}-of-8")));
    }
}
