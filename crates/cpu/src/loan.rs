//! The members of a set in the form that a kernel wants.

use gw_exec::{Result, SetForm, VertexSet};

use crate::drive::Crew;
use crate::set::{Map, MapSet, map_of};

/// The members of a set in one form, borrowed from the set for the time of an operator call where it has that form.
pub(crate) struct Loan<'a> {
    members: Members,
    /// Where to return what was borrowed.
    home: Option<&'a VertexSet>,
}

enum Members {
    Queue(Vec<u32>),
    Map(Map),
}

impl<'a> Loan<'a> {
    /// The members as a queue.
    pub(crate) fn queue(set: &'a VertexSet) -> Result<Self> {
        let (queue, borrowed) = set.with(|form| match form {
            SetForm::Ids(ids) => Result::Ok((std::mem::take(ids), true)),
            form => Ok((form.ids()?, false)),
        })?;
        Ok(Loan { members: Members::Queue(queue), home: borrowed.then_some(set) })
    }

    /// The members as a map.
    pub(crate) fn map(crew: &mut Crew, set: &'a VertexSet, vertices: usize, bits: bool) -> Result<Self> {
        let borrowed = set.with(|form| {
            let SetForm::Machine(machine) = form else { return None };
            let own = machine.as_any().downcast_mut::<MapSet>()?;
            let fits = own.map.is_bits() == bits && own.map.covers(vertices);
            fits.then(|| std::mem::replace(&mut own.map, Map::empty(0, bits)))
        });
        Ok(match borrowed {
            Some(map) => Loan { members: Members::Map(map), home: Some(set) },
            None => Loan { members: Members::Map(map_of(crew, set, vertices, bits)?), home: None },
        })
    }

    /// The ids; empty for a map.
    pub(crate) fn ids(&self) -> &[u32] {
        match &self.members {
            Members::Queue(ids) => ids,
            Members::Map(_) => &[],
        }
    }

    /// One more than the greatest member of a map; 0 for a queue.
    pub(crate) fn end(&self) -> usize {
        match &self.members {
            Members::Queue(_) => 0,
            Members::Map(map) => map.end(),
        }
    }

    /// Address of the map; 0 for a queue.
    pub(crate) fn map_address(&self) -> u64 {
        match &self.members {
            Members::Queue(_) => 0,
            Members::Map(map) => map.as_ptr() as u64,
        }
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let Some(home) = self.home else { return };
        home.with(|form| match (form, &mut self.members) {
            (SetForm::Ids(ids), Members::Queue(queue)) => *ids = std::mem::take(queue),
            (SetForm::Machine(machine), Members::Map(map)) => {
                if let Some(own) = machine.as_any().downcast_mut::<MapSet>() {
                    std::mem::swap(&mut own.map, map);
                }
            }
            _ => {}
        });
    }
}
