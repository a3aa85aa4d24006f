//! Loads of channels that several runs share: they do not depend on the offered load of a sweep.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cubefold_topology::Machine;

use super::ChannelLoad;
use crate::routers::{
    open_loop::OpenLoop,
    settings::{RouterSettings, Routers},
};

/// The greatest loads of channels computed so far, each for one machine, its routers and the traffic.
#[derive(Debug, Default)]
pub struct ChannelLoads {
    known: Mutex<Vec<Known>>,
}

#[derive(Debug)]
struct Known {
    traffic: OpenLoop,
    machine: Machine,
    settings: RouterSettings,
    load: Arc<OnceLock<ChannelLoad>>,
}

impl ChannelLoads {
    /// The greatest load under this traffic, computed on first use. Threads that ask for the same
    /// meanwhile wait.
    pub(in crate::routers) fn load(
        &self,
        traffic: &OpenLoop,
        machine: &Machine,
        routers: &Routers,
    ) -> ChannelLoad {
        let settings = routers.settings;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |entry: &&Known| {
            entry.settings == settings && entry.traffic == *traffic && entry.machine == *machine
        };
        let load = if let Some(found) = known.iter().find(is_same) {
            Arc::clone(&found.load)
        } else {
            let load = Arc::default();
            let (traffic, machine) = (traffic.clone(), machine.clone());
            known.push(Known { traffic, machine, settings, load: Arc::clone(&load) });
            load
        };
        drop(known);
        *load.get_or_init(|| ChannelLoad::new(traffic, machine, routers))
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
