//! What a launch leaves behind: results, and the sets that the kernel made.

use std::sync::Arc;

use gw_exec::{ErrorKind, Result, VertexSet};
use gw_ir::source::Name;

use crate::bindings::{Bindings, EMPTY, External, FROM_HOST};
use crate::codegen::Generated;
use crate::codegen::region::Outcome;
use crate::context::Context;
use crate::set::{BITS, BYTES, COUNTED, DeviceSet, FORM_BITS, LEVELS, QUEUE, Spares, Storage, give_back};

/// What a launch leaves behind.
pub(crate) struct Outcomes {
    /// Words of results.
    pub(crate) count: usize,
    /// Global scalars that may have changed.
    pub(crate) cells: Vec<Name>,
    pub(crate) own: Vec<Option<Storage>>,
    pub(crate) forms: u64,
    pub(crate) round: u32,
    /// Places that became sets already.
    pub(crate) placed: Vec<(i32, VertexSet)>,
}

impl Outcomes {
    pub(crate) fn read(&mut self, code: &Generated, words: &[u64]) {
        for (outcome, word) in code.outcomes.iter().zip(words) {
            match outcome {
                Outcome::Forms => self.forms = *word,
                Outcome::Round => self.round = *word as u32,
                _ => {}
            }
        }
    }

    pub(crate) fn form(&self, place: i32) -> u32 {
        (self.forms >> (FORM_BITS as i32 * place)) as u32 & (QUEUE | BITS | BYTES | LEVELS)
    }

    /// Whether the edges that leave the set were counted.
    pub(crate) fn is_counted(&self, place: i32) -> bool {
        (self.forms >> (FORM_BITS as i32 * place)) as u32 & COUNTED != 0
    }

    pub(crate) fn take(&mut self, place: usize) -> Result<Storage> {
        let storage = self.own.get_mut(place).and_then(Option::take);
        storage.ok_or_else(|| ErrorKind::Malformed("a set without a place".into()).into())
    }

    /// The near set of a queue after a kernel.
    pub(crate) fn near_set(
        &mut self,
        context: &Arc<Context>,
        spares: &Spares,
        place: i32,
        bindings: &mut Bindings,
    ) -> Result<Option<DeviceSet>> {
        match place {
            EMPTY => Ok(None),
            p if (0..FROM_HOST as i32).contains(&p) => {
                let form = self.form(p).max(QUEUE);
                let storage = self.take(p as usize)?;
                Ok(Some(DeviceSet::new(&context.device, spares, storage, form)))
            }
            p => match bindings.external.get_mut(p as usize - FROM_HOST) {
                Some(External::Near(near)) => Ok(near.take().map(|set| *set)),
                _ => Ok(None),
            },
        }
    }

    /// Returns the places that hold no set.
    pub(crate) fn give_back(self, spares: &Spares) {
        for storage in self.own.into_iter().flatten() {
            give_back(spares, storage);
        }
    }
}
