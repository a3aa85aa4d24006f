//! Traces too large to hold in memory, read as streams.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
};

use crate::{
    format::{Format, Read, wrong},
    input::input_file::{self, InputError},
    read::{
        kineto::{KINETO, read_kineto},
        message_traces::{PARAVER, SIMGRID_TI, read_actions, read_paraver},
    },
};

/// The maximum size of a streamed file \[bytes\].
pub const MAX_STREAMED: u64 = 1 << 30;
/// The size of the head by which a file is recognised \[bytes\].
const HEAD: u64 = 1 << 16;
const MAX_LINE: u64 = 1 << 20; // bytes

/// Reads a file of at most 1 GiB in one of the streamed trace formats; `None` if it matches none of them.
///
/// # Errors
///
/// If the file is too large or cannot be read.
pub fn read_streamed(path: &Path) -> Result<Option<(&'static Format, Read)>, InputError> {
    let file = input_file::open(path)?;
    if file.metadata()?.len() > MAX_STREAMED {
        return Err(InputError::TooLong(MAX_STREAMED));
    }
    let mut head = vec![];
    (&file).take(HEAD).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let again = || input_file::open(path).map(BufReader::new);
    let mut words = head.split_whitespace();
    Ok(if head.starts_with("#Paraver (") {
        Some((&PARAVER, streamed(again()?, |lines| read_paraver(lines))))
    } else if head.starts_with('{')
        && (head.contains("\"traceEvents\"") || head.contains("\"distributedInfo\""))
    {
        Some((&KINETO, read_kineto(&mut again()?)))
    } else if words.next().is_some_and(|word| word.parse::<u64>().is_ok()) && words.next() == Some("init") {
        Some((&SIMGRID_TI, streamed(again()?, |lines| read_actions(lines))))
    } else {
        None
    })
}

/// Reads the lines of a file, up to the first that cannot be read, whose error takes precedence.
fn streamed(file: BufReader<File>, read: impl FnOnce(Lines<'_>) -> Read) -> Read {
    let mut failure = None;
    let found = read(Lines { file, number: 0, failure: &mut failure });
    match failure {
        Some((line, error)) => wrong(line, error.to_string()),
        None => found,
    }
}

/// Lines with their numbers, counted from 1.
struct Lines<'a> {
    file: BufReader<File>,
    number: usize,
    failure: &'a mut Option<(usize, io::Error)>,
}

impl Iterator for Lines<'_> {
    type Item = (usize, String);

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = vec![];
        self.number += 1;
        let read = (&mut self.file).take(MAX_LINE).read_until(b'\n', &mut line);
        let error = match read {
            Ok(0) => return None,
            Ok(count) if count as u64 == MAX_LINE => io::Error::other("a line of more than 1 MiB"),
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                return Some((self.number, text.trim_end_matches(['\n', '\r']).to_owned()));
            }
            Err(error) => error,
        };
        *self.failure = Some((self.number, error));
        None
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::value::Content;

    /// Streams a file with this text; returns its format and its counts or first error.
    fn counted(text: &str) -> (Option<&'static str>, String) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        match read_streamed(file.path()).unwrap() {
            Some((format, Ok(reading))) => {
                let Content::Trace(_) = &reading.content else { panic!("a trace") };
                (Some(format.name), serde_json::Value::from(reading.content.counts()).to_string())
            }
            Some((format, Err(complaints))) => (Some(format.name), complaints[0].message.clone()),
            None => (None, String::new()),
        }
    }

    #[test]
    fn streams_are_read_like_texts() {
        let paraver = "#Paraver (10/04/2001 at 18:21):620244_ns:1(4):1:2(1:1,1:1)\r\n\
                       3:1:1:1:1:5:5:2:1:2:1:6:9:4096:7\r\n";
        let (name, counts) = counted(paraver);
        assert_eq!(name, Some("paraver"));
        assert!(counts.contains("\"bytes\":4096"), "{counts}");
        let (name, counts) = counted("0 init\n1 init\n\n0 send 1 0 10 6\n1 recv 0 0 10 6\n");
        assert_eq!(name, Some("simgrid-ti"));
        assert!(counts.contains("\"bytes\":10"), "{counts}");
        let event = |at: u32| {
            format!(
                "{{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": {at}, \"dur\": 5, \"args\": {{\"Collective name\": \"allreduce\", \
                 \"In msg nelems\": 4, \"dtype\": \"Float\"}}}}"
            )
        };
        let trace = format!(
            "{{\"distributedInfo\": {{\"rank\": 0, \"world_size\": 4}}, \"traceEvents\": [{}, {}], \"x\": [1]}}",
            event(10),
            event(20)
        );
        let (name, counts) = counted(&trace);
        assert_eq!(name, Some("kineto"));
        assert!(counts.contains("\"bytes\":32") && counts.contains("\"operations\":2"), "{counts}");
        let (_, message) = counted(&trace[..trace.len() - 20]);
        assert!(message.starts_with("EOF"), "{message}");
        assert_eq!(counted("a b\n").0, None);
        assert_eq!(counted(&format!("0 init\n{}\n", "x".repeat(1 << 20))).1, "a line of more than 1 MiB");
    }
}
