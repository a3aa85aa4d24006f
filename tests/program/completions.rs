//! `completions`: scripts that shells accept, with every command and option.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use super::command::{done, run};

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// The messages of a shell about a script that it reads and does not run; `None` without the shell.
fn diagnostics(shell: &str, script: &str) -> Option<String> {
    let mut command = Command::new(shell);
    command.arg("-n").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Some(format!("{}{}", output.status, String::from_utf8(output.stderr).unwrap()))
}

#[test]
fn shells_that_are_there_accept_their_scripts() {
    for shell in SHELLS {
        let script = done(&["completions", shell]);
        if let Some(diagnostics) = diagnostics(shell, &script) {
            assert_eq!(diagnostics, "exit status: 0", "{shell}");
        }
    }
}

#[test]
fn scripts_know_the_commands_and_their_options() {
    for shell in SHELLS {
        let script = done(&["completions", shell]);
        for word in ["compare", "explain", "space-time", "reference", "memory-limit", "markdown"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn bash_completes_a_command_by_its_first_letters() {
    let complete = "COMP_WORDS=(cubefold comp); COMP_CWORD=1; _cubefold cubefold comp cubefold; \
                    echo \"${COMPREPLY[@]}\"";
    let script = format!("{}\n{complete}\n", done(&["completions", "bash"]));
    let Ok(output) = Command::new("bash").args(["--norc", "-c", &script]).output() else { return };
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "compare completions\n");
}

#[test]
fn an_unknown_shell_is_refused_with_the_known_ones() {
    let finished = run(&["completions", "tcsh"]);
    assert_eq!(finished.code, Some(2));
    assert!(SHELLS.iter().all(|shell| finished.stderr.contains(shell)), "{}", finished.stderr);
}
