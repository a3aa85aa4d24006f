//! The embeddings of Tao 1988 in `tests/golden/tao_embeddings.json`, and the sets of messages that they route.

pub mod case;
pub mod message_set;
#[cfg(test)]
mod tests;
