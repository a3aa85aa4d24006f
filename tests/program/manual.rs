//! `man`: a manual page for the program and for each command.

use super::command::{Scratch, done, run};

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = done(&["--help"]);
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let named = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let first_words = named.map(|line| line.split_whitespace().next().unwrap().to_owned());
    first_words.filter(|name| name != "help").collect()
}

#[test]
fn the_program_and_every_command_have_a_page() {
    let page = done(&["man"]);
    for part in [".TH cubefold 1", ".SH NAME", ".SH OPTIONS", ".SH EXAMPLES", ".SH \"EXIT CODES\"", "compare"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    for command in commands() {
        let page = done(&["man", &command]);
        assert!(page.contains(&format!(".TH cubefold-{command} 1")), "{page}");
        assert!(page.contains("\n.nf\n"), "examples keep their lines: {page}");
    }
}

#[test]
fn a_folder_gets_all_pages_under_the_names_that_man_looks_for() {
    let scratch = Scratch::empty();
    assert_eq!(done(&["man", "--folder", &scratch.path("")]), "");
    let mut expected: Vec<String> = commands().iter().map(|name| format!("cubefold-{name}.1")).collect();
    expected.push("cubefold.1".to_owned());
    expected.sort();
    assert_eq!(scratch.names(), expected);
    assert_eq!(scratch.read("cubefold-run.1"), done(&["man", "run"]));
}

#[test]
fn pages_and_scripts_replace_nothing_unless_they_may() {
    let scratch = Scratch::with(&[("cubefold-run.1", "mine"), ("page.1", "mine"), ("script", "mine")]);
    let (folder, page, script) = (scratch.path(""), scratch.path("page.1"), scratch.path("script"));
    let commands: [&[&str]; 3] = [
        &["man", "--folder", &folder],
        &["man", "--output", &page],
        &["completions", "bash", "--output", &script],
    ];
    for command in commands {
        let refused = run(command);
        assert_eq!(refused.code, Some(2), "{command:?}");
        assert!(refused.stderr.contains("the file exists already\n  help: overwrite it with --force"));
        assert_eq!(scratch.names(), ["cubefold-run.1", "page.1", "script"], "{command:?}");
    }
    assert_eq!(
        scratch.read("cubefold-run.1") + &scratch.read("page.1") + &scratch.read("script"),
        "mineminemine"
    );
    done(&["man", "--folder", &scratch.path(""), "--force"]);
    done(&["man", "--output", &page, "--force"]);
    done(&["completions", "bash", "--output", &script, "--force"]);
    assert_eq!(scratch.read("cubefold-run.1"), done(&["man", "run"]));
    assert_eq!(scratch.read("script"), done(&["completions", "bash"]));
}

#[test]
fn a_page_that_cannot_be_made_or_written_is_refused() {
    let unknown = run(&["man", "frobnicate"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(2), ""));
    assert!(
        unknown
            .stderr
            .starts_with("error: no command is called \"frobnicate\"\n  help: expected one of run, ")
    );
    let missing = run(&["man", "--folder", "/missing"]);
    let expected = "error: cannot write /missing/cubefold.1: No such file or directory (os error 2)\n";
    assert!(missing.stderr.starts_with(expected), "{}", missing.stderr);
    let scratch = Scratch::with(&[("file", "")]);
    let unwritable = run(&["man", "--folder", &scratch.path("file")]);
    assert_eq!(unwritable.code, Some(2));
    assert!(unwritable.stderr.contains("cannot write "), "{}", unwritable.stderr);
    assert_eq!(run(&["man", "run", "--folder", &scratch.path("")]).code, Some(2));
}

#[test]
fn the_page_of_draw_names_every_picture() {
    let page = done(&["man", "draw"]);
    for what in ["space\\-time", "placement", "links", "spectrum", "compare", "histogram", "scaling"] {
        assert!(page.contains(what), "{what}: {page}");
    }
}
