//! Routes from a table: section 30.2.

use super::TableRule;
use super::routing::{Candidates, mix};
use super::run::{Packet, Run};

/// A line: the numbers on its left side, the class in which a packet comes (`i` is -1), and routers with classes.
pub(super) struct TableLine {
    left: Vec<u64>,
    class: Option<i64>,
    right: Vec<(u64, u64)>,
}

fn number(word: &str) -> u64 {
    word.parse().unwrap()
}

/// The lines after the first.
pub(super) fn table_lines(text: &str) -> Vec<TableLine> {
    let line = |line: &str| {
        let (left, right) = line.split_once(':').unwrap();
        let mut words = left.split_whitespace();
        let first = words.next().unwrap();
        let (first, class) = match first.split_once('/') {
            Some((first, "i")) => (first, Some(-1)),
            Some((first, class)) => (first, Some(class.parse().unwrap())),
            None => (first, None),
        };
        let hop = |word: &str| match word.split_once('/') {
            Some((node, class)) => (number(node), number(class)),
            None => (number(word), 0),
        };
        let left = [first].into_iter().chain(words).map(number).collect();
        TableLine { left, class, right: right.split_whitespace().map(hop).collect() }
    };
    text.lines().skip(1).map(line).collect()
}

impl Run<'_> {
    /// The candidates that a table gives a packet at another router than its destination's.
    pub(super) fn by_table(
        &self,
        packet: &mut Packet,
        at: u64,
        came_in: Option<usize>,
        rule: TableRule,
    ) -> Candidates {
        let header: Vec<&str> = self.problem.table.lines().next().unwrap().split_whitespace().collect();
        let classes = number(header[2]);
        let escape: Vec<u64> = header.get(4..).unwrap_or_default().iter().map(|word| number(word)).collect();
        let (router, _) = self.wiring.terminals[&packet.to];
        let links = packet.links;
        packet.links += 1;
        let candidate = |&(node, class): &(u64, u64)| (self.port_to(at, node), self.class(class, classes));
        if header[1] == "path" {
            let ends = [packet.from, packet.first].map(|from| [packet.to, router].map(|to| [from, to]));
            let [from, to] = *ends
                .iter()
                .flatten()
                .find(|ends| self.table.iter().any(|line| line.left[..2] == ends[..]))
                .unwrap();
            let lines: Vec<&TableLine> =
                self.table.iter().filter(|line| line.left[..2] == [from, to]).collect();
            let weight = |line: &TableLine| line.left.get(2).copied().unwrap_or(1);
            let mut draw = mix(packet.key ^ 160) % lines.iter().map(|line| weight(line)).sum::<u64>();
            for line in lines {
                if draw < weight(line) {
                    let hop = line.right[usize::try_from(links).unwrap()];
                    return Candidates { others: vec![candidate(&hop)], escape: vec![] };
                }
                draw -= weight(line);
            }
            unreachable!("the draw is below the sum");
        }
        let class = |channel: usize| {
            (0..classes).find(|&class| self.class(class, classes).contains(&channel)).unwrap()
        };
        let came = came_in.map_or(-1, |channel| i64::try_from(class(channel)).unwrap());
        let order = [(Some(came), packet.to), (Some(came), router), (None, packet.to), (None, router)];
        let line = order
            .iter()
            .find_map(|&(class, to)| {
                self.table.iter().find(|line| line.left == [at, to] && line.class == class)
            })
            .unwrap();
        let (escapes, mut others): (Vec<_>, Vec<_>) =
            line.right.iter().partition(|own| escape.contains(&own.1));
        if rule == TableRule::Random && !others.is_empty() {
            let place = mix(packet.key ^ (224 + links)) % others.len() as u64;
            others = vec![others[usize::try_from(place).unwrap()]];
        }
        Candidates {
            others: others.iter().map(candidate).collect(),
            escape: escapes.iter().map(candidate).collect(),
        }
    }
}
