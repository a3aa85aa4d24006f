//! Texts in LaTeX.

/// Escapes the characters of a text that LaTeX would interpret. Letters of other scripts are kept for engines that
/// support them.
#[must_use]
pub fn latex_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for letter in text.chars() {
        match letter {
            '\\' => escaped += "\\textbackslash{}",
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => escaped.extend(['\\', letter]),
            '^' => escaped += "\\textasciicircum{}",
            '~' => escaped += "\\textasciitilde{}",
            '<' => escaped += "\\textless{}",
            '>' => escaped += "\\textgreater{}",
            '|' => escaped += "\\textbar{}",
            '"' => escaped += "\\textquotedbl{}",
            // At the start of a table row, these would be read as an option of the preceding line break.
            '[' => escaped += "{[}",
            '*' => escaped += "{*}",
            // Prevents the ligature to a dash.
            '-' if before == '-' => escaped += "{}-",
            '×' => escaped += "\\ensuremath{\\times}",
            '·' => escaped += "\\ensuremath{\\cdot}",
            '≤' => escaped += "\\ensuremath{\\leq}",
            '≥' => escaped += "\\ensuremath{\\geq}",
            '→' => escaped += "\\ensuremath{\\rightarrow}",
            'µ' | 'μ' => escaped += "\\ensuremath{\\mu}",
            '\n' => escaped.push(' '),
            other => escaped.push(other),
        }
        before = letter;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_character_is_escaped() {
        let text = "50% of a_b & {c} #1 $x^2~<>|\"\\ [y] * --only × µs";
        let expected = "50\\% of a\\_b \\& \\{c\\} \\#1 \\$x\\textasciicircum{}2\\textasciitilde{}\\textless{}\
                        \\textgreater{}\\textbar{}\\textquotedbl{}\\textbackslash{} {[}y] {*} -{}-only \
                        \\ensuremath{\\times} \\ensuremath{\\mu}s";
        assert_eq!(latex_text(text), expected);
    }
}
