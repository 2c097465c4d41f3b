//! What may still be going on when the code between operators goes on: the reason for every barrier.

use std::collections::BTreeSet;

use gw_ir::analysis::effects::Effects;
use gw_ir::expr::FunctionRef;
use gw_ir::module::Module;
use gw_ir::operator::{EdgeOutput, Operator, VertexFilter};
use gw_ir::source::Name;
use gw_ir::types::Type;

/// What began behind the last barrier and may not have ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Pending {
    /// Nothing: a barrier would be in vain.
    #[default]
    Nothing,
    /// Reads and writes of these globals alone.
    Touching { reads: BTreeSet<Name>, writes: BTreeSet<Name> },
    /// Reads and writes of anything: sets, queues, what a branch or a turn of a loop did.
    Anything,
}

impl Pending {
    /// A write of one global by one thread.
    pub(super) fn write(name: &Name) -> Pending {
        Pending::Touching { reads: BTreeSet::new(), writes: BTreeSet::from([name.clone()]) }
    }

    /// An operator. Where it makes or removes members of a set, or is handed vectors under other names, it may touch
    /// anything.
    pub(super) fn operator(module: &Module, op: &Operator) -> Pending {
        let functions: Vec<&FunctionRef> = match op {
            Operator::EdgeSetIterator(e) if e.output == EdgeOutput::None => {
                let filters = [&e.from, &e.to].into_iter().filter_map(|filter| match filter {
                    VertexFilter::Function(f) => Some(f),
                    _ => None,
                });
                filters.chain([&e.apply]).collect()
            }
            Operator::VertexSetIterator(v) => vec![&v.apply],
            _ => return Pending::Anything,
        };
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        for function in functions {
            let Some(callee) = module.function(&function.name) else { return Pending::Anything };
            let Some(body) = &callee.body else { return Pending::Anything };
            let effects = Effects::of(module, body);
            if effects.outside || callee.captures.iter().any(|capture| matches!(capture.ty, Type::Vector { .. })) {
                return Pending::Anything;
            }
            reads.extend(effects.reads);
            writes.extend(effects.writes);
        }
        Pending::Touching { reads, writes }
    }

    /// True when a barrier would wait for something.
    pub(super) fn is_any(&self) -> bool {
        *self != Pending::Nothing
    }

    /// Whether a read of a global has to wait.
    pub(super) fn changes(&self, name: &Name) -> bool {
        match self {
            Pending::Nothing => false,
            Pending::Touching { writes, .. } => writes.contains(name),
            Pending::Anything => true,
        }
    }

    /// Whether a write of a global has to wait.
    pub(super) fn touches(&self, name: &Name) -> bool {
        match self {
            Pending::Nothing => false,
            Pending::Touching { reads, writes } => reads.contains(name) || writes.contains(name),
            Pending::Anything => true,
        }
    }

    /// Both together.
    pub(super) fn and(self, other: Pending) -> Pending {
        match (self, other) {
            (Pending::Nothing, one) | (one, Pending::Nothing) => one,
            (
                Pending::Touching { mut reads, mut writes },
                Pending::Touching { reads: more_reads, writes: more_writes },
            ) => {
                reads.extend(more_reads);
                writes.extend(more_writes);
                Pending::Touching { reads, writes }
            }
            _ => Pending::Anything,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_wait_for_writes_and_writes_for_both() {
        let name = |text: &str| Name::from(text);
        let reading = Pending::Touching { reads: BTreeSet::from([name("a")]), writes: BTreeSet::new() };
        let both = reading.and(Pending::write(&name("b")));
        assert_eq!([both.changes(&name("a")), both.changes(&name("b"))], [false, true]);
        assert_eq!(["a", "b", "c"].map(|text| both.touches(&name(text))), [true, true, false]);
        assert_eq!(both.clone().and(Pending::Anything), Pending::Anything);
        assert_eq!(Pending::Nothing.and(both.clone()), both);
        assert!(Pending::Anything.changes(&name("c")) && !Pending::Nothing.is_any());
    }
}
