//! What every link carries, as a heat map of the machine.

use std::collections::BTreeMap;

use cubefold_experiment::{LinkTraffic, Run};
use cubefold_topology::{Direction, HostDimension, Network, NodeId, Sign};

use crate::{
    error::PictureError,
    font::text_width,
    machine_plan::{MachinePlan, check_machine},
    palette::heat,
    picture::Picture,
    placement_grid::MAX_CAPTION_WIDTH,
    sheet::{Anchor, Area, Point, Sheet, TEXT, TITLE, as_drawn},
};

/// What links carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkMeasure {
    /// Guest edges whose routes use the link.
    Congestion,
    /// Cycles in which it is busy in a run.
    BusyCycles,
}

impl LinkMeasure {
    fn unit(self) -> &'static str {
        match self {
            Self::Congestion => "guest edges",
            Self::BusyCycles => "busy cycles",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Congestion => "link congestion",
            Self::BusyCycles => "busy cycles of links",
        }
    }
}

/// Draws the machine with its links, those that carry more darker.
///
/// Links around are drawn as stubs on both sides; a link from one layer to the next as a square
/// beside its first node.
///
/// # Errors
///
/// As [`check_machine`].
pub fn link_map(run: &Run, measure: LinkMeasure, links: &[LinkTraffic]) -> Result<Picture, PictureError> {
    check_machine(&run.machine)?;
    let step = (900.0 / MachinePlan::longest_side(&run.machine)).clamp(14.0, 40.0);
    let origin = Point { x: 8.0, y: 58.0 };
    let plan = MachinePlan::new(run, step, origin);
    let caption = format!("{}: {}", run.embedding, measure.title());
    let greatest = links.iter().map(|link| link.count).max().unwrap_or(0);
    let least = format!("0 {}", measure.unit());
    let width =
        plan.width().max(text_width(&caption, TITLE).min(MAX_CAPTION_WIDTH)).max(280.0) + 2.0 * origin.x;
    let description =
        format!("{caption}: each link as dark as it is used, up to {greatest} {}.", measure.unit());
    let mut sheet = Sheet::new(width, plan.height() + origin.y + 8.0, &caption, &description);
    sheet.caption(&caption);
    draw_scale(&mut sheet, &least, &greatest.to_string());
    for (title, at) in plan.layer_titles() {
        sheet.text(&title, at, TEXT, Anchor::Start);
    }
    let map = Map { plan: &plan, measure, greatest };
    map.draw_links(&mut sheet, links);
    Ok(sheet.finish())
}

/// The colours from the least to the greatest value.
fn draw_scale(sheet: &mut Sheet, least: &str, greatest: &str) {
    const PARTS: u8 = 40;
    let from = 8.0 + text_width(least, TEXT) + 6.0;
    sheet.text(least, Point { x: 8.0, y: 44.0 }, TEXT, Anchor::Start);
    for part in 0..PARTS {
        let x = from + f64::from(part) * 3.0;
        let area = Area { x, y: 34.0, width: 3.2, height: 12.0 };
        sheet.swatch(area, &heat(f64::from(part) / f64::from(PARTS - 1)));
    }
    let end = from + f64::from(PARTS) * 3.0 + 6.0;
    sheet.text(greatest, Point { x: end, y: 44.0 }, TEXT, Anchor::Start);
}

struct Map<'picture> {
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
                let count = used.next_if(|own| own.link.near == node).map(|own| own.count);
                let is_second_side = machine.axes()[dimension.index()].length() == 2 && next < node;
                if is_second_side {
                    continue;
                }
                let count = count.unwrap_or(0);
                let title = format!(
                    "({}) to ({}): {count} {}",
                    self.plan.address_text(node),
                    self.plan.address_text(next),
                    self.measure.unit()
                );
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
        let counts: BTreeMap<(NodeId, HostDimension), u64> =
            links.iter().map(|own| ((own.link.near, own.link.dimension), own.count)).collect();
        let directions = self.plan.machine.directions().filter(|direction| direction.sign == Sign::Positive);
        let ports: Vec<HostDimension> = directions.map(|direction| direction.dimension).collect();
        let mut drawn: Vec<(u64, NodeId, NodeId)> = vec![];
        for (near, far) in network.links() {
            let port = network.neighbours(near).iter().position(|&next| next == far);
            let dimension = port.and_then(|port| ports.get(port));
            let count = dimension.and_then(|&dimension| counts.get(&(near, dimension)));
            drawn.push((count.copied().unwrap_or(0), near, far));
        }
        drawn.sort_unstable();
        for (count, near, far) in drawn {
            let share = if self.greatest == 0 { 0.0 } else { as_drawn(count) / as_drawn(self.greatest) };
            let color = heat(share);
            let (from, to) = (self.plan.middle(near), self.plan.middle(far));
            let width = if self.plan.is_long(from, to) { "1.5" } else { thick };
            let title = format!(
                "({}) to ({}): {count} {}",
                self.plan.address_text(near),
                self.plan.address_text(far),
                self.measure.unit()
            );
            sheet.line(from, to, &[("stroke", color.as_str()), ("stroke-width", width)], &title);
        }
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
            let picture = link_map(&run, LinkMeasure::Congestion, &links).unwrap();
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
            let picture = link_map(&run, LinkMeasure::Congestion, &links).unwrap();
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
        let picture = link_map(&run, LinkMeasure::BusyCycles, &busy).unwrap();
        let most = busy.iter().map(|link| link.count).max().unwrap();
        let darkest = picture.svg().split("<line").find(|line| line.contains("stroke=\"#00204d\"")).unwrap();
        assert!(darkest.contains(&format!(": {most} busy cycles")), "{darkest}");
    }
}
