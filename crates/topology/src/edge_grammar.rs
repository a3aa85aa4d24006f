//! Edge grammars: families of graphs whose links are pairs of words that productions derive (Berman 1983; Tao 1988,
//! 2.3; `docs/model.md` section 28.4).
//!
//! A production of a type 3 edge grammar is `A -> B (v,w)`, `A -> B` or `A -> (v,w)`: it appends `v` to the one word
//! and `w` to the other. `G(n)` has the pairs of words of `n` symbols that the start derives: both words are nodes,
//! and different ones are linked.

mod derivation;
mod named;
mod productions;

pub use self::{
    derivation::{DerivationError, DerivedWords, MAX_DERIVED_PAIRS},
    named::{EDGE_GRAMMARS, NamedGrammar},
    productions::{EdgeGrammar, GrammarMistake, UnmetGrammarCondition},
};
