//! Types of option values: colours, sizes of memory and messages, runtimes, stages of Greenberg's embedding, and
//! objectives.

use std::{io::IsTerminal, path::Path, str::FromStr};

use cubefold_collectives::OPERATIONS;
use cubefold_derive::Words;
use cubefold_formats::input::{Ratio, bytes_of_size};
use cubefold_mapping::GreenbergStage;
use cubefold_runs::tools::program_files::MscclRuntime;
use cubefold_search::Objective;
use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::{
    output::{columns_of_messages, obeys_escapes},
    table::Paint,
};

/// The use of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub(crate) enum Color {
    /// On a terminal that obeys escape sequences, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Whether the output to `stream` is coloured.
    #[expect(clippy::disallowed_methods, reason = "colour is the terminal's affair, not a result")]
    fn applies(self, stream: &impl IsTerminal) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && obeys_escapes() && !refused
            }
        }
    }

    /// The painting of tables at `output`; files never have colours.
    pub(crate) fn of_results(self, output: Option<&Path>) -> Paint {
        let to_file = output.is_some_and(|path| path != Path::new("-"));
        if !to_file && self.applies(&std::io::stdout()) { Paint::Colored } else { Paint::Plain }
    }

    /// The renderer of errors with their places.
    pub(crate) fn report_handler(self) -> GraphicalReportHandler {
        const MAX_COLUMNS: usize = 100;
        let colored = self.applies(&std::io::stderr());
        let columns = columns_of_messages().unwrap_or(MAX_COLUMNS).min(MAX_COLUMNS);
        let theme = if colored { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        GraphicalReportHandler::new_themed(theme).with_links(false).with_width(columns)
    }
}

/// A size of memory on the command line: bytes, or a number such as 1.5 and `KiB`, `MiB`, `GiB` or `TiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryLimit(pub(crate) u64);

impl FromStr for MemoryLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "expected a number and KiB, MiB, GiB or TiB, such as 8GiB or 1.5GiB";
        const UNITS: [(&str, u64); 4] =
            [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];
        let unit = UNITS.iter().find_map(|(name, bytes)| Some((text.strip_suffix(name)?, *bytes)));
        let (number, bytes) = unit.unwrap_or((text, 1));
        let number = Ratio::parse_decimal(number.trim()).ok_or(FORM)?;
        let size = number.times(Ratio::from(bytes)).and_then(|size| u64::try_from(size.ceil()).ok());
        size.map(Self).ok_or("expected less than 2^64 bytes")
    }
}

/// A size of messages on the command line: bytes, or a number and a unit as in scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteCount(pub(crate) u64);

impl FromStr for ByteCount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let size = if is_plain { text.parse().ok() } else { bytes_of_size(text) };
        size.map(Self).ok_or("expected a number of bytes, or a size such as 64KiB")
    }
}

/// The name of a collective operation, as scenarios have it.
pub(crate) fn operation_name(text: &str) -> Result<&'static str, String> {
    let names = OPERATIONS.iter().map(|operation| operation.name);
    names.clone().find(|name| *name == text).ok_or_else(|| {
        let names: Vec<&str> = names.collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Declares the values of an option: those of a type of another crate, by their names, each with a line of help.
macro_rules! named_values {
    ($(#[$about:meta])* $option:ident($of:ty), $help:expr) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $option(pub(crate) $of);

        impl clap::ValueEnum for $option {
            fn value_variants<'a>() -> &'a [Self] {
                static ALL: std::sync::LazyLock<Vec<$option>> =
                    std::sync::LazyLock::new(|| <$of>::ALL.map($option).to_vec());
                &ALL
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                let help: fn($of) -> &'static str = $help;
                Some(clap::builder::PossibleValue::new(self.0.name()).help(help(self.0)))
            }
        }
    };
}
pub(crate) use named_values;

named_values! {
    /// A runtime, as `export --runtime` names it.
    RuntimeName(MscclRuntime), MscclRuntime::summary
}

named_values! {
    /// A stage, as `place --stage` names it.
    StageName(GreenbergStage), |stage| StageName(stage).summary()
}

named_values! {
    /// The objective of a search.
    SearchObjective(Objective), |objective| match objective {
        Objective::Makespan => "The makespan of the run",
        Objective::Predicted => "The makespan without contention",
        Objective::Load => "The largest load of a channel",
        Objective::HopUnits => "The sum of units times links",
        Objective::Dilation => "The largest distance of a message",
    }
}

impl StageName {
    pub(crate) fn summary(self) -> &'static str {
        match self.0 {
            GreenbergStage::Compress => "Step 1: every column of the mesh is a block of two columns",
            GreenbergStage::Reflect => "Step 2: the rows of the blocks are reflected",
            GreenbergStage::Pack => "Step 3: all nodes are as far to the left as they go",
            GreenbergStage::Fold => "Step 4: columns beyond the cube are folded back",
            GreenbergStage::Swap => "Step 5: doublets are swapped if that keeps neighbours near",
            GreenbergStage::Percolate => "Section 5: every node has a slot of its own",
            GreenbergStage::Gray => "The Gray code, if that is the method",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        let bytes = |text: &str| text.parse::<MemoryLimit>().map(|limit| limit.0);
        assert_eq!(bytes("1024"), Ok(1024));
        assert_eq!(bytes("8GiB"), Ok(8 << 30));
        assert_eq!(bytes("3 MiB"), Ok(3 << 20));
        assert_eq!(bytes("1.5GiB"), Ok(3 << 29));
        assert!(bytes("8GB").is_err());
        assert_eq!(bytes("99999999TiB"), Err("expected less than 2^64 bytes"));
    }
}
