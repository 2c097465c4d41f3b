//! What the workers of one process say to those of another, in one piece.
//!
//! Worker after worker, a byte says whether all workers over there hear the same. One message follows then, else one
//! for each of them. In front of a message stands its length.

use std::ops::Range;
use std::sync::Arc;

use crate::{Message, Outgoing};

/// In front of a message that all workers hear.
const TO_ALL: u8 = 0;
/// In front of messages to each worker.
const TO_EACH: u8 = 1;
/// Bytes of a length.
const LENGTH: usize = size_of::<u64>();

/// What the workers of this process have to say, as that of the process: with `workers` per process, to `processes`.
pub(crate) fn packed(said: &[Outgoing], workers: usize, processes: usize) -> Outgoing {
    let pack = |process: usize| {
        let mut parcel = Vec::new();
        let mut put = |bytes: &[u8]| {
            parcel.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            parcel.extend_from_slice(bytes);
        };
        for outgoing in said {
            put(match outgoing {
                Outgoing::All(_) => &[TO_ALL],
                Outgoing::Each(_) => &[TO_EACH],
            });
            match outgoing {
                Outgoing::All(bytes) => put(bytes),
                Outgoing::Each(each) => each.iter().skip(process * workers).take(workers).for_each(|bytes| put(bytes)),
            }
        }
        Arc::new(parcel)
    };
    match said.iter().all(|outgoing| matches!(outgoing, Outgoing::All(_))) {
        true => Outgoing::All(pack(0)),
        false => Outgoing::Each((0..processes).map(pack).collect()),
    }
}

/// The messages of a parcel for the worker `own` of the `workers` here, in the order of those who have said them;
/// `None` when the parcel is damaged.
pub(crate) fn unpacked(parcel: &Message, own: usize, workers: usize) -> Option<Vec<Message>> {
    let mut at = 0;
    let mut next = || -> Option<Range<usize>> {
        let length = parcel.get(at..at + LENGTH)?.try_into().ok().map(u64::from_le_bytes)?;
        let start = at + LENGTH;
        at = start.checked_add(usize::try_from(length).ok()?).filter(|&end| end <= parcel.len())?;
        Some(start..at)
    };
    let mut messages = Vec::with_capacity(workers);
    for _ in 0..workers {
        let range = match parcel.get(next()?)? {
            [TO_ALL] => next()?,
            [TO_EACH] => (0..workers).map(|_| next()).collect::<Option<Vec<_>>>()?.get(own)?.clone(),
            _ => return None,
        };
        messages.push(parcel.within(range)?);
    }
    (at == parcel.len()).then_some(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parcels_are_opened_as_they_were_packed_and_damage_is_noticed() {
        let bytes = |text: &str| Arc::new(text.as_bytes().to_vec());
        let each: Vec<_> = (0..6).map(|to| bytes(&"x".repeat(to))).collect();
        let said = [Outgoing::All(bytes("hello")), Outgoing::Each(each)];
        let Outgoing::Each(parcels) = packed(&said, 2, 3) else { panic!("one of them says different things") };
        for (process, parcel) in parcels.iter().enumerate() {
            let parcel = Message::whole(Arc::clone(parcel));
            for own in 0..2 {
                let heard = unpacked(&parcel, own, 2).unwrap();
                assert_eq!(&*heard[0], b"hello");
                assert_eq!(heard[1].len(), 2 * process + own);
            }
            for cut in 0..parcel.len() {
                assert!(unpacked(&parcel.within(0..cut).unwrap(), 0, 2).is_none());
            }
        }
        let same = packed(&[Outgoing::All(bytes("a")), Outgoing::All(bytes(""))], 2, 3);
        assert!(matches!(same, Outgoing::All(_)));
    }
}
