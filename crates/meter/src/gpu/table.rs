//! The table of arithmetic benchmarks: a row per operation, from which kernels are generated.
//!
//! The classes are those of the catalogue of MIPP (Bombieri, Busato, Fummi, "Power-aware performance tuning of GPU
//! applications through microbenchmarking"). Specified rates are those for compute capability 9.0 in the table
//! "Throughput of native arithmetic instructions" of NVIDIA's CUDA C++ Programming Guide.

/// The type of the registers that an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Register {
    U32,
    U64,
    F32,
    F64,
}

impl Register {
    /// Its type in CUDA C++.
    pub fn name(self) -> &'static str {
        match self {
            Register::U32 => "unsigned",
            Register::U64 => "unsigned long long",
            Register::F32 => "float",
            Register::F64 => "double",
        }
    }

    /// Its letter in the constraints of inline PTX.
    pub fn letter(self) -> char {
        match self {
            Register::U32 => 'r',
            Register::U64 => 'l',
            Register::F32 => 'f',
            Register::F64 => 'd',
        }
    }

    /// The second and third operand, told by the number of the instruction. Whole numbers take the accumulator beside
    /// their own, so that two additions cannot become one of three operands. Fractions take constants whose effects
    /// cancel each other: values stay finite and change with every instruction.
    pub fn second(self, instruction: usize, beside: usize) -> String {
        match self {
            Register::U32 | Register::U64 => format!("r{beside}"),
            Register::F32 | Register::F64 => format!("c{}", instruction % 2),
        }
    }
}

/// A row of the table.
pub(super) struct Row {
    /// Name of the benchmark.
    pub name: &'static str,
    /// Class in the catalogue.
    pub class: &'static str,
    pub register: Register,
    /// The operation in PTX: `A` is the accumulator, `B` the second operand, `U` a one.
    pub ptx: &'static str,
    /// Operation codes of the machine instructions that the operation must become: the low nine bits, which do not
    /// depend on the kind of operands. Empty where the operation becomes a sequence.
    pub codes: &'static [u16],
    /// Machine instructions per operation; 0 where the operation becomes a sequence of unknown length.
    pub instructions: usize,
    /// Results per cycle and multiprocessor by the vendor's table.
    pub specified: Option<f64>,
}

const IADD3: u16 = 0x010;
const LOP3: u16 = 0x012;
const SHF: u16 = 0x019;
const SGXT: u16 = 0x01a;
const FMUL: u16 = 0x020;
const FADD: u16 = 0x021;
const FFMA: u16 = 0x023;
const IMAD: u16 = 0x024;
const DADD: u16 = 0x029;
const DMUL: u16 = 0x028;
const DFMA: u16 = 0x02b;
const VIADD: u16 = 0x036;
const VIMNMX: u16 = 0x048;
const FLO: u16 = 0x100;
const BREV: u16 = 0x101;
const MUFU: u16 = 0x108;
const POPC: u16 = 0x109;

macro_rules! rows {
    ($($name:literal, $class:literal, $register:ident, $ptx:literal, [$($code:ident),*] x $count:literal, $specified:expr;)*) => {
        &[$(Row {
            name: $name,
            class: $class,
            register: Register::$register,
            ptx: $ptx,
            codes: &[$($code),*],
            instructions: $count,
            specified: $specified,
        }),*]
    };
}

/// All arithmetic benchmarks.
pub(super) const ARITHMETIC: &[Row] = rows! {
    "int32 add", "int32 simple", U32, "add.s32 A, A, B;", [IADD3, IMAD, VIADD] x 1, Some(64.0);
    "int32 sub", "int32 simple", U32, "sub.s32 A, A, B;", [IADD3, IMAD, VIADD] x 1, Some(64.0);
    "int32 mul", "int32 complex", U32, "mul.lo.s32 A, A, B;", [IMAD] x 1, Some(64.0);
    "int32 mad", "int32 complex", U32, "mad.lo.s32 A, A, B, B;", [IMAD] x 1, Some(64.0);
    "int32 min", "int32 compare", U32, "min.s32 A, A, B;", [VIMNMX] x 1, Some(64.0);
    "int32 max", "int32 compare", U32, "max.u32 A, A, B;", [VIMNMX] x 1, Some(64.0);
    "int32 logic", "int32 logic", U32, "lop3.b32 A, A, B, B, 0x96;", [LOP3] x 1, Some(64.0);
    "int32 shl", "int32 shift", U32, "shl.b32 A, A, B;", [SHF] x 1, Some(64.0);
    "int32 shr", "int32 shift", U32, "shr.u32 A, A, B;", [SHF] x 1, Some(64.0);
    "int32 highest bit", "int32 bit", U32, "bfind.u32 A, A;", [FLO] x 1, Some(16.0);
    "int32 clz", "int32 bit", U32, "clz.b32 A, A;", [FLO, IADD3, IMAD, VIADD] x 2, Some(16.0);
    "int32 brev", "int32 bit", U32, "brev.b32 A, A;", [BREV] x 1, Some(16.0);
    "int32 bfe", "int32 bit", U32, "bfe.u32 A, A, 3, 27;", [SHF, SGXT] x 2, None;
    "int32 bfi", "int32 bit", U32, "bfi.b32 A, A, B, 5, 9;", [LOP3, SHF, IMAD] x 2, None;
    "int32 popc", "int32 population count", U32, "popc.b32 A, A;", [POPC] x 1, Some(16.0);
    "int32 rem", "int32 remainder", U32, "rem.u32 A, A, B;", [] x 0, None;
    "int64 add", "int64 simple", U64, "add.s64 A, A, B;", [IADD3, IMAD] x 2, None;
    "fp32 add", "fp32 simple", F32, "add.rn.f32 A, A, B;", [FADD] x 1, Some(128.0);
    "fp32 mul", "fp32 simple", F32, "mul.rn.f32 A, A, B;", [FMUL] x 1, Some(128.0);
    "fp32 fma", "fp32 simple", F32, "fma.rn.f32 A, A, U, B;", [FFMA] x 1, Some(128.0);
    "fp32 div IEEE", "fp32 division", F32, "div.rn.f32 A, U, A;", [] x 0, None;
    "fp32 div IEEE ftz", "fp32 division", F32, "div.rn.ftz.f32 A, U, A;", [] x 0, None;
    "fp32 div approx", "fp32 division", F32, "div.approx.f32 A, U, A;", [] x 0, None;
    "fp32 div approx ftz", "fp32 division", F32, "div.approx.ftz.f32 A, U, A;", [MUFU, FMUL] x 2, None;
    "fp32 sin", "fp32 special", F32, "sin.approx.ftz.f32 A, A;", [MUFU, FMUL] x 2, Some(16.0);
    "fp32 cos", "fp32 special", F32, "cos.approx.ftz.f32 A, A;", [MUFU, FMUL] x 2, Some(16.0);
    "fp32 exp2", "fp32 special", F32, "ex2.approx.ftz.f32 A, A;", [MUFU] x 1, Some(16.0);
    "fp32 log2", "fp32 special", F32, "lg2.approx.ftz.f32 A, A;", [MUFU] x 1, Some(16.0);
    "fp32 rsqrt", "fp32 special", F32, "rsqrt.approx.ftz.f32 A, A;", [MUFU] x 1, Some(16.0);
    "fp32 rcp, log2 in turn", "fp32 special", F32, "rcp.approx.ftz.f32 A, A; lg2.approx.ftz.f32 A, A;", [MUFU] x 2, Some(8.0);
    "fp64 add", "fp64 simple", F64, "add.rn.f64 A, A, B;", [DADD] x 1, Some(64.0);
    "fp64 mul", "fp64 simple", F64, "mul.rn.f64 A, A, B;", [DMUL] x 1, Some(64.0);
    "fp64 fma", "fp64 simple", F64, "fma.rn.f64 A, A, U, B;", [DFMA] x 1, Some(64.0);
};

/// The row of a name that stands in the table.
pub(super) fn row(name: &str) -> &'static Row {
    ARITHMETIC.iter().find(|row| row.name == name).expect("the name stands in the table")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_templates_use_their_operands() {
        let mut names: Vec<&str> = ARITHMETIC.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ARITHMETIC.len());
        for row in ARITHMETIC {
            assert!(row.ptx.contains(" A,") && row.ptx.ends_with(';'), "{}", row.name);
            assert_eq!(row.codes.is_empty(), row.instructions == 0, "{}", row.name);
        }
    }
}
