//! The text of a benchmark in a job log, without the prefixes that launchers put before every line and without
//! terminal escapes.
//!
//! | prefix | from |
//! | --- | --- |
//! | `[1,0]<stdout>:` | `mpirun --tag-output` of Open MPI, also with the name of the job before the numbers |
//! | `0: `, `[0] ` | `srun --label`, `mpiexec -l` and `-prepend-rank` |
//! | `2026-11-26T12:00:00.5Z stdout F `, `[12:00:00] `, `Nov 26 12:00:00 ` | schedulers, containers, syslog |
//! | `host: `, `pod-0 \| ` | pdsh and others: any word before the heading of the benchmark |
//!
//! Each removed byte is replaced by a blank, so that positions in the text stay valid.

use std::sync::LazyLock;

use regex_lite::Regex;

/// Terminal escapes: colours, titles, cursor movements.
static ESCAPES: LazyLock<Regex> =
    LazyLock::new(|| built(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])"));

/// Any number of prefixes of the forms that do not depend on the job.
static PREFIXES: LazyLock<Regex> = LazyLock::new(|| {
    built(concat!(
        r"^(?:[ \t\r]",
        r"|\[[^\[\]\n]*\](?:<std[a-z]+>)?:?",
        r"|<std[a-z]+>:?",
        r"|[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}(?:[T_ ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?:?",
        r"|[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?:?",
        r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?: [A-Z]{3,4})? [0-9]{4}:?",
        r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2}:?",
        r"|std(?:out|err) [FP] ",
        r"|[0-9]{1,7}:",
        r")+"
    ))
});

/// A line that only a benchmark prints: its title, or the names of its columns.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    built(
        r"#[ \t]*(?:OSU |OMB|[Ss]ize[ \t]|bytes[ \t]|Benchmarking |nThread |Collective test|Datatype:|#processes)",
    )
});

#[expect(clippy::expect_used, reason = "the patterns are constants, and tests use each of them")]
fn built(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

/// The text, with blanks for prefixes and escapes; it has the same length.
pub(crate) fn cleaned(text: &str) -> String {
    let plain = without_escapes(text);
    let own_prefixes = prefixes_of_headings(&plain);
    let mut cleaned = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        let (prefix, rest) = line.split_at(prefix_length(line, &own_prefixes));
        push_blanks(&mut cleaned, prefix.len());
        cleaned.push_str(rest);
    }
    cleaned
}

fn without_escapes(text: &str) -> String {
    if !text.contains('\x1b') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut from = 0;
    for escape in ESCAPES.find_iter(text) {
        plain.push_str(&text[from..escape.start()]);
        push_blanks(&mut plain, escape.len());
        from = escape.end();
    }
    plain.push_str(&text[from..]);
    plain
}

fn push_blanks(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n(' ', count));
}

/// The prefixes found before headings, longest first.
fn prefixes_of_headings(text: &str) -> Vec<&str> {
    const MOST: usize = 64;
    let mut found: Vec<&str> = vec![];
    for line in text.lines() {
        let Some(heading) = line.contains('#').then(|| HEADING.find(line)).flatten() else { continue };
        let known = prefix_length(line, &found);
        let prefix = line.get(known..heading.start()).unwrap_or_default();
        if found.len() < MOST && prefix.trim_end().ends_with([':', '|', '>', ']']) {
            found.push(prefix.trim_end());
        }
    }
    found.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
    found
}

/// Length of the prefixes of a line \[bytes\].
fn prefix_length(line: &str, own_prefixes: &[&str]) -> usize {
    let known = |from: usize| {
        let rest = &line[from..];
        let blanks = rest.bytes().take_while(|byte| b" \t\r".contains(byte)).count();
        if may_have_prefix(&rest.as_bytes()[blanks..]) {
            PREFIXES.find(rest).map_or(from, |found| from + found.end())
        } else {
            from + blanks
        }
    };
    let before = known(0);
    match own_prefixes.iter().find(|own_prefix| line[before..].starts_with(**own_prefix)) {
        Some(prefix) => known(before + prefix.len()),
        None => before,
    }
}

/// Whether a line may start with a prefix that does not depend on the job: most lines of large logs do not.
fn may_have_prefix(line: &[u8]) -> bool {
    let Some(first) = line.first() else { return false };
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match first {
        b'[' | b'<' => true,
        b'0'..=b'9' => line.get(digits).is_some_and(|byte| b":-/".contains(byte)),
        _ => b"MTWFSJAONDs".contains(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        cleaned(text).lines().map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn prefixes_of_launchers_are_left_out() {
        let plain = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n1   1.90\n2048 12.0";
        for prefix in [
            "[1,0]<stdout>:",
            "[1,0]<stdout>: ",
            "[prterun-alpha-17@1,0]<stdout>:",
            "0: ",
            "  00: ",
            "0:",
            "[0] ",
            "2026-11-26T23:50:01.123456789Z stdout F ",
            "2026-11-26 23:50:01,123 ",
            "[2026-11-26T23:50:01+01:00] ",
            "[23:50:01] 0: ",
            "Nov  6 23:50:01 ",
            "Thu Nov 26 23:50:01 2026[1,0]<stdout>:",
            "Thu Nov 26 23:50:01 CET 2026: ",
            "alpha: ",
            "Nov 26 23:50:01 alpha job[17]: ",
            "worker-0  | ",
            "(pid=17) \u{1b}[36mrank 0>\u{1b}[0m ",
            "\u{1b}[32m[1,0]<stdout>:\u{1b}[0m",
        ] {
            let tagged: String = plain.lines().map(|line| format!("{prefix}{line}\n")).collect();
            assert_eq!(lines(&tagged), plain.lines().collect::<Vec<_>>(), "{prefix}");
            assert_eq!(cleaned(&tagged).len(), tagged.len());
        }
    }

    #[test]
    fn rows_and_other_lines_stay() {
        let text = "8 2 float sum -1 30.00\n4container1:808 x\nsee # Size of it\n 1024\t2.5 \n";
        assert_eq!(cleaned(text).replace(' ', ""), text.replace(' ', ""));
    }
}
