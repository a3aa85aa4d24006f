//! A picture in `TikZ`: its shapes as paths, and its text as nodes in the font of the paper.

use std::fmt::Write as _;

use cubefold_formats::input::latex_text;
use resvg::{
    tiny_skia::{Point, Transform},
    usvg::{
        Color, Fill, FillRule, LineCap, LineJoin, Node, Options, Paint, Stroke, Tree,
        roxmltree::{Document, Node as Element},
    },
};

use crate::{
    pdf::POINTS_A_PIXEL,
    shapes::{Part, Shape, parts, visit_shapes},
    text_outlines::pixels,
};

/// The environment of a document in SVG, as wide as the lines of the text at most. It needs the packages `tikz` and its
/// library `patterns`.
///
/// # Errors
///
/// For a part of the document that is not understood, which is a defect of the code that drew it.
pub(crate) fn tikz(svg: &str) -> Result<String, String> {
    // Without a font the tree has no text.
    let tree = Tree::from_str(svg, &Options::default()).map_err(|error| error.to_string())?;
    let width = tree.size().width() * POINTS_A_PIXEL;
    let mut drawn = format!(
        "% In the preamble: \\usepackage[T1]{{fontenc}} \\usepackage{{tikz}} \\usetikzlibrary{{patterns}}\n\
         \\begin{{tikzpicture}}[x={POINTS_A_PIXEL}bp, y=-{POINTS_A_PIXEL}bp, transform shape,\n  \
         scale={{min(1, \\linewidth/{width:.2}bp)}}]\n"
    );
    let mut add = |options: Vec<String>, shape: &Shape<'_>| {
        // Writing to a string does not fail.
        let _ = writeln!(drawn, "  \\path[{}] {};", options.join(", "), trace(shape));
    };
    visit_shapes(tree.root(), &mut |shape| {
        let mut options = vec![];
        if let Some(fill) = shape.path.fill() {
            options.extend(filled(fill, shape.opacity)?);
        }
        if let Some(stroke) = shape.path.stroke() {
            options.extend(drawn_line(stroke, &shape)?);
        }
        if !options.is_empty() {
            add(options, &shape);
        }
        if let Some(Paint::Pattern(_)) = shape.path.fill().map(Fill::paint) {
            add(vec!["pattern=north east lines".to_owned(), "pattern color=white".to_owned()], &shape);
        }
        Ok(())
    })?;
    for node in texts(svg)? {
        let _ = writeln!(drawn, "  {node}");
    }
    // Without the comment sign, the end of the line would add a space beside the picture.
    drawn += "\\end{tikzpicture}%\n";
    Ok(drawn)
}

fn rgb(color: Color) -> String {
    format!("{{rgb,255:red,{};green,{};blue,{}}}", color.red, color.green, color.blue)
}

/// The options of an area. The hatching of a pattern is drawn above its background.
fn filled(fill: &Fill, opacity: f32) -> Result<Vec<String>, String> {
    let color = match fill.paint() {
        Paint::Color(color) => *color,
        Paint::Pattern(pattern) => match pattern.root().children().first() {
            Some(Node::Path(ground)) => match ground.fill().map(Fill::paint) {
                Some(Paint::Color(color)) => *color,
                _ => return Err("a pattern without a ground".to_owned()),
            },
            _ => return Err("a pattern without a ground".to_owned()),
        },
        Paint::LinearGradient(_) | Paint::RadialGradient(_) => return Err("a gradient".to_owned()),
    };
    let mut options = vec![format!("fill={}", rgb(color))];
    let opacity = fill.opacity().get() * opacity;
    if opacity < 1.0 {
        options.push(format!("fill opacity={opacity}"));
    }
    if fill.rule() == FillRule::EvenOdd {
        options.push("even odd rule".to_owned());
    }
    Ok(options)
}

/// The options of a line.
fn drawn_line(stroke: &Stroke, shape: &Shape<'_>) -> Result<Vec<String>, String> {
    let Paint::Color(color) = stroke.paint() else { return Err("a line of no colour".to_owned()) };
    let points = |length: f32| length * shape.scale * POINTS_A_PIXEL;
    let mut options =
        vec![format!("draw={}", rgb(*color)), format!("line width={:.3}bp", points(stroke.width().get()))];
    let opacity = stroke.opacity().get() * shape.opacity;
    if opacity < 1.0 {
        options.push(format!("draw opacity={opacity}"));
    }
    match stroke.linecap() {
        LineCap::Butt => {}
        LineCap::Round => options.push("line cap=round".to_owned()),
        LineCap::Square => options.push("line cap=rect".to_owned()),
    }
    match stroke.linejoin() {
        LineJoin::Miter | LineJoin::MiterClip => {}
        LineJoin::Round => options.push("line join=round".to_owned()),
        LineJoin::Bevel => options.push("line join=bevel".to_owned()),
    }
    if let Some(dashes) = stroke.dasharray() {
        let part = |(place, length): (usize, &f32)| {
            format!("{} {:.3}bp", if place % 2 == 0 { "on" } else { "off" }, points(*length))
        };
        let parts: Vec<String> = dashes.iter().enumerate().map(part).collect();
        options.push(format!("dash pattern={}", parts.join(" ")));
    }
    Ok(options)
}

fn at(point: Point) -> String {
    format!("({:.2},{:.2})", point.x, point.y)
}

fn trace(shape: &Shape<'_>) -> String {
    let part = |part: Part| match part {
        Part::Move(to) => at(to),
        Part::Line(to) => format!("-- {}", at(to)),
        Part::Curve([one, other, to]) => format!(".. controls {} and {} .. {}", at(one), at(other), at(to)),
        Part::Close => "-- cycle".to_owned(),
    };
    parts(&shape.outline).map(part).collect::<Vec<_>>().join(" ")
}

/// The texts of a document as nodes.
fn texts(svg: &str) -> Result<Vec<String>, String> {
    let document = Document::parse(svg).map_err(|error| error.to_string())?;
    document.descendants().filter(|node| node.has_tag_name("text")).map(node).collect()
}

/// The value of an attribute of an element, or of the nearest enclosing element that has it.
fn inherited<'document>(element: Element<'document, '_>, name: &str) -> Option<&'document str> {
    element.ancestors().find_map(|around| around.attribute(name))
}

fn node(element: Element<'_, '_>) -> Result<String, String> {
    let size = pixels(inherited(element, "font-size").unwrap_or("16"), 16.0)?;
    let length = |name: &str| element.attribute(name).map_or(Ok(0.0), |value| pixels(value, size));
    let mut place = Point::from_xy(length("x")? + length("dx")?, length("y")? + length("dy")?);
    let anchor = match inherited(element, "text-anchor") {
        None | Some("start") => "base west",
        Some("middle") => "base",
        Some("end") => "base east",
        Some(other) => return Err(format!("text-anchor \"{other}\"")),
    };
    let points = size * POINTS_A_PIXEL;
    let mut options = vec![
        format!("anchor={anchor}"),
        "inner sep=0pt".to_owned(),
        format!("font=\\fontsize{{{points:.2}bp}}{{{points:.2}bp}}\\selectfont"),
    ];
    if let Some(color) = inherited(element, "fill").filter(|fill| *fill != "currentColor") {
        options.push(format!("text={}", hexadecimal(color)?));
    }
    if let Some(opacity) = element.attribute("opacity").filter(|opacity| *opacity != "1") {
        options.push(format!("text opacity={opacity}"));
    }
    if let Some(turn) = element.attribute("transform") {
        let numbers =
            turn.strip_prefix("rotate(").and_then(|rest| rest.strip_suffix(')')).unwrap_or_default();
        let numbers: Vec<f32> = numbers.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        let [angle, x, y] = numbers[..] else { return Err(format!("transform \"{turn}\"")) };
        Transform::from_rotate_at(angle, x, y).map_point(&mut place);
        options.push(format!("rotate={}", -angle));
    }
    let text: String =
        element.descendants().filter(Element::is_text).filter_map(|node| node.text()).collect();
    let text = latex_text(text.trim());
    let text = if element.attribute("stroke").is_some() { format!("\\bfseries {text}") } else { text };
    Ok(format!("\\node[{}] at {} {{{text}}};", options.join(", "), at(place)))
}

/// A colour as `#0072b2`, or one of the names that plotters use.
fn hexadecimal(color: &str) -> Result<String, String> {
    let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6);
    let part = |place: usize| {
        let pair = digits.and_then(|digits| digits.get(2 * place..2 * place + 2));
        pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).ok_or_else(|| format!("colour \"{color}\""))
    };
    Ok(rgb(Color::new_rgb(part(0)?, part(1)?, part(2)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_paths_and_texts_are_nodes() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\" font-size=\"12\">\
                   <rect x=\"1\" y=\"2\" width=\"8\" height=\"4\" fill=\"#0072b2\"/>\
                   <line x1=\"0\" y1=\"0\" x2=\"4\" y2=\"4\" fill=\"none\" stroke=\"#000000\" stroke-dasharray=\"2 3\"/>\
                   <text x=\"9\" y=\"20\" text-anchor=\"end\" fill=\"currentColor\">50% &amp; a_b</text>\
                   <text x=\"8\" y=\"7\" transform=\"rotate(270, 8, 7)\" fill=\"#d55e00\">up</text></svg>";
        let expected = "% In the preamble: \\usepackage[T1]{fontenc} \\usepackage{tikz} \\usetikzlibrary{patterns}\n\
            \\begin{tikzpicture}[x=0.75bp, y=-0.75bp, transform shape,\n  \
            scale={min(1, \\linewidth/30.00bp)}]\n  \
            \\path[fill={rgb,255:red,0;green,114;blue,178}] (1.00,2.00) -- (9.00,2.00) -- (9.00,6.00) -- (1.00,6.00) -- cycle;\n  \
            \\path[draw={rgb,255:red,0;green,0;blue,0}, line width=0.750bp, dash pattern=on 1.500bp off 2.250bp] (0.00,0.00) -- (4.00,4.00);\n  \
            \\node[anchor=base east, inner sep=0pt, font=\\fontsize{9.00bp}{9.00bp}\\selectfont] at (9.00,20.00) {50\\% \\& a\\_b};\n  \
            \\node[anchor=base west, inner sep=0pt, font=\\fontsize{9.00bp}{9.00bp}\\selectfont, text={rgb,255:red,213;green,94;blue,0}, rotate=-270] at (8.00,7.00) {up};\n\
            \\end{tikzpicture}%\n";
        assert_eq!(tikz(svg).unwrap(), expected);
    }
}
