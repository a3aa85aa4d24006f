//! A program of any type, for which the engines are compiled once.
//!
//! The engines take messages as iterators, which a pointer to any program cannot give: a [`ProgramRef`] has the messages
//! of a process listed, and goes through the list. That costs an indirect call for each list and each computation: not to
//! be measured for collectives; a run of divide and conquer, whose processes mostly have nothing to do, takes 1.6 times
//! as long.

use cubefold_mapping::{Placement, ProcessId};
use smallvec::SmallVec;

use crate::{
    Communication, CubeProgram, Cycle, Cycles, Execution, MessageSizes, NoBeltError, Outcome, Program,
    RunRequest, SimulationError, TaskGraph, belt_applies, bytes_to_simulate, check, dividing_ranks, predict,
};

/// The partners of a process in a stage; rarely more than a few.
type Partners = SmallVec<[ProcessId; 6]>;

/// The lists of messages of a program, through a pointer.
trait ListedProgram: Program {
    /// As [`Program::destinations`].
    fn list_destinations(&self, stage: usize, source: ProcessId) -> Partners;

    /// As [`Program::sources`].
    fn list_sources(&self, stage: usize, destination: ProcessId) -> Partners;

    /// As [`Program::for_each_message`].
    fn visit_all(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64));
}

impl<P: Program> ListedProgram for P {
    fn list_destinations(&self, stage: usize, source: ProcessId) -> Partners {
        self.destinations(stage, source).collect()
    }

    fn list_sources(&self, stage: usize, destination: ProcessId) -> Partners {
        self.sources(stage, destination).collect()
    }

    fn visit_all(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        self.for_each_message(stage, &mut |source, destination, units| visit(source, destination, units));
    }
}

/// A program of any type.
#[derive(Clone, Copy)]
pub(crate) struct ProgramRef<'program>(&'program dyn ListedProgram);

impl<'program> ProgramRef<'program> {
    /// That program.
    pub(crate) fn new(program: &'program impl Program) -> Self {
        Self(program)
    }
}

/// What is compiled in this crate, and not again in each that has programs of its own.
impl ProgramRef<'_> {
    /// See [`simulate`](crate::simulate).
    pub(crate) fn simulate(self, request: RunRequest<'_, '_>) -> Result<Outcome, SimulationError> {
        request.simulate(&self)
    }

    /// See [`check`].
    pub(crate) fn check(
        self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> Result<(), SimulationError> {
        check(&self, placement, communication, execution)
    }

    /// See [`belt_applies`].
    pub(crate) fn belt_applies(
        self,
        placement: &Placement,
        communication: Communication,
    ) -> Result<(), NoBeltError> {
        belt_applies(&self, placement, communication)
    }

    /// See [`bytes_to_simulate`].
    pub(crate) fn bytes_to_simulate(
        self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64 {
        bytes_to_simulate(&self, placement, communication, execution)
    }

    /// See [`dividing_ranks`].
    pub(crate) fn dividing_ranks(
        self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
    ) -> u64 {
        dividing_ranks(&self, placement, communication, execution)
    }

    /// See [`predict`].
    pub(crate) fn predict(self, placement: &Placement, communication: Communication) -> Cycle {
        predict(&self, placement, communication)
    }
}

impl Program for ProgramRef<'_> {
    fn process_count(&self) -> u64 {
        self.0.process_count()
    }

    fn stage_count(&self) -> usize {
        self.0.stage_count()
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        self.0.stage_dimension(stage)
    }

    fn compute(&self) -> Cycles {
        self.0.compute()
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        self.0.computation(stage, process)
    }

    fn has_one_compute_time(&self) -> bool {
        self.0.has_one_compute_time()
    }

    fn sizes(&self) -> &MessageSizes {
        self.0.sizes()
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        self.0.units(stage, source, destination)
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.0.max_units(stage)
    }

    fn uniform_units(&self) -> Option<u64> {
        self.0.uniform_units()
    }

    fn computes(&self, stage: usize, process: ProcessId) -> bool {
        self.0.computes(stage, process)
    }

    fn all_processes_compute(&self) -> bool {
        self.0.all_processes_compute()
    }

    fn computation_count(&self) -> u128 {
        self.0.computation_count()
    }

    fn total_compute(&self) -> u128 {
        self.0.total_compute()
    }

    fn for_each_message(&self, stage: usize, visit: &mut impl FnMut(ProcessId, ProcessId, u64)) {
        self.0.visit_all(stage, visit);
    }

    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        self.0.list_computations(stage, computations);
    }

    fn repeats(&self, stage: usize) -> bool {
        self.0.repeats(stage)
    }

    fn max_received(&self) -> usize {
        self.0.max_received()
    }

    fn destinations(&self, stage: usize, source: ProcessId) -> impl Iterator<Item = ProcessId> {
        self.0.list_destinations(stage, source).into_iter()
    }

    fn sources(&self, stage: usize, destination: ProcessId) -> impl Iterator<Item = ProcessId> {
        self.0.list_sources(stage, destination).into_iter()
    }

    fn as_cube(&self) -> Option<&CubeProgram> {
        self.0.as_cube()
    }

    fn as_task_graph(&self) -> Option<&TaskGraph> {
        self.0.as_task_graph()
    }
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::Hypercube;

    use super::*;

    /// A program that answers every question as no program does that leaves it to the trait.
    struct Unusual {
        cube: CubeProgram,
        sizes: MessageSizes,
    }

    impl Program for Unusual {
        fn process_count(&self) -> u64 {
            3
        }

        fn stage_count(&self) -> usize {
            2
        }

        fn stage_dimension(&self, stage: usize) -> Option<usize> {
            Some(stage + 5)
        }

        fn compute(&self) -> Cycles {
            Cycles::new(7)
        }

        fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
            Cycles::new(11 + stage as u64 + u64::from(process.label()))
        }

        fn has_one_compute_time(&self) -> bool {
            false
        }

        fn sizes(&self) -> &MessageSizes {
            &self.sizes
        }

        fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
            13 + stage as u64 + u64::from(source.label() + 4 * destination.label())
        }

        fn max_units(&self, stage: usize) -> u64 {
            17 + stage as u64
        }

        fn uniform_units(&self) -> Option<u64> {
            Some(19)
        }

        fn computes(&self, stage: usize, process: ProcessId) -> bool {
            process.label() as usize == stage
        }

        fn all_processes_compute(&self) -> bool {
            false
        }

        fn computation_count(&self) -> u128 {
            23
        }

        fn total_compute(&self) -> u128 {
            29
        }

        fn for_each_message(&self, stage: usize, visit: &mut impl FnMut(ProcessId, ProcessId, u64)) {
            visit(ProcessId::new(2), ProcessId::new(0), 31 + stage as u64);
        }

        fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
            computations.push(37 + stage as u64);
        }

        fn repeats(&self, stage: usize) -> bool {
            stage == 1
        }

        fn max_received(&self) -> usize {
            8
        }

        fn destinations(&self, stage: usize, source: ProcessId) -> impl Iterator<Item = ProcessId> {
            ProcessId::first(9 + stage as u64).filter(move |&other| other != source)
        }

        fn sources(&self, stage: usize, destination: ProcessId) -> impl Iterator<Item = ProcessId> {
            ProcessId::first(2 + stage as u64).filter(move |&other| other != destination)
        }

        fn as_cube(&self) -> Option<&CubeProgram> {
            Some(&self.cube)
        }
    }

    /// What a program answers, question by question.
    fn answers(program: &impl Program) -> Vec<String> {
        let mut answers = vec![
            format!("{:?}", (program.process_count(), program.stage_count(), program.compute())),
            format!("{:?}", (program.has_one_compute_time(), program.sizes(), program.uniform_units())),
            format!("{:?}", (program.all_processes_compute(), program.computation_count())),
            format!("{:?}", (program.total_compute(), program.max_received(), program.as_cube())),
        ];
        for stage in 0..program.stage_count() {
            let mut computations = vec![];
            program.list_computations(stage, &mut computations);
            let mut visited = vec![];
            program.for_each_message(stage, &mut |from, to, units| visited.push((from, to, units)));
            let dimension = program.stage_dimension(stage);
            let of_stage = (dimension, program.max_units(stage), program.repeats(stage));
            answers.push(format!("{:?}", (of_stage, computations, visited)));
            for process in ProcessId::first(program.process_count()) {
                let destinations: Vec<_> = program.destinations(stage, process).collect();
                let sources: Vec<_> = program.sources(stage, process).collect();
                let computes = program.computes(stage, process);
                let units = program.units(stage, process, ProcessId::new(1));
                let computation = program.computation(stage, process);
                answers.push(format!("{:?}", (computation, computes, units, destinations, sources)));
            }
        }
        answers
    }

    #[test]
    fn a_program_is_asked_every_question_itself() {
        let cube = Hypercube::new(2).unwrap();
        let cube = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(41)).unwrap();
        let program = Unusual { cube, sizes: MessageSizes::by_stage(vec![43, 47]).unwrap() };
        assert_eq!(answers(&ProgramRef::new(&program)), answers(&program));
    }
}
