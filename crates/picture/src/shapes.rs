//! The shapes of a document, for formats made of lines and areas, in painting order.

use resvg::{
    tiny_skia::{Path as Outline, PathSegment, Point},
    usvg::{Group, Node, Path},
};

/// A shape with its share of the opacity of the groups around it.
pub(crate) struct Shape<'tree> {
    pub(crate) path: &'tree Path,
    pub(crate) opacity: f32,
    /// Its outline on the page \[pixels\].
    pub(crate) outline: Outline,
    /// The scale from its group to the page.
    pub(crate) scale: f32,
}

/// Visits the shapes of a group, from the lowest to the uppermost. The opacity of groups is passed to their shapes.
///
/// # Errors
///
/// When the group has an image, text that is not outlined, a mask or a filter, none of which pictures have.
pub(crate) fn visit_shapes<'tree>(
    group: &'tree Group,
    visit: &mut dyn FnMut(Shape<'tree>) -> Result<(), String>,
) -> Result<(), String> {
    visit_group(group, 1.0, visit)
}

fn visit_group<'tree>(
    group: &'tree Group,
    opacity: f32,
    visit: &mut dyn FnMut(Shape<'tree>) -> Result<(), String>,
) -> Result<(), String> {
    // Pictures clip nothing. The only clips are the page and the tiles of patterns, which every format has anyway.
    if group.mask().is_some() || !group.filters().is_empty() {
        return Err("a mask or filter".to_owned());
    }
    let opacity = opacity * group.opacity().get();
    for node in group.children() {
        match node {
            Node::Group(group) => visit_group(group, opacity, visit)?,
            Node::Path(path) if path.is_visible() => {
                let transform = path.abs_transform();
                // An outline without finite points is not drawn.
                let Some(outline) = path.data().clone().transform(transform) else { continue };
                let scale = (transform.sx * transform.sy - transform.kx * transform.ky).abs().sqrt();
                visit(Shape { path, opacity, outline, scale })?;
            }
            Node::Path(_) => {}
            Node::Image(_) => return Err("an image".to_owned()),
            Node::Text(_) => return Err("a text that is no outline".to_owned()),
        }
    }
    Ok(())
}

/// A part of an outline.
pub(crate) enum Part {
    /// Another contour begins.
    Move(Point),
    /// A straight line.
    Line(Point),
    /// A curve with two control points, and its end.
    Curve([Point; 3]),
    /// The contour is closed.
    Close,
}

/// The parts of an outline, all curves with two control points.
pub(crate) fn parts(outline: &Outline) -> impl Iterator<Item = Part> {
    let mut at = Point::zero();
    outline.segments().map(move |segment| {
        let from = at;
        match segment {
            PathSegment::MoveTo(to) => {
                at = to;
                Part::Move(to)
            }
            PathSegment::LineTo(to) => {
                at = to;
                Part::Line(to)
            }
            PathSegment::QuadTo(control, to) => {
                at = to;
                let towards = |end: Point| {
                    Point::from_xy(
                        end.x + (control.x - end.x) * 2.0 / 3.0,
                        end.y + (control.y - end.y) * 2.0 / 3.0,
                    )
                };
                Part::Curve([towards(from), towards(to), to])
            }
            PathSegment::CubicTo(one, other, to) => {
                at = to;
                Part::Curve([one, other, to])
            }
            PathSegment::Close => Part::Close,
        }
    })
}
