//! Groups of the neighbours of a vertex: a table of the worker is filled edge by edge, then every group is looked at.

use cranelift::prelude::*;
use gw_ir::expr::FunctionRef;
use gw_ir::groups::{Encoding, GroupChoice, NeighbourGroups};
use gw_ir::types::Scalar;

use super::Refusal;
use super::group_table::Filled;
use super::inputs::GraphArray;
use super::memory::{Limit, Reason};
use super::translate::{Translator, clif_type};
use crate::abi::slot;

/// How values become words and words values.
#[derive(Clone, Copy)]
struct Words {
    encoding: Encoding,
    scalar: Scalar,
    /// The power of two of [`Encoding::Fixed`].
    scale: Option<Value>,
}

impl Translator<'_, '_> {
    /// What is chosen among the groups of a vertex.
    pub(super) fn groups(&mut self, groups: &NeighbourGroups) -> Result<Value, Refusal> {
        let vertex = self.value(&groups.vertex)?;
        let own = match &groups.choice {
            GroupChoice::Best { own: Some(own), .. } => Some(self.value(own)?),
            _ => None,
        };
        let offsets = self.graph_array(&groups.graph, GraphArray::OutOffsets)?;
        let reason = self.vertex_of(&groups.graph, vertex)?;
        let (begin, end) = self.edge_range(offsets, vertex, reason);
        let degree = self.b.ins().isub(end, begin);
        let table = self.no_table();
        let words = self.words(groups, vertex, (begin, end), degree)?;
        self.fill(groups, vertex, (begin, end), (table, words), own)?;
        if let Some(own) = own {
            let zero = self.b.ins().iconst(types::I32, 0);
            let zero = self.convert(zero, Scalar::Int, words.scalar);
            let word = self.encode(words, zero);
            let offered = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, own, 0);
            self.when(offered, |t| t.offer(table, own, word));
        }
        self.choose(groups, words, table, vertex)
    }

    /// Puts the edges of a vertex into the dense table, or into the hash table: where there is no dense one, a key is
    /// beyond it, or a word becomes 0.
    fn fill(
        &mut self,
        groups: &NeighbourGroups,
        vertex: Value,
        list: (Value, Value),
        (table, words): (Filled, Words),
        own: Option<Value>,
    ) -> Result<(), Refusal> {
        let [dense, beyond, hashed, done] = std::array::from_fn(|_| self.b.create_block());
        let bits = self.slot(slot::TABLE_BITS, types::I64);
        let mut is_dense = self.b.ins().icmp_imm_s(IntCC::NotEqual, bits, 0);
        if let Some(own) = own {
            let own = self.b.ins().sextend(types::I64, own);
            let fits = self.b.ins().icmp(IntCC::SignedLessThan, own, table.size);
            is_dense = self.b.ins().band(is_dense, fits);
        }
        self.b.ins().brif(is_dense, dense, &[], hashed, &[]);
        self.b.switch_to_block(dense);
        self.b.seal_block(dense);
        self.begin_dense(table);
        self.each_keyed(groups, vertex, list, |t, edge, other, key| {
            let key = t.b.ins().uextend(types::I64, key);
            let fits = t.b.ins().icmp(IntCC::UnsignedLessThan, key, table.size);
            t.only_if(fits, beyond);
            let word = t.word_of(groups, words, edge, vertex, other)?;
            let word = t.add_to_word(table, groups.combine, key, word);
            let known = t.b.ins().icmp_imm_s(IntCC::NotEqual, word, 0);
            t.only_if(known, beyond);
            Ok(())
        })?;
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(beyond);
        self.b.seal_block(beyond);
        self.each_group(table, |_, _, _| Ok(()))?;
        self.b.ins().jump(hashed, &[]);
        self.b.switch_to_block(hashed);
        self.b.seal_block(hashed);
        let degree = self.b.ins().isub(list.1, list.0);
        self.begin_hashed(table, degree);
        self.each_keyed(groups, vertex, list, |t, edge, other, key| {
            let word = t.word_of(groups, words, edge, vertex, other)?;
            t.add_to_group(table, groups.combine, key, word);
            Ok(())
        })?;
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.b.seal_block(done);
        Ok(())
    }

    /// The word that an edge adds to its group.
    fn word_of(
        &mut self,
        groups: &NeighbourGroups,
        words: Words,
        edge: Value,
        vertex: Value,
        other: Value,
    ) -> Result<Value, Refusal> {
        match &groups.value {
            None => Ok(self.b.ins().iconst(types::I64, 1)),
            Some(value) => {
                let value = self.of_edge(groups, value, edge, vertex, other)?;
                Ok(self.encode(words, value))
            }
        }
    }

    /// A loop over the edges of a vertex that have a key; the body gets position, neighbour and key.
    fn each_keyed(
        &mut self,
        groups: &NeighbourGroups,
        vertex: Value,
        (begin, end): (Value, Value),
        body: impl FnOnce(&mut Self, Value, Value, Value) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let targets = self.graph_array(&groups.graph, GraphArray::OutTargets)?;
        let limit = Limit::AtMost(self.inputs.slot(self.graph_source(&groups.graph, GraphArray::VertexCount)?));
        self.for_range(begin, end, |t, edge, next| {
            let at = t.place_at(targets, edge, 4, Reason::InList);
            let other = t.load_constant(types::I32, &at, 0);
            let visit = |t: &mut Self| {
                let key = t.of_edge(groups, &groups.key, edge, vertex, other)?;
                let counts = t.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, key, 0);
                t.only_if(counts, next);
                body(t, edge, other, key)
            };
            if t.target.careful {
                return visit(t);
            }
            // Calls say that vertices of the graph are vertices of the operator.
            if !t.memory.limits.contains(&limit) {
                t.memory.limits.push(limit);
            }
            t.with_vertex(other, visit)
        })
    }

    /// A function `(v, n)` or `(v, n, weight)` of an edge.
    fn of_edge(
        &mut self,
        groups: &NeighbourGroups,
        function: &FunctionRef,
        edge: Value,
        vertex: Value,
        other: Value,
    ) -> Result<Value, Refusal> {
        let mut args = vec![vertex, other];
        if self.function(&function.name)?.params.len() > 2 {
            args.push(self.weight_of(&groups.graph, edge, Reason::InList)?);
        }
        let result = self.call_with(function, &args)?;
        result.ok_or_else(|| self.refuse("a function of an edge gives no number"))
    }

    /// How the values of the vertex become words.
    fn words(
        &mut self,
        groups: &NeighbourGroups,
        vertex: Value,
        list: (Value, Value),
        degree: Value,
    ) -> Result<Words, Refusal> {
        let gives = match &groups.value {
            Some(value) => Some(self.function(&value.name)?.result_type()),
            None => None,
        };
        let encoding = groups.encoding(gives.as_ref());
        let scalar = gives.as_ref().and_then(|ty| ty.scalar()).unwrap_or(Scalar::Int);
        let (Encoding::Fixed, Some(value)) = (encoding, &groups.value) else {
            return Ok(Words { encoding, scalar, scale: None });
        };
        let zero = self.b.ins().iconst(types::I64, 0);
        let greatest = self.variable(types::I64, zero);
        self.each_keyed(groups, vertex, list, |t, edge, other, _| {
            let value = t.of_edge(groups, value, edge, vertex, other)?;
            let value = t.convert(value, scalar, Scalar::Double);
            let bits = t.b.ins().bitcast(types::I64, MemFlagsData::new(), value);
            let magnitude = t.b.ins().band_imm_s(bits, i64::MAX);
            let before = t.b.use_var(greatest);
            let after = t.b.ins().umax(before, magnitude);
            t.b.def_var(greatest, after);
            Ok(())
        })?;
        let greatest = self.b.use_var(greatest);
        let call = self.b.ins().call(self.helpers.group_scale, &[greatest, degree]);
        let scale = Some(self.b.inst_results(call)[0]);
        Ok(Words { encoding, scalar, scale })
    }

    fn encode(&mut self, words: Words, value: Value) -> Value {
        let wide = self.convert(value, words.scalar, words.encoding.scalar());
        match (words.encoding, words.scale) {
            (Encoding::Signed | Encoding::Unsigned, _) => wide,
            (Encoding::Flipped, _) => self.b.ins().bxor_imm_s(wide, i64::MIN),
            (Encoding::Ordered | Encoding::Fixed, None) => {
                let bits = self.b.ins().bitcast(types::I64, MemFlagsData::new(), wide);
                self.ordered(bits)
            }
            (Encoding::Ordered | Encoding::Fixed, Some(scale)) => {
                let units = self.b.ins().fmul(wide, scale);
                let units = self.b.ins().nearest(units);
                self.b.ins().fcvt_to_sint_sat(types::I64, units)
            }
        }
    }

    /// The value of a group in the type that a function takes.
    fn decode(&mut self, words: Words, word: Value, wanted: Scalar) -> Value {
        let value = match (words.encoding, words.scale) {
            (Encoding::Signed | Encoding::Unsigned, _) => word,
            (Encoding::Flipped, _) => self.b.ins().bxor_imm_s(word, i64::MIN),
            (Encoding::Ordered | Encoding::Fixed, None) => {
                let bits = self.ordered(word);
                self.b.ins().bitcast(types::F64, MemFlagsData::new(), bits)
            }
            (Encoding::Ordered | Encoding::Fixed, Some(scale)) => {
                let units = self.b.ins().fcvt_from_sint(types::F64, word);
                let one = self.b.ins().f64const(1.0);
                let unit = self.b.ins().fdiv(one, scale);
                self.b.ins().fmul(units, unit)
            }
        };
        self.convert(value, words.encoding.scalar(), wanted)
    }

    /// The bits of a double as a number in the order of the doubles, and back.
    fn ordered(&mut self, bits: Value) -> Value {
        let sign = self.b.ins().sshr_imm_s(bits, 63);
        let mask = self.b.ins().ushr_imm_s(sign, 1);
        self.b.ins().bxor(bits, mask)
    }

    fn choose(
        &mut self,
        groups: &NeighbourGroups,
        words: Words,
        table: Filled,
        vertex: Value,
    ) -> Result<Value, Refusal> {
        let none = self.b.ins().iconst(types::I32, -1);
        match &groups.choice {
            GroupChoice::Best { score, .. } => {
                let nothing = self.b.ins().f64const(0.0);
                let (best, choice) = (self.variable(types::F64, nothing), self.variable(types::I32, none));
                self.each_group(table, |t, key, word| {
                    let worth = t.of_group(score, words, vertex, key, word)?;
                    let worth = worth.ok_or_else(|| t.refuse("a score is no number"))?;
                    let (least, chosen) = (t.b.use_var(best), t.b.use_var(choice));
                    let first = t.b.ins().icmp_imm_s(IntCC::SignedLessThan, chosen, 0);
                    let number = t.b.ins().fcmp(FloatCC::Equal, worth, worth);
                    let first = t.b.ins().band(first, number);
                    let greater = t.b.ins().fcmp(FloatCC::GreaterThan, worth, least);
                    let equal = t.b.ins().fcmp(FloatCC::Equal, worth, least);
                    let lesser = t.b.ins().icmp(IntCC::SignedLessThan, key, chosen);
                    let tie = t.b.ins().band(equal, lesser);
                    let better = t.b.ins().bor(greater, tie);
                    // Before the first score there is nothing to be better than.
                    let known = t.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, chosen, 0);
                    let better = t.b.ins().band(better, known);
                    let better = t.b.ins().bor(better, first);
                    let worth = t.b.ins().select(better, worth, least);
                    let chosen = t.b.ins().select(better, key, chosen);
                    t.b.def_var(best, worth);
                    t.b.def_var(choice, chosen);
                    Ok(())
                })?;
                Ok(self.b.use_var(choice))
            }
            GroupChoice::Each(visit) => {
                self.each_group(table, |t, key, word| t.of_group(visit, words, vertex, key, word).map(|_| ()))?;
                Ok(self.b.ins().iconst(types::I32, 0))
            }
            GroupChoice::Count => {
                let count = self.b.use_var(table.count);
                self.each_group(table, |_, _, _| Ok(()))?;
                Ok(self.b.ins().ireduce(types::I32, count))
            }
            GroupChoice::LeastAbsent => {
                let zero = self.b.ins().iconst(types::I32, 0);
                let [head, next, out] = std::array::from_fn(|_| self.b.create_block());
                self.b.append_block_param(head, types::I32);
                self.b.ins().jump(head, &[zero.into()]);
                self.b.switch_to_block(head);
                let key = self.b.block_params(head)[0];
                let free = self.variable(types::I32, zero);
                let one = self.b.ins().iconst(types::I32, 1);
                self.b.def_var(free, one);
                self.when_has(table, key, |t| t.b.def_var(free, zero));
                let free = self.b.use_var(free);
                self.b.ins().brif(free, out, &[], next, &[]);
                self.b.switch_to_block(next);
                self.b.seal_block(next);
                let following = self.b.ins().iadd_imm_s(key, 1);
                self.b.ins().jump(head, &[following.into()]);
                self.b.seal_block(head);
                self.b.switch_to_block(out);
                self.b.seal_block(out);
                self.each_group(table, |_, _, _| Ok(()))?;
                Ok(key)
            }
        }
    }

    /// A function `(v, key, value)` of a group.
    fn of_group(
        &mut self,
        function: &FunctionRef,
        words: Words,
        vertex: Value,
        key: Value,
        word: Value,
    ) -> Result<Option<Value>, Refusal> {
        let wanted = self.function(&function.name)?.params.get(2).and_then(|p| p.ty.scalar());
        let wanted = wanted.ok_or_else(|| self.refuse("a function of a group takes no number"))?;
        let value = self.decode(words, word, wanted);
        debug_assert_eq!(self.b.func.dfg.value_type(value), clif_type(wanted));
        self.call_with(function, &[vertex, key, value])
    }
}
