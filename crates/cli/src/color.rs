//! Whether messages and results are coloured.

use std::{io::IsTerminal, path::Path};

use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::table::Paint;

/// What the command line says of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    pub(crate) const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// Whether what is written to `stream` is coloured.
    #[expect(clippy::disallowed_methods, reason = "colour is the terminal's affair, not a result")]
    fn applies(self, stream: &impl IsTerminal) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && !refused
            }
        }
    }

    /// How tables are painted that go to `output`: files have no colours, whatever is asked for.
    pub(crate) fn of_results(self, output: Option<&Path>) -> Paint {
        let to_file = output.is_some_and(|path| path != Path::new("-"));
        if !to_file && self.applies(&std::io::stdout()) { Paint::Colored } else { Paint::Plain }
    }

    /// What draws errors with their places.
    pub(crate) fn report_handler(self) -> GraphicalReportHandler {
        let colored = self.applies(&std::io::stderr());
        let theme = if colored { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        GraphicalReportHandler::new_themed(theme).with_links(false).with_width(100)
    }
}
