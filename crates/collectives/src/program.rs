//! Collectives as programs of the engines.

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Cycles, ErasedProgram, Program, StageProgramError};

use crate::{Collective, CollectiveProgram, CollectiveSequence, GroupedCollective};

/// Implements [`Program`] by the queries of the same names; in braces what lists a whole stage faster than process by process.
macro_rules! stage_programs {
    ($($program:ty { $($listing:item)* })*) => {
        $(impl $program {
            /// The collective with its guest, behind the pointer of any program.
            ///
            /// # Errors
            ///
            /// As [`CollectiveProgram::new`].
            pub fn erase(self) -> Result<Box<dyn ErasedProgram>, StageProgramError> {
                Ok(Box::new(CollectiveProgram::new(self)?))
            }
        }

        impl Program for $program {
            $($listing)*

            fn process_count(&self) -> u64 {
                self.process_count()
            }

            fn stage_count(&self) -> usize {
                self.stage_count()
            }

            fn compute(&self) -> Cycles {
                Cycles::new(self.computations().longest_cycles)
            }

            #[inline]
            fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
                Cycles::new(self.computation(stage, process))
            }

            fn has_one_compute_time(&self) -> bool {
                false
            }

            #[inline]
            fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
                self.units(stage, source, destination)
            }

            fn max_units(&self, stage: usize) -> u64 {
                self.max_units(stage).max(1)
            }

            fn uniform_units(&self) -> Option<u64> {
                self.uniform_units()
            }

            #[inline]
            fn computes(&self, stage: usize, process: ProcessId) -> bool {
                self.computation(stage, process) > 0
            }

            fn all_processes_compute(&self) -> bool {
                self.computations().is_complete
            }

            fn total_compute(&self) -> u128 {
                self.computations().total_cycles
            }

            fn repeats(&self, stage: usize) -> bool {
                self.repeats(stage)
            }

            fn max_received(&self) -> usize {
                self.max_received()
            }

            #[inline]
            fn destinations(&self, stage: usize, source: ProcessId) -> impl Iterator<Item = ProcessId> {
                self.sends(stage, source).map(|(destination, _)| destination)
            }

            #[inline]
            fn sources(&self, stage: usize, destination: ProcessId) -> impl Iterator<Item = ProcessId> {
                self.receives(stage, destination).map(|(source, _)| source)
            }
        })*
    };
}

stage_programs! {
    Collective {
        fn for_each_message(&self, stage: usize, visit: &mut impl FnMut(ProcessId, ProcessId, u64)) {
            self.for_each_message(stage, visit);
        }

        fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
            self.list_computations(stage, computations);
        }
    }
    GroupedCollective {}
    CollectiveSequence {}
}
