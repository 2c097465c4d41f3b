//! Looking up the entries of a list in a bitmap: sixteen at a time where the processor can gather, one by one
//! elsewhere.

/// Number of entries of the ascending list that are not above `limit` and whose bits are set.
///
/// Panics when an entry up to the limit lies outside the bitmap.
pub(super) fn count(bits: &[u32], list: &[u32], limit: u32) -> u64 {
    assert!(limit as usize / 32 < bits.len(), "the bitmap covers the limit");
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the instructions, and every entry up to the limit has a word in the bitmap.
            return unsafe { x86::count_16(bits, list, limit) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as for 16 at once.
            return unsafe { x86::count_8(bits, list, limit) };
        }
    }
    count_1(bits, list, limit)
}

fn count_1(bits: &[u32], list: &[u32], limit: u32) -> u64 {
    let inside = list.iter().take_while(|&&x| x <= limit);
    inside.map(|&x| u64::from(bits[x as usize / 32] >> (x % 32) & 1)).sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// # Safety
    /// The processor must have AVX-512F, and `bits` a word for `limit`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn count_16(bits: &[u32], list: &[u32], limit: u32) -> u64 {
        let (bound, one) = (_mm512_set1_epi32(limit as i32), _mm512_set1_epi32(1));
        let mut count = 0;
        let mut at = 0;
        while at < list.len() {
            let left = list.len() - at;
            let valid = if left >= 16 { u16::MAX } else { (1 << left) - 1 };
            // SAFETY: only the valid lanes are loaded, and only words of entries up to the limit are gathered. Word
            // indices are below 2^27, so that they are not negative.
            let hits = unsafe {
                let ids = _mm512_maskz_loadu_epi32(valid, list.as_ptr().add(at).cast());
                let inside = _mm512_mask_cmple_epu32_mask(valid, ids, bound);
                let words = _mm512_srli_epi32::<5>(ids);
                let words =
                    _mm512_mask_i32gather_epi32::<4>(_mm512_setzero_si512(), inside, words, bits.as_ptr().cast());
                // Rotating takes its amount modulo 32.
                (_mm512_test_epi32_mask(_mm512_rorv_epi32(words, ids), one), inside)
            };
            count += u64::from(hits.0.count_ones());
            if hits.1 != u16::MAX {
                break;
            }
            at += 16;
        }
        count
    }

    /// # Safety
    /// The processor must have AVX2, and `bits` a word for `limit`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn count_8(bits: &[u32], list: &[u32], limit: u32) -> u64 {
        let one = _mm256_set1_epi32(1);
        let (eights, rest) = list.as_chunks::<8>();
        let mut count = 0;
        for eight in eights {
            if eight[7] > limit {
                return count + super::count_1(bits, eight, limit);
            }
            // SAFETY: all eight entries are up to the limit and have words.
            let hits = unsafe {
                let ids = _mm256_loadu_si256(eight.as_ptr().cast());
                let words = _mm256_i32gather_epi32::<4>(bits.as_ptr().cast(), _mm256_srli_epi32::<5>(ids));
                let amounts = _mm256_and_si256(ids, _mm256_set1_epi32(31));
                let bit = _mm256_and_si256(_mm256_srlv_epi32(words, amounts), one);
                _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(bit, one)))
            };
            count += u64::from(hits.count_ones());
        }
        count + super::count_1(bits, rest, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_widths_agree(
            set in prop::collection::btree_set(0u32..2000, 0..300),
            list in prop::collection::btree_set(0u32..4000, 0..300),
            limit in 0u32..1999,
        ) {
            let mut bits = vec![0u32; 2000usize.div_ceil(32)];
            set.iter().for_each(|x| bits[*x as usize / 32] |= 1 << (x % 32));
            let expected = set.intersection(&list).filter(|&&x| x <= limit).count() as u64;
            let list: Vec<u32> = list.into_iter().collect();
            prop_assert_eq!(count_1(&bits, &list, limit), expected);
            prop_assert_eq!(count(&bits, &list, limit), expected);
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the instructions are there when they are used, and the bitmap covers the limit.
            unsafe {
                if is_x86_feature_detected!("avx2") {
                    prop_assert_eq!(x86::count_8(&bits, &list, limit), expected);
                }
                if is_x86_feature_detected!("avx512f") {
                    prop_assert_eq!(x86::count_16(&bits, &list, limit), expected);
                }
            }
        }
    }
}
