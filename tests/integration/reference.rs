//! The slow, obvious reference: every number of the model, computed straight from its page.
//!
//! The engines of this project are tested against these modules. Nothing here shares code with an
//! engine or takes a type from one, and nothing is done cleverly: a route is a list of channels, a
//! queue is a sorted set, and a message is moved link by link. Where the code and `docs/model.md`
//! disagree, the code is wrong.
//!
//! What it covers, in the order of the model: the machine and its routes (sections 1 and 4), the
//! program and its placement as plain data (section 2), asynchronous execution and the prediction
//! (section 5), coordinated execution (section 6) and the metrics (section 7). A placement may put
//! several processes on one node. It does not build embeddings (section 3): a placement is a list
//! of nodes; only the module that checks the facts of section 8 makes some of its own. Nor does it make
//! random choices (`dimension_choice = "random"`).

#![cfg(test)]

// In the order of the model, kept by the blank lines.

pub(crate) mod grid;

pub(crate) mod route;

pub(crate) mod wires;

pub(crate) mod problem;

pub(crate) mod asynchronous;

pub(crate) mod prediction;

pub(crate) mod coordinated;

pub(crate) mod metrics;

mod worked;

mod facts;

pub(crate) mod golden;
