//! What a kernel became in machine code: does a benchmark measure what it names?
//!
//! A compiler may join two additions into one of three operands, undo a reciprocal of a reciprocal, or drop a load
//! whose value nobody uses. So the machine code of every kernel is looked at before it is run: in the timed
//! loop, how many instructions are those of the benchmark, and how many are there in all?
//!
//! NVIDIA does not document the encoding. What is needed of it is little, the same from Volta to Blackwell, and seen by
//! comparing with `nvdisasm`: an instruction has 16 bytes, and its low 9 bits name the operation without regard to
//! the kinds of operands.

/// `CS2R`, which reads the clock.
const READ_CLOCK: u16 = 0x005;
/// `BRA`.
const BRANCH: u16 = 0x147;
/// `NOP`, which pads the end of functions.
const NOP: u16 = 0x118;

/// A machine instruction: its operation (low nine bits) and its first eight bytes.
#[derive(Debug, Clone, Copy)]
struct Instruction {
    operation: u16,
    word: u64,
}

/// The operations of the timed loop of a kernel, as their low nine bits: the widest loop between the first and the last
/// reading of the clock. `None` where the machine code is no ELF file as expected, or no such loop is found.
pub(super) fn timed_part(cubin: &[u8], kernel: &str) -> Option<Vec<u16>> {
    let code = section(cubin, &format!(".text.{kernel}"))?;
    let instruction = |bytes: &[u8]| {
        let word = bytes.iter().take(8).rev().fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        Instruction { operation: (word & 0x1ff) as u16, word }
    };
    let code: Vec<Instruction> = code.chunks_exact(16).map(instruction).collect();
    let first = code.iter().position(|instruction| instruction.operation == READ_CLOCK)?;
    let last = code.iter().rposition(|instruction| instruction.operation == READ_CLOCK)?;
    let loops = (first..last).filter(|&at| code[at].operation == BRANCH).filter_map(|at| {
        let start = backward(code[at].word, at).filter(|&start| start > first)?;
        Some(start..=at)
    });
    let widest = loops.max_by_key(|range| range.end() - range.start())?;
    let body = code[widest].iter().map(|instruction| instruction.operation);
    Some(body.filter(|&operation| operation != NOP).collect())
}

/// The instruction that a branch at place `at` goes back to; `None` for branches ahead.
///
/// The distance is counted in words of 4 bytes from the next instruction. Hopper keeps its low 8 bits in bits 16 to
/// 23 and the rest from bit 34 on; before Hopper all of it begins at bit 34.
fn backward(word: u64, at: usize) -> Option<usize> {
    let high = word as i64 >> 34;
    let low = (word >> 16 & 0xff) as i64;
    let target = |words: i64| {
        let place = at as i64 + 1 + words / 4;
        (words < 0 && words % 4 == 0 && place >= 0 && place <= at as i64).then_some(place as usize)
    };
    target(high << 8 | low).or_else(|| target(high))
}

/// What was found in the timed part of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// Instructions of the benchmark as a share of all.
    pub purity: f64,
    /// All instructions per operation of the benchmark.
    pub instructions: f64,
    /// As many instructions of the benchmark were found as expected, within 1 %.
    pub complete: bool,
}

/// Compares the timed part of a kernel with the instructions that it should have: `expected` of the `codes`, for
/// `operations` operations of the benchmark.
pub(super) fn examined(part: &[u16], codes: &[u16], expected: usize, operations: usize) -> Found {
    let seen = part.iter().filter(|operation| codes.contains(operation)).count();
    // The loop counts with instructions that a benchmark may be about as well.
    let useful = seen.min(expected);
    Found {
        purity: useful as f64 / part.len().max(1) as f64,
        instructions: part.len() as f64 / operations.max(1) as f64,
        complete: seen >= expected - expected / 100 && seen <= expected + expected / 100 + 8,
    }
}

/// The bytes of a section of a 64-bit little-endian ELF file.
fn section<'a>(file: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let number = |at: usize, bytes: usize| {
        let part = file.get(at..at.checked_add(bytes)?)?;
        part.iter().rev().try_fold(0_usize, |value, &byte| value.checked_mul(256)?.checked_add(byte.into()))
    };
    if file.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (headers, size) = (number(40, 8)?, number(58, 2)?);
    let (count, names) = (number(60, 2)?, number(62, 2)?);
    let header = |index: usize| headers.checked_add(index.checked_mul(size)?);
    let contents = |at: usize| {
        let (offset, bytes) = (number(at.checked_add(24)?, 8)?, number(at.checked_add(32)?, 8)?);
        file.get(offset..offset.checked_add(bytes)?)
    };
    let texts = contents(header(names)?)?;
    (0..count).find_map(|index| {
        let at = header(index)?;
        let text = texts.get(number(at, 4)?..)?;
        let found = text.split(|&byte| byte == 0).next()?;
        (found == name.as_bytes()).then(|| contents(at))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_completeness() {
        let part = [0x23, 0x23, 0x23, 0x23, 0x10];
        let found = examined(&part, &[0x23], 4, 4);
        assert_eq!(found, Found { purity: 0.8, instructions: 1.25, complete: true });
        // Two additions that became one are seen.
        assert!(!examined(&part, &[0x23], 256, 256).complete);
        assert!(!examined(&[], &[0x23], 256, 256).complete);
    }

    #[test]
    fn branches_as_seen_in_machine_code() {
        // From 0x4150 back to 0x130 on Hopper; from 0x110 ahead; to itself on Ampere.
        assert_eq!(backward(0xffff_ffbc_00f4_8947, 0x415), Some(0x13));
        assert_eq!(backward(0x0000_0040_0010_8947, 0x11), None);
        assert_eq!(backward(0xffff_fff0_0000_7947, 0x20), Some(0x20));
    }

    #[test]
    fn what_is_no_machine_code_is_none() {
        assert_eq!(timed_part(b"", "k"), None);
        assert_eq!(timed_part(b"\x7fELF\x02\x01 and then nothing of use, for sixty-four bytes and more", "k"), None);
        let mut wild = vec![0xff; 200];
        wild[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert_eq!(timed_part(&wild, "k"), None);
    }
}
