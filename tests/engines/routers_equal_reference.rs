//! Routers with finite buffers: the engine equals the reference in every message of random programs on small machines, with
//! buffers of 1 and the least number of channels among them, a share of them in every run of the tests, all on request.
//!
//! The reference has the messages set out when they do in the engine, whose processes are compared with it under the
//! other rules of switching.

use std::num::NonZeroU64;
use std::sync::Arc;

use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_reference::route::Tie;
use cubefold_reference::routers::{
    RouterMachine, RouterMessage, RouterOutcome, RouterProblem, RouterRule, RouterTie as ReferenceTie,
    TableRule, run_routers,
};

use cubefold_simulator::{
    AdaptiveChoice, Allocator, Communication, CountLinkUse, Cycles, Detail, DetailList, DimensionChoice,
    EAGER_ALL, Ejection, EngineChoice, Evaluator, Execution, FlowControl, Job, JobStep, LinkUse, LocalCost,
    MessageTimes, NoBeltError, Observer, Operation, OperationKind, Outcome, PhaseLength, Program, Request,
    Requirement, RouterError, RouterRouting, RouterSettings, RouterTie, Routing, RoutingOption,
    RoutingOptions, RoutingScheme, SimulationError, Speedup, StageRecord, StepBody, TableChoice, TaskGraph,
    TaskScheduleBuilder, max_cycles, predict, simulate,
};
use cubefold_topology::{
    LinkMode, Machine, MachineKind, Network, NetworkParameters, NodeId, PacketRoutes, RouteChoice, TieRule,
    Wrap, minimal_routes, valiant_routes,
};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;

use crate::random_problem::{check_all, grid};
use crate::sized_equal_reference::random_case_on;

const ALL: u64 = 10_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 150;

#[test]
fn a_share_of_the_cases() {
    check_cases(SHARE);
}

#[test]
#[ignore = "some minutes: 10 000 cases"]
fn all_cases() {
    check_cases(ALL);
}

fn check_cases(count: u64) {
    let [crossing, queued, blocked] = check_all(count, RouterCase::random, RouterCase::check);
    assert!(10 * crossing >= 9 * count, "{crossing} of {count} cases with messages over links");
    assert!(10 * queued >= 4 * count, "{queued} of {count} cases with queues");
    assert!(10 * blocked >= 6 * count, "{blocked} of {count} cases with blocked messages");
}

/// A program on a machine with routers.
#[derive(Debug)]
struct RouterCase {
    machine: RouterMachine,
    table: String, // of routes, if they are from one
    settings: RouterSettings,
    placement: Placement,
    communication: Communication,
    program: Box<dyn Program>,
}

#[derive(Debug, Default)]
struct Reported {
    records: Vec<StageRecord>,
    messages: Vec<MessageTimes>,
}

impl Observer for Reported {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.records.push(*record);
    }

    fn wants(&self, detail: Detail) -> bool {
        detail == Detail::Messages
    }

    fn details_finished(&mut self, details: DetailList) {
        if let DetailList::Messages(messages) = details {
            assert!(self.messages.is_empty(), "they come once");
            self.messages = messages;
        }
    }
}

impl RouterCase {
    fn random(number: u64) -> Self {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let (reference, machine) = machine(generator);
        let table = random_table(generator, &machine);
        let machine = match table.as_str() {
            "" => machine,
            text => machine.clone().with_packet_routes(PacketRoutes::new(text, &machine).unwrap().into()),
        };
        let settings = settings(generator, &machine);
        let case = random_case_on(generator, &machine);
        let placement = case.placement.clone();
        let packet = match settings.flow_control {
            FlowControl::VirtualCutThrough => generator.random_range(1..=settings.buffer_units.min(9)),
            FlowControl::Wormhole => *[0, 1, 2, 5].choose(generator).unwrap(),
        };
        let tie = match settings.tie {
            RouterTie::Rule(tie) => tie,
            RouterTie::Random => TieRule::Direct,
        };
        let latency = *[0, 0, 1, 4].choose(generator).unwrap();
        let local = LocalCost { latency: Cycles::new(generator.random_range(0..4)), unit: Cycles::new(1) };
        let communication = Communication::new(LinkMode::FullDuplex, Cycles::new(1), tie)
            .unwrap()
            .with_latency(Cycles::new(latency))
            .with_packets(NonZeroU64::new(packet.into()))
            .with_eager(*[0, 0, 4, EAGER_ALL].choose(generator).unwrap())
            .with_local_cost(if generator.random() { local } else { LocalCost::default() })
            .with_processors(case.communication.processors())
            .with_routers(settings, &machine)
            .unwrap();
        let processes = u32::try_from(placement.process_count()).unwrap();
        let program: Box<dyn Program> = match generator.random_range(0..4) {
            0 => Box::new(task_graph(generator, processes)),
            1 => Box::new(job(&case)),
            _ => Box::new(case.program()),
        };
        Self { machine: reference, table, settings, placement, communication, program }
    }

    fn run(&self) -> Result<(Outcome, Reported), String> {
        let mut reported = Reported::default();
        let request = Request::asynchronous(EngineChoice::Auto).counting(CountLinkUse::Yes);
        let outcome = simulate(&*self.program, &self.placement, self.communication, &request, &mut reported);
        outcome.map(|outcome| (outcome, reported)).map_err(|error| error.to_string())
    }

    /// Compares every message; 1 if any crosses a link, any queue is long, any message is blocked.
    fn check(&self) -> Result<[u64; 3], String> {
        let (outcome, reported) = self.run()?;
        if outcome.traffic.messages != reported.messages.len() as u64 {
            return Err(format!("{} messages", reported.messages.len()));
        }
        let (mut crossing, inside): (Vec<MessageTimes>, Vec<MessageTimes>) =
            reported.messages.iter().partition(|message| self.distance(message) > 0);
        crossing.sort_by_key(|message| (message.start, message.stage, message.source, message.destination));
        if let Some(wrong) = inside.iter().find(|message| !self.is_as_inside(message)) {
            return Err(format!("inside a node {wrong:?}"));
        }
        let expected = self.reference(&crossing)?;
        for (message, times) in crossing.iter().zip(&expected.times) {
            let found = [message.start, message.entered.unwrap(), message.received].map(|cycle| cycle.get());
            if found != *times {
                return Err(format!("{message:?}, expected {times:?}"));
            }
            let sum = message.queued().unwrap() + message.transfer + message.blocked();
            if sum != message.received - message.start || message.transfer != self.transfer(message) {
                return Err(format!("{message:?} does not add up"));
            }
        }
        let packets: u64 =
            crossing.iter().map(|message| self.communication.packet_count(message.units)).sum();
        let end_links = if self.has_switches() { 2 } else { 0 };
        let found = (outcome.traffic.hops, outcome.traffic.longest_queue);
        let want =
            (expected.crossings + end_links * packets, Some(u32::try_from(expected.longest_queue).unwrap()));
        if found != want {
            return Err(format!("hops, longest queue {found:?}, expected {want:?}"));
        }
        self.check_sums(&outcome)?;
        let is_blocked = crossing.iter().any(|message| message.blocked() > Cycles::ZERO);
        Ok([u64::from(!crossing.is_empty()), u64::from(want.1 > Some(1)), u64::from(is_blocked)])
    }

    /// The evaluator, the prediction, the bound on the clock and the use of links.
    fn check_sums(&self, outcome: &Outcome) -> Result<(), String> {
        let (program, machine, rules) = (&*self.program, self.placement.machine(), self.communication);
        let makespan = outcome.summary.makespan().get();
        let mut evaluator = Evaluator::new(program, machine, rules).map_err(|error| error.to_string())?;
        for _ in 0..2 {
            let found =
                evaluator.makespan(&self.placement.nodes(), None).map_err(|error| error.to_string())?;
            if found.map(Cycles::get) != Some(makespan) {
                return Err(format!("evaluated as {found:?}, expected {makespan}"));
            }
        }
        let bound = max_cycles(program, &self.placement, rules, &Execution::Asynchronous);
        if u128::from(makespan) > bound {
            return Err(format!("a bound of {bound} cycles, below {makespan}"));
        }
        if program.special().tasks().is_some() {
            return Ok(());
        }
        // Steps of a job side by side are not predicted.
        let predicted = predict(program, &self.placement, rules).get();
        if program.special().job().is_none() && makespan < predicted {
            return Err(format!("{makespan} cycles, below the predicted {predicted}"));
        }
        // Routes that follow from the ends alone, and that other transports take, too.
        let is_plain = match self.settings.routing.name() {
            "dimension-order" => self.settings.tie != RouterTie::Random,
            name => name == "hops",
        };
        assert_eq!(self.settings.routing.takes_machine_routes(self.settings.tie), is_plain);
        let by_routes = LinkUse::of_routes(program, &self.placement, rules);
        let used = outcome.traffic.link_use.as_ref().ok_or("no use of links")?;
        if is_plain && !used.busy_channels().eq(by_routes.busy_channels()) {
            return Err("links are busy for other cycles than by routes".to_owned());
        }
        Ok(())
    }

    fn node(&self, process: ProcessId) -> NodeId {
        self.placement.node(process)
    }

    fn distance(&self, message: &MessageTimes) -> u64 {
        self.placement.machine().distance(self.node(message.source), self.node(message.destination))
    }

    fn is_as_inside(&self, message: &MessageTimes) -> bool {
        let local = self.communication.local_cost();
        let transfer = local.latency + local.unit * message.units;
        message.entered == Some(message.start)
            && message.blocked() == Cycles::ZERO
            && message.transfer == transfer
    }

    fn has_switches(&self) -> bool {
        use RouterMachine::{FailedGrid, Grid, Network};
        !matches!(self.machine, Grid(_) | Network(..) | FailedGrid(..))
    }

    /// `2m + 3 + rho + F - 1`, and the smallest sum of `rho + l + 1` over a route, from the classes of its links.
    fn transfer(&self, message: &MessageTimes) -> Cycles {
        let distance = self.distance(message) - if self.has_switches() { 2 } else { 0 };
        let RouterSettings { router_cycles, terminal_latency, .. } = self.settings;
        let hundredths = u64::from(self.settings.speedup.hundredths());
        let (whole, steps) = match u64::from(router_cycles) {
            few @ 0..=4 => (0, few),
            many => (many - 4, 4),
        };
        let router = whole + (0..).find(|cycles| (cycles * hundredths).div_ceil(100) >= steps).unwrap();
        let ends = 2 * u64::from(terminal_latency) + 3 + router + message.units - 1;
        let latency = self.communication.latency().get();
        let over_links = match self.settings.global_latency {
            None => distance * (router + latency + 1),
            Some(global) => self.least_sum(message, [router + latency + 1, router + global + 1]),
        };
        Cycles::new(ends + over_links)
    }

    /// The least sum over a route between the switches of a message's hosts, of links inside groups and between them.
    fn least_sum(&self, message: &MessageTimes, times: [u64; 2]) -> u64 {
        let machine = self.placement.machine();
        let switch = |process| machine.neighbours(self.node(process)).next().unwrap();
        let mut sums = vec![u64::MAX; usize::try_from(machine.node_count()).unwrap()];
        sums[switch(message.source).index() as usize] = 0;
        for _ in 0..sums.len() {
            for node in machine.nodes().filter(|&node| !machine.is_host(node)) {
                for next in machine.neighbours(node).filter(|&next| !machine.is_host(next)) {
                    let time = times[usize::from(machine.joins_groups(node, next))];
                    let sum = sums[node.index() as usize].saturating_add(time);
                    let least = &mut sums[next.index() as usize];
                    *least = sum.min(*least);
                }
            }
        }
        sums[switch(message.destination).index() as usize]
    }

    fn reference(&self, messages: &[MessageTimes]) -> Result<RouterOutcome, String> {
        let settings = &self.settings;
        let problem = RouterProblem {
            machine: self.machine.clone(),
            channels: settings.virtual_channels as usize,
            buffer: settings.buffer_units.into(),
            router_cycles: settings.router_cycles.into(),
            credit_cycles: settings.credit_cycles.into(),
            latency: self.communication.latency().get(),
            terminal_latency: settings.terminal_latency.into(),
            is_cut_through: settings.flow_control == FlowControl::VirtualCutThrough,
            is_input_first: settings.allocator == Allocator::InputFirst,
            rule: reference_rule(settings.routing),
            table: self.table.clone(),
            tie: match settings.tie {
                RouterTie::Rule(TieRule::Direct) => ReferenceTie::Direct,
                RouterTie::Rule(TieRule::Positive) => ReferenceTie::Positive,
                RouterTie::Rule(TieRule::Negative) => ReferenceTie::Negative,
                RouterTie::Rule(TieRule::Alternate) => ReferenceTie::Alternate,
                RouterTie::Random => ReferenceTie::Random,
            },
            global_latency: settings.global_latency,
            speedup: settings.speedup.hundredths().into(),
            ejects_by_class: settings.ejection == Ejection::Class,
            packet: self.communication.packet().map(NonZeroU64::get),
            seed: settings.seed,
            messages: messages.iter().map(|message| self.reference_message(message)).collect(),
        };
        let last = messages.iter().map(|message| message.received.get()).max().unwrap_or(0);
        run_routers(&problem, last + 1)
    }

    fn reference_message(&self, message: &MessageTimes) -> RouterMessage {
        let [source, destination] =
            [message.source, message.destination].map(|process| self.node(process).index());
        RouterMessage {
            source: source.into(),
            destination: destination.into(),
            queue: message.source.label() as usize,
            units: message.units,
            time: message.start.get(),
            after: vec![],
            draws: [message.stage, message.source.label(), message.destination.label()].map(u64::from),
        }
    }
}

/// A small machine, for the reference and the engine.
fn machine(generator: &mut impl Rng) -> (RouterMachine, Machine) {
    let mut number = |least: u64, greatest: u64| generator.random_range(least..=greatest);
    let (reference, parameters) = match number(0, 9) {
        0 => {
            let (leaves, hosts_per_switch, spines) = (number(2, 4), number(1, 3), number(1, 3));
            let parameters = NetworkParameters::leaf_spine(leaves, hosts_per_switch, spines);
            (RouterMachine::LeafSpine(leaves, hosts_per_switch, spines), parameters)
        }
        1 => {
            let (arity, levels) = (number(2, 3), number(1, 3));
            let tree = RouterMachine::KAryTree(arity, u32::try_from(levels).unwrap());
            (tree, NetworkParameters::k_ary_tree(arity, levels))
        }
        2 | 3 => {
            let (hosts_per_switch, switches_per_group, global_links) =
                (number(1, 2), number(1, 3), number(1, 2));
            let parameters = NetworkParameters::dragonfly(hosts_per_switch, switches_per_group, global_links);
            (RouterMachine::Dragonfly(hosts_per_switch, switches_per_group, global_links), parameters)
        }
        4 => return tree_of_nodes(generator),
        5 => return failed_grid(generator),
        _ => return small_grid(generator),
    };
    let parameters = match &parameters {
        _ if parameters.host_count() >= 2 => parameters,
        _ => return small_grid(generator),
    };
    (reference, Machine::of_parameters(&parameters).unwrap())
}

/// Nodes that are all routers, in a tree with some more links.
fn tree_of_nodes(generator: &mut impl Rng) -> (RouterMachine, Machine) {
    let count = generator.random_range(2..=9_u32);
    let mut links: Vec<(u32, u32)> = (1..count).map(|node| (generator.random_range(0..node), node)).collect();
    for _ in 0..generator.random_range(0..=count / 2) {
        let (one, other) = (generator.random_range(0..count), generator.random_range(0..count));
        if one != other {
            links.push((one.min(other), one.max(other)));
        }
    }
    let network = Network::from_edges(count, &links).unwrap();
    let machine = Machine::network(MachineKind::Network, network).unwrap();
    let machine = machine.with_route_choice(RouteChoice::Lowest);
    let links = links.iter().map(|&(one, other)| (one.into(), other.into())).collect();
    (RouterMachine::Network(count.into(), links), machine)
}

/// A grid without one to three of its links; the machine itself where it would fall apart.
fn failed_grid(generator: &mut impl Rng) -> (RouterMachine, Machine) {
    let (whole, machine) = small_grid(generator);
    let RouterMachine::Grid(grid) = &whole else { unreachable!("a grid") };
    let links: Vec<(NodeId, NodeId)> = machine
        .nodes()
        .flat_map(|one| machine.neighbours(one).map(move |other| (one, other)))
        .filter(|(one, other)| one < other)
        .collect();
    let count = generator.random_range(1..=3);
    let failed: Vec<(NodeId, NodeId)> = links.sample(generator, count).copied().collect();
    let Ok(left) = machine.with_failures(&failed, &[]) else { return (whole, machine) };
    let (tie, reference_tie) = [
        (TieRule::Direct, Tie::Direct),
        (TieRule::Positive, Tie::Positive),
        (TieRule::Negative, Tie::Negative),
        (TieRule::Alternate, Tie::Alternate),
    ]
    .choose(generator)
    .unwrap()
    .clone();
    let is_left = |link: &&(NodeId, NodeId)| !failed.contains(link);
    let links = links.iter().filter(is_left).map(|(one, other)| (one.index().into(), other.index().into()));
    (RouterMachine::FailedGrid(grid.clone(), links.collect(), reference_tie), left.with_tie(tie))
}

fn small_grid(generator: &mut impl Rng) -> (RouterMachine, Machine) {
    loop {
        let dimensions = generator.random_range(1..=3);
        let shape: Vec<u64> = (0..dimensions).map(|_| generator.random_range(2..=6)).collect();
        if shape.iter().product::<u64>() > 30 {
            continue;
        }
        let wrap = |_: &u64| if generator.random_bool(0.6) { Wrap::Around } else { Wrap::Open };
        let wraps: Vec<Wrap> = shape.iter().map(wrap).collect();
        let machine = Machine::with_wraps(MachineKind::Torus, &shape, &wraps).unwrap();
        return (RouterMachine::Grid(grid(&machine)), machine);
    }
}

/// Routers that suit a machine, half of them with the least number of channels.
fn settings(generator: &mut impl Rng, machine: &Machine) -> RouterSettings {
    let has_table = machine.packet_routes().is_some();
    let is_fit =
        |rule: &RouterRouting| rule.descriptor().is_from_file == has_table && rule.applies_to(machine);
    let fitting: Vec<RouterRouting> = RouterRouting::all().filter(is_fit).collect();
    let rule = *fitting.choose(generator).unwrap();
    let mut options = RoutingOptions::default();
    for option in rule.descriptor().options {
        match option {
            RoutingOption::AdaptiveChoice => {
                options.adaptive_choice = *AdaptiveChoice::ALL.choose(generator).unwrap();
            }
            RoutingOption::UgalThreshold => options.ugal_threshold = generator.random_range(-9..=3),
            RoutingOption::RouteChoice => {
                options.route_choice = *TableChoice::ALL.choose(generator).unwrap();
            }
        }
    }
    let routing = rule.with(options);
    let tie = match generator.random_bool(0.3) {
        true => RouterTie::Random,
        false => RouterTie::Rule(*TieRule::ALL.choose(generator).unwrap()),
    };
    RouterSettings {
        flow_control: *FlowControl::ALL.choose(generator).unwrap(),
        virtual_channels: routing.least_channels(machine) + [0, 0, 1, 3].choose(generator).unwrap(),
        buffer_units: *[1, 1, 2, 3, 8].choose(generator).unwrap(),
        router_cycles: generator.random_range(1..=5),
        credit_cycles: generator.random_range(0..=2),
        terminal_latency: *[0, 0, 1, 3].choose(generator).unwrap(),
        allocator: *Allocator::ALL.choose(generator).unwrap(),
        routing,
        tie,
        global_latency: (machine.has_groups() && generator.random())
            .then(|| *[0, 1, 5, 20].choose(generator).unwrap()),
        speedup: speedup(generator),
        ejection: match routing.name() {
            "minimal" => *Ejection::ALL.choose(generator).unwrap(),
            _ => Ejection::All,
        },
        seed: generator.random(),
    }
}

/// A table of routes in a sixth of the cases: all shortest ones, those by way of every router, or shortest ones with
/// a way up and down a tree for escape. Empty without a table.
fn random_table(generator: &mut impl Rng, machine: &Machine) -> String {
    let table = match generator.random_range(0..18) {
        0 => minimal_routes(machine).unwrap(),
        1 => valiant_routes(machine, TieRule::Direct).unwrap(),
        2 => escape_table(machine),
        _ => return String::new(),
    };
    let classes: u32 = table.split_whitespace().nth(2).unwrap().parse().unwrap();
    if classes <= 32 { table } else { String::new() }
}

/// All shortest next routers in class 1, and the way over the tree that a search from the first router makes in class 0.
fn escape_table(machine: &Machine) -> String {
    let has_switches = machine.numbered_hosts() < machine.node_count();
    let is_router = |node: &NodeId| !(has_switches && machine.is_host(*node));
    let routers: Vec<NodeId> = machine.nodes().filter(is_router).collect();
    let beside = |node: NodeId| machine.neighbours(node).filter(is_router).collect::<Vec<_>>();
    let search = |from: NodeId| {
        let mut parents = std::collections::BTreeMap::from([(from, (from, 0))]);
        let mut order = vec![from];
        for place in 0..routers.len() {
            let node = order[place];
            for next in beside(node) {
                if !parents.contains_key(&next) {
                    parents.insert(next, (node, parents[&node].1 + 1));
                    order.push(next);
                }
            }
        }
        parents
    };
    let tree = search(routers[0]);
    let up = |mut node: NodeId| {
        let mut all = vec![node];
        while tree[&node].0 != node {
            node = tree[&node].0;
            all.push(node);
        }
        all
    };
    let mut text = "routes hop 2 escape 0\n".to_owned();
    for &to in &routers {
        let (distances, above) = (search(to), up(to));
        for &at in routers.iter().filter(|&&at| at != to) {
            // Down towards the destination below it, else up.
            let place = above.iter().position(|&router| router == at);
            let escape = place.map_or(tree[&at].0, |place| above[place - 1]);
            let nearer = beside(at).into_iter().filter(|next| distances[next].1 < distances[&at].1);
            let others: Vec<String> = nearer.map(|next| format!("{next}/1")).collect();
            text += &format!("{at} {to} : {} {escape}/0\n{at}/0 {to} : {escape}/0\n", others.join(" "));
        }
    }
    text
}

/// The rule of the reference.
fn reference_rule(routing: RouterRouting) -> RouterRule {
    let RoutingOptions { adaptive_choice, route_choice, ugal_threshold } = routing.options();
    match routing.name() {
        "dimension-order" => RouterRule::DimensionOrder,
        "valiant" => RouterRule::Valiant,
        "romm" => RouterRule::Romm,
        "adaptive" => RouterRule::Adaptive(adaptive_choice == AdaptiveChoice::Any),
        "up-down" => RouterRule::UpDown(false),
        "up-down-adaptive" => RouterRule::UpDown(true),
        "minimal" => RouterRule::Minimal,
        "ugal" => RouterRule::Ugal(ugal_threshold),
        "ugal-g" => RouterRule::UgalG(ugal_threshold),
        "par" => RouterRule::Par(ugal_threshold),
        "minimal-adaptive" => RouterRule::MinimalAdaptive,
        "hops" => RouterRule::Hops,
        "table" => RouterRule::Table(reference_table_rule(route_choice)),
        other => panic!("{other} without a rule of the reference"),
    }
}

fn reference_table_rule(choice: TableChoice) -> TableRule {
    match choice {
        TableChoice::Credits => TableRule::Credits,
        TableChoice::Any => TableRule::Any,
        TableChoice::Random => TableRule::Random,
    }
}

/// One step a cycle in half of all cases.
fn speedup(generator: &mut impl Rng) -> Speedup {
    let hundredths = match generator.random_range(0..8) {
        0..4 => 100,
        4 => 200,
        5 => *[125, 150, 300, 800].choose(generator).unwrap(),
        _ => generator.random_range(100..=400),
    };
    Speedup::of_hundredths(hundredths).unwrap()
}

/// Sends and receives, some of which wait for computations and for messages before them. Every send has its own tag, its
/// number.
fn task_graph(generator: &mut impl Rng, processes: u32) -> TaskGraph {
    let count = generator.random_range(1..=4 * processes);
    let ends: Vec<[u32; 2]> = (0..count)
        .map(|_| {
            let source = generator.random_range(0..processes);
            [source, (source + generator.random_range(1..processes)) % processes]
        })
        .collect();
    let mut builder = TaskScheduleBuilder::new(processes);
    for (number, &[source, destination]) in (0..).zip(&ends) {
        let units = generator.random_range(1..=16);
        builder.add(operation(OperationKind::Send, source, destination, number, units));
    }
    for (number, &[source, destination]) in (0..).zip(&ends) {
        builder.add(operation(OperationKind::Receive, destination, source, number, 0));
    }
    for (number, &[source, _]) in (0..).zip(&ends) {
        let cycles = *[0, 0, 5, 60].choose(generator).unwrap();
        builder.add(operation(OperationKind::Calc, source, 0, number, cycles));
    }
    for (number, &[source, _]) in (0..count).zip(&ends) {
        builder.require(number, 2 * count + number, Requirement::Over);
        for (before, _) in (0..number).zip(&ends).filter(|(_, pair)| pair[1] == source) {
            if generator.random_bool(0.3) {
                builder.require(number, count + before, Requirement::Over);
            }
        }
    }
    TaskGraph::new(Arc::new(builder.finish().unwrap()), Cycles::ZERO)
}

/// An operation with a tag and a processor of this number.
fn operation(kind: OperationKind, process: u32, peer: u32, number: u32, amount: u64) -> Operation {
    Operation {
        amount,
        process: ProcessId::new(process),
        peer: ProcessId::new(peer),
        tag: number,
        processor: u16::try_from(number).unwrap(),
        kind,
        is_awaited: true,
    }
}

/// A job of two steps with the messages of a case.
fn job(case: &crate::sized_equal_reference::SizedCase) -> Job {
    let program = Arc::new(case.program());
    let step = |name: &str, after: Vec<usize>| JobStep {
        name: name.to_owned(),
        body: StepBody::Messages { program: Arc::clone(&program) as Arc<_>, shares: 1 },
        after,
        takes_part: Arc::default(),
    };
    let ranks = u32::try_from(case.placement.process_count()).unwrap();
    Job::new(ranks, 2, vec![step("one", vec![]), step("other", vec![])]).unwrap()
}

/// The table of the routes of a machine, one to a destination: on grids without rings in dimension order, in one class; on
/// networks the lowest, in the class of the links passed.
fn table_of_routes(machine: &Machine, classes: u32) -> String {
    let has_switches = machine.numbered_hosts() < machine.node_count();
    let routers = || machine.nodes().filter(|&node| !(has_switches && machine.is_host(node)));
    let mut text = format!("routes hop {classes}\n");
    for (at, to) in routers().flat_map(|at| routers().map(move |to| (at, to))).filter(|(at, to)| at != to) {
        let first = machine.route(at, to, TieRule::Direct).next().unwrap();
        let next = machine.neighbour(first.node, first.direction).unwrap();
        if classes == 1 {
            text += &format!("{at} {to} : {next}\n");
            continue;
        }
        text += &format!("{at}/i {to} : {next}/0\n");
        for class in 1..classes {
            text += &format!("{at}/{} {to} : {next}/{class}\n", class - 1);
        }
    }
    text
}

#[test]
fn the_table_of_a_built_in_routing_gives_its_times() {
    let mut compared = 0;
    for number in 0..600 {
        let mut case = RouterCase::random(number);
        let machine = case.placement.machine().clone();
        if matches!(case.machine, RouterMachine::FailedGrid(..)) {
            continue; // routes depend on the source
        }
        let routing = case.settings.routing;
        let (text, choices) = match routing.name() {
            "hops" => (table_of_routes(&machine, routing.least_channels(&machine)), &TableChoice::ALL[..]),
            "dimension-order" if machine.extents().all(|extent| !extent.is_ring()) => {
                (table_of_routes(&machine, 1), &TableChoice::ALL[..])
            }
            "minimal-adaptive" => (minimal_routes(&machine).unwrap(), &[TableChoice::Credits][..]),
            _ => continue,
        };
        let routes = PacketRoutes::new(&text, &machine).unwrap_or_else(|error| panic!("{error}: {text}"));
        let (outcome, expected) = case.run().unwrap();
        let machine = machine.with_packet_routes(routes.into());
        let nodes = case.placement.nodes().to_vec();
        case.placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        let table = RouterRouting::of_table(&machine).unwrap();
        for &route_choice in choices {
            let routing = table.with(RoutingOptions { route_choice, ..RoutingOptions::default() });
            let settings = RouterSettings { routing, ..case.settings };
            case.communication = case.communication.with_routers(settings, &machine).unwrap();
            let (found, reported) = case.run().unwrap();
            assert_eq!(reported.messages, expected.messages, "case {number}");
            assert_eq!(found.summary.makespan(), outcome.summary.makespan());
        }
        compared += 1;
    }
    assert!(compared >= 40, "{compared} cases");
}

/// A message alone takes the closed form, if buffers cover the round trip of a credit.
#[test]
fn a_message_alone_takes_the_closed_form() {
    for number in 0..300 {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let (reference, machine) = machine(generator);
        let mut settings = settings(generator, &machine);
        settings.routing = RouterRouting::default_of(&machine);
        settings.virtual_channels = settings.routing.least_channels(&machine) + 1;
        settings.speedup = Speedup::of_hundredths(*[100, 200, 300].choose(generator).unwrap()).unwrap();
        (settings.global_latency, settings.ejection) = (None, Ejection::All);
        let RouterSettings { router_cycles, credit_cycles, terminal_latency, .. } = settings;
        let latency = generator.random_range(0..=3);
        settings.buffer_units = router_cycles.min(2) + credit_cycles + 2 * terminal_latency.max(latency) + 2;
        let communication = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)
            .unwrap()
            .with_latency(Cycles::new(latency.into()))
            .with_packets(NonZeroU64::new(settings.buffer_units.into()))
            .with_routers(settings, &machine)
            .unwrap();
        let hosts: Vec<NodeId> = machine.hosts().collect();
        let ends = [hosts[0], hosts[generator.random_range(1..hosts.len())]];
        let placement = Placement::Table(PlacementTable::new(&machine, ends.to_vec()).unwrap());
        let program = Box::new(one_message(settings.buffer_units.into()));
        let case = RouterCase {
            machine: reference,
            table: String::new(),
            settings,
            placement,
            communication,
            program,
        };
        let (_, reported) = case.run().unwrap();
        let alone = reported.messages[0];
        assert_eq!(alone.received - alone.start, case.transfer(&alone), "case {number}: {case:?}");
    }
}

fn one_message(units: u64) -> TaskGraph {
    let mut builder = TaskScheduleBuilder::new(2);
    builder.add(operation(OperationKind::Send, 0, 1, 0, units));
    builder.add(operation(OperationKind::Receive, 1, 0, 0, 0));
    TaskGraph::new(Arc::new(builder.finish().unwrap()), Cycles::ZERO)
}

/// The refusals of routers, with their reasons.
#[test]
fn refusals_say_what_was_expected() {
    let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let settings = RouterSettings::default_of(&torus, 0);
    let refused = |settings, rules: Communication, machine: &Machine| {
        rules.with_routers(settings, machine).unwrap_err().to_string()
    };
    let one_channel = RouterSettings { virtual_channels: 1, ..settings };
    assert_eq!(
        refused(one_channel, rules, &torus),
        "1 virtual channel, expected at least 2 under dimension-order routing of this machine"
    );
    let none = RouterSettings { buffer_units: 0, ..settings };
    assert_eq!(refused(none, rules, &torus), "0 units of a buffer, expected 1 to 65535");
    let up_down = RouterRouting::named("up-down", &torus).unwrap();
    let up_down = RouterSettings { routing: up_down, ..settings };
    assert_eq!(
        refused(up_down, rules, &torus),
        "up-down routing of routers, expected dimension-order, valiant, romm, adaptive on this machine"
    );
    let half = Communication::new(LinkMode::HalfDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    assert!(matches!(half.with_routers(settings, &torus), Err(RouterError::OtherRule { .. })));
    let slow = Communication::new(LinkMode::FullDuplex, Cycles::new(2), TieRule::Direct).unwrap();
    assert_eq!(slow.with_routers(settings, &torus), Err(RouterError::SlowLinks { hop_cycles: 2 }));
    let cut_through = RouterSettings { flow_control: FlowControl::VirtualCutThrough, ..settings };
    let packets = rules.with_packets(NonZeroU64::new(9));
    let too_small = RouterError::BufferTooSmall { buffer_units: 8, packet_units: 9 };
    assert_eq!(packets.with_routers(cut_through, &torus), Err(too_small.clone()));
    // Without packets the largest message must fit.
    let nodes = vec![NodeId::new(0), NodeId::new(5)];
    let placement = Placement::Table(PlacementTable::new(&torus, nodes).unwrap());
    let whole = rules.with_routers(cut_through, &torus).unwrap();
    let run = |units, request: &Request| {
        simulate(&one_message(units), &placement, whole, request, &mut ())
            .map(|outcome| outcome.summary.makespan().get())
    };
    let auto = Request::asynchronous(EngineChoice::Auto);
    assert_eq!(run(9, &auto), Err(SimulationError::Routers(too_small)));
    assert_eq!(run(8, &auto), Ok(3 + 3 * 4 + 2 + 7));
    let belt = Request::asynchronous(EngineChoice::BELT);
    assert_eq!(run(8, &belt), Err(SimulationError::NoBelt(NoBeltError::Routers)));
    let coordinated = Request::coordinated(Routing {
        dimension_choice: DimensionChoice::Lowest,
        phase_length: PhaseLength::Unlimited,
        scheme: RoutingScheme::Phases,
    });
    assert_eq!(run(8, &coordinated), Err(SimulationError::NoRouters));
}
