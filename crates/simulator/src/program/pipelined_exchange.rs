//! Compute-and-communicate d-cube programs whose exchanges are cut into parts and pipelined, with computations that
//! vary (`docs/model.md` sections 29.1 and 29.3).
//!
//! Part `p` of stage `s` is done in step `s + p`, so that a step works on a window of consecutive stages and may use
//! several dimensions at once (Díaz de Cerio, Valero-García & González 1996). A step is one stage of this program, or,
//! with one port, one stage for each of its messages. With one part it is the program of [`CubeProgram`].

use cubefold_derive::Words;
use cubefold_mapping::{CubeDimension, Guest, Hypercube, ProcessId};

use crate::{ComputeNoise, CubeProgram, Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program, Special};

/// A pipelined d-cube program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelinedExchange {
    cube: Hypercube,
    computations: Vec<Cycles>, // `C_s` without noise, by stage
    pipelining: Pipelining,
    noise: Option<ComputeNoise>,
    messages: Vec<Exchange>,     // of all steps, in each by dimension
    step_ends: Vec<usize>,       // by step, the end of its messages
    step_computations: Vec<u64>, // by step, without noise; empty with noise
    stage_steps: Vec<usize>,     // by stage of this program, the step; empty if they are the same
    facts: Facts,
}

/// The parts of a pipelined program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pipelining {
    /// The number `Q` of parts of every message, at least 1.
    pub parts: usize,
    /// The concurrent exchanges of a process.
    pub ports: ExchangePorts,
    /// The processor's time for every message that it sends.
    pub startup: Cycles,
}

/// The number of exchanges of a process at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum ExchangePorts {
    /// Those of all dimensions.
    #[default]
    All,
    /// One.
    #[word("1")]
    One,
}

/// A message of every process with its neighbour in a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Exchange {
    dimension: CubeDimension,
    units: u64, // at least 1
}

/// An invalid number of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{parts} parts of {stages} stages, expected at least 1 and at most {} in all",
    PipelinedExchange::MOST_PARTS
)]
pub struct PipeliningError {
    /// The number of parts found.
    pub parts: usize,
    /// The number of stages.
    pub stages: usize,
}

/// Part `part` of `parts` of a quantity: they differ by at most 1 and add up to it.
fn part_of(quantity: u64, part: usize, parts: usize) -> u64 {
    let up_to = |parts_before: usize| parts_before as u128 * u128::from(quantity) / parts as u128;
    u64::try_from(up_to(part + 1) - up_to(part)).unwrap_or(u64::MAX)
}

impl PipelinedExchange {
    /// The greatest number of parts of all stages together.
    pub const MOST_PARTS: usize = 1 << 26;

    /// The stages of `program` with these computations by stage, the last one for all further stages, cut into parts.
    ///
    /// # Errors
    ///
    /// If there is no part, or over 2^26 of all stages together.
    pub fn new(
        program: &CubeProgram,
        sizes: &MessageSizes,
        computations: &[Cycles],
        pipelining: Pipelining,
        noise: Option<ComputeNoise>,
    ) -> Result<Self, PipeliningError> {
        let (stages, parts) = (program.stages(), pipelining.parts);
        if parts == 0 || stages.len().saturating_mul(parts) > Self::MOST_PARTS {
            return Err(PipeliningError { parts, stages: stages.len() });
        }
        let last = computations.last().copied().unwrap_or_default();
        let computations: Vec<Cycles> =
            (0..stages.len()).map(|stage| computations.get(stage).copied().unwrap_or(last)).collect();
        let cube = program.cube();
        let mut exchange = Self {
            cube,
            computations,
            pipelining,
            noise,
            messages: vec![],
            step_ends: vec![],
            step_computations: vec![],
            stage_steps: vec![],
            facts: Facts::new(cube.process_count(), 1, Cycles::ZERO),
        };
        for step in 0..exchange.step_count() {
            exchange.add_step(step, stages, sizes);
        }
        if pipelining.ports == ExchangePorts::One {
            let messages = |step| exchange.messages_of_step(step).len().max(1);
            exchange.stage_steps = (0..exchange.step_count())
                .flat_map(|step| std::iter::repeat_n(step, messages(step)))
                .collect();
        }
        exchange.facts = exchange.count();
        Ok(exchange)
    }

    fn add_step(&mut self, step: usize, stages: &[CubeDimension], sizes: &MessageSizes) {
        let mut units = [0_u64; 32];
        for stage in self.window(step) {
            units[stages[stage].index()] +=
                part_of(sizes.of_stage(stage), step - stage, self.pipelining.parts);
        }
        let exchanges = self.cube.dimensions().zip(units).filter(|&(_, units)| units > 0);
        self.messages.extend(exchanges.map(|(dimension, units)| Exchange { dimension, units }));
        self.step_ends.push(self.messages.len());
        if self.noise.is_none() {
            let computation = self.step_computation(step, ProcessId::new(0));
            self.step_computations.push(computation);
        }
    }

    fn count(&self) -> Facts {
        let stage_count =
            if self.stage_steps.is_empty() { self.step_count() } else { self.stage_steps.len() };
        let first = self.messages.first().map(|message| message.units);
        let is_uniform = self.messages.iter().all(|message| Some(message.units) == first);
        let most = (0..self.step_count()).map(|step| self.messages_of_step(step).len()).max();
        let startups = self.messages.len() as u128 * u128::from(self.pipelining.startup.get());
        let processes = self.cube.process_count();
        let of_stages: u128 = self.computations.iter().map(|computation| u128::from(computation.get())).sum();
        let noise = self.noise.map_or(0, |noise| noise.total(self.computations.len(), processes));
        let mut facts = Facts::new(processes, stage_count, Cycles::new(self.longest_computation()));
        facts.has_one_compute_time = false;
        facts.total_compute = (of_stages + startups) * u128::from(processes) + noise;
        facts.max_received = if self.pipelining.ports == ExchangePorts::One { 1 } else { most.unwrap_or(1) };
        facts.uniform_units = first.filter(|_| is_uniform);
        facts
    }

    /// A bound that no computation of a stage exceeds \[cycles\].
    fn longest_computation(&self) -> u64 {
        let noise = self.noise.map_or(0, |noise| noise.most());
        let with_noise = |stage: usize| self.computations[stage].get().saturating_add(noise);
        let parts = self.pipelining.parts;
        let of_step = |step: usize| {
            let parts = self.window(step).map(|stage| with_noise(stage).div_ceil(parts as u64));
            let startups =
                self.pipelining.startup.get().saturating_mul(self.messages_of_step(step).len() as u64);
            parts.fold(startups, u64::saturating_add)
        };
        (0..self.step_count()).map(of_step).max().unwrap_or(0)
    }

    /// The number of steps: the stages and one less than the parts.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.computations.len() + self.pipelining.parts - 1
    }

    /// The step to which a stage of this program belongs.
    #[must_use]
    pub fn step(&self, stage: usize) -> usize {
        if self.stage_steps.is_empty() { stage } else { self.stage_steps[stage] }
    }

    /// The dimensions of the messages of a stage of this program, ascending.
    pub fn dimensions(&self, stage: usize) -> impl Iterator<Item = CubeDimension> + '_ {
        self.exchanges(stage).iter().map(|exchange| exchange.dimension)
    }

    /// The computation of each stage of the cube program, without noise \[cycles\].
    #[must_use]
    pub fn computations(&self) -> &[Cycles] {
        &self.computations
    }

    /// The parts, ports and start-ups.
    #[must_use]
    pub fn pipelining(&self) -> Pipelining {
        self.pipelining
    }

    /// Whether it has one part and uses every dimension of the cube exactly once, in any order.
    pub(crate) fn is_one_exchange_a_dimension(&self) -> bool {
        let mut used: Vec<CubeDimension> = self.messages.iter().map(|message| message.dimension).collect();
        used.sort_unstable();
        self.pipelining.parts == 1 && used.into_iter().eq(self.cube.dimensions())
    }

    /// The stages of the cube program that a step works on.
    fn window(&self, step: usize) -> std::ops::Range<usize> {
        (step + 1).saturating_sub(self.pipelining.parts)..(step + 1).min(self.computations.len())
    }

    fn messages_of_step(&self, step: usize) -> &[Exchange] {
        let first = step.checked_sub(1).map_or(0, |before| self.step_ends[before]);
        &self.messages[first..self.step_ends[step]]
    }

    /// The place of a stage among those of its step.
    fn place_in_step(&self, stage: usize) -> usize {
        let step = self.step(stage);
        if self.stage_steps.is_empty() {
            0
        } else {
            stage - self.stage_steps.partition_point(|&other| other < step)
        }
    }

    /// The messages of a process in a stage of this program.
    fn exchanges(&self, stage: usize) -> &[Exchange] {
        let messages = self.messages_of_step(self.step(stage));
        if self.stage_steps.is_empty() {
            return messages;
        }
        let place = self.place_in_step(stage);
        messages.get(place..=place).unwrap_or(&[])
    }

    /// The computation of a process in a step, without the starts of messages.
    fn step_computation(&self, step: usize, process: ProcessId) -> u64 {
        if let Some(&known) = self.step_computations.get(step) {
            return known;
        }
        let part = |stage: usize| {
            let noise = self.noise.map_or(0, |noise| noise.cycles(stage, process));
            part_of(self.computations[stage].get().saturating_add(noise), step - stage, self.pipelining.parts)
        };
        self.window(step).map(part).fold(0, u64::saturating_add)
    }
}

impl Program for PipelinedExchange {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.exchanges(stage).iter().map(|exchange| exchange.units).max().unwrap_or(1)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        let startup = self.pipelining.startup.get().saturating_mul(self.exchanges(stage).len() as u64);
        let computes = self.place_in_step(stage) == 0;
        let computation = if computes { self.step_computation(self.step(stage), process) } else { 0 };
        Cycles::new(computation.saturating_add(startup))
    }

    fn list(&self, _: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let peer = |exchange: &Exchange| Peer {
            process: self.cube.neighbour(process, exchange.dimension),
            units: exchange.units,
        };
        peers.extend(self.exchanges(stage).iter().map(peer));
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        match self.exchanges(stage) {
            [single] => Some(single.dimension.index()),
            _ => None,
        }
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Cube(&self.cube))
    }

    fn special(&self) -> Special<'_> {
        Special::Pipelined(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Communication, EngineChoice, Request, simulate};
    use cubefold_mapping::{EmbeddingKind, Placement};
    use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};

    fn pipelined(dimensions: u64, units: u64, compute: u64, pipelining: Pipelining) -> PipelinedExchange {
        let cube = Hypercube::new(dimensions).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
        let sizes = MessageSizes::same(units).unwrap();
        PipelinedExchange::new(&program, &sizes, &[Cycles::new(compute)], pipelining, None).unwrap()
    }

    fn makespan(program: &PipelinedExchange) -> u64 {
        let lengths = vec![2; usize::from(program.cube.dimension_count())];
        let machine = Machine::new(MachineKind::Hypercube, &lengths).unwrap();
        let placement = Placement::embed(EmbeddingKind::Standard, program.cube, &machine).unwrap();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
        let request = Request::asynchronous(EngineChoice::Auto);
        simulate(program, &placement, links, &request, &mut ()).unwrap().summary.makespan().get()
    }

    fn parts(parts: usize, ports: ExchangePorts, startup: u64) -> Pipelining {
        Pipelining { parts, ports, startup: Cycles::new(startup) }
    }

    #[test]
    fn the_worked_example_has_seven_steps() {
        let program = pipelined(3, 7, 11, parts(5, ExchangePorts::All, 0));
        let computations: Vec<u64> =
            (0..7).map(|step| program.computation(step, ProcessId::new(3)).get()).collect();
        assert_eq!(computations, [2, 4, 6, 6, 7, 5, 3]);
        let sent = |step| -> Vec<(u8, u64)> {
            program
                .exchanges(step)
                .iter()
                .map(|exchange| (exchange.dimension.number(), exchange.units))
                .collect()
        };
        assert_eq!(sent(0), [(0, 1)]);
        assert_eq!(sent(2), [(0, 2), (1, 1), (2, 1)]);
        assert_eq!(sent(5), [(1, 2), (2, 1)]);
        assert_eq!(program.facts().total_compute, 8 * 33);
        assert_eq!(makespan(&program), 45);
        assert_eq!(makespan(&pipelined(3, 7, 11, parts(1, ExchangePorts::All, 0))), 54);
    }

    #[test]
    fn makespans_between_neighbours_are_the_closed_forms() {
        for (dimensions, units, compute, startup) in [(3, 12, 24, 5), (4, 64, 64, 0), (5, 16, 0, 3)] {
            for count in [1, 2, 4] {
                let (stages, size) = (dimensions, units);
                let all = stages * compute + stages * count * startup + (stages + count - 1) * (size / count);
                let one = stages * compute + stages * count * startup + stages * size;
                for (ports, expected) in [(ExchangePorts::All, all), (ExchangePorts::One, one)] {
                    let parts = parts(usize::try_from(count).unwrap(), ports, startup);
                    let program = pipelined(dimensions, units, compute, parts);
                    assert_eq!(makespan(&program), expected, "{dimensions} {count} {ports:?}");
                }
            }
        }
    }

    #[test]
    fn counts_that_make_no_program_are_refused() {
        let cube = Hypercube::new(3).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
        for count in [0, PipelinedExchange::MOST_PARTS] {
            let pipelining = parts(count, ExchangePorts::All, 0);
            let made = PipelinedExchange::new(&program, &MessageSizes::ONE_UNIT, &[], pipelining, None);
            assert!(made.unwrap_err().to_string().contains("expected at least 1"));
        }
    }
}
