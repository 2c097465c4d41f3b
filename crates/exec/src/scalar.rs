//! C arithmetic on scalars kept as bits in 64-bit registers.
//!
//! Machines that interpret code (the reference machine, the Swarm simulator) are statically typed, so their registers
//! carry no tags: an `int` is its two's complement in the low 32 bits, a `float` its IEEE bits in the low 32, a
//! `bool` 0 or 1. Integers wrap around; conversions from floating point to integers saturate where C leaves the
//! result undefined.

use gw_ir::builtin::Builtin;
use gw_ir::expr::{BinaryOp, ReduceOp};
use gw_ir::types::Scalar;

/// A binary operation on registers.
pub type Binary = fn(u64, u64) -> u64;
/// A unary operation on registers.
pub type Unary = fn(u64) -> u64;

/// A Rust number stored in a register.
pub trait Register: Copy {
    /// The number in these bits.
    fn of(bits: u64) -> Self;
    /// The bits of the number.
    fn bits(self) -> u64;
}

macro_rules! registers {
    ($($t:ty, |$b:ident| $from:expr, |$v:ident| $to:expr;)*) => {$(
        impl Register for $t {
            #[inline(always)]
            fn of($b: u64) -> Self { $from }
            #[inline(always)]
            fn bits(self) -> u64 { let $v = self; $to }
        }
    )*};
}

registers! {
    i32, |b| b as u32 as i32, |v| u64::from(v as u32);
    u32, |b| b as u32, |v| u64::from(v);
    i64, |b| b as i64, |v| v as u64;
    u64, |b| b, |v| v;
    f32, |b| f32::from_bits(b as u32), |v| u64::from(v.to_bits());
    f64, |b| f64::from_bits(b), |v| v.to_bits();
    bool, |b| b != 0, |v| u64::from(v);
}

/// Calls `$body` with `$t` standing for the Rust type of a numeric or bool scalar.
macro_rules! with_type {
    ($scalar:expr, $t:ident => $body:expr, else $other:expr) => {
        match $scalar {
            Scalar::Int => {
                type $t = i32;
                $body
            }
            Scalar::Uint => {
                type $t = u32;
                $body
            }
            Scalar::Int64 => {
                type $t = i64;
                $body
            }
            Scalar::Uint64 => {
                type $t = u64;
                $body
            }
            Scalar::Float => {
                type $t = f32;
                $body
            }
            Scalar::Double => {
                type $t = f64;
                $body
            }
            Scalar::Bool | Scalar::String => $other,
        }
    };
}

/// Operations on the bits of whole numbers.
pub trait Bits: Register {
    /// Bits set in both.
    fn and(self, other: Self) -> Self;
    /// Bits set in one or both.
    fn or(self, other: Self) -> Self;
    /// Bits set in one of them.
    fn xor(self, other: Self) -> Self;
    /// The other bits.
    fn not(self) -> Self;
    /// Shifted up; the count is taken modulo the width.
    fn shift_left(self, count: Self) -> Self;
    /// Shifted down, with copies of the sign for signed types; the count is taken modulo the width.
    fn shift_right(self, count: Self) -> Self;
    /// Bits that are set.
    fn ones(self) -> u32;
}

macro_rules! bits {
    ($($t:ty)*) => {$(
        impl Bits for $t {
            fn and(self, other: Self) -> Self { self & other }
            fn or(self, other: Self) -> Self { self | other }
            fn xor(self, other: Self) -> Self { self ^ other }
            fn not(self) -> Self { !self }
            fn shift_left(self, count: Self) -> Self { self.wrapping_shl(count as u32) }
            fn shift_right(self, count: Self) -> Self { self.wrapping_shr(count as u32) }
            fn ones(self) -> u32 { self.count_ones() }
        }
    )*};
}

bits! { i32 u32 i64 u64 }

/// Calls `$body` with `$t` standing for the Rust type of a whole number.
macro_rules! with_whole_type {
    ($scalar:expr, $t:ident => $body:expr) => {
        match $scalar {
            Scalar::Int => {
                type $t = i32;
                $body
            }
            Scalar::Uint => {
                type $t = u32;
                $body
            }
            Scalar::Int64 => {
                type $t = i64;
                $body
            }
            Scalar::Uint64 => {
                type $t = u64;
                $body
            }
            _ => None,
        }
    };
}

/// The register operation of a binary built-in on bits.
fn bit_operation(builtin: Builtin, scalar: Scalar) -> Option<Binary> {
    fn typed<T: Bits>(builtin: Builtin) -> Option<Binary> {
        Some(match builtin {
            Builtin::BitAnd => |a, b| T::of(a).and(T::of(b)).bits(),
            Builtin::BitOr => |a, b| T::of(a).or(T::of(b)).bits(),
            Builtin::BitXor => |a, b| T::of(a).xor(T::of(b)).bits(),
            Builtin::ShiftLeft => |a, b| T::of(a).shift_left(T::of(b)).bits(),
            Builtin::ShiftRight => |a, b| T::of(a).shift_right(T::of(b)).bits(),
            _ => return None,
        })
    }
    with_whole_type!(scalar, T => typed::<T>(builtin))
}

/// The register operation of `BitNot` and `PopCount`.
fn bit_function(builtin: Builtin, scalar: Scalar) -> Option<Unary> {
    fn typed<T: Bits>(builtin: Builtin) -> Option<Unary> {
        Some(match builtin {
            Builtin::BitNot => |a| T::of(a).not().bits(),
            Builtin::PopCount => |a| T::of(a).ones().bits(),
            _ => return None,
        })
    }
    with_whole_type!(scalar, T => typed::<T>(builtin))
}

/// Addition, subtraction and multiplication that wrap on integers.
pub trait Arithmetic: Register + PartialOrd {
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// `-x`.
    fn neg(self) -> Self;
    /// `|x|`.
    fn abs(self) -> Self;
    /// `None` for an integer divided by zero.
    fn div(self, other: Self) -> Option<Self>;
    /// Remainder with the sign of the dividend; `None` for an integer divided by zero.
    fn rem(self, other: Self) -> Option<Self>;
}

macro_rules! integers {
    ($($t:ty, |$v:ident| $abs:expr;)*) => {$(
        impl Arithmetic for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            fn neg(self) -> Self { self.wrapping_neg() }
            fn abs(self) -> Self { let $v = self; $abs }
            fn div(self, other: Self) -> Option<Self> { (other != 0).then(|| self.wrapping_div(other)) }
            fn rem(self, other: Self) -> Option<Self> { (other != 0).then(|| self.wrapping_rem(other)) }
        }
    )*};
}

integers! {
    i32, |v| v.wrapping_abs();
    u32, |v| v;
    i64, |v| v.wrapping_abs();
    u64, |v| v;
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Arithmetic for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            fn neg(self) -> Self { -self }
            fn abs(self) -> Self { <$t>::abs(self) }
            fn div(self, other: Self) -> Option<Self> { Some(self / other) }
            fn rem(self, other: Self) -> Option<Self> { Some(self % other) }
        }
    )*};
}

floats! { f32 f64 }

/// The register operation of a total binary operator: everything but division, `and` and `or`.
pub fn binary(op: BinaryOp, scalar: Scalar) -> Option<Binary> {
    fn typed<T: Arithmetic>(op: BinaryOp) -> Option<Binary> {
        Some(match op {
            BinaryOp::Add => |a, b| T::of(a).add(T::of(b)).bits(),
            BinaryOp::Sub => |a, b| T::of(a).sub(T::of(b)).bits(),
            BinaryOp::Mul => |a, b| T::of(a).mul(T::of(b)).bits(),
            BinaryOp::Eq => |a, b| u64::from(T::of(a) == T::of(b)),
            BinaryOp::Ne => |a, b| u64::from(T::of(a) != T::of(b)),
            BinaryOp::Lt => |a, b| u64::from(T::of(a) < T::of(b)),
            BinaryOp::Le => |a, b| u64::from(T::of(a) <= T::of(b)),
            BinaryOp::Gt => |a, b| u64::from(T::of(a) > T::of(b)),
            BinaryOp::Ge => |a, b| u64::from(T::of(a) >= T::of(b)),
            BinaryOp::Div | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return None,
        })
    }
    match (op, scalar) {
        (BinaryOp::Xor, Scalar::Bool) => Some(|a, b| a ^ b),
        (op, Scalar::Bool) if op.is_comparison() => typed::<u32>(op),
        (op, scalar) => with_type!(scalar, T => typed::<T>(op), else None),
    }
}

/// `max` and `min`: the second operand where it is strictly better, so that one that is NaN counts only as the first.
pub fn extremum(scalar: Scalar, largest: bool) -> Option<Binary> {
    fn typed<T: Arithmetic>(largest: bool) -> Option<Binary> {
        Some(match largest {
            true => |a, b| if T::of(a) < T::of(b) { b } else { a },
            false => |a, b| if T::of(b) < T::of(a) { b } else { a },
        })
    }
    with_type!(scalar, T => typed::<T>(largest), else None)
}

/// Division or remainder; `None` means division of an integer by zero.
pub fn divide(scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    fn typed<T: Arithmetic>(a: u64, b: u64) -> Option<u64> {
        T::of(a).div(T::of(b)).map(Register::bits)
    }
    with_type!(scalar, T => typed::<T>(a, b), else None)
}

/// C's `%` and `fmod`; `None` means remainder of an integer by zero.
pub fn remainder(scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    fn typed<T: Arithmetic>(a: u64, b: u64) -> Option<u64> {
        T::of(a).rem(T::of(b)).map(Register::bits)
    }
    with_type!(scalar, T => typed::<T>(a, b), else None)
}

/// `-x`.
pub fn negate(scalar: Scalar) -> Option<Unary> {
    fn typed<T: Arithmetic>() -> Option<Unary> {
        Some(|a| T::of(a).neg().bits())
    }
    with_type!(scalar, T => typed::<T>(), else None)
}

/// `|x|`.
fn absolute(scalar: Scalar) -> Option<Unary> {
    fn typed<T: Arithmetic>() -> Option<Unary> {
        Some(|a| T::of(a).abs().bits())
    }
    with_type!(scalar, T => typed::<T>(), else None)
}

/// The register operation of a built-in on one number: roots, logarithms and their like, and those on bits.
pub fn function(builtin: Builtin, scalar: Scalar) -> Option<Unary> {
    macro_rules! real {
        ($t:ty) => {
            Some(match builtin {
                Builtin::Floor => |a| <$t>::of(a).floor().bits(),
                Builtin::Log => |a| <$t>::of(a).ln().bits(),
                Builtin::Exp => |a| <$t>::of(a).exp().bits(),
                Builtin::Sqrt => |a| <$t>::of(a).sqrt().bits(),
                _ => return None,
            })
        };
    }
    match (builtin, scalar) {
        (Builtin::Abs, _) => absolute(scalar),
        (Builtin::BitNot | Builtin::PopCount, _) => bit_function(builtin, scalar),
        (_, Scalar::Float) => real!(f32),
        (_, Scalar::Double) => real!(f64),
        _ => None,
    }
}

/// The register operation of a built-in on two numbers that always has a result.
pub fn function_of_two(builtin: Builtin, scalar: Scalar) -> Option<Binary> {
    match (builtin, scalar) {
        (Builtin::Max | Builtin::Min, _) => extremum(scalar, builtin == Builtin::Max),
        (Builtin::Pow, Scalar::Float) => Some(|a, b| f32::of(a).powf(f32::of(b)).bits()),
        (Builtin::Pow, Scalar::Double) => Some(|a, b| f64::of(a).powf(f64::of(b)).bits()),
        _ => bit_operation(builtin, scalar),
    }
}

/// The register of a whole number in the program; `None` where its type is none.
pub fn whole(scalar: Scalar, value: i64) -> Option<u64> {
    match scalar {
        Scalar::Int => Some((value as i32).bits()),
        Scalar::Uint => Some((value as u32).bits()),
        Scalar::Int64 | Scalar::Uint64 => Some(value as u64),
        _ => None,
    }
}

/// The register of a real number in the program; `None` where its type is none.
pub fn real(scalar: Scalar, value: f64) -> Option<u64> {
    match scalar {
        Scalar::Float => Some((value as f32).bits()),
        Scalar::Double => Some(value.bits()),
        _ => None,
    }
}

/// The conversion between two scalars.
pub fn conversion(from: Scalar, to: Scalar) -> Option<Unary> {
    macro_rules! table {
        ($from:ty) => {
            match to {
                Scalar::Int => |b| (<$from>::of(b) as i32).bits(),
                Scalar::Uint => |b| (<$from>::of(b) as u32).bits(),
                Scalar::Int64 => |b| (<$from>::of(b) as i64).bits(),
                Scalar::Uint64 => |b| (<$from>::of(b) as u64).bits(),
                Scalar::Float => |b| (<$from>::of(b) as f32).bits(),
                Scalar::Double => |b| (<$from>::of(b) as f64).bits(),
                Scalar::Bool => |b| (<$from>::of(b) != (0 as $from)).bits(),
                Scalar::String => return None,
            }
        };
    }
    Some(match from {
        Scalar::Int => table!(i32),
        Scalar::Uint | Scalar::Bool => table!(u32),
        Scalar::Int64 => table!(i64),
        Scalar::Uint64 => table!(u64),
        Scalar::Float => table!(f32),
        Scalar::Double => table!(f64),
        Scalar::String => return None,
    })
}

/// What `place op= value` stores: `None` when the place keeps its value. Sums always store.
#[inline]
pub fn reduce(op: ReduceOp, scalar: Scalar, old: u64, value: u64) -> Option<u64> {
    fn changed(old: u64, new: u64) -> Option<u64> {
        (new != old).then_some(new)
    }
    fn typed<T: Arithmetic>(op: ReduceOp, old: T, value: T) -> Option<u64> {
        match op {
            ReduceOp::Sum => Some(old.add(value).bits()),
            ReduceOp::Min => (value < old).then(|| value.bits()),
            ReduceOp::Max => (value > old).then(|| value.bits()),
            // Whole numbers are kept as their bits.
            ReduceOp::Or => changed(old.bits(), old.bits() | value.bits()),
            ReduceOp::And => changed(old.bits(), old.bits() & value.bits()),
        }
    }
    // Bools appear only as 0 and 1: a sum of bools is `or`, as in C.
    with_type!(scalar, T => typed(op, T::of(old), T::of(value)), else match op {
        ReduceOp::Sum | ReduceOp::Max => typed(ReduceOp::Max, old, value).or((op == ReduceOp::Sum).then_some(old)),
        ReduceOp::Min | ReduceOp::Or | ReduceOp::And => typed(op, old, value),
    })
}

/// Whether two registers hold equal values: IEEE equality for floating point.
#[inline]
pub fn equal(scalar: Scalar, a: u64, b: u64) -> bool {
    with_type!(scalar, T => T::of(a) == T::of(b), else a == b)
}

/// A register as a 64-bit float, for messages and bucket indices.
pub fn to_f64(scalar: Scalar, bits: u64) -> f64 {
    conversion(scalar, Scalar::Double).map_or(0.0, |convert| f64::of(convert(bits)))
}

/// The largest value of a numeric scalar: the "not queued" priority.
pub fn largest(scalar: Scalar) -> u64 {
    with_type!(scalar, T => T::MAX.bits(), else 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> u64 {
        binary(op, scalar).map_or_else(|| panic!("no {op:?} on {scalar:?}"), |f| f(a, b))
    }

    #[test]
    fn integers_wrap_like_c() {
        assert_eq!(i32::of(run(BinaryOp::Add, Scalar::Int, i32::MAX.bits(), 1i32.bits())), i32::MIN);
        assert_eq!(u32::of(run(BinaryOp::Sub, Scalar::Uint, 0u32.bits(), 1u32.bits())), u32::MAX);
        assert_eq!(divide(Scalar::Int, i32::MIN.bits(), (-1i32).bits()), Some(i32::MIN.bits()));
        assert_eq!(divide(Scalar::Int, (-7i32).bits(), 2i32.bits()), Some((-3i32).bits()));
        assert_eq!(remainder(Scalar::Int, (-7i32).bits(), 2i32.bits()), Some((-1i32).bits()));
        assert_eq!(divide(Scalar::Int, 1, 0), None);
        assert_eq!(divide(Scalar::Int64, i64::MIN.bits(), (-1i64).bits()), Some(i64::MIN.bits()));
        assert_eq!(divide(Scalar::Int64, (-7i64).bits(), 2i64.bits()), Some((-3i64).bits()));
        assert_eq!(divide(Scalar::Double, 1f64.bits(), 0f64.bits()), Some(f64::INFINITY.bits()));
    }

    #[test]
    fn comparisons_know_the_sign() {
        assert_eq!(run(BinaryOp::Lt, Scalar::Int, (-1i32).bits(), 0i32.bits()), 1);
        assert_eq!(run(BinaryOp::Lt, Scalar::Int64, (-1i64).bits(), 0i64.bits()), 1);
        assert_eq!(run(BinaryOp::Lt, Scalar::Uint, u32::MAX.bits(), 0), 0);
        assert_eq!(run(BinaryOp::Xor, Scalar::Bool, 1, 1), 0);
        assert_eq!(run(BinaryOp::Eq, Scalar::Double, f64::NAN.bits(), f64::NAN.bits()), 0);
    }

    #[test]
    fn conversions_follow_c() {
        let convert = |from, to, bits| conversion(from, to).map(|f| f(bits));
        assert_eq!(convert(Scalar::Int, Scalar::Uint, (-1i32).bits()), Some(u32::MAX.bits()));
        assert_eq!(convert(Scalar::Int, Scalar::Uint64, (-1i32).bits()), Some(u64::MAX));
        assert_eq!(convert(Scalar::Int, Scalar::Int64, (-1i32).bits()), Some(u64::MAX));
        assert_eq!(convert(Scalar::Int64, Scalar::Double, (-3i64).bits()), Some((-3f64).bits()));
        assert_eq!(convert(Scalar::Double, Scalar::Int64, (-1e30f64).bits()), Some(i64::MIN.bits()));
        assert_eq!(convert(Scalar::Double, Scalar::Int, (-2.9f64).bits()), Some((-2i32).bits()));
        assert_eq!(convert(Scalar::Float, Scalar::Bool, 0.5f32.bits()), Some(1));
        assert_eq!(convert(Scalar::Bool, Scalar::Double, 1), Some(1f64.bits()));
        assert_eq!(convert(Scalar::String, Scalar::Int, 0), None);
    }

    #[test]
    fn reductions_report_changes() {
        assert_eq!(reduce(ReduceOp::Sum, Scalar::Int, 4i32.bits(), 0), Some(4i32.bits()));
        assert_eq!(reduce(ReduceOp::Min, Scalar::Int, 4i32.bits(), 4i32.bits()), None);
        assert_eq!(reduce(ReduceOp::Min, Scalar::Int, 4i32.bits(), (-4i32).bits()), Some((-4i32).bits()));
        assert_eq!(reduce(ReduceOp::Max, Scalar::Float, 1f32.bits(), f32::NAN.bits()), None);
        assert_eq!(reduce(ReduceOp::Sum, Scalar::Bool, 1, 1), Some(1));
        assert_eq!(reduce(ReduceOp::Max, Scalar::Bool, 1, 0), None);
    }
}
