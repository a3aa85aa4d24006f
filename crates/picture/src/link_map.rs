//! What every link carries, as a heat map of the machine.

use std::collections::BTreeMap;

use cubefold_experiment::{LinkTraffic, Run, size_in_words};
use cubefold_topology::{Direction, HostDimension, LinkMode, Network, NodeId, Sign};

use crate::{
    error::PictureError,
    font::text_width,
    machine_plan::{MachinePlan, check_machine},
    palette::heat,
    picture::Picture,
    placement_grid::MAX_CAPTION_WIDTH,
    sheet::{Anchor, Area, Point, Sheet, TEXT, TITLE, as_drawn},
    time_scale::TimeScale,
};

/// What links carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkMeasure {
    /// Guest edges whose routes use the link.
    Congestion,
    /// Cycles in which it is busy in a run of this makespan \[cycles\].
    BusyCycles {
        /// The makespan \[cycles\].
        makespan: u64,
    },
}

/// The value that is drawn darkest, so that pictures that stand side by side have one scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DarkestValue {
    /// A number of guest edges or busy cycles.
    Count(u64),
    /// A part of the cycles for which a link can be busy, from 0 on.
    Share(f64),
}

impl LinkMeasure {
    fn unit(self) -> &'static str {
        match self {
            Self::Congestion => "guest edges",
            Self::BusyCycles { .. } => "busy cycles",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Congestion => "link congestion",
            Self::BusyCycles { .. } => "busy cycles of links",
        }
    }

    /// The cycles for which a link can be busy: in both directions where it is full-duplex.
    fn capacity(self, run: &Run) -> Option<u64> {
        match self {
            Self::Congestion => None,
            Self::BusyCycles { makespan } => Some(makespan.saturating_mul(ways(run))),
        }
    }
}

/// How many messages a link carries at a time.
fn ways(run: &Run) -> u64 {
    match run.communication.links() {
        LinkMode::FullDuplex => 2,
        LinkMode::HalfDuplex | LinkMode::SingleDirection => 1,
    }
}

/// Draws the machine with its links, those that carry more darker, up to `darkest`, which is the
/// greatest value unless it is given.
///
/// Links around are drawn as stubs on both sides; a link from one layer to the next as a square
/// beside its first node.
///
/// # Errors
///
/// As [`check_machine`]; when `darkest` is 0, less than a link carries, or a share of guest edges.
pub fn link_map(
    run: &Run,
    measure: LinkMeasure,
    links: &[LinkTraffic],
    darkest: Option<DarkestValue>,
) -> Result<Picture, PictureError> {
    check_machine(&run.machine)?;
    let greatest = greatest(run, measure, links, darkest)?;
    let step = (900.0 / MachinePlan::longest_side(&run.machine)).clamp(14.0, 40.0);
    let legend = Legend::new(run, measure, links, greatest);
    let origin = Point { x: 8.0, y: legend.end() };
    let plan = MachinePlan::new(run, step, origin);
    let caption = format!("{}: {}", run.embedding, measure.title());
    let width = plan.width().max(text_width(&caption, TITLE).min(MAX_CAPTION_WIDTH)).max(legend.width());
    let width = width.max(280.0) + 2.0 * origin.x;
    let description =
        format!("{caption}: each link as dark as it is used, up to {greatest} {}.", measure.unit());
    let mut sheet = Sheet::new(width, plan.height() + origin.y + 8.0, &caption, &description);
    sheet.caption(&caption);
    legend.draw(&mut sheet);
    for (title, at) in plan.layer_titles() {
        sheet.text(&title, at, TEXT, Anchor::Start);
    }
    let map = Map { run, plan: &plan, measure, greatest };
    map.draw_links(&mut sheet, links);
    Ok(sheet.finish())
}

/// The value that is drawn darkest.
fn greatest(
    run: &Run,
    measure: LinkMeasure,
    links: &[LinkTraffic],
    darkest: Option<DarkestValue>,
) -> Result<u64, PictureError> {
    let found = links.iter().map(|link| link.count).max().unwrap_or(0);
    let asked = match (darkest, measure.capacity(run)) {
        (None, _) => return Ok(found),
        (Some(DarkestValue::Count(count)), _) => count,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, from 0 on")]
        (Some(DarkestValue::Share(share)), Some(capacity)) => (share * as_drawn(capacity)).ceil() as u64,
        (Some(DarkestValue::Share(_)), None) => return Err(PictureError::ShareOfEdges),
    };
    if asked < found.max(1) {
        return Err(PictureError::DarkestTooSmall { asked, found, unit: measure.unit() });
    }
    Ok(asked)
}

/// A part of the whole as people say it.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "0 %".to_owned() } else { format!("{:.1} %", as_drawn(part) / as_drawn(whole) * 100.0) }
}

/// Units as people say them, with their bytes where these are known.
fn units_in_words(run: &Run, units: u64) -> String {
    let bytes = run.scale.and_then(|scale| units.checked_mul(scale.unit_bytes()));
    let aside = bytes.map_or_else(String::new, |bytes| format!(" ({})", size_in_words(units, Some(bytes))));
    format!("{}{aside}", size_in_words(units, None))
}

/// The colours from nothing to the darkest value, and what the most used link has where the scale goes further.
#[derive(Debug)]
struct Legend {
    least: String,
    greatest: String,
    found: Option<String>,
}

impl Legend {
    const PARTS: u8 = 40;
    const PART_WIDTH: f64 = 3.0;

    fn new(run: &Run, measure: LinkMeasure, links: &[LinkTraffic], greatest: u64) -> Self {
        let found = links.iter().map(|link| link.count).max().unwrap_or(0);
        let words = |count| Self::words(run, measure, count);
        Self {
            least: format!("0 {}", measure.unit()),
            greatest: words(greatest),
            found: (found < greatest).then(|| format!("The most here: {}", words(found))),
        }
    }

    /// What a link carries: of busy cycles with their time, how much of what it can carry that is, and the units.
    fn words(run: &Run, measure: LinkMeasure, count: u64) -> String {
        let Some(capacity) = measure.capacity(run) else { return count.to_string() };
        let share = match percent(count, capacity) {
            // The darkest value may be that of another run, which takes longer.
            _ if count > capacity => "more than a link can be busy".to_owned(),
            percent => format!("{percent} of a link"),
        };
        let units = units_in_words(run, count / run.communication.hop().get());
        format!("{count}{}, {share}, {units}", TimeScale::of(run).aside(count))
    }

    /// Where the nodes may begin \[pixels\].
    fn end(&self) -> f64 {
        if self.found.is_some() { 76.0 } else { 58.0 }
    }

    fn width(&self) -> f64 {
        let scale = text_width(&self.least, TEXT)
            + 12.0
            + f64::from(Self::PARTS) * Self::PART_WIDTH
            + text_width(&self.greatest, TEXT);
        scale.max(self.found.as_ref().map_or(0.0, |found| text_width(found, TEXT)))
    }

    fn draw(&self, sheet: &mut Sheet) {
        let from = 8.0 + text_width(&self.least, TEXT) + 6.0;
        sheet.text(&self.least, Point { x: 8.0, y: 44.0 }, TEXT, Anchor::Start);
        for part in 0..Self::PARTS {
            let x = from + f64::from(part) * Self::PART_WIDTH;
            let area = Area { x, y: 34.0, width: 3.2, height: 12.0 };
            sheet.swatch(area, &heat(f64::from(part) / f64::from(Self::PARTS - 1)));
        }
        let end = from + f64::from(Self::PARTS) * Self::PART_WIDTH + 6.0;
        sheet.text(&self.greatest, Point { x: end, y: 44.0 }, TEXT, Anchor::Start);
        if let Some(found) = &self.found {
            sheet.text(found, Point { x: 8.0, y: 62.0 }, TEXT, Anchor::Start);
        }
    }
}

struct Map<'picture> {
    run: &'picture Run,
    plan: &'picture MachinePlan<'picture>,
    measure: LinkMeasure,
    greatest: u64,
}

impl Map<'_> {
    fn draw_links(&self, sheet: &mut Sheet, links: &[LinkTraffic]) {
        let thick = (self.plan.step * 0.3).clamp(3.0, 9.0).to_string();
        let machine = self.plan.machine;
        if let Some(network) = machine.graph() {
            self.draw_network(sheet, network, links, &thick);
            return;
        }
        for dimension in machine.shape().dimensions() {
            let used: Vec<&LinkTraffic> =
                links.iter().filter(|own| own.link.dimension == dimension).collect();
            let mut used = used.into_iter().peekable();
            for node in machine.nodes() {
                let Some(next) = machine.neighbour(node, Direction { dimension, sign: Sign::Positive })
                else {
                    continue;
                };
                let traffic = used.next_if(|own| own.link.near == node);
                let count = traffic.map_or(0, |own| own.count);
                let is_second_side = machine.axes()[dimension.index()].length() == 2 && next < node;
                if is_second_side {
                    continue;
                }
                let title = self.title(node, next, traffic);
                let link = DrawnLink {
                    from: self.plan.middle(node),
                    to: self.plan.middle(next),
                    count,
                    title: &title,
                };
                self.draw(sheet, dimension.number(), &link, &thick);
            }
        }
    }

    /// The links of a network, those that carry more above the others.
    fn draw_network(&self, sheet: &mut Sheet, network: &Network, links: &[LinkTraffic], thick: &str) {
        let used: BTreeMap<(NodeId, HostDimension), &LinkTraffic> =
            links.iter().map(|own| ((own.link.near, own.link.dimension), own)).collect();
        let directions = self.plan.machine.directions().filter(|direction| direction.sign == Sign::Positive);
        let ports: Vec<HostDimension> = directions.map(|direction| direction.dimension).collect();
        let mut drawn: Vec<(NodeId, NodeId, Option<&LinkTraffic>)> = vec![];
        for (near, far) in network.links() {
            let port = network.neighbours(near).iter().position(|&next| next == far);
            let dimension = port.and_then(|port| ports.get(port));
            drawn.push((near, far, dimension.and_then(|&dimension| used.get(&(near, dimension)).copied())));
        }
        drawn.sort_unstable_by_key(|&(near, far, traffic)| (traffic.map_or(0, |own| own.count), near, far));
        for (near, far, traffic) in drawn {
            let count = traffic.map_or(0, |own| own.count);
            let share = if self.greatest == 0 { 0.0 } else { as_drawn(count) / as_drawn(self.greatest) };
            let color = heat(share);
            let (from, to) = (self.plan.middle(near), self.plan.middle(far));
            let width = if self.plan.is_long(from, to) { "1.5" } else { thick };
            let title = self.title(near, far, traffic);
            sheet.line(from, to, &[("stroke", color.as_str()), ("stroke-width", width)], &title);
        }
    }

    /// What a link says where a pointer is on it.
    fn title(&self, near: NodeId, far: NodeId, traffic: Option<&LinkTraffic>) -> String {
        let count = traffic.map_or(0, |own| own.count);
        let ends = [near, far].map(|node| self.plan.address_text(node));
        let carried = format!("({}) to ({}): {count} {}", ends[0], ends[1], self.measure.unit());
        let LinkMeasure::BusyCycles { makespan } = self.measure else { return carried };
        let [forward, back] = traffic.and_then(|own| own.ways).unwrap_or([0; 2]);
        let shares = match self.run.communication.links() {
            LinkMode::FullDuplex => {
                format!("{} forward and {} back", percent(forward, makespan), percent(back, makespan))
            }
            LinkMode::HalfDuplex | LinkMode::SingleDirection => percent(count, makespan),
        };
        let units = units_in_words(self.run, count / self.run.communication.hop().get());
        format!("{carried}{}, {shares}, {units}", TimeScale::of(self.run).aside(count))
    }

    fn draw(&self, sheet: &mut Sheet, dimension: usize, link: &DrawnLink<'_>, thick: &str) {
        let share = if self.greatest == 0 { 0.0 } else { as_drawn(link.count) / as_drawn(self.greatest) };
        let color = heat(share);
        let properties = [("stroke", color.as_str()), ("stroke-width", thick)];
        let (from, to) = (link.from, link.to);
        if dimension > 2 {
            let side = self.plan.step * 0.24;
            let aside = side * 1.1 * as_drawn(dimension as u64 - 3);
            let area =
                Area { x: from.x + side * 0.3 + aside, y: from.y + side * 0.5, width: side, height: side };
            sheet.mark(area, &color, link.title);
            return;
        }
        let (x, y) = if dimension == 1 { (1.0, 0.0) } else { (0.0, 1.0) };
        let along = |at: Point, by: f64| Point { x: at.x + x * by, y: at.y + y * by };
        let inset = self.plan.step * 0.17;
        if to.x >= from.x && to.y >= from.y {
            // Links end before the nodes, so that the darker ones do not cover the others there.
            sheet.line(along(from, inset), along(to, -inset), &properties, link.title);
        } else {
            let reach = self.plan.step * 0.75;
            sheet.line(along(from, inset), along(from, reach), &properties, link.title);
            sheet.line(along(to, -inset), along(to, -reach), &properties, link.title);
        }
    }
}

/// A link on paper.
struct DrawnLink<'text> {
    from: Point,
    to: Point,
    count: u64,
    title: &'text str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::run;
    use cubefold_experiment::{busy_links, link_congestion};

    fn scenario(shape: &str, kind: &str) -> String {
        format!(
            "[machine]\nkind = \"{kind}\"\nshape = {shape}\n[program]\nkind = \"cc-cube\"\n[mapping]\n\
             embeddings = [\"standard\"]\n"
        )
    }

    #[test]
    fn every_link_says_what_it_carries() {
        for (shape, kind) in
            [("[8]", "ring"), ("[4, 2]", "torus"), ("[4, 4]", "mesh"), ("[2, 4, 2]", "torus")]
        {
            let run = run(&scenario(shape, kind));
            let links = link_congestion(&run);
            let picture = link_map(&run, LinkMeasure::Congestion, &links, None).unwrap();
            let around: u64 = run
                .machine
                .extents()
                .take(2)
                .map(|extent| if extent.is_ring() { run.machine.node_count() / extent.length() } else { 0 })
                .sum();
            let title = picture.svg().matches("guest edges</title>").count() as u64;
            assert_eq!(title, run.machine.link_count() + around, "{shape}");
            for link in &links {
                assert!(picture.svg().contains(&format!(": {} guest edges</title>", link.count)), "{shape}");
            }
        }
    }

    #[test]
    fn every_link_of_a_network_says_what_it_carries() {
        let machines = [
            "kind = \"fat-tree\"\nleaves = 4\nhosts_per_switch = 2\nspines = 2",
            "kind = \"dragonfly\"\nhosts_per_switch = 1\nswitches_per_group = 4\nglobal_links = 1",
            "kind = \"butterfly\"\ndimensions = 3",
            "kind = \"torus\"\nshape = [4, 4]\ntwist = [[0, 2], [0, 0]]",
        ];
        for machine in machines {
            let run = run(&format!(
                "[machine]\n{machine}\n[program]\nkind = \"permutation\"\npattern = \"random\"\nprocesses = 8\n"
            ));
            let links = link_congestion(&run);
            let picture = link_map(&run, LinkMeasure::Congestion, &links, None).unwrap();
            let titles = picture.svg().matches("guest edges</title>").count() as u64;
            assert_eq!(titles, run.machine.link_count(), "{machine}");
            let most = links.iter().map(|link| link.count).max().unwrap();
            assert!(picture.svg().contains(&format!(": {most} guest edges</title>")));
            assert!(crate::placement_grid(&run, None).unwrap().svg().contains("process 7</title>"));
        }
    }

    #[test]
    fn the_most_used_link_is_the_darkest() {
        let run = run(&scenario("[8]", "line"));
        let busy = busy_links(&run, 0).unwrap();
        let measure = LinkMeasure::BusyCycles { makespan: busy.makespan };
        let picture = link_map(&run, measure, &busy.links, None).unwrap();
        let most = busy.links.iter().map(|link| link.count).max().unwrap();
        let darkest = picture.svg().split("<line").find(|line| line.contains("stroke=\"#00204d\"")).unwrap();
        assert!(darkest.contains(&format!(": {most} busy cycles, ")), "{darkest}");
    }

    #[test]
    fn pictures_side_by_side_have_one_scale_and_links_say_their_share_in_both_directions() {
        // A ring all-reduce uses one direction: 2 * 3 stages of 4 cycles, all of the makespan.
        let run = run("[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nkind = \"all-reduce\"\n\
                       algorithm = \"ring\"\nunits = 16\n");
        let busy = busy_links(&run, 0).unwrap();
        assert_eq!((busy.makespan, busy.links[0].ways), (24, Some([24, 0])));
        let draw = |darkest| link_map(&run, LinkMeasure::BusyCycles { makespan: 24 }, &busy.links, darkest);
        let plain = draw(None).unwrap();
        assert!(
            plain.svg().contains("(0) to (1): 24 busy cycles, 100.0 % forward and 0.0 % back, 24 units<")
        );
        assert!(plain.svg().contains("\n24, 50.0 % of a link, 24 units\n"));
        assert!(plain.svg().contains("stroke=\"#00204d\"") && !plain.svg().contains("The most here"));
        let whole = draw(Some(DarkestValue::Share(1.0))).unwrap();
        assert_eq!(whole.svg(), draw(Some(DarkestValue::Count(48))).unwrap().svg());
        assert!(whole.svg().contains("48, 100.0 % of a link") && !whole.svg().contains("stroke=\"#00204d\""));
        assert!(whole.svg().contains("\nThe most here: 24, 50.0 % of a link, 24 units\n"));
        let beyond = draw(Some(DarkestValue::Count(49))).unwrap();
        assert!(beyond.svg().contains("\n49, more than a link can be busy, 49 units\n"));
        let refusal = draw(Some(DarkestValue::Count(23))).unwrap_err().to_string();
        assert_eq!(refusal, "a darkest value of 23 busy cycles, expected at least 24, which a link has");
        let edges = link_map(&run, LinkMeasure::Congestion, &busy.links, Some(DarkestValue::Share(0.5)));
        assert_eq!(edges, Err(PictureError::ShareOfEdges));
    }

    #[test]
    fn busy_links_say_seconds_and_bytes_where_the_scenario_does() {
        // A unit is 64 bytes, a cycle 64 ns, the latency a cycle: 2 * 3 steps of 4 units and a cycle.
        let run = run("[machine]\nkind = \"ring\"\nshape = [4]\nlinks = \"half-duplex\"\n\
                       link = { bandwidth = \"1 GB/s\", latency = \"128 ns\" }\nunit_bytes = 64\n\
                       [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = 1024\n");
        let busy = busy_links(&run, 0).unwrap();
        let measure = LinkMeasure::BusyCycles { makespan: busy.makespan };
        assert_eq!((busy.makespan, busy.links[0].count), (30, 24));
        let picture = link_map(&run, measure, &busy.links, None).unwrap();
        let title = "(0) to (1): 24 busy cycles (1.54 us), 80.0 %, 24 units (1536 B)<";
        assert!(picture.svg().contains(title), "{}", picture.svg());
        assert!(picture.svg().contains("\n24 (1.54 us), 80.0 % of a link, 24 units (1536 B)\n"));
    }

    #[test]
    fn units_are_those_that_cross_a_link_whatever_their_time() {
        let run = run(&scenario("[8]", "ring").replace("[program]", "hop_cycles = 5\n[program]\nunits = 3"));
        let busy = busy_links(&run, 0).unwrap();
        let measure = LinkMeasure::BusyCycles { makespan: busy.makespan };
        let picture = link_map(&run, measure, &busy.links, None).unwrap();
        for link in &busy.links {
            let units = format!(" back, {} units<", link.count / 5);
            assert!(link.count.is_multiple_of(15) && picture.svg().contains(&units), "{units}");
        }
    }
}
