//! The vertices that changes name: by their numbers, or by the original ids of a graph.

use std::sync::Arc;

use gw_graph::{Dictionary, MAX_VERTICES, Names};

use super::words::Words;

/// How changes name vertices, and how many vertices there may be.
#[derive(Debug)]
pub struct Vertices {
    ids: Option<Dictionary>,
    limit: usize,
}

/// Why a change has no vertices.
pub(super) enum Wrong {
    Problem(String),
    /// This vertex is beyond the limit.
    Beyond(String),
}

impl Vertices {
    /// Vertices are named by their numbers.
    pub fn numbers() -> Vertices {
        Vertices { ids: None, limit: MAX_VERTICES }
    }

    /// Vertices are named by these ids. An id that is new becomes the next vertex; beside numbers it must be one.
    pub fn ids(names: Arc<Names>) -> Vertices {
        Vertices { ids: Some(Dictionary::new(names)), limit: MAX_VERTICES }
    }

    /// The number of vertices that a change may make the graph grow to.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit.min(MAX_VERTICES);
    }

    /// The limit in force.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The ids of all vertices, with those that changes brought; `None` where vertices are numbers.
    pub fn names(&self) -> Option<&Arc<Names>> {
        self.ids.as_ref().map(Dictionary::names)
    }

    pub(super) fn are_ids(&self) -> bool {
        self.ids.is_some()
    }

    /// Both ends of a change. A change that is refused brings no vertex.
    pub(super) fn both(&mut self, words: &Words<'_>) -> Result<(u32, u32), Wrong> {
        let (source, target) = (&*words.source, &*words.target);
        let Some(ids) = &mut self.ids else {
            return Ok((number(source, self.limit)?, number(target, self.limit)?));
        };
        let is_number = source.starts_with(|digit: char| digit.is_ascii_digit());
        if words.is_sign_close && ids.names().is_signed() && is_number {
            let problem = format!(
                "the line may be about {source} or -{source}: write `- {source}` to delete an edge of {source}, or \
                 `+ -{source}` for the vertex -{source}"
            );
            return Err(Wrong::Problem(problem));
        }
        let mut room = self.limit.saturating_sub(ids.names().len());
        for id in [source, target] {
            if ids.vertex(id).is_some() {
                continue;
            }
            if !ids.admits(id) {
                return Err(Wrong::Problem(format!("`{id}` is no vertex: the ids of this graph are whole numbers")));
            }
            room = room.checked_sub(1).ok_or_else(|| Wrong::Beyond(id.to_string()))?;
        }
        let mut take = |id: &str| ids.take(id).map_err(|_| Wrong::Problem(format!("`{id}` does not fit 64 bits")));
        Ok((take(source)?, take(target)?))
    }
}

fn number(word: &str, limit: usize) -> Result<u32, Wrong> {
    let vertex = word.parse().ok().filter(|&v: &u32| (v as usize) < MAX_VERTICES);
    let vertex = vertex.ok_or_else(|| {
        let most = MAX_VERTICES - 1;
        Wrong::Problem(format!("`{word}` is no vertex: vertices are numbers from 0 to {most}"))
    })?;
    match (vertex as usize) < limit {
        true => Ok(vertex),
        false => Err(Wrong::Beyond(word.to_string())),
    }
}
