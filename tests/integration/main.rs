//! Tests that go through several crates or the program itself.

mod reference;
