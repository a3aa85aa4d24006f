//! Output on terminals only: questions, colours and progress.

use std::process::Command;

use rexpect::{
    error::Error,
    session::{PtySession, spawn_command},
};

use super::command::{PROGRAM, Scratch, done, root};

/// The time for which a terminal is read before a test gives up [milliseconds]; no test depends on it.
const PATIENCE: u64 = 120_000;

/// The program on a terminal.
fn on_terminal(arguments: &[&str], environment: &[(&str, &str)]) -> PtySession {
    let mut command = Command::new(PROGRAM.as_str());
    command.current_dir(root()).args(arguments).env_remove("NO_COLOR").env("TERM", "xterm");
    command.envs(environment.iter().copied());
    spawn_command(command, Some(PATIENCE)).unwrap()
}

/// Everything that a command shows on a terminal.
fn shown(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    on_terminal(arguments, environment).exp_eof().unwrap()
}

#[test]
fn three_questions_lead_to_a_scenario() -> Result<(), Error> {
    let scratch = Scratch::empty();
    let path = scratch.path("mine.toml");
    let mut terminal = on_terminal(&["new", "--output", &path], &[]);
    terminal.exp_string("Which machine?")?;
    terminal.send("\u{1b}[A\r")?; // one up from the torus
    terminal.flush()?;
    terminal.exp_string("Which lengths do its dimensions have?")?;
    terminal.send("4x8\r")?;
    terminal.flush()?;
    terminal.exp_string("With whom do processes exchange messages?")?;
    terminal.send("\r")?;
    terminal.flush()?;
    terminal.exp_eof()?;
    let options = ["new", "--machine", "mesh", "--shape", "4x8", "--program", "cc-cube"];
    let expected = done(&options).replace("scenario.toml", &path);
    assert_eq!(scratch.read("mine.toml"), expected);
    Ok(())
}

#[test]
fn the_fastest_row_is_coloured_on_a_terminal_unless_that_is_refused() {
    let compare = ["compare", "scenarios/figure-4.toml"];
    assert!(shown(&compare, &[]).contains("\u{1b}[1;32mstandard"));
    assert!(!shown(&compare, &[("NO_COLOR", "1")]).contains('\u{1b}'));
    assert!(!shown(&[&compare[..], &["--color", "never"]].concat(), &[]).contains('\u{1b}'));
}

#[test]
fn what_is_no_text_is_not_shown() {
    let scenario = "scenarios/figure-4.toml";
    let commands: [&[&str]; 3] = [
        &["run", scenario, "--format", "parquet"],
        &["place", scenario, "--embedding", "standard", "--format", "npy"],
        &["draw", "placement", scenario, "--embedding", "standard", "--format", "png"],
    ];
    for command in commands {
        assert!(shown(command, &[]).contains("is no text, and standard output is a terminal"), "{command:?}");
        let named = shown(&[command, &["--output", "/dev/stdout"]].concat(), &[]);
        assert!(named.contains("is no text, and /dev/stdout is a terminal"), "{command:?}: {named}");
    }
}

/// The output of a command on a terminal with this number of columns, without colours.
fn shown_in(columns: usize, arguments: &[&str]) -> String {
    let program = PROGRAM.as_str();
    let line = format!("stty rows 50 columns {columns} && exec {program} \"$@\"");
    let mut command = Command::new("sh");
    command.current_dir(root()).args(["-c", &line, "cubefold"]).args(arguments).env("NO_COLOR", "1");
    let shown = spawn_command(command, Some(PATIENCE)).unwrap().exp_eof().unwrap();
    // The terminal is read byte by byte.
    let bytes: Vec<u8> = shown.chars().map(|character| u8::try_from(character).unwrap()).collect();
    let shown = String::from_utf8(bytes).unwrap();
    // A bar of progress is wiped away before anything is shown.
    shown.lines().map(|line| line.rsplit(['\r', 'K']).next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let scenario = |name: &str| format!("scenarios/{name}.toml");
    for (columns, names) in [(60, ["same-size-machines", "all-reduce"]), (40, ["link-modes", "all-reduce"])] {
        for command in ["check", "run", "compare", "measure"] {
            for name in names {
                let text = shown_in(columns, &[command, &scenario(name), "--quiet"]);
                let widest = text.lines().map(|line| line.trim_end().chars().count()).max();
                assert!(widest <= Some(columns), "{command} {name} in {columns}: {widest:?}\n{text}");
            }
        }
    }
    for arguments in [&["run", "scenarios/none.toml"][..], &["explain", "makespan"], &["run", "--output"]] {
        let text = shown_in(40, arguments);
        assert!(text.lines().all(|line| line.trim_end().chars().count() <= 40), "{text}");
    }
}
