//! TOML documents: from text to entries with places.

use std::sync::Arc;

use toml::de::DeTable;

use super::{
    scenario_error::{ScenarioError, Standing},
    source_file::{Place, SourceFile},
    value::{Entry, entries},
};

/// The entries at the top level of a file, in its order.
///
/// # Errors
///
/// Every syntax error. What the parser makes of such a file is a guess, and is not looked at.
pub(super) fn parse(source: &Arc<SourceFile>) -> Result<Vec<Entry>, Vec<ScenarioError>> {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    if errors.is_empty() {
        return Ok(entries(source, table.get_ref()));
    }
    let mut errors: Vec<_> = errors.iter().map(|error| syntax_error(source, error)).collect();
    errors.sort_by_cached_key(ScenarioError::identity);
    Err(errors)
}

fn syntax_error(source: &Arc<SourceFile>, error: &toml::de::Error) -> ScenarioError {
    let place = Place::new(source, error.span().unwrap_or(0..0));
    ScenarioError::at(&place, format!("not TOML: {}", error.message()), "here")
        .standing(Standing::HidesValues)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn errors(text: &str) -> Vec<String> {
        let source = SourceFile::excerpt(Path::new("f.toml"), text.to_owned(), 0);
        parse(&source).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_syntax_error_is_told() {
        assert_eq!(
            errors("a = \nb = 1\nb = 2\nc = \"x\n"),
            [
                "f.toml:1:5: not TOML: string values must be quoted, expected literal string",
                "f.toml:3:1: not TOML: duplicate key",
                "f.toml:4:7: not TOML: invalid basic string, expected `\"`",
            ]
        );
    }
}
