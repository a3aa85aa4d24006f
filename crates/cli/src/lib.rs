//! The command line of cubefold.
