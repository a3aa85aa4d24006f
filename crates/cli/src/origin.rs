//! The origin of results: the sources of this program, and a command for citation (`docs/model.md` section 30.10).

use std::{path::PathBuf, str::FromStr};

use cubefold_records::Build;
use cubefold_scenario::Setting;

use crate::{arguments::ScenarioOptions, failure::Failure};

/// The sources of this program.
pub const BUILD: Build = Build { commit: option_env!("CUBEFOLD_COMMIT"), dirty: DIRTY };

const DIRTY: Option<bool> = match option_env!("CUBEFOLD_DIRTY") {
    Some(text) => Some(text.len() == "true".len()),
    None => None,
};

/// A command about scenarios without the options that do not affect results, in the syntax of a shell.
pub(crate) fn command_line(name: &str, scenarios: &ScenarioOptions, more: &[&str]) -> String {
    cited_command(name, &scenarios.files, scenarios.set.settings.iter().map(Setting::text), more)
}

/// A command about these files, with keys that are set besides and more words, in the syntax of a shell.
pub fn cited_command<'text>(
    name: &str,
    files: &[PathBuf],
    settings: impl Iterator<Item = &'text str>,
    more: &[&str],
) -> String {
    let files = files.iter().map(|path| path.display().to_string());
    let settings = settings.flat_map(|setting| ["--set".to_owned(), setting.to_owned()]);
    let more = more.iter().map(|&word| word.to_owned());
    let words = files.chain(settings).chain(more).map(|word| quoted(&word));
    ["cubefold".to_owned(), name.to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// A word in the syntax of a shell.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "-_./=:,@%+".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The expected digest of runs, or its first digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedDigest(String);

impl ExpectedDigest {
    /// Fewer digits could match another run by chance.
    const LEAST: usize = 12;
    const ALL: usize = 64;

    /// Refuses runs with another digest.
    pub(crate) fn check(&self, found: &str) -> Result<(), Failure> {
        if found.starts_with(&self.0) {
            return Ok(());
        }
        Err(Failure::usage(
            format!("the digest of the runs is {found}, expected {}", self.0),
            "the scenario, a file that it names, an option or the number of the model has changed",
        ))
    }
}

impl FromStr for ExpectedDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_digest = text.chars().all(|sign| sign.is_ascii_hexdigit());
        if is_digest && (Self::LEAST..=Self::ALL).contains(&text.len()) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        Err(format!("expected {} to {} hexadecimal digits", Self::LEAST, Self::ALL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("scenarios/a.toml"), "scenarios/a.toml");
        assert_eq!(quoted("machine.shape=[8, 8]"), "'machine.shape=[8, 8]'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_digest_is_expected_by_twelve_digits_or_more() {
        let digest: ExpectedDigest = "A83FC7233181".parse().unwrap();
        assert!(digest.check("a83fc723318126653f").is_ok());
        let refused = digest.check("b83fc723318126653f").unwrap_err().to_string();
        assert!(refused.contains("b83fc723318126653f, expected a83fc7233181"), "{refused}");
        for wrong in ["", "a83fc723318", "a83fc723318g", &"a".repeat(65)] {
            assert!(wrong.parse::<ExpectedDigest>().is_err(), "{wrong}");
        }
    }
}
