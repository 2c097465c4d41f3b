//! Which cores the ranks of a host share: a launcher may have given each rank cores of its own, or all the same.

use gw_fabric::Fabric;

use crate::error::MpiError;
use crate::exchange::Mpi;

/// The cores of the host of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cores {
    /// Cores for this rank: its own, or its part of those that it shares.
    pub own: usize,
    /// Cores for all ranks of this host.
    pub in_all: usize,
    /// Ranks of this host.
    pub here: usize,
}

/// What a rank tells of its place: the host, and a bit per core that it may use.
#[derive(Debug, PartialEq, Eq)]
struct Seat {
    host: Vec<u8>,
    mask: Vec<u8>,
}

impl Seat {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = (self.host.len() as u32).to_le_bytes().to_vec();
        bytes.extend(&self.host);
        bytes.extend(&self.mask);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Seat> {
        let (length, rest) = bytes.split_at_checked(4)?;
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        let (host, mask) = rest.split_at_checked(length)?;
        Some(Seat { host: host.to_vec(), mask: mask.to_vec() })
    }

    fn shares_cores_with(&self, other: &Seat) -> bool {
        self.host == other.host && self.mask.iter().zip(&other.mask).any(|(a, b)| a & b != 0)
    }
}

/// Tells all ranks where this one is, and finds out what is left for it.
pub(crate) fn agree(mpi: &mut Mpi) -> Result<Cores, MpiError> {
    let failed = |reason: String| MpiError::Call { what: "an exchange of places", reason };
    let own = mpi.rank();
    let heard = mpi.allgather(Seat { host: host(), mask: mask() }.bytes()).map_err(|over| failed(over.0))?;
    let seats: Option<Vec<Seat>> = heard.iter().map(|message| Seat::read(message)).collect();
    let seats = seats.ok_or_else(|| failed("a damaged message arrived".to_string()))?;
    Ok(of(&seats, own))
}

fn of(seats: &[Seat], own: usize) -> Cores {
    let seat = &seats[own];
    let here: Vec<&Seat> = seats.iter().filter(|other| other.host == seat.host).collect();
    let count = |mask: &[u8]| mask.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
    let mut all = Vec::new();
    for other in &here {
        all.resize(all.len().max(other.mask.len()), 0u8);
        all.iter_mut().zip(&other.mask).for_each(|(all, byte)| *all |= byte);
    }
    let sharing = here.iter().filter(|other| other.shares_cores_with(seat)).count().max(1);
    Cores { own: (count(&seat.mask) / sharing).max(1), in_all: count(&all).max(1), here: here.len() }
}

/// The name of this host.
fn host() -> Vec<u8> {
    #[cfg(unix)]
    {
        let mut name = [0u8; 256];
        // SAFETY: the place has the length that is told.
        let code = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) };
        name.split(|&byte| byte == 0).next().filter(|_| code == 0).unwrap_or_default().to_vec()
    }
    #[cfg(not(unix))]
    std::env::var("COMPUTERNAME").unwrap_or_default().into_bytes()
}

/// A bit per core that this process may use.
fn mask() -> Vec<u8> {
    #[cfg(target_os = "linux")]
    {
        let mut mask = vec![0u8; size_of::<libc::cpu_set_t>()];
        // SAFETY: the place has the length that is told; a set of cores is plain bits.
        let code = unsafe { libc::sched_getaffinity(0, mask.len(), mask.as_mut_ptr().cast()) };
        if code == 0 {
            return mask;
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (0..cores.div_ceil(8)).map(|byte| if 8 * byte + 8 <= cores { 0xff } else { (1u8 << (cores % 8)) - 1 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_shared_or_bound() {
        let seat = |host: &str, mask: &[u8]| Seat { host: host.as_bytes().to_vec(), mask: mask.to_vec() };
        let shared = [seat("a", &[0x0f]), seat("a", &[0x0f]), seat("b", &[0xff])];
        assert_eq!(of(&shared, 0), Cores { own: 2, in_all: 4, here: 2 });
        assert_eq!(of(&shared, 2), Cores { own: 8, in_all: 8, here: 1 });
        let bound = [seat("a", &[0x03, 0]), seat("a", &[0x0c, 1])];
        assert_eq!(of(&bound, 1), Cores { own: 3, in_all: 5, here: 2 });
        let crowded: Vec<Seat> = (0..3).map(|_| seat("a", &[0x03])).collect();
        assert_eq!(of(&crowded, 1), Cores { own: 1, in_all: 2, here: 3 });
        assert_eq!(Seat::read(&bound[1].bytes()).as_ref(), Some(&bound[1]));
        assert!(Seat::read(&[1, 0]).is_none() && Seat::read(&[9, 0, 0, 0, 1]).is_none());
        assert!(!host().is_empty() && mask().iter().any(|byte| *byte != 0));
    }
}
