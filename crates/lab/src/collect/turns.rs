//! Turns: in every round another implementation begins.

/// Puts the list of the round before into the order of this one: the first becomes the last. Each of `n` is first in
/// every `n`-th round.
pub(super) fn take_turns<T>(list: &mut [T], round: u32) {
    if round > 0 && !list.is_empty() {
        list.rotate_left(1);
    }
}

#[cfg(test)]
mod tests {
    use super::take_turns;

    #[test]
    fn everyone_is_first_equally_often_and_at_every_place() {
        for count in 1..6_usize {
            let mut list: Vec<usize> = (0..count).collect();
            let mut places = vec![vec![0; count]; count];
            for round in 0..(4 * count) as u32 {
                take_turns(&mut list, round);
                list.iter().enumerate().for_each(|(place, &who)| places[who][place] += 1);
            }
            assert!(places.iter().flatten().all(|&times| times == 4), "{count}: {places:?}");
        }
        take_turns::<u8>(&mut [], 3);
    }
}
