//! Looks at the finished code of a kernel: every instruction that touches memory must have a reason, and the reason
//! must be true of the code. Runs before compilation in debug builds.

use cranelift::codegen::dominator_tree::DominatorTree;
use cranelift::codegen::flowgraph::ControlFlowGraph;
use cranelift::codegen::ir::{Function, Inst, InstructionData, Opcode};
use cranelift::prelude::*;

use super::memory::{Memory, Reason};

/// What is wrong with the accesses of a function, in words; empty when all is well.
pub(crate) fn problems(function: &Function, memory: &Memory) -> Vec<String> {
    let flow = ControlFlowGraph::with_function(function);
    let tree = DominatorTree::with_function(function, &flow);
    let look = Look { function, memory, flow, tree };
    let mut problems = Vec::new();
    for block in function.layout.blocks().filter(|&block| look.tree.is_reachable(block)) {
        for inst in function.layout.block_insts(block) {
            if touches_memory(function.dfg.insts[inst].opcode())
                && let Err(problem) = look.access(block, inst)
            {
                problems.push(format!("{}: {problem}", function.dfg.display_inst(inst)));
            }
        }
    }
    problems
}

/// Calls are left out: what they are given is said at the functions of the runtime.
fn touches_memory(opcode: Opcode) -> bool {
    (opcode.can_load() || opcode.can_store()) && !opcode.is_call()
}

struct Look<'a> {
    function: &'a Function,
    memory: &'a Memory,
    flow: ControlFlowGraph,
    tree: DominatorTree,
}

impl Look<'_> {
    fn access(&self, block: Block, inst: Inst) -> Result<(), String> {
        let Some(reasons) = self.memory.reasons.get(&inst).filter(|reasons| !reasons.is_empty()) else {
            return Err("nothing says why this access lies inside its memory".to_string());
        };
        let address = self.address(inst)?;
        reasons.iter().try_for_each(|reason| match *reason {
            Reason::Checked { index, good } => {
                self.uses(address, index)?;
                self.is_checked(block, index, good)
            }
            Reason::Assumed { vertex, limit } => {
                self.uses(address, vertex)?;
                self.is_vertex(vertex)?;
                match self.memory.limits.contains(&limit) {
                    true => Ok(()),
                    false => Err(format!("{limit:?} is not compared before the call")),
                }
            }
            Reason::PerVertex(vertex) => {
                self.uses(address, vertex)?;
                self.is_vertex(vertex)
            }
            _ => Ok(()),
        })
    }

    /// The operand that is the address.
    fn address(&self, inst: Inst) -> Result<Value, String> {
        Ok(match self.function.dfg.insts[inst] {
            InstructionData::Load { arg, .. } | InstructionData::LoadNoOffset { arg, .. } => arg,
            InstructionData::Store { args, .. } | InstructionData::StoreNoOffset { args, .. } => args[1],
            InstructionData::AtomicRmw { args, .. } => args[0],
            InstructionData::AtomicCas { args, .. } => args[0],
            ref other => return Err(format!("an access of an unknown form: {:?}", other.opcode())),
        })
    }

    /// Whether the address is computed from the index that was looked at.
    fn uses(&self, address: Value, index: Value) -> Result<(), String> {
        let (dfg, index) = (&self.function.dfg, self.narrow(index));
        let mut todo = vec![address];
        while let Some(value) = todo.pop() {
            let value = dfg.resolve_aliases(value);
            if value == index {
                return Ok(());
            }
            if let Some(inst) = dfg.value_def(value).inst()
                && !touches_memory(dfg.insts[inst].opcode())
            {
                todo.extend_from_slice(dfg.inst_args(inst));
            }
        }
        Err(format!("the address does not come from {index}, which the reason speaks of"))
    }

    /// The value that a 64-bit form was made of.
    fn narrow(&self, value: Value) -> Value {
        let dfg = &self.function.dfg;
        let value = dfg.resolve_aliases(value);
        match dfg.value_def(value).inst().map(|inst| dfg.insts[inst]) {
            Some(InstructionData::Unary { opcode: Opcode::Uextend, arg }) => dfg.resolve_aliases(arg),
            _ => value,
        }
    }

    fn is_vertex(&self, vertex: Value) -> Result<(), String> {
        match self.memory.vertices.contains(&vertex) {
            true => Ok(()),
            false => Err(format!("{vertex} is not known to be a vertex of the operator")),
        }
    }

    /// Whether the block can only be reached by the good way out of a comparison `index < ...` without sign.
    fn is_checked(&self, block: Block, index: Value, good: Block) -> Result<(), String> {
        let dfg = &self.function.dfg;
        if !self.tree.block_dominates(good, block) {
            return Err(format!("{good}, where its check leads, can be gone round"));
        }
        let mut ways = self.flow.pred_iter(good);
        let (Some(way), None) = (ways.next(), ways.next()) else {
            return Err(format!("{good} is reached by more than its check"));
        };
        let InstructionData::Brif { arg, blocks, .. } = dfg.insts[way.inst] else {
            return Err(format!("{good} is not reached by a branch"));
        };
        if blocks[0].block(&dfg.value_lists) != good || blocks[1].block(&dfg.value_lists) == good {
            return Err(format!("{good} is the wrong way out of its check"));
        }
        let compared = dfg.value_def(dfg.resolve_aliases(arg)).inst().map(|inst| dfg.insts[inst]);
        match compared {
            Some(InstructionData::IntCompare { cond: IntCC::UnsignedLessThan, args, .. })
                if self.narrow(args[0]) == self.narrow(index) =>
            {
                Ok(())
            }
            _ => Err(format!("the branch to {good} does not compare {index}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::Limit;
    use super::*;
    use cranelift::codegen::ir::{MemFlagsData, Signature, UserFuncName};
    use cranelift::codegen::isa::CallConv;
    use cranelift::codegen::settings;

    /// The parts of `if index < length then load base[index]`, and what to say of the load.
    struct Parts {
        base: Value,
        index: Value,
        good: Block,
    }

    /// What is found in a kernel that compares, and then loads where and with the reasons that `choose` says.
    fn found(choose: impl FnOnce(&Parts) -> (bool, Value, Vec<Reason>, Memory)) -> Vec<String> {
        let mut signature = Signature::new(CallConv::SystemV);
        signature.params.extend([AbiParam::new(types::I64); 3]);
        let mut function = Function::with_name_signature(UserFuncName::user(0, 0), signature);
        let mut context = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut function, &mut context);
        let [entry, good, bad] = std::array::from_fn(|_| b.create_block());
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let [base, index, length] = [0, 1, 2].map(|i| b.block_params(entry)[i]);
        let fine = b.ins().icmp(IntCC::UnsignedLessThan, index, length);
        b.ins().brif(fine, good, &[], bad, &[]);
        let (behind_the_check, at, reasons, mut memory) = choose(&Parts { base, index, good });
        for block in [good, bad] {
            b.switch_to_block(block);
            if (block == good) == behind_the_check {
                let address = b.ins().iadd(base, at);
                let loaded = b.ins().load(types::I32, MemFlagsData::trusted(), address, 0);
                let inst = b.func.dfg.value_def(loaded).unwrap_inst();
                memory.reasons.insert(inst, reasons.clone());
            }
            b.ins().return_(&[]);
        }
        b.seal_all_blocks();
        let isa = cranelift_native::builder().unwrap().finish(settings::Flags::new(settings::builder())).unwrap();
        b.finalize(isa.frontend_config());
        problems(&function, &memory)
    }

    fn checked(parts: &Parts) -> Vec<Reason> {
        vec![Reason::Checked { index: parts.index, good: parts.good }]
    }

    #[test]
    fn a_checked_access_is_fine() {
        assert!(found(|p| (true, p.index, checked(p), Memory::default())).is_empty());
    }

    #[test]
    fn accesses_without_a_true_reason_are_found() {
        let none = found(|p| (true, p.index, Vec::new(), Memory::default()));
        assert!(none[0].contains("nothing says why"), "{none:?}");
        let around = found(|p| (false, p.index, checked(p), Memory::default()));
        assert!(around[0].contains("gone round"), "{around:?}");
        let other = found(|p| (true, p.base, checked(p), Memory::default()));
        assert!(other[0].contains("does not come from"), "{other:?}");
    }

    #[test]
    fn assumptions_need_a_vertex_and_a_comparison_before_the_call() {
        let limit = Limit::Fixed(8);
        let assumed = |p: &Parts| vec![Reason::Assumed { vertex: p.index, limit }];
        let unknown = found(|p| (true, p.index, assumed(p), Memory::default()));
        assert!(unknown[0].contains("not known to be a vertex"), "{unknown:?}");
        let known = |p: &Parts, limits| Memory { vertices: [p.index].into(), limits, ..Memory::default() };
        let unlimited = found(|p| (true, p.index, assumed(p), known(p, Vec::new())));
        assert!(unlimited[0].contains("not compared before"), "{unlimited:?}");
        assert!(found(|p| (true, p.index, assumed(p), known(p, vec![limit]))).is_empty());
    }
}
