//! The text of a table of routes.

use super::{
    ClassIn, HopKey, HopLines, NextHop, PacketRoutes, PacketRoutesError, PathLines, RouteLines, RoutePath,
};
use crate::NodeId;

/// A line without its comment, by its number from 1 on.
struct Line<'text> {
    number: usize,
    text: &'text str,
}

/// The first line, which says the kind of the others.
struct Header {
    classes: u32,
    is_path: bool,
    escape: Vec<u32>,
}

/// Reads a table: the number of its classes, its lines, and the number in the file of each key or path.
pub(super) fn read(text: &str) -> Result<(u32, RouteLines, Vec<usize>), PacketRoutesError> {
    let mut lines = (1..)
        .zip(text.lines())
        .map(|(number, line)| Line { number, text: line.split('#').next().unwrap_or("").trim() })
        .filter(|line| !line.text.is_empty());
    let Some(first) = lines.next() else {
        return Err(
            Line { number: 1, text: "" }.unlike("routes hop C, routes hop C escape q .., or routes path C")
        );
    };
    let header = first.header()?;
    let classes = header.classes;
    Ok(if header.is_path {
        let (lines, numbers) = paths(lines, classes)?;
        (classes, RouteLines::Path(lines), numbers)
    } else {
        let (lines, numbers) = hops(lines, header)?;
        (classes, RouteLines::Hop(lines), numbers)
    })
}

/// Reads the lines of next routers.
fn hops<'text>(
    lines: impl Iterator<Item = Line<'text>>,
    header: Header,
) -> Result<(HopLines, Vec<usize>), PacketRoutesError> {
    const FORM: &str = "R[/q] D : N[/q] N[/q] ..";
    let mut hop_lines = HopLines { escape: header.escape, ..HopLines::default() };
    let mut numbered = vec![];
    for line in lines {
        let (left, right) = line.sides(FORM)?;
        let [at, to] = left[..] else { return Err(line.unlike(FORM)) };
        let (router, class) = at.split_once('/').map_or((at, None), |(router, class)| (router, Some(class)));
        let class = match class {
            None => None,
            Some("i") => Some(ClassIn::Terminal),
            Some(class) => Some(ClassIn::Class(line.class(class, header.classes, FORM)?)),
        };
        let key = HopKey { router: line.number(router, FORM)?, class, to: line.number(to, FORM)? };
        let start = hop_lines.hops.len();
        for word in right {
            hop_lines.hops.push(line.hop(word, header.classes, FORM)?);
        }
        hop_lines.keys.push((key, start..hop_lines.hops.len()));
        numbered.push((key, line.number));
    }
    numbered.sort_unstable();
    if let Some(two) = numbered.windows(2).filter(|two| two[0].0 == two[1].0).min_by_key(|two| two[1].1) {
        let found = format!("the left side of line {} again", two[0].1);
        let expected = "every left side once".to_owned();
        return Err(PacketRoutesError::Line { line: two[1].1, found, expected });
    }
    hop_lines.keys.sort_unstable_by_key(|line| line.0);
    Ok((hop_lines, numbered.into_iter().map(|(_, number)| number).collect()))
}

/// Reads the lines of whole routes.
fn paths<'text>(
    lines: impl Iterator<Item = Line<'text>>,
    classes: u32,
) -> Result<(PathLines, Vec<usize>), PacketRoutesError> {
    const FORM: &str = "S D [weight] : N[/q] N[/q] ..";
    let mut path_lines = PathLines::default();
    let mut found: Vec<([u32; 2], usize, RoutePath)> = vec![];
    for line in lines {
        let (left, right) = line.sides(FORM)?;
        let (from, to, weight) = match left[..] {
            [from, to] => (from, to, 1),
            [from, to, weight] => (from, to, line.number(weight, FORM)?.into()),
            _ => return Err(line.unlike(FORM)),
        };
        if weight == 0 {
            return Err(line.unlike("a weight of at least 1"));
        }
        let start = path_lines.hops.len();
        for word in right {
            path_lines.hops.push(line.hop(word, classes, FORM)?);
        }
        let ends = [line.number(from, FORM)?, line.number(to, FORM)?];
        found.push((ends, line.number, RoutePath { weight, hops: start..path_lines.hops.len() }));
    }
    found.sort_by_key(|line| line.0); // alternatives stay in the order of the file
    let mut numbers = vec![];
    for (ends, number, path) in found {
        let place = path_lines.paths.len();
        numbers.push(number);
        path_lines.paths.push(path);
        match path_lines.pairs.last_mut() {
            Some((last, paths)) if *last == ends => paths.end = place + 1,
            _ => path_lines.pairs.push((ends, place..place + 1)),
        }
    }
    Ok((path_lines, numbers))
}

impl Line<'_> {
    fn unlike(&self, expected: &str) -> PacketRoutesError {
        const MOST: usize = 60;
        let mut found: String = self.text.chars().take(MOST).collect();
        if found.len() < self.text.len() {
            found.push_str("..");
        }
        PacketRoutesError::Line {
            line: self.number,
            found: format!("{found:?}"),
            expected: expected.to_owned(),
        }
    }

    fn header(&self) -> Result<Header, PacketRoutesError> {
        const FORM: &str = "routes hop C, routes hop C escape q .., or routes path C";
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let ["routes", kind @ ("hop" | "path"), count, rest @ ..] = &words[..] else {
            return Err(self.unlike(FORM));
        };
        let classes = self.number(count, FORM)?;
        if !(1..=PacketRoutes::MAX_CLASSES).contains(&classes) {
            return Err(self.unlike(&format!("1 to {} classes", PacketRoutes::MAX_CLASSES)));
        }
        let is_path = *kind == "path";
        let mut escape = match rest {
            [] => vec![],
            ["escape", first, others @ ..] if !is_path => {
                let words = [first].into_iter().chain(others);
                words.map(|word| self.class(word, classes, FORM)).collect::<Result<_, _>>()?
            }
            _ => return Err(self.unlike(FORM)),
        };
        escape.sort_unstable();
        escape.dedup();
        Ok(Header { classes, is_path, escape })
    }

    /// The words before and after the colon; there are some after it.
    fn sides(&self, form: &str) -> Result<(Vec<&str>, Vec<&str>), PacketRoutesError> {
        let (left, right) = self.text.split_once(':').ok_or_else(|| self.unlike(form))?;
        let right: Vec<&str> = right.split_whitespace().collect();
        if right.is_empty() {
            return Err(self.unlike(form));
        }
        Ok((left.split_whitespace().collect(), right))
    }

    fn number(&self, word: &str, form: &str) -> Result<u32, PacketRoutesError> {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        word.parse().ok().filter(|_| digits).ok_or_else(|| self.unlike(form))
    }

    fn class(&self, word: &str, classes: u32, form: &str) -> Result<u32, PacketRoutesError> {
        let class = self.number(word, form)?;
        if class >= classes {
            let found = format!("class {class}");
            let expected = format!("a class below {classes}");
            return Err(PacketRoutesError::Line { line: self.number, found, expected });
        }
        Ok(class)
    }

    fn hop(&self, word: &str, classes: u32, form: &str) -> Result<NextHop, PacketRoutesError> {
        let (node, class) = word.split_once('/').unwrap_or((word, "0"));
        Ok(NextHop { node: NodeId::new(self.number(node, form)?), class: self.class(class, classes, form)? })
    }
}
