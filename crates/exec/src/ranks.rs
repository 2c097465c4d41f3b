//! `x.ranks()`: the position of every entry of a vector when it is sorted, the largest first.

use gw_ir::types::Scalar;

use crate::scalar::to_f64;
use crate::vector::Vector;

/// The position of every entry; equal ones stay in order, and NaN comes last.
pub(crate) fn ranks(vector: &Vector) -> Vector {
    let (scalar, cells) = (vector.scalar(), vector.touched());
    let mut sorted: Vec<(u64, u32)> = (0..vector.cells()).map(|at| (!key(scalar, cells.load(at)), at as u32)).collect();
    sorted.sort_unstable();
    let mut ranks = vec![0; sorted.len()];
    sorted.iter().enumerate().for_each(|(rank, &(_, at))| ranks[at as usize] = rank as i32);
    Vector::from_slice(&ranks)
}

/// A number that is in the order of the values.
fn key(scalar: Scalar, bits: u64) -> u64 {
    const SIGN: u64 = 1 << 63;
    match scalar {
        Scalar::Int => i64::from(bits as u32 as i32) as u64 ^ SIGN,
        Scalar::Int64 => bits ^ SIGN,
        Scalar::Float | Scalar::Double => {
            // Both zeros are equal.
            let value = to_f64(scalar, bits) + 0.0;
            match value.to_bits() {
                _ if value.is_nan() => 0,
                bits if bits & SIGN != 0 => !bits,
                bits => bits | SIGN,
            }
        }
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_comes_first_and_equal_entries_stay_in_order() {
        let ranked = |vector: &Vector| ranks(vector).to_vec::<i32>();
        assert_eq!(ranked(&Vector::from_slice(&[3, -1, 7, 3])), Some(vec![1, 3, 0, 2]));
        let reals = [0.0f64, f64::NAN, -0.0, f64::NEG_INFINITY, 1e300];
        assert_eq!(ranked(&Vector::from_slice(&reals)), Some(vec![1, 4, 2, 3, 0]));
        assert_eq!(ranked(&Vector::from_slice(&[u64::MAX, 0, 1])), Some(vec![0, 2, 1]));
        assert_eq!(ranked(&Vector::from_slice::<u32>(&[])), Some(vec![]));
    }
}
