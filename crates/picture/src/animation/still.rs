//! One cycle of an animation as a picture: the packets where the page shows them in the middle of the cycle.

use std::collections::BTreeMap;

use cubefold_simulator::Transmission;
use cubefold_topology::NodeId;

use super::{
    AnimatedRun, check_animation,
    layout::{Layout, STUB, stub_end},
    stage::{STAGE_COLOURS, in_node, of_processes, of_stage, processes_by_node, stage_count},
};
use crate::{
    error::PictureError,
    font::{fitted, text_width},
    legend::{Legend, Sign},
    link_paths::{LinkPath, PlannedLink},
    palette::series,
    picture::Picture,
    sheet::{Anchor, Point, Sheet, TEXT, TITLE, as_drawn},
    time_scale::TimeScale,
};

/// The width up to which runs are side by side \[pixels\].
const MAX_WIDTH: f64 = 960.0;

/// The gap between runs and around the picture \[pixels\].
const GAP: f64 = 12.0;

/// The height of a run's name and counts \[pixels\].
const HEADING: f64 = 38.0;

/// The radius of a node \[pixels\].
const NODE: f64 = 13.0;

/// The radius of a packet and its distance from its line \[pixels\], as in the script.
const PACKET: f64 = 4.5;
const ASIDE: f64 = 4.0;

/// The same for several packets that wait for one link, with their number.
const COUNTED: f64 = 9.0;
const COUNTED_ASIDE: f64 = 11.0;

/// The distance from the node at which packets wait \[pixels\].
const WAITS_AT: f64 = 17.0;

/// The meaning of the signs.
const SIGNS: &str =
    "Full circles move; empty ones wait for the link at which they are, and a number says how many.";

/// Draws the packets of runs in one cycle, with the runs side by side.
///
/// # Errors
///
/// When [`check_animation`] refuses the runs, or no run lasts until the cycle.
pub fn still(scenario: &str, runs: &[AnimatedRun<'_>], cycle: u64) -> Result<Picture, PictureError> {
    check_animation(runs.iter().map(|animated| animated.run))?;
    let last = runs.iter().map(|run| run.makespan).max().unwrap_or(0);
    if cycle > last {
        return Err(PictureError::NoSuchCycle { found: cycle, last });
    }
    let parts: Vec<Part<'_>> = runs.iter().map(|run| Part::new(run, cycle)).collect();
    let aside = runs.first().map_or_else(String::new, |animated| TimeScale::of(animated.run).aside(cycle));
    let caption = format!("{scenario}: cycle {cycle}{aside}");
    let stages = stage_count(runs);
    let entries = (0..stages.min(STAGE_COLOURS))
        .map(|stage| (of_stage(stage, stages), Sign::Filled(series(stage as usize))));
    let (places, size) = arranged(&parts);
    let words = text_width(SIGNS, TEXT).max(text_width(&caption, TITLE).min(MAX_WIDTH));
    let width = size.x.max(words + 2.0 * GAP);
    let legend = Legend::new(entries, GAP, width - GAP);
    let top = 64.0 + legend.extra_height();
    let told: Vec<String> =
        parts.iter().map(|part| format!("{}: {}", part.animated.name, part.counts())).collect();
    let mut sheet = Sheet::new(width, top + size.y, &caption, &format!("{}.", told.join("; ")));
    sheet.caption(&caption);
    sheet.text(SIGNS, Point { x: 8.0, y: 42.0 }, TEXT, Anchor::Start);
    legend.draw(&mut sheet, 62.0);
    for (part, at) in parts.iter().zip(places) {
        part.draw(&mut sheet, at.plus(0.0, top));
    }
    Ok(sheet.finish())
}

/// The upper left corners of parts, side by side while they fit and else in rows, and the size of all.
fn arranged(parts: &[Part<'_>]) -> (Vec<Point>, Point) {
    let (mut at, mut places) = (Point { x: GAP, y: 0.0 }, vec![]);
    let (mut width, mut bottom) = (0.0_f64, 0.0_f64);
    for part in parts {
        if at.x > GAP && at.x + part.width() > MAX_WIDTH {
            at = Point { x: GAP, y: bottom };
        }
        places.push(at);
        width = width.max(at.x + part.width() + GAP);
        bottom = bottom.max(at.y + part.height());
        at.x += part.width() + 2.0 * GAP;
    }
    (places, Point { x: width, y: bottom })
}

/// A packet at a channel.
#[derive(Debug, Clone, Copy)]
struct Shown<'run> {
    one: &'run Transmission,
    is_moving: bool,
    land: u64, // the cycle at which it leaves the channel
}

/// The packets at channels in a cycle, by message and packet.
fn shown<'run>(animated: &AnimatedRun<'run>, cycle: u64) -> Vec<Shown<'run>> {
    let mut found = vec![];
    for of_packet in
        animated.by_packet().chunk_by(|one, next| (one.message, one.packet) == (next.message, next.packet))
    {
        for (place, &one) in of_packet.iter().enumerate() {
            // It is in transit until it joins the queue of the next channel, or is received.
            let land = match of_packet.get(place + 1) {
                Some(next) => next.joined.get().max(one.end.get()),
                None => one.end.get().saturating_add(animated.latency()),
            };
            if (one.joined.get()..land).contains(&cycle) {
                found.push(Shown { one, is_moving: one.begin.get() <= cycle, land });
            }
        }
    }
    found
}

/// A channel: its link, and whether it leads from the far end.
type Channel<'layout> = (&'layout PlannedLink, bool);

/// A run of the picture at its cycle.
struct Part<'run> {
    animated: &'run AnimatedRun<'run>,
    layout: Layout,
    shown: Vec<Shown<'run>>,
    cycle: u64,
}

impl<'run> Part<'run> {
    fn new(animated: &'run AnimatedRun<'run>, cycle: u64) -> Self {
        Self { animated, layout: Layout::new(animated.run), shown: shown(animated, cycle), cycle }
    }

    fn width(&self) -> f64 {
        self.layout.width.max(text_width(&self.counts(), TEXT)).max(160.0)
    }

    fn height(&self) -> f64 {
        self.layout.height + HEADING + GAP
    }

    /// The numbers of packets that move and wait, or the cycle at which the run ended, in words.
    fn counts(&self) -> String {
        let moving = self.shown.iter().filter(|packet| packet.is_moving).count();
        if self.cycle >= self.animated.makespan {
            format!("over at cycle {}", self.animated.makespan)
        } else {
            format!("{moving} moving, {} waiting", self.shown.len() - moving)
        }
    }

    fn draw(&self, sheet: &mut Sheet, corner: Point) {
        let name = fitted(self.animated.name, TEXT, self.width());
        sheet.heading(&name, corner.plus(0.0, 16.0), TEXT);
        sheet.text(&self.counts(), corner.plus(0.0, 33.0), TEXT, Anchor::Start);
        let origin = corner.plus(0.0, HEADING);
        let shifted = |at: Point| at.plus(origin.x, origin.y);
        self.draw_links(sheet, shifted);
        self.draw_nodes(sheet, shifted);
        self.draw_packets(sheet, shifted);
        self.draw_names(sheet, shifted);
    }

    /// Names the processes of nodes, above packets that leave a node.
    fn draw_names(&self, sheet: &mut Sheet, shifted: impl Fn(Point) -> Point) {
        for (node, here) in processes_by_node(self.animated.run) {
            let at = shifted(self.layout.place(node));
            sheet.text(&in_node(&here), at.plus(0.0, 4.3), TEXT, Anchor::Middle);
        }
    }

    fn draw_links(&self, sheet: &mut Sheet, shifted: impl Fn(Point) -> Point) {
        sheet.open(&[("stroke", "#8c8c8c"), ("stroke-width", "1.2")]);
        for link in &self.layout.links {
            if let Some(line) =
                moved(link.path, &shifted).description(|from, to| from.leaving(to, NODE), STUB)
            {
                let dashes: &[(&str, &str)] = if link.is_down { &[("stroke-dasharray", "3 3")] } else { &[] };
                sheet.path(&line, dashes, "");
            }
        }
        sheet.close();
    }

    fn draw_nodes(&self, sheet: &mut Sheet, shifted: impl Fn(Point) -> Point) {
        let (machine, processes) = (&self.animated.run.machine, processes_by_node(self.animated.run));
        for node in machine.nodes() {
            let (at, here) =
                (shifted(self.layout.place(node)), processes.get(&node).map_or(&[][..], Vec::as_slice));
            let title = format!("node {}: {}", self.layout.name(node), of_processes(here));
            if machine.is_host(node) {
                sheet.host(at, NODE, &title);
            } else {
                sheet.switch(at, NODE - 1.0, &title);
            }
        }
        for (title, at) in &self.layout.titles {
            sheet.text(title, shifted(*at), TEXT, Anchor::Start);
        }
    }

    fn draw_packets(&self, sheet: &mut Sheet, shifted: impl Fn(Point) -> Point) {
        let links = self.layout.links.iter();
        let channels: BTreeMap<(NodeId, NodeId), Channel<'_>> = links
            .flat_map(|link| [((link.near, link.far), (link, false)), ((link.far, link.near), (link, true))])
            .collect();
        let mut queues: BTreeMap<(NodeId, NodeId), u64> = BTreeMap::new();
        for Shown { one, .. } in self.shown.iter().filter(|packet| !packet.is_moving) {
            *queues.entry((one.from, one.to)).or_default() += 1;
        }
        let mut counts = vec![];
        for packet in &self.shown {
            let ends = (packet.one.from, packet.one.to);
            let Some(&channel) = channels.get(&ends) else { continue };
            let (color, title) = (series((packet.one.stage % STAGE_COLOURS) as usize), self.in_words(packet));
            let count = queues.get(&ends).copied().filter(|&count| !packet.is_moving && count > 1);
            let (radius, aside) = if count.is_some() { (COUNTED, COUNTED_ASIDE) } else { (PACKET, ASIDE) };
            // On the way to another layer it passes nodes between, and leaves their names free.
            let passes_nodes = packet.is_moving && matches!(channel.0.path, LinkPath::ToLayer(..));
            let aside = if passes_nodes { NODE + radius } else { aside };
            let at = shifted(beside(&self.layout, channel, self.share(packet, channel.0), aside));
            if packet.is_moving {
                sheet.full_disc(at, radius, color, &title);
            } else {
                sheet.empty_disc(at, radius, color, &title);
            }
            counts.extend(count.map(|count| (ends, (count, at))));
        }
        for (count, at) in counts.into_iter().collect::<BTreeMap<_, _>>().into_values() {
            sheet.text(&count.to_string(), at.plus(0.0, 4.3), TEXT, Anchor::Middle);
        }
    }

    /// The distance of a packet along its channel, as a share of the length of the link.
    fn share(&self, packet: &Shown<'_>, link: &PlannedLink) -> f64 {
        if packet.is_moving {
            let begin = packet.one.begin.get();
            // The middle of the cycle.
            return (as_drawn(self.cycle - begin) + 0.5) / as_drawn(packet.land - begin);
        }
        let length = match link.path {
            LinkPath::Stubs([[from, image], _]) => 2.0 * from.distance(stub_end([from, image])),
            _ => self.layout.place(link.near).distance(self.layout.place(link.far)),
        };
        (WAITS_AT / length.max(1.0)).min(0.5)
    }

    fn in_words(&self, &Shown { one, is_moving, .. }: &Shown<'_>) -> String {
        let [from, to] = [one.from, one.to].map(|node| self.layout.name(node));
        let (source, destination) = (one.source.label(), one.destination.label());
        let what = format!("process {source} to {destination}, stage {}, packet {}", one.stage, one.packet);
        if is_moving {
            format!("{what}: node ({from}) to ({to}), cycles {} to {}", one.begin.get(), one.end.get())
        } else {
            format!("{what}: waits for node ({from}) to ({to}) since cycle {}", one.joined.get())
        }
    }
}

/// A path with all its points moved.
fn moved(path: LinkPath, shifted: impl Fn(Point) -> Point) -> LinkPath {
    match path {
        LinkPath::Straight(points) => LinkPath::Straight(points.map(shifted)),
        LinkPath::Curve(points) => LinkPath::Curve(points.map(shifted)),
        LinkPath::Stubs(stubs) => LinkPath::Stubs(stubs.map(|stub| stub.map(&shifted))),
        LinkPath::ToLayer(at, dimension) => LinkPath::ToLayer(shifted(at), dimension),
    }
}

/// The point at a share of a link from its near end, and two points in whose direction the link leads there.
fn along(layout: &Layout, link: &PlannedLink, share: f64) -> (Point, [Point; 2]) {
    let (near, far) = (layout.place(link.near), layout.place(link.far));
    match link.path {
        LinkPath::Straight(_) | LinkPath::ToLayer(..) => (near.towards(far, share), [near, far]),
        LinkPath::Curve([_, control, _]) => {
            let ends = [near.towards(control, share), control.towards(far, share)];
            (ends[0].towards(ends[1], share), ends)
        }
        LinkPath::Stubs(stubs) => {
            let [out, image] = stubs.map(stub_end);
            if share < 0.5 {
                (near.towards(out, 2.0 * share), [near, out])
            } else {
                (image.towards(far, 2.0 * share - 1.0), [image, far])
            }
        }
    }
}

/// The place of a packet beside its link, to the right of its direction; packets of the other direction pass on the other
/// side.
fn beside(layout: &Layout, (link, is_back): Channel<'_>, share: f64, aside: f64) -> Point {
    let (at, [one, other]) = along(layout, link, if is_back { 1.0 - share } else { share });
    let aside = if is_back { -aside } else { aside };
    let length = Some(one.distance(other)).filter(|&length| length > 0.0).unwrap_or(1.0);
    at.plus(-aside * (other.y - one.y) / length, aside * (other.x - one.x) / length)
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::ProcessId;
    use cubefold_runs::KeepRecords;

    use super::*;
    use crate::support::{finished_with, run};

    /// Four processes of a line send to each other at once, over links of 3 cycles.
    const ALL_AT_ONCE: &str = "machine = { kind = \"line\", shape = [4], hop_cycles = 3 }\n\
                               program = { kind = \"all-to-all\", algorithm = \"direct\", units = 4 }\n\
                               mapping.embeddings = [\"standard\"]\n";

    #[test]
    fn every_packet_of_every_cycle_is_drawn_once_with_its_place_and_words() {
        let run = run(ALL_AT_ONCE);
        let finished = finished_with(&run, KeepRecords::WithTransmissions);
        let animated = AnimatedRun::new("a <b>", &run, &finished);
        let makespan = finished.outcome.summary.makespan().get();
        let mut waited = 0;
        for cycle in 0..=makespan {
            let svg = still("to <one>", &[animated], cycle).unwrap().svg().to_owned();
            let now = |one: &&Transmission| (one.joined.get()..one.end.get()).contains(&cycle);
            let shown: Vec<&Transmission> = finished.transmissions.iter().filter(now).collect();
            assert_eq!(svg.matches(", packet 0: ").count(), shown.len(), "cycle {cycle}");
            for one in shown {
                let (from, to) = (one.from.index(), one.to.index());
                let ends = [one.source, one.destination].map(ProcessId::label);
                let what = format!("process {} to {}, stage {}, packet 0: ", ends[0], ends[1], one.stage);
                let (begin, end, joined) = (one.begin.get(), one.end.get(), one.joined.get());
                let expected = if begin <= cycle {
                    format!("{what}node ({from}) to ({to}), cycles {begin} to {end}<")
                } else {
                    waited += 1;
                    format!("{what}waits for node ({from}) to ({to}) since cycle {joined}<")
                };
                assert!(svg.contains(&expected), "cycle {cycle}: {expected}");
            }
            assert!(svg.contains("a &lt;b&gt;") && !svg.contains("<b>"));
        }
        assert!(waited > 0, "nothing waits");
        let refused = still("a", &[animated], makespan + 1).unwrap_err().to_string();
        assert_eq!(refused, format!("cycle {}, expected 0 to {makespan}", makespan + 1));
    }

    #[test]
    fn packets_pass_on_the_right() {
        let run = run("machine = { kind = \"line\", shape = [2] }\nmapping.embeddings = [\"standard\"]\n");
        let layout = Layout::new(&run);
        let (from, to) = (layout.places[0], layout.places[1]);
        let link = &layout.links[0];
        // Down is positive: going right, the right-hand side is below.
        let there = beside(&layout, (link, false), 0.25, ASIDE);
        assert_eq!((there.x, there.y), (from.towards(to, 0.25).x, from.y + ASIDE));
        let back = beside(&layout, (link, true), 0.25, ASIDE);
        assert_eq!((back.x, back.y), (from.towards(to, 0.75).x, from.y - ASIDE));
    }

    #[test]
    fn packets_to_another_layer_pass_beside_the_nodes_between() {
        let run = run("machine = { kind = \"hypercube\", dimensions = 6, hop_cycles = 3 }\n\
                       program = { kind = \"cc-cube\", compute_cycles = 1 }\n\
                       mapping.embeddings = [\"standard\"]\n");
        let finished = finished_with(&run, KeepRecords::WithTransmissions);
        let own = AnimatedRun::new("one", &run, &finished);
        let mut passing = 0;
        for cycle in 0..=own.makespan {
            let part = Part::new(&own, cycle);
            for link in part.layout.links.iter().filter(|link| matches!(link.path, LinkPath::ToLayer(..))) {
                for shown in part.shown.iter().filter(|own| own.is_moving) {
                    if (shown.one.from, shown.one.to) != (link.near, link.far) {
                        continue;
                    }
                    let at = beside(&part.layout, (link, false), part.share(shown, link), NODE + PACKET);
                    let is_clear = |node: &Point| node.distance(at) >= NODE + PACKET - 1e-6;
                    assert!(part.layout.places.iter().all(is_clear));
                    passing += 1;
                }
            }
        }
        assert!(passing > 0, "nothing goes to another layer");
    }

    #[test]
    fn runs_stand_side_by_side_while_they_fit() {
        for (machine, across) in [("shape = [4, 4]", true), ("shape = [16, 16]", false)] {
            let run = run(&format!(
                "[machine]\nkind = \"torus\"\n{machine}\n[mapping]\nembeddings = [\"standard\"]\n"
            ));
            let animated = AnimatedRun { name: "one", run: &run, makespan: 0, transmissions: &[] };
            let parts = [Part::new(&animated, 0), Part::new(&animated, 0)];
            let (places, size) = arranged(&parts);
            assert_eq!(places[0].y.total_cmp(&places[1].y).is_eq(), across, "{machine}");
            let inside = |(at, part): (&Point, &Part<'_>)| {
                at.x + part.width() <= size.x && at.y + part.height() <= size.y
            };
            assert!(places.iter().zip(&parts).all(inside));
        }
    }
}
