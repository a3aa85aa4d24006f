//! The machine with the processes of its nodes, as figures 2, 3 and 6 of González & Valero-García
//! 1993 draw it.

use cubefold_experiment::Run;
use cubefold_mapping::Placement;
use cubefold_topology::{Channel, Direction, HostDimension, Machine, NodeId, Sign};

use crate::{
    error::PictureError,
    font::{fitted, text_width},
    machine_plan::{MachinePlan, check_machine},
    picture::Picture,
    sheet::{Anchor, Area, Point, Sheet, TEXT, TITLE, rounded},
};

/// The caption makes a sheet no wider than this \[pixels\].
pub(crate) const MAX_CAPTION_WIDTH: f64 = 640.0;

/// The most that an edge of a guest bends from the straight line, in distances between neighbours.
const MAX_BEND: f64 = 1.4;

/// The widest label of a node \[pixels\]: of many processes the first are shown.
const MAX_LABEL_WIDTH: f64 = 96.0;

/// The width of a node, as a share of the distance between neighbours.
const NODE_WIDTH: f64 = 0.62;

/// Draws the processes on their nodes, the links between neighbours (those around end in stubs on
/// both sides) and, where a guest dimension is named, its edges.
///
/// # Errors
///
/// As [`check_machine`], and when the guest has no such dimension.
pub fn placement_grid(run: &Run, dimension: Option<usize>) -> Result<Picture, PictureError> {
    check_machine(&run.machine)?;
    let placement = &*run.placement;
    let last = run.program.dimension_count() - 1;
    if let Some(found) = dimension.filter(|&dimension| dimension > last) {
        return Err(PictureError::NoSuchDimension { found, last });
    }
    let labels: Vec<String> = run.machine.nodes().map(|node| label(placement, node)).collect();
    let widest = labels.iter().map(|label| text_width(label, TEXT)).fold(0.0, f64::max).min(MAX_LABEL_WIDTH);
    let step = ((widest + 10.0) / NODE_WIDTH).max(40.0);
    let origin = Point { x: 8.0, y: 34.0 };
    let plan = MachinePlan::new(run, step, origin);
    let caption = caption(run, dimension);
    let width = plan.width().max(text_width(&caption, TITLE).min(MAX_CAPTION_WIDTH)) + 2.0 * origin.x;
    let mut sheet = Sheet::new(width, plan.height() + origin.y + 8.0, &caption, &described(run));
    sheet.caption(&caption);
    for (title, at) in plan.layer_titles() {
        sheet.text(&title, at, TEXT, Anchor::Start);
    }
    draw_links(&mut sheet, &plan);
    if let Some(dimension) = dimension {
        draw_edges(&mut sheet, &plan, run, dimension);
    }
    draw_nodes(&mut sheet, &plan, run, &labels);
    Ok(sheet.finish())
}

fn caption(run: &Run, dimension: Option<usize>) -> String {
    let edges = dimension.map_or_else(String::new, |dimension| format!(", edges of dimension {dimension}"));
    format!("{} on {}{edges}", run.embedding, shape(run))
}

fn described(run: &Run) -> String {
    format!(
        "The nodes of {} with the processes that the {} embedding puts on them; the first coordinate across, the \
         second down.",
        shape(run),
        run.embedding
    )
}

fn shape(run: &Run) -> String {
    let named = |machine: &Machine| {
        let lengths: Vec<String> = machine.shape().lengths().iter().map(ToString::to_string).collect();
        format!("{} {}", machine.kind(), lengths.join("x"))
    };
    match &run.partition {
        Some(partition) => format!("{} in {}", named(&run.machine), named(partition.whole())),
        None => named(&run.machine),
    }
}

/// The processes of a node.
fn label(placement: &Placement, node: NodeId) -> String {
    let processes: Vec<String> = placement.processes(node).map(|process| process.to_string()).collect();
    processes.join("+")
}

/// Draws the links of the first two dimensions; the others lead from layer to layer.
fn draw_links(sheet: &mut Sheet, plan: &MachinePlan<'_>) {
    let machine = plan.machine;
    sheet.open(&[("stroke", "currentColor"), ("stroke-width", "1"), ("stroke-opacity", "0.35")]);
    if let Some(network) = machine.graph() {
        for (one, other) in network.links() {
            let (from, to) = (plan.middle(one), plan.middle(other));
            let around = [("stroke-dasharray", "3 2"), ("stroke-opacity", "0.15")];
            sheet.line(from, to, if plan.is_long(from, to) { &around } else { &[] }, "");
        }
        sheet.close();
        return;
    }
    for dimension in machine.shape().dimensions().take(2) {
        for node in machine.nodes() {
            let positive = Direction { dimension, sign: Sign::Positive };
            let Some(next) = machine.neighbour(node, positive) else { continue };
            // On a ring of two the one link is met from both sides.
            if machine.link(Channel { node, direction: positive }).near != node {
                continue;
            }
            let (from, to) = (plan.middle(node), plan.middle(next));
            if to.x >= from.x && to.y >= from.y {
                sheet.line(from, to, &[], "");
            } else {
                draw_stubs(sheet, plan, dimension, from, to);
            }
        }
    }
    sheet.close();
}

/// Draws a link around, or to the next row of a long line: its ends, outside of the row or column.
fn draw_stubs(
    sheet: &mut Sheet,
    plan: &MachinePlan<'_>,
    dimension: HostDimension,
    last: Point,
    first: Point,
) {
    let reach = plan.step * 0.8;
    let (x, y) = if dimension.number() == 1 { (reach, 0.0) } else { (0.0, reach) };
    let dashes = [("stroke-dasharray", "3 2")];
    sheet.line(last, Point { x: last.x + x, y: last.y + y }, &dashes, "");
    sheet.line(first, Point { x: first.x - x, y: first.y - y }, &dashes, "");
}

/// Draws the guest's edges of one dimension, bent so that none runs through the nodes between its
/// ends.
fn draw_edges(sheet: &mut Sheet, plan: &MachinePlan<'_>, run: &Run, dimension: usize) {
    sheet.open(&[("stroke", "#d55e00"), ("stroke-width", "1.6"), ("stroke-opacity", "0.8")]);
    for (one, other) in run.program.edges(dimension) {
        let (from, to) = (run.placement.node(one), run.placement.node(other));
        let distance = run.machine.distance(from, to);
        if from == to {
            continue;
        }
        let (from, to) = (plan.middle(from), plan.middle(to));
        let (across, down) = (to.x - from.x, to.y - from.y);
        let bend = (MAX_BEND * plan.step / across.hypot(down)).min(0.22);
        let middle = Point { x: from.x + across / 2.0 + down * bend, y: from.y + down / 2.0 - across * bend };
        let [x, y, mx, my, tx, ty] = [from.x, from.y, middle.x, middle.y, to.x, to.y].map(rounded);
        let title = format!("processes {one} and {other}: distance {distance}");
        sheet.path(&format!("M{x} {y}Q{mx} {my} {tx} {ty}"), &[], &title);
    }
    sheet.close();
}

fn draw_nodes(sheet: &mut Sheet, plan: &MachinePlan<'_>, run: &Run, labels: &[String]) {
    let (width, height) = (plan.step * NODE_WIDTH, (plan.step * NODE_WIDTH).min(26.0));
    for (node, label) in run.machine.nodes().zip(labels) {
        let middle = plan.middle(node);
        let area = Area { x: middle.x - width / 2.0, y: middle.y - height / 2.0, width, height };
        let is_down = run.machine.failures().is_some_and(|failures| failures.nodes.contains(&node));
        let holds = match label.as_str() {
            _ if is_down => "down".to_owned(),
            "" if !run.machine.is_host(node) => "a switch".to_owned(),
            "" => "no process".to_owned(),
            label if label.contains('+') => format!("processes {}", label.replace('+', ", ")),
            label => format!("process {label}"),
        };
        let fill = match label.as_str() {
            _ if is_down => "#d0d0d0",
            "" if !run.machine.is_host(node) => "#f3e3c0",
            "" => "none",
            _ => "#cfe6f5",
        };
        sheet.node_box(area, fill, &format!("node ({}): {holds}", plan.address_text(node)));
    }
    // On a pale region, whatever the colour of the page.
    sheet.open(&[("color", "#000000"), ("pointer-events", "none")]);
    for (node, label) in run.machine.nodes().zip(labels) {
        let middle = plan.middle(node);
        let label = fitted(label, TEXT, MAX_LABEL_WIDTH);
        sheet.text(&label, Point { x: middle.x, y: middle.y + 4.0 }, TEXT, Anchor::Middle);
    }
    sheet.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::run;

    const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\n[program]\nkind = \"cc-cube\"\n\
                         [mapping]\nembeddings = [\"xor\"]\n";

    #[test]
    fn every_node_says_its_process_and_every_edge_its_distance() {
        let run = run(TORUS);
        let picture = placement_grid(&run, Some(3)).unwrap();
        for node in run.machine.nodes() {
            let process = run.placement.processes(node).next().unwrap();
            let coordinates = run.machine.shape().coordinates(node);
            let [x, y] = coordinates.as_slice() else { panic!("two coordinates") };
            let title = format!("<title>node ({x}, {y}): process {process}</title>");
            assert_eq!(picture.svg().matches(&title).count(), 1, "{title}");
        }
        assert_eq!(picture.svg().matches(": distance ").count(), 8);
        // Eight rows and columns, each with a link around that ends in two stubs.
        assert_eq!(picture.svg().matches("stroke-dasharray").count(), 16);
    }

    #[test]
    fn dimensions_and_sizes_that_cannot_be_drawn_are_refused() {
        let error = placement_grid(&run(TORUS), Some(4)).unwrap_err();
        assert_eq!(error.to_string(), "guest dimension 4, expected 0 to 3");
        let large = TORUS.replace("[4, 4]", "[128, 64]");
        let error = placement_grid(&run(&large), None).unwrap_err();
        assert_eq!(error.to_string(), "8192 nodes, expected at most 4096");
    }
}
