//! A fixed permutation of the numbers below a power of two, without a table of it.
//!
//! A pointer chase needs one cycle through all cells in an order that no prefetcher guesses. Cell `mix(j)` points to
//! cell `mix(j + 1)`: as `mix` is a permutation, this is a single cycle, and starting chain `c` of `k` at
//! `mix(c * n / k)` keeps the chains apart. Devices make the same cycle by the same formula (`gpu/kernels`).

/// The number at place `j` of the permutation of `0..2^bits`.
///
/// Multiplications by odd numbers and shifts to the right that are added by exclusive or can each be undone modulo
/// `2^bits`, so their composition is a permutation.
pub(crate) fn mix(j: u64, bits: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let half = bits / 2 + 1;
    let mut x = j & mask;
    for multiplier in [0x9E37_79B1_u64, 0x85EB_CA77, 0xC2B2_AE3D] {
        x = x.wrapping_mul(multiplier) & mask;
        x ^= x >> half;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_occurs_once_and_neighbours_are_far() {
        for bits in [1, 2, 7, 12, 16] {
            let n = 1_u64 << bits;
            let mut seen = vec![false; n as usize];
            (0..n).for_each(|j| seen[mix(j, bits) as usize] = true);
            assert!(seen.into_iter().all(|seen| seen), "{bits} bits");
        }
        let steps = (0..65_536).map(|j| mix(j + 1, 16).abs_diff(mix(j, 16)));
        let near = steps.filter(|&step| step < 64).count();
        assert!(near < 65_536 / 100, "{near} steps are short");
    }
}
