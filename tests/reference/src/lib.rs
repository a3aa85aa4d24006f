//! The slow, obvious reference: every number of the model, computed straight from its page.
//!
//! The engines of this project are tested against these modules. Nothing here shares code with an
//! engine or takes a type from one, and nothing is done cleverly: a route is a list of channels, a
//! queue is a sorted set, and a message is moved link by link. Where the code and `docs/model.md`
//! disagree, the code is wrong.
//!
//! What it covers, in the order of the model: the machine and its routes (sections 1 and 4), the
//! program and its placement as plain data (section 2), asynchronous execution and the prediction
//! (section 5), coordinated execution (section 6), the metrics (section 7), links of different speed (section 21),
//! the cut bound (section 24) and routers with finite buffers (section 26). A placement may put
//! several processes on one node. It does not build embeddings (section 3): a placement is a list
//! of nodes; only the module that checks the facts of section 8 makes some of its own. Nor does it make
//! random choices (`dimension_choice = "random"`).

// In the order of the model, kept by the blank lines.

pub mod grid;

pub mod route;

pub mod wires;

pub mod networks;

pub mod speeds;

pub mod problem;

pub mod asynchronous;

pub mod prediction;

pub mod coordinated;

pub mod explicit_routes;

pub mod stage_program;

pub mod task_graph;

pub mod job;

pub mod switches;

pub mod cuts;

pub mod routers;

pub mod metrics;

#[cfg(test)]
mod worked;

#[cfg(test)]
mod facts;

pub mod golden;
