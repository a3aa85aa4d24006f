//! One self-contained page on which messages travel over the links of their machines, run beside run with one clock.
//!
//! The page holds the transmissions of the runs ([`page_run`]) and a script that shows those of a cycle: a packet waits at the
//! node where its channel begins, or moves along the channel. Nodes lie as in [`link_map`](crate::link_map), those of a
//! ring on a circle.

use std::collections::BTreeMap;

use cubefold_experiment::{Run, printable};
use cubefold_mapping::ProcessId;
use cubefold_simulator::Transmission;
use cubefold_topology::{Extent, NodeId};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::{
    error::PictureError,
    link_paths::{LinkPath, PlannedLink, links, planned_links},
    machine_plan::MachinePlan,
    network_layout::circle,
    page::{printable_lines, security_policy},
    sheet::Point,
};

const STYLE: &str = include_str!("animation/style.css");
const SCRIPT: &str = include_str!("animation/script.js");

/// The most runs that are animated side by side.
pub const MAX_ANIMATED_RUNS: usize = 4;

/// The most nodes of a machine that is animated.
pub const MAX_ANIMATED_NODES: u64 = 1024;

/// The most transmissions of all runs of an animation, about 2 MB.
pub const MAX_ANIMATED_TRANSMISSIONS: u64 = 100_000;

/// The colours of stages, which repeat.
const STAGE_COLOURS: u32 = 8;

/// The distance between neighbours \[pixels\].
const STEP: f64 = 40.0;

/// The reach of wraparound stubs out of their node, in distances between neighbours.
const STUB: f64 = 0.75;

/// A run of an animation.
#[derive(Debug, Clone, Copy)]
pub struct AnimatedRun<'run> {
    /// Its name among the others.
    pub name: &'run str,
    /// The run.
    pub run: &'run Run,
    /// Its makespan \[cycles\].
    pub makespan: u64,
    /// Its transmissions, in the order of their begins, messages and packets.
    pub transmissions: &'run [Transmission],
}

/// Refuses runs that are too many, or on machines too large, to be animated.
///
/// # Errors
///
/// When there are more than [`MAX_ANIMATED_RUNS`] runs, or more than [`MAX_ANIMATED_NODES`] nodes.
pub fn check_animation<'run>(runs: impl ExactSizeIterator<Item = &'run Run>) -> Result<(), PictureError> {
    if runs.len() > MAX_ANIMATED_RUNS {
        return Err(PictureError::TooManyAnimated { found: runs.len(), most: MAX_ANIMATED_RUNS });
    }
    for run in runs {
        let found = run.machine.node_count();
        if found > MAX_ANIMATED_NODES {
            return Err(PictureError::TooManyNodes { found, most: MAX_ANIMATED_NODES });
        }
    }
    Ok(())
}

/// The page on which runs of a scenario are animated side by side.
///
/// # Errors
///
/// Those of [`check_animation`], and more than [`MAX_ANIMATED_TRANSMISSIONS`] transmissions.
pub fn animation(scenario: &str, runs: &[AnimatedRun<'_>]) -> Result<String, PictureError> {
    check_animation(runs.iter().map(|own| own.run))?;
    let found: u64 = runs.iter().map(|own| own.transmissions.len() as u64).sum();
    if found > MAX_ANIMATED_TRANSMISSIONS {
        return Err(PictureError::TooManyTransmissions { found, most: MAX_ANIMATED_TRANSMISSIONS });
    }
    let layouts: Vec<Layout> = runs.iter().map(|own| Layout::new(own.run)).collect();
    let pages: Vec<Value> = runs.iter().zip(&layouts).map(|(own, layout)| page_run(own, layout)).collect();
    // Nothing in it ends its element.
    let data = json!({ "colours": STAGE_COLOURS, "runs": pages }).to_string().replace('<', "\\u003c");
    Ok(printable_lines(&page(scenario, runs, &layouts, &data).into_string()))
}

/// A run as the script reads it.
///
/// - `name`, `makespan` \[cycles\];
/// - `latency`: the cycles from the end of a packet's last transmission to its receipt; 0 where links differ;
/// - `nodes`: by node, across and down \[pixels\];
/// - `links`: the two ends of each, and the points of its path where it is not straight: the control point of a curve, or
///   the ends of its two stubs;
/// - `messages`: stage, source and destination of each, and five numbers for each of its transmissions, by packet and begin:
///   the packet, the channel (twice the link, and 1 more if it leads from the second end to the first), the cycle at which
///   it joined, the cycles for which it waited, and those for which it occupied the channel.
fn page_run(own: &AnimatedRun<'_>, layout: &Layout) -> Value {
    let are_alike = own.run.machine.link_times().is_none();
    let mut channels = BTreeMap::new();
    for (place, link) in (0_u64..).zip(&layout.links) {
        channels.insert((link.near, link.far), 2 * place);
        channels.insert((link.far, link.near), 2 * place + 1);
    }
    let mut ordered: Vec<&Transmission> = own.transmissions.iter().collect();
    ordered.sort_by_key(|one| (one.message, one.packet, one.begin));
    let message = |of_message: &[&Transmission]| {
        let first = of_message[0];
        let rows = of_message.iter().flat_map(|one| {
            let channel = channels.get(&(one.from, one.to)).copied().unwrap_or_default();
            let (waited, took) = ((one.begin - one.joined).get(), (one.end - one.begin).get());
            [u64::from(one.packet), channel, one.joined.get(), waited, took]
        });
        json!([first.stage, first.source.label(), first.destination.label(), rows.collect::<Vec<u64>>()])
    };
    let messages: Vec<Value> =
        ordered.chunk_by(|one, other| one.message == other.message).map(message).collect();
    json!({
        "name": printable(own.name),
        "makespan": own.makespan,
        "latency": if are_alike { own.run.communication.latency().get() } else { 0 },
        "nodes": layout.places.iter().map(|&place| point(place)).collect::<Vec<_>>(),
        "links": layout.links.iter().map(page_link).collect::<Vec<_>>(),
        "messages": messages,
    })
}

/// A link as the script reads it.
fn page_link(link: &PlannedLink) -> Value {
    let points: Vec<Point> = match link.path {
        LinkPath::Straight(_) | LinkPath::ToLayer(..) => vec![],
        LinkPath::Curve([_, control, _]) => vec![control],
        LinkPath::Stubs(stubs) => stubs.map(stub_end).into(),
    };
    json!([link.near.index(), link.far.index(), points.into_iter().flat_map(point).collect::<Vec<f64>>()])
}

/// The end of a stub, whose second point is the image of a node.
fn stub_end([from, image]: [Point; 2]) -> Point {
    Point { x: from.x + STUB * (image.x - from.x), y: from.y + STUB * (image.y - from.y) }
}

/// A point to a tenth of a pixel.
fn point(place: Point) -> [f64; 2] {
    [place.x, place.y].map(|length| (length * 10.0).round() / 10.0)
}

/// The places of nodes and links.
struct Layout {
    width: f64,
    height: f64,
    places: Vec<Point>,
    links: Vec<PlannedLink>,
    titles: Vec<(String, Point)>,
    names: Vec<String>, // of the nodes
}

impl Layout {
    fn new(run: &Run) -> Self {
        let plan = MachinePlan::new(run, STEP, Point { x: 0.0, y: 0.0 });
        let machine = &run.machine;
        let names = machine.nodes().map(|node| plan.address_text(node)).collect();
        if machine.graph().is_none() && machine.shape().dimension_count() == 1 && is_ring(run) {
            return Self::ring(run, names);
        }
        Self {
            width: plan.width(),
            height: plan.height(),
            places: machine.nodes().map(|node| plan.middle(node)).collect(),
            links: planned_links(&plan),
            titles: plan.layer_titles(),
            names,
        }
    }

    /// A ring as a circle, clockwise from the top.
    fn ring(run: &Run, names: Vec<String>) -> Self {
        let machine = &run.machine;
        let around = circle(machine.node_count(), 0.0, 0.0, 0.0);
        let reach = around.iter().map(|place| place.0.hypot(place.1)).fold(0.0, f64::max) + 0.9;
        let places: Vec<Point> =
            around.iter().map(|(x, y)| Point { x: (x + reach) * STEP, y: (y + reach) * STEP }).collect();
        let middle = |node: NodeId| places[node.index() as usize];
        let planned = |(near, far): (NodeId, NodeId)| PlannedLink {
            near,
            far,
            is_down: false,
            path: LinkPath::Straight([middle(near), middle(far)]),
        };
        let links = links(machine).into_iter().map(planned).collect();
        Self { width: 2.0 * reach * STEP, height: 2.0 * reach * STEP, places, links, titles: vec![], names }
    }
}

/// Whether the one dimension of a machine wraps around.
fn is_ring(run: &Run) -> bool {
    run.machine.extents().all(Extent::is_ring)
}

fn page(scenario: &str, runs: &[AnimatedRun<'_>], layouts: &[Layout], data: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(security_policy(SCRIPT));
                title { (scenario) " · cubefold animation" }
                style { (PreEscaped(STYLE)) }
            }
            body data-colours="stage" {
                h1 { (scenario) }
                (controls())
                main.runs { @for (own, layout) in runs.iter().zip(layouts) { (figure(own, layout)) } }
                (legend(runs))
                p.keys {
                    kbd { "Space" } " plays and pauses, " kbd { "←" } " and " kbd { "→" }
                    " go by a cycle, " kbd { "Home" } " and " kbd { "End" } " to the first and the last, "
                    kbd { "+" } " and " kbd { "-" } " change the speed. Point at a packet to see what it is."
                }
                footer { "cubefold " (env!("CARGO_PKG_VERSION")) }
                div #said .unseen aria-live="polite" {}
                script #data type="application/json" { (PreEscaped(data)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn controls() -> Markup {
    html! {
        div.controls role="group" aria-label="Clock" {
            button #play type="button" { "Play" }
            button #first type="button" aria-label="First cycle" { "Start" }
            button #back type="button" aria-label="A cycle back" { "−1" }
            button #forward type="button" aria-label="A cycle forward" { "+1" }
            input #cycle type="range" min="0" value="0" step="1" aria-label="Cycle";
            output #clock {}
            label { span { "speed " } select #speed aria-label="Speed" {} }
            label { span { "colours " } select #colours aria-label="Colours" {
                option value="stage" { "by stage" }
                option value="state" { "waiting or moving" }
            } }
        }
    }
}

fn figure(own: &AnimatedRun<'_>, layout: &Layout) -> Markup {
    let view = format!("0 0 {:.0} {:.0}", layout.width.ceil(), layout.height.ceil());
    let widths = [0.35 * layout.width, 2.5 * layout.width.max(200.0)];
    let natural = format!("min-width: {:.0}px; max-width: {:.0}px", widths[0], widths[1]);
    let machine = &own.run.machine;
    html! {
        figure {
            figcaption { b { (own.name) } span.told {} }
            div.machine {
                svg viewBox=(view) style=(natural) role="img" aria-label={ "The machine of " (own.name) } {
                    g { @for link in &layout.links { (link_line(link)) } }
                    g {
                        @for (node, place) in machine.nodes().zip(&layout.places) {
                            @let [x, y] = point(*place);
                            g {
                                @if machine.is_host(node) { circle.node cx=(x) cy=(y) r="11" {} }
                                @else { rect.node.switch x=(x - 10.0) y=(y - 10.0) width="20" height="20" {} }
                                (node_name(own.run, node, &layout.names, [x, y]))
                            }
                        }
                        @for (title, place) in &layout.titles {
                            @let [x, y] = point(*place);
                            text.layer x=(x) y=(y) { (title) }
                        }
                    }
                    g.packets {}
                }
            }
        }
    }
}

/// The processes on a node, if they are at most one, and its coordinates under the pointer.
fn node_name(run: &Run, node: NodeId, names: &[String], [x, y]: [f64; 2]) -> Markup {
    let here: Vec<String> = ProcessId::first(run.program.body.process_count())
        .filter(|&process| run.placement.node(process) == node)
        .map(|process| process.label().to_string())
        .collect();
    let shown = match here.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        several => format!("{}×", several.len()),
    };
    let processes =
        if here.is_empty() { "no process".to_owned() } else { format!("process {}", here.join(", ")) };
    html! {
        text.name x=(x) y=(y) { (shown) }
        title { "node " (names[node.index() as usize]) ": " (processes) }
    }
}

fn link_line(link: &PlannedLink) -> Markup {
    let text = |place: Point| {
        let [x, y] = point(place);
        format!("{x} {y}")
    };
    let d = match link.path {
        LinkPath::Straight([from, to]) => format!("M{} L{}", text(from), text(to)),
        LinkPath::Curve([from, control, to]) => format!("M{} Q{} {}", text(from), text(control), text(to)),
        LinkPath::Stubs(stubs) => {
            stubs.map(|stub| format!("M{} L{}", text(stub[0]), text(stub_end(stub)))).join(" ")
        }
        LinkPath::ToLayer(..) => return html! {},
    };
    html! { path .link .down[link.is_down] d=(d) {} }
}

/// The signs of packets, and the colours of the stages that there are.
fn legend(runs: &[AnimatedRun<'_>]) -> Markup {
    let stages = runs
        .iter()
        .flat_map(|own| own.transmissions)
        .map(|one| one.stage.saturating_add(1))
        .max()
        .unwrap_or(0);
    html! {
        ul.legend {
            li { svg viewBox="0 0 14 14" { circle.packet.moving cx="7" cy="7" r="5" {} } "moves along a link" }
            li { svg viewBox="0 0 14 14" { circle.packet.waiting cx="7" cy="7" r="5" {} } "waits for a link; a number counts several that wait for it" }
            li { ul.stages {
                @for stage in 0..stages.min(STAGE_COLOURS) {
                    li {
                        svg viewBox="0 0 14 14" { circle class={ "packet moving stage-" (stage) } cx="7" cy="7" r="5" {} }
                        "stage " (stage)
                        @if stages > STAGE_COLOURS { ", " (stage + STAGE_COLOURS) ", .." }
                    }
                }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use cubefold_experiment::{FinishedRun, KeepRecords, Progress, execute};

    use super::*;
    use crate::support::runs;

    fn finished(run: &Run) -> FinishedRun {
        execute(run, 0, KeepRecords::WithTransmissions, &Progress::default()).unwrap()
    }

    fn page_of(text: &str) -> (String, Vec<FinishedRun>) {
        let runs = runs(text);
        let all: Vec<FinishedRun> = runs.iter().map(finished).collect();
        let animated: Vec<AnimatedRun<'_>> = runs
            .iter()
            .zip(&all)
            .map(|(run, finished)| AnimatedRun {
                name: "one of them",
                run,
                makespan: finished.outcome.summary.makespan().get(),
                transmissions: &finished.transmissions,
            })
            .collect();
        (animation("<b>a & b</b>", &animated).unwrap(), all)
    }

    /// The data of a page.
    fn data(page: &str) -> Value {
        let text =
            page.split("type=\"application/json\">").nth(1).unwrap().split("</script>").next().unwrap();
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_page_holds_every_transmission() {
        let machines = [
            "kind = \"ring\"\nshape = [8]",
            "kind = \"torus\"\nshape = [4, 2]\npacket_units = 2\nlatency_cycles = 3",
            "kind = \"hypercube\"\nshape = [2, 2, 2]",
            "kind = \"fat-tree\"\nleaves = 2\nhosts_per_switch = 4\nspines = 2",
        ];
        for machine in machines {
            let program = "[program]\nkind = \"cc-cube\"\ndimensions = 3\nunits = 3\n";
            let names = if machine.contains("fat-tree") { "\"standard\"" } else { "\"standard\", \"xor\"" };
            let (page, all) =
                page_of(&format!("[machine]\n{machine}\n{program}[mapping]\nembeddings = [{names}]\n"));
            let data = data(&page);
            for (own, finished) in data["runs"].as_array().unwrap().iter().zip(&all) {
                let number = |value: &Value| value.as_u64().unwrap();
                let mut found = vec![];
                for (place, message) in (0_u64..).zip(own["messages"].as_array().unwrap()) {
                    for row in message[3].as_array().unwrap().chunks(5) {
                        let [packet, channel, joined, waited, took] =
                            std::array::from_fn(|at| number(&row[at]));
                        let link = &own["links"][usize::try_from(channel / 2).unwrap()];
                        let mut ends = [number(&link[0]), number(&link[1])];
                        if channel % 2 == 1 {
                            ends.reverse();
                        }
                        let ids =
                            [place, number(&message[0]), number(&message[1]), number(&message[2]), packet];
                        found.push((ids, ends, [joined, joined + waited, joined + waited + took]));
                    }
                }
                let mut expected: Vec<_> = finished
                    .transmissions
                    .iter()
                    .map(|one| {
                        let (source, destination) =
                            (one.source.label().into(), one.destination.label().into());
                        let ids =
                            [one.message.into(), one.stage.into(), source, destination, one.packet.into()];
                        let ends = [one.from.index().into(), one.to.index().into()];
                        (ids, ends, [one.joined.get(), one.begin.get(), one.end.get()])
                    })
                    .collect();
                found.sort_unstable();
                expected.sort_unstable();
                assert!(!found.is_empty() && found == expected, "{machine}");
            }
        }
    }

    #[test]
    fn nothing_is_fetched_and_no_name_is_markup() {
        let (page, _) = page_of("machine = { kind = \"ring\", shape = [8] }\n");
        crate::page::assert_fetches_nothing(&page);
        assert!(!page.contains("<b>a") && page.contains("&lt;b&gt;a &amp; b&lt;/b&gt;"));
    }

    #[test]
    fn a_page_of_256_processes_and_8_stages_has_less_than_a_megabyte() {
        let (page, all) = page_of(
            "machine = { kind = \"torus\", shape = [16, 16] }\n[program]\nkind = \"cc-cube\"\n[mapping]\n\
             embeddings = [\"standard\", \"xor\"]\n",
        );
        assert_eq!(all[0].program.body.stage_count(), 8);
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let runs = runs("machine = { kind = \"torus\", shape = [64, 64] }\n");
        let refused = check_animation(runs.iter().take(1)).unwrap_err().to_string();
        assert_eq!(refused, "4096 nodes, expected at most 1024");
        let five = vec![&runs[0]; 5];
        let refused = check_animation(five.into_iter()).unwrap_err().to_string();
        assert_eq!(refused, "5 runs side by side, expected at most 4");
    }
}
