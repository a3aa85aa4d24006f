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

use super::log_prefix::{escape_length, prefixes_length};

/// Words that follow `#` and blanks in the heading of a benchmark alone: its title, or the names of its columns.
const HEADINGS: [&str; 13] = [
    "OSU ",
    "OMB",
    "Size ",
    "Size\t",
    "size ",
    "size\t",
    "bytes ",
    "bytes\t",
    "Benchmarking ",
    "nThread ",
    "Collective test",
    "Datatype:",
    "#processes",
];

/// The text, with blanks for prefixes and escapes; it has the same length.
pub(crate) fn cleaned(text: &str) -> String {
    let plain = without_escapes(text);
    let job_prefixes = prefixes_of_headings(&plain);
    let mut cleaned = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        let (prefix, rest) = line.split_at(prefix_length(line, &job_prefixes));
        push_blanks(&mut cleaned, prefix.len());
        cleaned.push_str(rest);
    }
    cleaned
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from_escape)) = rest.find('\x1b').map(|at| rest.split_at(at)) {
        let length = escape_length(from_escape);
        plain.push_str(before);
        push_blanks(&mut plain, length);
        // A byte that starts no escape stays.
        let kept = usize::from(length == 0);
        plain.push_str(&from_escape[..kept]);
        rest = &from_escape[length + kept..];
    }
    plain.push_str(rest);
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
        let Some(heading) = heading(line) else { continue };
        let known = prefix_length(line, &found);
        let prefix = line.get(known..heading).unwrap_or_default();
        if found.len() < MOST && prefix.trim_end().ends_with([':', '|', '>', ']']) {
            found.push(prefix.trim_end());
        }
    }
    found.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
    found
}

/// The place in a line where the heading of a benchmark begins.
fn heading(line: &str) -> Option<usize> {
    let is_heading = |rest: &str| HEADINGS.iter().any(|heading| rest.starts_with(heading));
    line.match_indices('#')
        .map(|(at, _)| at)
        .find(|at| is_heading(line[at + 1..].trim_start_matches([' ', '\t'])))
}

/// Length of the prefixes of a line \[bytes\].
fn prefix_length(line: &str, job_prefixes: &[&str]) -> usize {
    let before = prefixes_length(line);
    match job_prefixes.iter().find(|prefix| line[before..].starts_with(**prefix)) {
        Some(prefix) => {
            let after = before + prefix.len();
            after + prefixes_length(&line[after..])
        }
        None => before,
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
