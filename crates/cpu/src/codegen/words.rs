//! Operations on the bits of whole numbers, and random bits by counter.

use cranelift::prelude::*;
use gw_exec::random::INCREMENT;
use gw_ir::builtin::Builtin;
use gw_ir::types::Scalar;

use super::translate::Translator;

impl Translator<'_, '_> {
    /// A built-in on the bits of two numbers of one type. Cranelift takes the count of a shift modulo the width, as
    /// the language does.
    pub(crate) fn bits(&mut self, builtin: Builtin, scalar: Scalar, x: Value, y: Value) -> Value {
        let ins = self.b.ins();
        match builtin {
            Builtin::BitAnd => ins.band(x, y),
            Builtin::BitOr => ins.bor(x, y),
            Builtin::BitXor => ins.bxor(x, y),
            Builtin::ShiftLeft => ins.ishl(x, y),
            _ if scalar.is_signed() => ins.sshr(x, y),
            _ => ins.ushr(x, y),
        }
    }

    /// The rounds of [`gw_exec::random::bits`], written out.
    pub(crate) fn random_bits(&mut self, arguments: [Value; 3]) -> Value {
        let mut state = self.b.ins().iconst(types::I64, 0);
        for argument in arguments {
            let folded = self.b.ins().bxor(state, argument);
            let increment = self.b.ins().iconst(types::I64, INCREMENT as i64);
            state = self.b.ins().iadd(folded, increment);
            for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u64), (27, 0x94d0_49bb_1331_11eb)] {
                let mixed = self.shifted_in(state, shift);
                let factor = self.b.ins().iconst(types::I64, factor as i64);
                state = self.b.ins().imul(mixed, factor);
            }
            state = self.shifted_in(state, 31);
        }
        state
    }

    /// `x ^ (x >> shift)`.
    fn shifted_in(&mut self, x: Value, shift: i64) -> Value {
        let shift = self.b.ins().iconst(types::I64, shift);
        let shifted = self.b.ins().ushr(x, shift);
        self.b.ins().bxor(x, shifted)
    }
}
