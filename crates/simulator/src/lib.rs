//! Time: programs placed on machines, executed to the cycle.
//!
//! A [`Program`] is a sequence of stages, each a computation and a set of messages; [`CubeProgram`]
//! is the compute-and-communicate d-cube program of González & Valero 1993. [`simulate`] executes
//! one on the machine of a placement, asynchronously or coordinated, under any link mode, exactly
//! as `docs/model.md` sections 5 and 6 say, and reports every stage of every process to an
//! [`Observer`].
//! [`predict`] gives its cost without contention, [`lower_bound`] its least cost.
//!
//! ```
//! use cubefold_mapping::{EmbeddingKind, Hypercube, Placement};
//! use cubefold_simulator::{
//!     Communication, CubeProgram, Cycles, EngineChoice, Request, simulate,
//! };
//! use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};
//!
//! let cube = Hypercube::new(6)?;
//! let ring = Machine::new(MachineKind::Ring, &[64])?;
//! let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO)?;
//! let placement = Placement::embed(EmbeddingKind::Xor, cube, &ring)?;
//! let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct)?;
//! let request = Request::asynchronous(EngineChoice::Auto);
//! let outcome = simulate(&program, &placement, links, &request, &mut ())?;
//! assert_eq!(outcome.summary.makespan().get(), 47);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod belt;
mod channel_queue;
mod channels;
mod clock_bound;
mod contention_free;
mod coordinated;
mod cut_bound;
mod cycle;
mod data_routing;
mod engine;
mod explicit_routes;
mod field_line;
mod guest;
mod message_queue;
mod observe;
mod plan;
mod predict;
mod processors;
mod program;
mod ranks;
mod request;
mod routers;
mod routes;
mod simulation_error;
mod slab;
mod slots;
mod stage_recursion;
mod switch_trees;
mod time_wheel;
mod timing;
mod trajectories;
mod transfer;
mod transport;
mod worst_case;

pub use belt::NoBeltError;
pub use clock_bound::{SerialMessages, max_cycles, serial_messages};
pub use coordinated::{DimensionChoice, PhaseLength, Routing, RoutingScheme};
pub use cut_bound::{
    CutBound, CutSet,
    carriers::Carriers,
    computation_bound, cut_bound,
    demand::{Crossing, Demand, Members, StepDemand},
    program_cut_bound,
    usable_links::UsableLinks,
};
pub use cycle::{Cycle, Cycles};
pub use data_routing::{Routed, SortedOrder, SortedOrderError, steps_under};
pub use engine::{StuckReason, StuckTasks, evaluator::Evaluator};
pub use explicit_routes::{MessageRoutes, explicit_unit_hops};
pub use guest::{GuestRef, stage_distances};
pub use observe::{
    Detail, DetailList, JobTimes, LATE_MESSAGES, MessageTimes, Observer, OperationTimes, RankPart, RankSpan,
    RankTime, StageRecord, StepRecord, StepTimes,
    accounts::ImbalanceError,
    distribution::{Distribution, Percent},
    summary::{StageTotals, Summary},
    traffic::{DirectionUse, LinkUse, StageRouting, Traffic},
    transmissions::{Transmission, transmission_count},
};
pub use plan::{Outcome, Plan, check_execution, simulate};
pub use predict::{LowerBound, lower_bound, predict};
pub use program::{
    End, Facts, Peer, Program, Special,
    compute_noise::{ComputeNoise, NoiseDistribution, NoiseUnit},
    cube_program::{CubeProgram, CubeProgramError},
    divide_and_conquer::DivideAndConquer,
    job::{Job, JobError, JobStep, StepBody, StepStage},
    level_program::{LevelNetwork, LevelProgram},
    message_sizes::{MessageSizes, MessageSizesError},
    neighbour_program::{NeighbourProgram, NoStagesError, Pattern, RootedTree},
    noisy_program::NoisyProgram,
    pipelined_exchange::{ExchangePorts, PipelinedExchange, Pipelining, PipeliningError},
    random_access::{Access, Collisions, RandomAccess, Received},
    rotation::Rotation,
    shuffle_exchange_program::{ShuffleExchangeProgram, ShuffleExchangeProgramError},
    stage_program::{Computations, StageMessage, StageProgram, StageProgramError},
    stages_as_tasks::task_schedule,
    stencil_program::{Reach, StencilError, StencilProgram},
    switch_reduction::{SwitchOperation, SwitchReduction},
    task_graph::TaskGraph,
    task_schedule::{
        MAX_OPERATIONS, MAX_PROCESSOR, MAX_REQUIREMENTS, Operation, OperationKind, Requirement, TaskSchedule,
        TaskScheduleBuilder, TaskScheduleError,
    },
    tree_divide_and_conquer::TreeDivideAndConquer,
};
pub use ranks::{RankTask, Ranks, end_ranks, next_task};
pub use request::{BulkStages, CountLinkUse, Engine, EngineChoice, Execution, Request, Workers};
pub use routers::{
    AdaptiveChoice, Allocator, Batch, BufferRow, Bursts, ChannelEnd, ChannelLoad, ChannelLoads, ChannelRow,
    Deadlock, Ejection, FlowControl, Fraction, LatencySummary, LoadedChannel, OpenLoop, OpenLoopError,
    OpenLoopOutcome, OpenLoopRows, PacketKind, PacketRow, Replies, RouterChannel, RouterError, RouterRouting,
    RouterSettings, RouterTie, RoutingDescriptor, RoutingOption, RoutingOptions, Saturated, Saturation,
    SaturationSearch, SeedOutcome, Speedup, TableChoice, TrafficPattern, WantedRows, WarmUp,
};
pub use simulation_error::{MAX_MESSAGES, SimulationError};
pub use switch_trees::SwitchTreeError;
pub use timing::{Communication, EAGER_ALL, LocalCost, MessageTiming, ServiceOrder, Switching, ZeroHopError};
pub use transfer::transfer_over;
pub use worst_case::worst_case_bound;
