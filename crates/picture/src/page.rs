//! Safeguards of all pages of this crate: they fetch nothing, run only their own scripts, and show no hidden
//! character.

use base64::prelude::{BASE64_STANDARD, Engine};
use cubefold_formats::input::printable;
use sha2::{Digest, Sha256};

/// Forbids fetching, and all scripts except the page's own, which are identified by their hashes.
pub(crate) fn security_policy(scripts: &[&str]) -> String {
    let hash = |script: &&str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)));
    let hashes: Vec<String> = scripts.iter().map(hash).collect();
    format!("default-src 'none'; style-src 'unsafe-inline'; script-src {}", hashes.join(" "))
}

/// The printable lines of a text. Names and texts of scenarios may contain anything; no control character or mark of
/// writing direction passes.
pub(crate) fn printable_lines(page: &str) -> String {
    let mut shown = String::with_capacity(page.len());
    for line in page.split_inclusive('\n') {
        let text = line.trim_end_matches(['\r', '\n']);
        for part in text.split_inclusive('\t') {
            let words = part.trim_end_matches('\t');
            shown += &printable(words);
            shown += &part[words.len()..];
        }
        shown.extend(line.ends_with('\n').then_some('\n'));
    }
    shown
}

#[cfg(test)]
pub(crate) fn assert_fetches_nothing(page: &str) {
    for outside in ["http://", "https://", " src=", "url(http", "@import"] {
        let found = page.replace("http://www.w3.org/", "").contains(outside);
        assert!(!found, "{outside}");
    }
}
