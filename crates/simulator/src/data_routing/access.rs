//! Random access reads and writes by sorting (Nassimi & Sahni 1981; Tao 1988, section 2.4; `docs/model.md` section 28.3).

use super::{Routed, SortedOrder};

/// A request in progress: the place that is named, and the process that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Request {
    named: usize,  // of no place: the greatest number
    key: usize,    // the order of requests for one place
    at: usize,     // the place from which it comes
    is_last: bool, // whether it is the last of those for its place
}

/// The part of the sorted requests on which the numbers of later ones depend.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: usize,  // the place that the first request names
    last: usize,   // and the last
    length: usize, // of the requests at the end that name the last place
    is_all: bool,  // whether these are all requests of the part
}

impl Run {
    fn of(request: &Request) -> Self {
        Self { first: request.named, last: request.named, length: 1, is_all: true }
    }

    /// The run of two parts that follow one another.
    fn then(self, later: Self) -> Self {
        let joins = later.is_all && self.last == later.first;
        Self {
            first: self.first,
            last: later.last,
            length: if joins { self.length + later.length } else { later.length },
            is_all: joins && self.is_all,
        }
    }
}

impl SortedOrder {
    /// **Random access read**: every node gets the data of the node that it names, if it names one.
    ///
    /// Two sorts, a rank, two concentrates, a distribute and a generalize. Empty requests lose their selection,
    /// which the text leaves open.
    ///
    /// # Panics
    ///
    /// If the number of entries is not that of the nodes, or a named node does not exist.
    #[must_use]
    pub fn read<T: Clone>(&self, named: &[Option<usize>], data: &[T]) -> Routed<Option<T>> {
        let nodes = self.node_count();
        assert_eq!(data.len(), nodes, "an entry a node");
        let keys: Vec<usize> = (0..nodes).collect();
        let (requests, mut steps) = self.sorted_requests(named, &keys);
        let ranks = self.rank(&requests.iter().map(|request| request.is_last).collect::<Vec<_>>());
        // To the first places, with the place in the sorted list as return address.
        let returned = requests.iter().enumerate().zip(&ranks.records);
        let concentrated = self.concentrate(
            returned.map(|((place, record), rank)| rank.map(|rank| (rank, (place, record.named)))).collect(),
        );
        // To the named nodes, with the first place as return address.
        let heights: Vec<Option<usize>> =
            concentrated.records.iter().map(|record| record.map(|(place, _)| place)).collect();
        let first = concentrated.records.iter().enumerate();
        let at_named =
            self.distribute(first.map(|(place, record)| record.map(|(_, to)| (to, place))).collect());
        let with_data =
            at_named.records.iter().zip(data).map(|(place, data)| Some(((*place)?, data.clone())));
        let gathered = self.concentrate(with_data.collect());
        let heightened = gathered.records.into_iter().zip(heights).map(|(data, height)| height.zip(data));
        let copied = self.generalize(heightened.collect());
        let mut answers: Vec<(usize, Option<T>)> = requests
            .iter()
            .zip(copied.records)
            .map(|(request, data)| (request.at, data.filter(|_| request.named < nodes)))
            .collect();
        steps += ranks.steps + concentrated.steps + at_named.steps + gathered.steps + copied.steps;
        steps += self.sort(&mut answers, |one, other| one.0.cmp(&other.0));
        Routed { records: answers.into_iter().map(|(_, data)| data).collect(), steps }
    }

    /// **Random access write**: the data of every node go to the node that it names, if it names one; of
    /// several for the same node, those of the greatest key are kept.
    ///
    /// A sort, a rank, a concentrate and a distribute.
    ///
    /// # Panics
    ///
    /// If the number of entries is not that of the nodes, or a named node does not exist.
    #[must_use]
    pub fn write<T: Clone>(&self, named: &[Option<usize>], keys: &[usize], data: &[T]) -> Routed<Option<T>> {
        let (requests, mut steps) = self.sorted_requests(named, keys);
        let selected: Vec<bool> = requests.iter().map(|request| request.is_last).collect();
        let written = self.write_selected(&requests, &selected, data);
        steps += written.steps;
        Routed { records: written.records, steps }
    }

    /// The same, but all data for a node are kept, by ascending keys.
    ///
    /// A sort; a scan that numbers the requests for each node; and for each number a rank, a concentrate and a
    /// distribute.
    ///
    /// # Panics
    ///
    /// If the number of entries is not that of the nodes, or a named node does not exist.
    #[must_use]
    pub fn write_all<T: Clone>(&self, named: &[Option<usize>], keys: &[usize], data: &[T]) -> Routed<Vec<T>> {
        let (requests, mut steps) = self.sorted_requests(named, keys);
        let numbers = self.numbers(&requests);
        steps += numbers.steps;
        let is_request = |request: &Request| request.named < self.node_count();
        let numbered = || requests.iter().zip(&numbers.records).filter(|(request, _)| is_request(request));
        let rounds = numbered().map(|(_, number)| number + 1).max().unwrap_or(0);
        let mut held: Vec<Vec<T>> = vec![vec![]; self.node_count()];
        for round in 0..rounds {
            let selected = requests.iter().zip(&numbers.records);
            let selected: Vec<bool> =
                selected.map(|(request, &number)| number == round && is_request(request)).collect();
            let written = self.write_selected(&requests, &selected, data);
            steps += written.steps;
            for (held, item) in held.iter_mut().zip(written.records) {
                held.extend(item);
            }
        }
        Routed { records: held, steps }
    }

    /// Ranks, concentrates and distributes the data of the selected requests, of which no two name one place.
    fn write_selected<T: Clone>(
        &self,
        requests: &[Request],
        selected: &[bool],
        data: &[T],
    ) -> Routed<Option<T>> {
        let ranks = self.rank(selected);
        let ranked = requests.iter().zip(&ranks.records);
        let concentrated = self.concentrate(
            ranked
                .map(|(record, rank)| rank.map(|rank| (rank, (record.named, data[record.at].clone()))))
                .collect(),
        );
        let distributed = self.distribute(concentrated.records);
        let steps = ranks.steps + concentrated.steps + distributed.steps;
        Routed { records: distributed.records, steps }
    }

    /// For every request, the number of requests for the same place before it: a scan along all bits.
    fn numbers(&self, requests: &[Request]) -> Routed<usize> {
        let mut before: Vec<Option<Run>> = vec![None; requests.len()];
        let mut totals: Vec<Run> = requests.iter().map(Run::of).collect();
        for bit in 0..self.bits.len() {
            let before_step = totals.clone();
            for place in 0..totals.len() {
                let partner = place ^ 1 << bit;
                if partner < place {
                    before[place] = Some(
                        before[place].map_or(before_step[partner], |later| before_step[partner].then(later)),
                    );
                    totals[place] = before_step[partner].then(before_step[place]);
                } else {
                    totals[place] = before_step[place].then(before_step[partner]);
                }
            }
        }
        let number = |(request, before): (&Request, Option<Run>)| match before {
            Some(run) if run.last == request.named => run.length,
            _ => 0,
        };
        Routed { records: requests.iter().zip(before).map(number).collect(), steps: self.steps_of_pass() }
    }

    /// The requests sorted by the named place and then by their keys, the last of each place known; with the steps of
    /// the sort.
    fn sorted_requests(&self, named: &[Option<usize>], keys: &[usize]) -> (Vec<Request>, u64) {
        let nodes = self.node_count();
        assert!(named.len() == nodes && keys.len() == nodes, "an entry a node");
        let request = |(at, (&named, &key)): (usize, (&Option<usize>, &usize))| {
            assert!(named.is_none_or(|named| named < nodes), "a node that there is not");
            Request { named: named.unwrap_or(usize::MAX), key, at, is_last: named.is_some() }
        };
        let mut requests: Vec<Request> = named.iter().zip(keys).enumerate().map(request).collect();
        let steps = self.sort(&mut requests, |one, other| {
            if one.named == other.named {
                // Of two requests for a node, the earlier one is not forwarded.
                let first = if one.key < other.key { &mut *one } else { &mut *other };
                first.is_last = false;
            }
            (one.named, one.key).cmp(&(other.named, other.key))
        });
        (requests, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Collisions, Computations, Cycles, RandomAccess, Received};
    use cubefold_mapping::ProcessId;
    use cubefold_topology::{Machine, MachineKind, NodeId};
    use rand::{RngExt, SeedableRng, seq::SliceRandom};
    use rand_chacha::ChaCha12Rng;
    use serde::Deserialize;

    fn order(lengths: &[u64]) -> SortedOrder {
        let machine = Machine::new(MachineKind::Mesh, lengths).unwrap();
        SortedOrder::new(machine.grid().unwrap()).unwrap()
    }

    /// Tao 1988, figure 2.3, line by line.
    #[test]
    fn figure_2_3_is_read_as_printed() {
        let cube = order(&[2; 3]);
        let asked = [Some(2), Some(6), Some(2), None, Some(5), Some(6), None, Some(6)];
        let (requests, steps) = cube.sorted_requests(&asked, &[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(steps, 6);
        let lines = requests.iter().map(|request| (request.named, request.at, request.is_last));
        let none = usize::MAX;
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [
                (2, 0, false),
                (2, 2, true),
                (5, 4, true),
                (6, 1, false),
                (6, 5, false),
                (6, 7, true),
                (none, 3, false),
                (none, 6, false)
            ]
        );
        assert_eq!(cube.numbers(&requests).records[..6], [0, 1, 0, 0, 1, 2]);
        let data = ["A", "B", "C", "D", "E", "F", "G", "H"];
        let read = cube.read(&asked, &data);
        assert_eq!(read.steps, 27);
        let expected: Vec<Option<&str>> = asked.iter().map(|asked| asked.map(|place| data[place])).collect();
        assert_eq!(read.records, expected);
        let text: String = read.records.iter().map(|record| record.unwrap_or("-")).collect();
        assert_eq!(text, "CGC-FG-G");
    }

    /// Executes an access of the processes of a grid, process `n` on node `n`, by sorting; compares what is received and
    /// the steps with those of the program. Returns the steps.
    fn check(lengths: &[u64], access: Access, named: &[Option<usize>]) -> u64 {
        let order = order(lengths);
        let label = |label: usize| u32::try_from(label).unwrap();
        let place = |process: usize| order.place(NodeId::new(label(process)));
        let process = |place: usize| order.node(place).index() as usize;
        let at_places: Vec<Option<usize>> =
            (0..named.len()).map(|node| named[process(node)].map(place)).collect();
        let sources: Vec<usize> = (0..named.len()).map(process).collect();
        let by_process = |found: usize| ProcessId::new(label(found));
        let (received, steps) = match access {
            Access::Read => {
                let read = order.read(&at_places, &sources);
                let received = |process: usize| read.records[place(process)].map(by_process);
                (Received::Read((0..named.len()).map(received).collect()), read.steps)
            }
            Access::Write(Collisions::Last) => {
                let write = order.write(&at_places, &sources, &sources);
                let received =
                    |process: usize| write.records[place(process)].map(by_process).into_iter().collect();
                (Received::Written((0..named.len()).map(received).collect()), write.steps)
            }
            Access::Write(Collisions::All) => {
                let write = order.write_all(&at_places, &sources, &sources);
                let received = |process: usize| {
                    write.records[place(process)].iter().copied().map(by_process).collect::<Vec<_>>()
                };
                (Received::Written((0..named.len()).map(received).collect()), write.steps)
            }
        };
        let named = named.iter().map(|named_by| named_by.map(by_process)).collect();
        let program = RandomAccess::new(access, named, Computations::Same(Cycles::ZERO), 1).unwrap();
        assert_eq!(program.received(), received, "{lengths:?} {access:?}");
        let stages = if access == Access::Read { 2 } else { 1 };
        let expected: u64 = (0..stages).map(|stage| program.sorted_steps(&order, stage)).sum();
        assert_eq!(steps, expected, "{lengths:?} {access:?}");
        steps
    }

    const ACCESSES: [Access; 3] =
        [Access::Read, Access::Write(Collisions::Last), Access::Write(Collisions::All)];

    /// Checks random accesses of every kind on every shape, `count` of each: half name few nodes, many none.
    fn check_random(count: usize, shapes: &[&[u64]]) -> usize {
        let mut generator = ChaCha12Rng::seed_from_u64(2);
        let mut checked = 0;
        for lengths in shapes {
            let nodes: u64 = lengths.iter().product();
            let nodes = usize::try_from(nodes).unwrap();
            for _ in 0..count {
                let mut some: Vec<usize> = (0..nodes).collect();
                some.shuffle(&mut generator);
                some.truncate(generator.random_range(1..=nodes));
                let named: Vec<Option<usize>> = (0..nodes)
                    .map(|_| generator.random_bool(0.8).then(|| some[generator.random_range(0..some.len())]))
                    .collect();
                for access in ACCESSES {
                    check(lengths, access, &named);
                    checked += 1;
                }
            }
        }
        checked
    }

    const SHAPES: [&[u64]; 8] = [&[2], &[2, 2], &[2; 4], &[8, 8], &[4, 16], &[16], &[2, 8, 4], &[4, 4, 4]];

    #[test]
    fn accesses_by_sorting_are_direct_copies() {
        assert_eq!(check_random(10, &SHAPES), 240);
    }

    #[test]
    #[ignore = "more of the same"]
    fn many_accesses_by_sorting_are_direct_copies() {
        assert_eq!(check_random(70, &SHAPES), 1680);
    }

    #[derive(Debug, Deserialize)]
    struct Golden {
        cases: Vec<serde_json::Value>,
    }

    #[derive(Debug, Deserialize)]
    struct GoldenCase {
        id: String,
        shape: Vec<u64>,
        indices: Vec<Option<usize>>,
        collisions: Option<String>,
        expect: Expected,
    }

    #[derive(Debug, Deserialize)]
    struct Expected {
        steps: u64,
        received: serde_json::Value,
    }

    #[test]
    fn golden_accesses() {
        let golden = include_str!("../../../../tests/golden/papers_rest.json");
        let golden: Golden = serde_json::from_str(golden).unwrap();
        let mut checked = 0;
        for case in golden.cases {
            let access = match (case["item"].as_str(), case["collisions"].as_str()) {
                (Some("random-access-read"), _) => Access::Read,
                (Some("random-access-write"), Some("all")) => Access::Write(Collisions::All),
                (Some("random-access-write"), Some("last")) => Access::Write(Collisions::Last),
                _ => continue,
            };
            let case: GoldenCase = serde_json::from_value(case).unwrap();
            assert_eq!(case.collisions.is_some(), access != Access::Read);
            assert_eq!(check(&case.shape, access, &case.indices), case.expect.steps, "{}", case.id);
            let named = case
                .indices
                .iter()
                .map(|index| index.map(|index| ProcessId::new(u32::try_from(index).unwrap())));
            let program =
                RandomAccess::new(access, named.collect(), Computations::Same(Cycles::ZERO), 1).unwrap();
            let label = |process: &ProcessId| process.label();
            let received = match program.received() {
                Received::Read(read) => {
                    serde_json::json!(
                        read.iter().map(|source| source.as_ref().map(label)).collect::<Vec<_>>()
                    )
                }
                Received::Written(held) => {
                    let lists = held.iter().map(|sources| sources.iter().map(label).collect::<Vec<_>>());
                    serde_json::json!(lists.collect::<Vec<_>>())
                }
            };
            assert_eq!(received, case.expect.received, "{}", case.id);
            checked += 1;
        }
        assert!(checked >= 15, "{checked} cases");
    }
}
