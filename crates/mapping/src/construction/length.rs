//! Lengths of dimensions, ready to be divided by.

pub(crate) use cubefold_topology::Length;
