//! `cubefold cite`: an entry of a bibliography for results, and the command that repeats them.

use std::{io::Write, path::Path};

use cubefold_formats::input::printable;
use cubefold_records::Provenance;
use serde::Deserialize;

use crate::{
    arguments::{CiteOptions, SharedOptions},
    failure::Failure,
    output::{Output, say},
};

/// The title and the authors of the program, as in `CITATION.cff`.
const TITLE: &str = "cubefold: placements of parallel programs on multicomputers, simulated to the cycle";
const AUTHORS: &str = "The cubefold contributors";

/// The member of results that is cited.
#[derive(Deserialize)]
struct Cited {
    provenance: Option<Provenance>,
}

pub(super) fn cite(options: &CiteOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let provenance = provenance(&options.results)?;
    let output = Output::open_apart_from(shared, [&options.results])?;
    if let Some(warning) = build_warning(&provenance) {
        say(&format!("warning: {}", printable(warning)));
    }
    output.write(|output| write!(output, "{}", entry(&provenance)))
}

fn provenance(path: &Path) -> Result<Provenance, Failure> {
    let shown = path.display();
    let unreadable = |error| Failure::usage(format!("cannot read {shown}: {error}"), HELP);
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let cited: Option<Cited> = serde_json::from_str(&text).ok();
    cited.and_then(|cited| cited.provenance).ok_or_else(|| {
        Failure::usage(format!("{shown} has no provenance, expected results as one JSON document"), HELP)
    })
}

const HELP: &str = "write them with cubefold run FILE --output results.json";

/// The reason why others cannot build the program that produced the results.
fn build_warning(provenance: &Provenance) -> Option<&'static str> {
    match (&provenance.commit, provenance.dirty) {
        (_, Some(true)) => Some(
            "the program was built from changed sources, so the commit does not say what made the results",
        ),
        (None, _) => {
            Some("the program was built without git, so the commit that made the results is unknown")
        }
        (Some(_), _) => None,
    }
}

/// The entry, and the command that repeats the results.
fn entry(provenance: &Provenance) -> String {
    let Provenance { version, commit, model, command, digest, .. } = provenance;
    let commit = commit.as_ref().map(|commit| format!("commit {commit}, ")).unwrap_or_default();
    format!(
        "@software{{cubefold,\n  title = {{{{{TITLE}}}}},\n  author = {{{{{AUTHORS}}}}},\n  version = {{{version}}},\n  \
         note = {{{commit}model {model}, digest {digest}}}\n}}\n\n{command} --expect {digest}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_and_authors_are_those_of_the_citation_file() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../CITATION.cff");
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(&format!("title: \"{TITLE}\"\n")));
        assert!(text.contains(&format!("authors:\n  - name: {AUTHORS}\nlicense")), "all authors are cited");
    }
}
