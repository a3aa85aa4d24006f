//! The prefixes of log lines whose form does not depend on the job, and terminal escapes: their lengths.
//!
//! Large logs have millions of lines, so both are matched byte by byte.

const WEEKDAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
const MONTHS: [&str; 12] =
    ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "];
/// The stream of a line in the log of a container, and whether the line is full or part of one.
const STREAMS: [&str; 4] = ["stdout F ", "stdout P ", "stderr F ", "stderr P "];

/// Length of all prefixes and blanks at the start of a line \[bytes\].
pub(super) fn prefixes_length(line: &str) -> usize {
    let mut rest = Rest(line.as_bytes());
    while rest.try_take(Rest::prefix) {}
    line.len() - rest.0.len()
}

/// The line without one prefix and the blanks before it; `None` if it has none.
pub(crate) fn without_prefix(line: &str) -> Option<&str> {
    let start = line.trim_start();
    let mut rest = Rest(start.as_bytes());
    rest.try_take(Rest::prefix).then(|| &start[start.len() - rest.0.len()..])
}

/// Length of the terminal escape at the start of a text: a colour, a title or a movement of the cursor; 0 if there is
/// none \[bytes\].
pub(super) fn escape_length(text: &str) -> usize {
    let mut rest = Rest(text.as_bytes());
    rest.try_take(Rest::escape);
    text.len() - rest.0.len()
}

/// The rest of a line, while its start is taken off.
#[derive(Clone, Copy)]
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    /// Takes what `take` takes; nothing if that fails.
    fn try_take(&mut self, take: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = *self;
        let is_taken = take(self);
        if !is_taken {
            *self = before;
        }
        is_taken
    }

    /// Takes a byte if it fits.
    fn byte(&mut self, fits: impl Fn(u8) -> bool) -> bool {
        let is_taken = self.0.first().is_some_and(|byte| fits(*byte));
        if is_taken {
            self.0 = &self.0[1..];
        }
        is_taken
    }

    /// Takes one of these bytes.
    fn one_of(&mut self, bytes: &[u8]) -> bool {
        self.byte(|byte| bytes.contains(&byte))
    }

    /// Takes all bytes that fit, and counts them.
    fn all(&mut self, fits: impl Fn(u8) -> bool) -> usize {
        let count = self.0.iter().position(|byte| !fits(*byte)).unwrap_or(self.0.len());
        self.0 = &self.0[count..];
        count
    }

    /// Takes one of these words.
    fn word(&mut self, words: &[&str]) -> bool {
        let rest = words.iter().find_map(|word| self.0.strip_prefix(word.as_bytes()));
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes a number of `digits` digits.
    fn number(&mut self, digits: usize) -> bool {
        (0..digits).all(|_| self.byte(|byte| byte.is_ascii_digit()))
    }

    /// Takes `12:00:00`.
    fn clock(&mut self) -> bool {
        self.number(2) && self.one_of(b":") && self.number(2) && self.one_of(b":") && self.number(2)
    }

    /// Takes `12:00:00`, maybe with a fraction.
    fn time(&mut self) -> bool {
        let has_clock = self.clock();
        self.try_take(|rest| rest.one_of(b".,") && rest.all(|byte| byte.is_ascii_digit()) > 0);
        has_clock
    }

    /// Takes `Z` or an offset such as `+01:00`.
    fn zone(&mut self) -> bool {
        if self.one_of(b"Z") {
            return true;
        }
        let has_hours = self.one_of(b"+-") && self.number(2);
        self.one_of(b":");
        has_hours && self.number(2)
    }

    /// Takes `2026-11-26`, maybe with a time and a zone.
    fn date(&mut self) -> bool {
        let has_day =
            self.number(4) && self.one_of(b"-/") && self.number(2) && self.one_of(b"-/") && self.number(2);
        if self.try_take(|rest| rest.one_of(b"T_ ") && rest.time()) {
            self.try_take(Rest::zone);
        }
        has_day
    }

    /// Takes the blanks, the day and the time after the name of a month.
    fn day_and_clock(&mut self) -> bool {
        self.all(|byte| byte == b' ');
        matches!(self.all(|byte| byte.is_ascii_digit()), 1 | 2) && self.one_of(b" ") && self.clock()
    }

    /// Takes `Thu Nov 26 12:00:00 CET 2026`, with or without the zone.
    fn weekday_date(&mut self) -> bool {
        let has_day = self.word(&WEEKDAYS) && self.word(&MONTHS) && self.day_and_clock();
        self.try_take(|rest| {
            rest.one_of(b" ") && matches!(rest.all(|byte| byte.is_ascii_uppercase()), 3 | 4)
        });
        has_day && self.one_of(b" ") && self.number(4)
    }

    /// Takes `<stdout>`.
    fn stream(&mut self) -> bool {
        self.word(&["<std"]) && self.all(|byte| byte.is_ascii_lowercase()) > 0 && self.one_of(b">")
    }

    /// Takes `[1,0]`, maybe with `<stdout>`.
    fn brackets(&mut self) -> bool {
        let is_open = self.one_of(b"[");
        self.all(|byte| !b"[]\n".contains(&byte));
        let is_closed = self.one_of(b"]");
        self.try_take(Rest::stream);
        is_open && is_closed
    }

    /// Whether the word is the rest of an IPv6 address after a colon.
    fn is_rest_of_address(mut self) -> bool {
        let all = self.0;
        let length = self.all(|byte| byte.is_ascii_hexdigit() || b":.%".contains(&byte));
        all[..length].contains(&b':') && self.0.first().is_none_or(u8::is_ascii_whitespace)
    }

    /// Takes a prefix or a blank.
    fn prefix(&mut self) -> bool {
        if self.one_of(b" \t\r") || self.word(&STREAMS) {
            return true;
        }
        // An IPv6 address may begin with a label of digits.
        let is_label = |rest: &mut Self| {
            matches!(rest.all(|byte| byte.is_ascii_digit()), 1..=7)
                && rest.0.first() == Some(&b':')
                && !Rest(&rest.0[1..]).is_rest_of_address()
        };
        let is_taken = match self.0.first() {
            Some(b'[') => self.brackets(),
            Some(b'<') => self.stream(),
            Some(b'0'..=b'9') => {
                self.try_take(Rest::date) || self.try_take(Rest::time) || self.try_take(is_label)
            }
            Some(b'A'..=b'Z') => {
                self.try_take(Rest::weekday_date) || self.word(&MONTHS) && self.day_and_clock()
            }
            _ => false,
        };
        self.one_of(b":");
        is_taken
    }

    /// Takes a terminal escape.
    fn escape(&mut self) -> bool {
        if !self.one_of(b"\x1b") {
            return false;
        }
        match self.0.first() {
            Some(b'[') => {
                self.0 = &self.0[1..];
                self.all(|byte| (b'0'..=b'?').contains(&byte));
                self.all(|byte| (b' '..=b'/').contains(&byte));
                self.byte(|byte| (b'@'..=b'~').contains(&byte))
            }
            Some(b']') => {
                self.all(|byte| !b"\x07\x1b\n".contains(&byte));
                self.word(&["\x07", "\x1b\\"]);
                true
            }
            _ => self.byte(|byte| matches!(byte, b'@'..=b'Z' | b'\\' | b'^' | b'_')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_taken_whole_and_other_words_stay() {
        for prefix in [
            " \t",
            "[1,0]<stdout>: ",
            "[0] ",
            "<stderr>:",
            "2026-11-26: ",
            "2026/11/26 12:00:00,5 ",
            "2026-11-26T12:00:00.5Z stdout F ",
            "2026-11-26_12:00:00+0100 ",
            "12:00:00.25: ",
            "Thu Nov 26 12:00:00 2026 ",
            "Thu Nov  6 12:00:00 CEST 2026: ",
            "Nov 26 12:00:00 ",
            "0000017: 3: ",
        ] {
            assert_eq!(prefixes_length(&format!("{prefix}x 1 2")), prefix.len(), "{prefix}");
        }
        for word in
            ["12345678: x", "2026-1-26 x", "12:0", "Nov x", "Thu Nov 26 x", "[0", "<out> x", "stdout x"]
        {
            let label = if word == "12:0" { 3 } else { 0 };
            assert_eq!(prefixes_length(word), label, "{word}");
        }
    }

    #[test]
    fn escapes_are_taken_whole() {
        for escape in
            ["\x1b[0m", "\x1b[1;31m", "\x1b[?25l", "\x1b]0;title\x07", "\x1b]0;title\x1b\\", "\x1bM"]
        {
            assert_eq!(escape_length(&format!("{escape}x")), escape.len(), "{escape:?}");
        }
        assert_eq!(["\x1bx", "\x1b[", "x"].map(escape_length), [0; 3]);
    }
}
