//! What a fabric can do that has nothing better than exchanges for it.

use std::sync::Arc;

use crate::{Fabric, Message, Neighbours, Op, Outgoing, Over};

/// What is said where two ranks do not have the same plan.
const MISFIT: &str = "a message of another length than planned arrived: do all ranks run the same version?";

/// An exchange with the neighbours of a plan: the others are told nothing.
pub(crate) fn neighbours<F: Fabric + ?Sized>(
    fabric: &mut F,
    plan: &Neighbours,
    unit: usize,
    parts: Vec<Arc<Vec<u8>>>,
) -> Result<Vec<Message>, Over> {
    let nothing = Arc::new(Vec::new());
    let mut each = vec![nothing; fabric.size()];
    plan.give().iter().zip(parts).for_each(|(&(rank, _), part)| each[rank] = part);
    let heard = fabric.exchange(Outgoing::Each(each))?;
    let taken: Vec<Message> = plan.take().iter().filter_map(|&(rank, _)| heard.get(rank).cloned()).collect();
    match plan.take().iter().zip(&taken).all(|(&(_, entries), message)| message.len() == entries * unit) {
        true => Ok(taken),
        false => Err(Over(MISFIT.to_string())),
    }
}

/// A reduction of numbers that all ranks have told each other.
pub(crate) fn allreduce<F: Fabric + ?Sized>(fabric: &mut F, values: &mut [u64], op: Op) -> Result<(), Over> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let heard = fabric.allgather(bytes)?;
    for (at, value) in values.iter_mut().enumerate() {
        let of_rank = |message: &Message| message.get(8 * at..8 * at + 8)?.try_into().ok().map(u64::from_le_bytes);
        let all: Option<Vec<u64>> = heard.iter().map(of_rank).collect();
        let all = all.ok_or_else(|| Over(MISFIT.to_string()))?;
        *value = all.into_iter().reduce(|a, b| op.of(a, b)).unwrap_or(*value);
    }
    Ok(())
}
