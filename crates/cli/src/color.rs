//! Whether messages are coloured.

use std::io::IsTerminal;

use miette::{GraphicalReportHandler, GraphicalTheme};

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

    /// Whether standard error is coloured.
    #[expect(clippy::disallowed_methods, reason = "colour is the terminal's affair, not a result")]
    fn applies(self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                std::io::stderr().is_terminal() && !refused
            }
        }
    }

    /// What draws errors with their places.
    pub(crate) fn report_handler(self) -> GraphicalReportHandler {
        let theme =
            if self.applies() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        GraphicalReportHandler::new_themed(theme).with_links(false).with_width(100)
    }
}
