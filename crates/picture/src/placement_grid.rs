//! The machine with the processes of its nodes, as in figures 2, 3 and 6 of González & Valero-García
//! 1993.

use cubefold_mapping::Placement;
use cubefold_scenario::Run;
use cubefold_topology::NodeId;

use crate::{
    error::PictureError,
    font::{fitted, text_width},
    guest_edges::draw_guest_edges,
    legend::{Legend, Sign},
    link_paths::{LinkPath, PlannedLink, planned_links},
    machine_name::machine_name,
    machine_plan::{MachinePlan, check_machine},
    picture::Picture,
    sheet::{Anchor, Area, Point, Sheet, TEXT, TITLE},
};

/// The greatest width to which a caption widens a sheet \[pixels\].
pub(crate) const MAX_CAPTION_WIDTH: f64 = 960.0;

/// The reach of wraparound stubs out of their node, in distances between neighbours.
const STUB: f64 = 0.8;

/// The colour of nodes that are down.
const DOWN: &str = "#d0d0d0";

/// The greatest width of a node's label \[pixels\]; only the first of many processes are shown.
const MAX_LABEL_WIDTH: f64 = 96.0;

/// The width of a node, as a share of the distance between neighbours.
const NODE_WIDTH: f64 = 0.62;

/// Draws the processes on their nodes, the links between neighbours and, if a guest dimension is named, its edges.
/// Wraparound links are stubs on both sides, and links that are down are dashed.
///
/// # Errors
///
/// When [`check_machine`] refuses the machine, or the guest has no such dimension.
pub fn placement_grid(run: &Run, dimension: Option<usize>) -> Result<Picture, PictureError> {
    check_machine(&run.machine)?;
    let placement = &*run.placement;
    let last = run.program.guest().dimension_count() - 1;
    if let Some(found) = dimension.filter(|&dimension| dimension > last) {
        return Err(PictureError::NoSuchDimension { found, last });
    }
    let labels: Vec<String> = run.machine.nodes().map(|node| label(placement, node)).collect();
    let widest = labels.iter().map(|label| text_width(label, TEXT)).fold(0.0, f64::max).min(MAX_LABEL_WIDTH);
    let step = ((widest + 10.0) / NODE_WIDTH).max(40.0);
    let is_failing = run.machine.failures().is_some();
    let origin = Point { x: 8.0, y: if is_failing { 56.0 } else { 34.0 } };
    let plan = MachinePlan::new(run, step, origin);
    let links = planned_links(&plan);
    let caption = caption(run, dimension);
    let width = plan.width().max(text_width(&caption, TITLE).min(MAX_CAPTION_WIDTH)) + 2.0 * origin.x;
    let mut sheet = Sheet::new(width, plan.height() + origin.y + 8.0, &caption, &described(run));
    sheet.caption(&caption);
    for (title, at) in plan.layer_titles() {
        sheet.text(&title, at, TEXT, Anchor::Start);
    }
    if let Some(legend) = legend(run, &links, width) {
        legend.draw(&mut sheet, 46.0);
    }
    draw_links(&mut sheet, &plan, &links);
    if let Some(dimension) = dimension {
        draw_guest_edges(&mut sheet, &plan, run, dimension);
    }
    draw_nodes(&mut sheet, &plan, run, &labels);
    Ok(sheet.finish())
}

fn caption(run: &Run, dimension: Option<usize>) -> String {
    let edges = dimension.map_or_else(String::new, |dimension| format!(", edges of dimension {dimension}"));
    format!("{} on {}{edges}", run.embedding, machine_name(run))
}

fn described(run: &Run) -> String {
    format!(
        "The nodes of {} with the processes that the {} embedding puts on them; the first coordinate across, the \
         second down.",
        machine_name(run),
        run.embedding
    )
}

/// The processes of a node.
fn label(placement: &Placement, node: NodeId) -> String {
    let processes: Vec<String> = placement.processes(node).map(|process| process.to_string()).collect();
    processes.join("+")
}

/// Draws the links of the first two dimensions, and all links of a network; other links lead from layer to layer.
fn draw_links(sheet: &mut Sheet, plan: &MachinePlan<'_>, links: &[PlannedLink]) {
    let half = Point { x: plan.step * NODE_WIDTH / 2.0, y: node_height(plan) / 2.0 };
    let leave = |from: Point, to: Point| on_edge(from, to, half);
    let (working, down): (Vec<&PlannedLink>, Vec<&PlannedLink>) =
        links.iter().partition(|link| !link.is_down);
    sheet.open(&[("stroke", "currentColor"), ("stroke-width", "1"), ("stroke-opacity", "0.45")]);
    for link in working {
        let dashes = [("stroke-dasharray", "3 2")];
        let is_stub = matches!(link.path, LinkPath::Stubs(_));
        if let Some(line) = link.path.description(leave, STUB) {
            sheet.path(&line, if is_stub { &dashes } else { &[] }, "");
        }
    }
    sheet.close();
    for link in down {
        if let Some(line) = link.path.description(leave, STUB) {
            let [near, far] = [link.near, link.far].map(|node| plan.address_text(node));
            sheet.failed_link(&line, link.path.middle(), &format!("link ({near}) to ({far}): down"));
        }
    }
}

/// The point at which a line from the middle of a node leaves its box, given half its width and height.
fn on_edge(from: Point, to: Point, half: Point) -> Point {
    let (across, down) = (to.x - from.x, to.y - from.y);
    let share = |half: f64, way: f64| if way.abs() > 1e-9 { half / way.abs() } else { f64::INFINITY };
    from.towards(to, share(half.x, across).min(share(half.y, down)).min(1.0))
}

fn node_height(plan: &MachinePlan<'_>) -> f64 {
    (plan.step * NODE_WIDTH).min(26.0)
}

/// The legend of links and nodes that are down.
fn legend(run: &Run, links: &[PlannedLink], width: f64) -> Option<Legend> {
    let failed_link = links.iter().any(|link| link.is_down);
    let failed_node = run.machine.failures().is_some_and(|failures| !failures.nodes.is_empty());
    let entries = [
        failed_link.then(|| ("a link that is down".to_owned(), Sign::FailedLink)),
        failed_node.then(|| ("a node that is down".to_owned(), Sign::Filled(DOWN))),
    ];
    let entries: Vec<_> = entries.into_iter().flatten().collect();
    (!entries.is_empty()).then(|| Legend::new(entries, 18.0, width))
}

fn draw_nodes(sheet: &mut Sheet, plan: &MachinePlan<'_>, run: &Run, labels: &[String]) {
    let (width, height) = (plan.step * NODE_WIDTH, node_height(plan));
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
            _ if is_down => DOWN,
            "" if !run.machine.is_host(node) => "#f3e3c0",
            "" => "none",
            _ => "#cfe6f5",
        };
        sheet.node_box(area, fill, &format!("node ({}): {holds}", plan.address_text(node)));
    }
    // On a pale region, independent of the colour of the page.
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
    use crate::support::{self, run};

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
        // Eight rows and columns, each with a link around.
        assert_eq!(picture.svg().matches("stroke-dasharray").count(), 8);
    }

    #[test]
    fn links_and_nodes_that_are_down_are_drawn_and_explained() {
        let run = run(
            &TORUS.replace("[program]", "failed_links = [[[0, 1], [1, 1]], [[3, 3], [0, 3]]]\n[program]")
        );
        let picture = placement_grid(&run, None).unwrap();
        assert!(picture.svg().contains("<title>link (0, 1) to (1, 1): down</title>"), "{}", picture.svg());
        assert_eq!(picture.svg().matches(": down</title>").count(), 2);
        assert!(
            picture.svg().contains("\na link that is down\n") && picture.svg().contains(", 2 links down")
        );
        assert!(!placement_grid(&support::run(TORUS), None).unwrap().svg().contains("is down"));
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
