//! The paper that pictures are drawn on, and the shapes that they are made of.

use cubefold_formats::input::printable;
use svg::{
    Document, Node,
    node::{
        Blob,
        element::{
            Circle, Definitions, Description, Element, Group, Line, Path, Pattern, Rectangle, Style, Text,
            Title,
        },
    },
};

use crate::{
    font::{FONT_FAMILIES, fitted},
    palette::{BLOCKED, HeatStep},
    picture::Picture,
};

/// The height of most letters \[pixels\].
pub(crate) const TEXT: f64 = 12.0;

/// The height of letters of titles \[pixels\].
pub(crate) const TITLE: f64 = 15.0;

/// The dashes of links that are down.
const FAILED: [(&str, &str); 3] =
    [("stroke", "#d55e00"), ("stroke-width", "1.8"), ("stroke-dasharray", "2 3")];

/// The colours of text and paper, on light and on dark pages.
const INK: &str = "#000000";
const PAPER: &str = "#ffffff";
const INK_ON_DARK: &str = "#e8e8e8";
const DARK_PAPER: &str = "#16181b";

/// A point \[pixels\], from the upper left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    /// The point that lies this far across and down from here.
    pub(crate) fn plus(self, across: f64, down: f64) -> Self {
        Self { x: self.x + across, y: self.y + down }
    }

    /// The point at a share of the way to another.
    pub(crate) fn towards(self, other: Self, share: f64) -> Self {
        self.plus(share * (other.x - self.x), share * (other.y - self.y))
    }

    /// The point at a distance towards another, but not beyond the middle.
    pub(crate) fn leaving(self, other: Self, distance: f64) -> Self {
        self.towards(other, (distance / self.distance(other).max(1e-9)).min(0.5))
    }

    /// The distance to another point.
    pub(crate) fn distance(self, other: Self) -> f64 {
        (other.x - self.x).hypot(other.y - self.y)
    }
}

/// A rectangle \[pixels\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A count as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "53 bits hold more places than a sheet has")]
pub(crate) fn as_drawn(count: u64) -> f64 {
    count as f64
}

/// The alignment of a text at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A picture in progress.
///
/// Names may contain anything: every text and title is written as [`printable`] shows it, so the document has no control
/// characters and no marks of writing direction.
///
/// Text, lines and paper have fixed colours, light or dark according to the `color-scheme` of the page around the
/// picture, since text of the page's colour could vanish on the paper. The paper can be left out.
#[derive(Debug)]
pub(crate) struct Sheet {
    document: Document,
    width: f64,
    group: Option<Group>, // receives the marks while it is open
}

impl Sheet {
    /// An empty sheet with a title for screen readers, and a description.
    pub(crate) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let (width, height) = (width.ceil(), height.ceil());
        let mut document = Document::new()
            .set("width", width)
            .set("height", height)
            .set("viewBox", (0, 0, width, height))
            .set("role", "img")
            .set("class", "picture")
            .set("color", INK)
            .set("font-family", FONT_FAMILIES)
            .set("font-size", TEXT);
        document.append(Title::new(printable(title)));
        document.append(Description::new().add(svg::node::Text::new(printable(description))));
        document.append(Definitions::new().add(hatching()));
        document.append(Style::new(format!(
            "@supports (color:light-dark(red,red)){{svg.picture{{color:light-dark({INK},{INK_ON_DARK})}}\
             svg.picture>.paper{{fill:light-dark({PAPER},{DARK_PAPER})}}}}"
        )));
        let paper = Rectangle::new().set("class", "paper").set("width", width).set("height", height);
        document.append(paper.set("fill", PAPER));
        Self { document, width, group: None }
    }

    /// The finished picture.
    pub(crate) fn finish(mut self) -> Picture {
        self.close();
        // XML cannot contain these two noncharacters (XML 1.0, production 2).
        Picture::new(format!("{}\n", self.document).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
    }

    /// Opens a group: the following marks share these properties.
    pub(crate) fn open(&mut self, properties: &[(&str, &str)]) {
        self.close();
        self.group = Some(with_properties(Group::new(), properties));
    }

    /// Ends a group.
    pub(crate) fn close(&mut self) {
        if let Some(group) = self.group.take() {
            self.document.append(group);
        }
    }

    /// A text; nothing in it is markup.
    pub(crate) fn text(&mut self, text: &str, at: Point, size: f64, anchor: Anchor) {
        let node = letters(text, at, size).set("fill", "currentColor");
        let node = match anchor {
            Anchor::Start => node,
            Anchor::Middle => node.set("text-anchor", "middle"),
            Anchor::End => node.set("text-anchor", "end"),
        };
        self.append(node);
    }

    /// A text in bold letters: a heading.
    pub(crate) fn heading(&mut self, text: &str, at: Point, size: f64) {
        let node = letters(text, at, size).set("fill", "currentColor");
        self.append(node.set("stroke", "currentColor").set("stroke-width", 0.4));
    }

    /// A text with the properties of the open group.
    pub(crate) fn label(&mut self, text: &str, at: Point, size: f64) {
        self.append(letters(text, at, size));
    }

    /// The picture's name at its top, cut off at the edge; the document's title has it in full.
    pub(crate) fn caption(&mut self, text: &str) {
        let fitting = fitted(text, TITLE, self.width - 16.0);
        self.text(&fitting, Point { x: 8.0, y: 22.0 }, TITLE, Anchor::Start);
    }

    /// A filled rectangle; `title` is shown under the pointer.
    pub(crate) fn mark(&mut self, area: Area, fill: &str, title: &str) {
        let node = rectangle(area);
        self.append_mark(if fill.is_empty() { node } else { node.set("fill", fill) }, title);
    }

    /// A filled rectangle without a title.
    pub(crate) fn swatch(&mut self, area: Area, fill: &str) {
        self.append(rectangle(area).set("fill", fill));
    }

    /// Defines the steps of heat maps on a dark background, for pages with `color-scheme`. Readers without
    /// `light-dark()` show the colours of the marks.
    pub(crate) fn define_heat(&mut self) {
        let rule = |step: HeatStep| {
            let (class, light, dark) = (step.class(), step.color(), step.color_on_dark());
            format!(
                "path.{class}{{stroke:light-dark({light},{dark})}}rect.{class}{{fill:light-dark({light},{dark})}}"
            )
        };
        let rules: String = HeatStep::all().map(rule).collect();
        self.document.append(Style::new(format!("@supports (color:light-dark(red,red)){{{rules}}}")));
    }

    /// A filled rectangle of a step of a heat map; `title` is shown under the pointer, and without one it is no mark.
    pub(crate) fn heat_swatch(&mut self, area: Area, step: HeatStep, title: &str) {
        let class = if title.is_empty() { step.class() } else { format!("mark {}", step.class()) };
        self.append(with_title(rectangle(area).set("class", class).set("fill", step.color()), title));
    }

    /// A link of a heat map from SVG path data; `title` is shown under the pointer.
    pub(crate) fn heat_line(&mut self, description: &str, step: HeatStep, width: &str, title: &str) {
        let node = Path::new().set("d", description).set("fill", "none").set("stroke", step.color());
        let node = node.set("stroke-width", width).set("class", format!("mark {}", step.class()));
        self.append(with_title(node, title));
    }

    /// A link that is down, from SVG path data: dashed, with a cross at its middle if that is drawn.
    pub(crate) fn failed_link(&mut self, description: &str, middle: Option<Point>, title: &str) {
        self.path(description, &FAILED, title);
        if let Some(Point { x, y }) = middle {
            let cross = format!("M{} {}l7 7m0 -7l-7 7", rounded(x - 3.5), rounded(y - 3.5));
            self.path(&cross, &[("stroke", FAILED[0].1), ("stroke-width", "1.8")], "");
        }
    }

    /// A rectangle with rounded corners and an edge, empty or filled; `title` is shown under the pointer.
    pub(crate) fn node_box(&mut self, area: Area, fill: &str, title: &str) {
        let node = rectangle(area).set("rx", 5).set("fill", fill);
        self.append_mark(node.set("stroke", "currentColor").set("stroke-width", 1), title);
    }

    /// A straight line; `title` is shown under the pointer, and without one it is no mark.
    pub(crate) fn line(&mut self, from: Point, to: Point, properties: &[(&str, &str)], title: &str) {
        let node = Line::new().set("x1", rounded(from.x)).set("y1", rounded(from.y));
        let node = node.set("x2", rounded(to.x)).set("y2", rounded(to.y));
        self.append_mark(with_properties(node, properties), title);
    }

    /// A filled outline from SVG path data; `title` is shown under the pointer, and without one it is no mark.
    pub(crate) fn shape(&mut self, outline: &str, fill: &str, title: &str) {
        self.append_mark(Path::new().set("d", outline).set("fill", fill), title);
    }

    /// A round mark without a title, with the properties of the open group.
    pub(crate) fn point(&mut self, at: Point, radius: f64) {
        self.append(disc(at, radius));
    }

    /// An empty circle around a point; `title` is shown under the pointer.
    pub(crate) fn ring(&mut self, at: Point, title: &str) {
        self.append_hollow(disc(at, 7.0), 1.5, title);
    }

    /// A filled circle; `title` is shown under the pointer.
    pub(crate) fn full_disc(&mut self, at: Point, radius: f64, fill: &str, title: &str) {
        self.append_mark(disc(at, radius).set("fill", fill), title);
    }

    /// A circle of the colour of the paper with a coloured edge; `title` is shown under the pointer. It is in no group.
    pub(crate) fn empty_disc(&mut self, at: Point, radius: f64, edge: &str, title: &str) {
        let node = disc(at, radius).set("class", "mark paper").set("fill", PAPER);
        self.append(with_title(node.set("stroke", edge).set("stroke-width", 2), title));
    }

    /// A round node; `title` is shown under the pointer.
    pub(crate) fn host(&mut self, at: Point, radius: f64, title: &str) {
        self.append_hollow(disc(at, radius), 0.8, title);
    }

    /// A square node; `title` is shown under the pointer.
    pub(crate) fn switch(&mut self, at: Point, reach: f64, title: &str) {
        let area = Area { x: at.x - reach, y: at.y - reach, width: 2.0 * reach, height: 2.0 * reach };
        self.append_hollow(rectangle(area), 1.6, title);
    }

    /// The outline of a circle without a title.
    pub(crate) fn circle(&mut self, at: Point, radius: f64) {
        self.append(
            disc(at, radius).set("fill", "none").set("stroke", "currentColor").set("stroke-width", 1.5),
        );
    }

    /// A curve or polyline from SVG path data; `title` is shown under the pointer, and without one it is no mark.
    pub(crate) fn path(&mut self, description: &str, properties: &[(&str, &str)], title: &str) {
        let node = Path::new().set("d", description).set("fill", "none");
        self.append_mark(with_properties(node, properties), title);
    }

    /// A part of a document drawn by another library.
    pub(crate) fn embed(&mut self, svg: String) {
        self.append(Blob::new(svg));
    }

    /// Appends a node with an edge in the colour of text, whose transparent inside also shows the title under the pointer.
    fn append_hollow(&mut self, node: impl Into<Element>, edge: f64, title: &str) {
        let fixed = [("fill", "#ffffff"), ("fill-opacity", "0"), ("stroke", "currentColor")];
        let mut node = with_properties(node.into(), &fixed);
        node.assign("stroke-width", edge);
        self.append_mark(node, title);
    }

    /// Appends a node, which is a mark if it has a title.
    fn append_mark(&mut self, node: impl Into<Element>, title: &str) {
        let mut node = node.into();
        if !title.is_empty() {
            node.assign("class", "mark");
        }
        self.append(with_title(node, title));
    }

    fn append(&mut self, node: impl Into<Box<dyn Node>>) {
        match &mut self.group {
            Some(group) => group.append(node),
            None => self.document.append(node),
        }
    }
}

fn letters(text: &str, at: Point, size: f64) -> Text {
    Text::new(printable(text)).set("x", rounded(at.x)).set("y", rounded(at.y)).set("font-size", size)
}

fn disc(at: Point, radius: f64) -> Circle {
    Circle::new().set("cx", rounded(at.x)).set("cy", rounded(at.y)).set("r", radius)
}

fn with_properties<N: Node>(mut node: N, properties: &[(&str, &str)]) -> N {
    properties.iter().for_each(|&(name, value)| node.assign(name, value));
    node
}

fn rectangle(area: Area) -> Rectangle {
    Rectangle::new()
        .set("x", rounded(area.x))
        .set("y", rounded(area.y))
        .set("width", rounded(area.width))
        .set("height", rounded(area.height))
}

fn with_title<N: Into<Element>>(node: N, title: &str) -> Element {
    let mut node: Element = node.into();
    if !title.is_empty() {
        node.append(Title::new(printable(title)));
    }
    node
}

/// The hatching of blocked times, which distinguishes them without colour.
fn hatching() -> Pattern {
    let region = Rectangle::new().set("width", 4).set("height", 4).set("fill", BLOCKED);
    let stripe = Path::new().set("d", "M-1 1L1 -1M0 4L4 0M3 5L5 3").set("stroke", "#ffffff");
    Pattern::new()
        .set("id", "blocked")
        .set("width", 4)
        .set("height", 4)
        .set("patternUnits", "userSpaceOnUse")
        .add(region)
        .add(stripe.set("stroke-width", 0.8))
}

/// A line through points, as SVG path data.
pub(crate) fn polyline(points: &[Point]) -> String {
    let steps: Vec<String> =
        points.iter().map(|point| format!("{} {}", rounded(point.x), rounded(point.y))).collect();
    format!("M{}", steps.join("L"))
}

/// A curve between two points, by its control point, as SVG path data.
pub(crate) fn curved(from: Point, control: Point, to: Point) -> String {
    let [x, y, mx, my, to_x, to_y] = [from.x, from.y, control.x, control.y, to.x, to.y].map(rounded);
    format!("M{x} {y}Q{mx} {my} {to_x} {to_y}")
}

/// A coordinate to a hundredth of a pixel: more digits only make files larger.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
