//! Words of records.

use std::borrow::Cow;

/// A word that the program knows, or one that was read back from a file.
pub type Word = Cow<'static, str>;
