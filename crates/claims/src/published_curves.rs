//! Latency over load against `BookSim2` (Jiang et al. 2013, revision 28f4329), measured in November 2026.
//!
//! The latencies are means over three seeds of an implementation of `docs/model.md` sections 26 and 27 that delivers every
//! packet of these configurations in the same cycle as `BookSim2`; the saturation loads are from `BookSim2` itself,
//! the last stable one and the first unstable one. [`docs/routers.md`] lists its configurations.
//!
//! [`docs/routers.md`]: ../../../docs/routers.md

use cubefold_simulator::{
    Allocator, Communication, Cycles, OpenLoop, RouterRouting, RouterSettings, RouterTie, TrafficPattern,
};
use cubefold_topology::{LinkMode, Machine, NetworkParameters, TieRule};

use crate::{
    cases::{mesh, torus},
    claim::{Quantity, Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the report.
    pub(super) CLAIMS:

    "BookSim2 28f4329, mesh, torus and fat tree, 64 nodes":
        LATENCY = "mean packet latency up to 80 % of saturation: difference [%]: at most 2";
        STABLE = "runs at 95 % of the last stable load that saturate";
        SATURATED = "runs at 105 % of the first load that saturates that do not";
}

/// A configuration with its published curve.
#[derive(Debug, Clone, Copy)]
struct Curve {
    name: &'static str,
    network: Network,
    pattern: Pattern,
    virtual_channels: u32,
    buffer_units: u32,
    router_cycles: u32,
    latency: u64,
    allocator: Allocator,
    packet_units: u64,
    /// Loads with the mean packet latency \[cycles\].
    points: &'static [(f64, f64)],
    /// The last stable load, and the first that saturates.
    saturation: [f64; 2],
}

#[derive(Debug, Clone, Copy)]
enum Network {
    Mesh,
    Torus(&'static [u64]),
    /// 4-ary 3-tree.
    FatTree,
}

#[derive(Debug, Clone, Copy)]
enum Pattern {
    Uniform,
    Transpose,
    Tornado,
}

/// 8 x 8 nodes, 8 channels of 8 units, packets of one unit, uniform traffic: the common part of the curves.
const MESH: Curve = Curve {
    name: "mesh",
    network: Network::Mesh,
    pattern: Pattern::Uniform,
    virtual_channels: 8,
    buffer_units: 8,
    router_cycles: 4,
    latency: 0,
    allocator: Allocator::OutputFirst,
    packet_units: 1,
    points: &[(0.1, 33.759), (0.3, 36.84)],
    saturation: [0.43, 0.44],
};

const TORUS: Curve = Curve {
    name: "torus",
    network: Network::Torus(&[8, 8]),
    virtual_channels: 4,
    latency: 1,
    points: &[(0.2, 32.047), (0.4, 35.632)],
    saturation: [0.52, 0.53],
    ..MESH
};

/// The curves; the first ones are quick.
static CURVES: [Curve; 8] = [
    Curve {
        name: "torus, tornado",
        pattern: Pattern::Tornado,
        points: &[(0.1, 45.274), (0.14, 48.187)],
        saturation: [0.185, 0.19],
        ..TORUS
    },
    Curve {
        name: "mesh, 4 flits, 2 channels of 4",
        virtual_channels: 2,
        buffer_units: 4,
        packet_units: 4,
        points: &[(0.1, 37.841), (0.15, 38.99), (0.2, 40.856)],
        saturation: [0.32, 0.33],
        ..MESH
    },
    MESH,
    Curve {
        name: "mesh, transpose",
        pattern: Pattern::Transpose,
        points: &[(0.08, 33.97), (0.12, 35.161)],
        saturation: [0.15, 0.16],
        ..MESH
    },
    TORUS,
    Curve {
        name: "torus, fast pipeline",
        router_cycles: 2,
        latency: 0,
        points: &[(0.2, 17.58), (0.4, 19.137)],
        saturation: [0.64, 0.66],
        ..TORUS
    },
    Curve {
        name: "torus 4 x 4 x 4, input-first",
        network: Network::Torus(&[4, 4, 4]),
        allocator: Allocator::InputFirst,
        points: &[(0.2, 25.406), (0.4, 26.221), (0.55, 27.366)],
        saturation: [0.84, 0.88],
        ..TORUS
    },
    Curve {
        name: "4-ary 3-tree",
        network: Network::FatTree,
        virtual_channels: 4,
        points: &[(0.2, 24.849), (0.4, 27.372), (0.5, 31.12)],
        saturation: [0.68, 0.70],
        ..MESH
    },
];

/// The curves of the quick verification.
const QUICK: usize = 2;

/// The cycles of warmup, measurement and drain each; saturation builds up slowly.
const WINDOW: u64 = 10_000;
/// The same for loads far from saturation.
const SHORT_WINDOW: u64 = 4_000;

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let curves = scope.quick_or_full(&CURVES[..QUICK], &CURVES[..]);
    let of_curve = |(place, curve): (usize, &'static Curve)| {
        let points = curve.points.iter().copied();
        let mut cases = for_each(points, move |point, findings| check_latency(curve, point, findings));
        if scope == Scope::Full || place == 0 {
            cases.push(Box::new(move |findings| check_stable(curve, findings)));
            cases.push(Box::new(move |findings| check_saturated(curve, findings)));
        }
        cases
    };
    curves.iter().enumerate().flat_map(of_curve).collect()
}

impl Curve {
    #[expect(clippy::expect_used, reason = "parameters of a machine that exists")]
    fn machine(&self) -> Machine {
        match self.network {
            Network::Mesh => mesh(&[8, 8]),
            Network::Torus(lengths) => torus(lengths),
            Network::FatTree => {
                let parameters = NetworkParameters::k_ary_tree(4, 3);
                Machine::of_parameters(&parameters).expect("a 4-ary 3-tree")
            }
        }
    }

    #[expect(clippy::expect_used, reason = "routers that suit the machine")]
    fn rules(&self, machine: &Machine) -> Communication {
        let defaults = RouterSettings::default_of(machine, self.latency);
        let settings = RouterSettings {
            virtual_channels: self.virtual_channels,
            buffer_units: self.buffer_units,
            router_cycles: self.router_cycles,
            terminal_latency: 0,
            allocator: self.allocator,
            routing: RouterRouting::default_of(machine),
            tie: match self.network {
                Network::Torus(_) => RouterTie::Random,
                Network::Mesh | Network::FatTree => defaults.tie,
            },
            seed: 1,
            ..defaults
        };
        Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)
            .expect("a hop of one cycle")
            .with_latency(Cycles::new(self.latency))
            .with_routers(settings, machine)
            .expect("routers that suit the machine")
    }

    /// The mean packet latency at a load, and whether it saturates.
    #[expect(clippy::expect_used, reason = "a panic ends the case as broken off, with its reason")]
    fn run(&self, load: f64, window: u64) -> (f64, bool) {
        let machine = self.machine();
        let pattern = match self.pattern {
            Pattern::Uniform => TrafficPattern::Uniform,
            Pattern::Transpose => TrafficPattern::Transpose,
            Pattern::Tornado => TrafficPattern::Tornado,
        };
        let traffic = OpenLoop { sizes: vec![(self.packet_units, 1)], ..OpenLoop::new(pattern, [window; 3]) };
        let outcome = traffic.run(&machine, self.rules(&machine), load).expect("a run that is not refused");
        (outcome.latency_mean.unwrap_or_default(), outcome.saturated.is_some())
    }
}

/// Compares the mean latency at a load with the published one.
fn check_latency(curve: &Curve, (load, published): (f64, f64), findings: &mut Findings) {
    let (mean, _) = curve.run(load, SHORT_WINDOW);
    let [found, expected] = [mean, published].map(thousandths);
    let percent = Quantity::fraction(found.abs_diff(expected) * 100, expected);
    findings.add(LATENCY, Trial::at_most(2, percent), &format!("{} at load {load}", curve.name));
}

/// Thousandths of a latency.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 500 cycles or so")]
fn thousandths(latency: f64) -> u64 {
    (latency * 1000.0).round() as u64
}

fn check_stable(curve: &Curve, findings: &mut Findings) {
    let (_, saturates) = curve.run(0.95 * curve.saturation[0], WINDOW);
    findings.add(STABLE, Trial::equal(0, u64::from(saturates)), &curve.name);
}

fn check_saturated(curve: &Curve, findings: &mut Findings) {
    let (_, saturates) = curve.run(1.05 * curve.saturation[1], WINDOW);
    findings.add(SATURATED, Trial::equal(0, u64::from(!saturates)), &curve.name);
}
