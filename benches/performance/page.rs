//! The page that shows the table: what stands between two comments of it is written anew.

use std::{fs, path::Path};

/// Before the table, on a line of its own.
const BEGIN: &str = "<!-- table of performance: begin -->\n";
/// After it.
const END: &str = "<!-- table of performance: end -->\n";

/// Writes the table into the page, between the comments.
///
/// # Panics
///
/// When the page has not both of them, or cannot be read or written.
pub(crate) fn write_between_comments(page: &Path, table: &str) {
    let text = fs::read_to_string(page).expect("the page");
    let (before, rest) = text.split_once(BEGIN).expect("a comment where the table begins");
    let (_, after) = rest.split_once(END).expect("a comment where the table ends");
    let text = format!("{before}{BEGIN}\n{}\n\n{END}{after}", table.trim());
    fs::write(page, text).expect("a page that can be written");
}
