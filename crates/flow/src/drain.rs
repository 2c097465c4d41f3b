//! Draining: a worker follows what it has reached itself as far as its own vertices go, before it tells the others.
//!
//! In a loop that goes on until nothing changes, a step between workers costs an exchange, and deep graphs have thousands
//! of them. Where vertices only ever take lesser values (or only greater ones), to visit one early with a value that is
//! not the last is work, but no mistake: it is visited again when it changes. So the number of exchanges becomes that of
//! the times that a path goes from part to part, not that of its edges.

use gw_exec::{
    EdgeCall, Environment, ErrorKind, OperatorCall, OperatorId, OperatorOutcome, Result, Selection, VertexSet,
};

use crate::bound::bound;
use crate::changes::{Before, Reach};
use crate::executable::{FlowExecutable, Share};
use crate::message::{Reader, Writer};
use crate::plan::Write;
use crate::scalars::Scalars;
use crate::session::Session;
use crate::sets::{Union, read_union, write_set};

/// Rounds after which a worker tells the others in any case: a cycle that lowers itself would never end.
const ROUNDS: usize = 1024;

impl FlowExecutable {
    /// Runs this worker's share of an operator from its own sources, and from what these reach, and so on; then tells
    /// the others. The set that is returned are the vertices that others have changed since their owner visited them.
    pub(crate) fn drain(
        &mut self,
        share: Share,
        mut sources: Vec<u32>,
        call: EdgeCall,
        env: &mut Environment,
    ) -> Result<OperatorOutcome> {
        let Share { id, cut, vertices, input_size, mirrors, .. } = share;
        let plan = self.operators[id].plan.clone();
        let again = |from: Vec<u32>| {
            let to = match &call.to {
                Selection::All => Selection::All,
                Selection::Set(set) => Selection::Set(set.clone()),
                Selection::Function(captures) => Selection::Function(captures.clone()),
            };
            let (graph, captures) = (call.graph.clone(), call.captures.clone());
            OperatorCall::Edges(EdgeCall { graph, from: Selection::Set(VertexSet::from_ids(from)), to, captures })
        };
        let vectors = bound(&plan, &again(Vec::new()), env)?;
        let at_mirrors = self.make_true(&vectors, &cut, vertices, mirrors.as_ref())?;
        let mut before = Vec::new();
        for ((vector, plan), at_mirrors) in vectors.iter().zip(&at_mirrors) {
            if let Write::Merged { merge, .. } = plan.write {
                if !Before::is_told_by_modified(vector, merge) {
                    let message = "a vector of vectors cannot be drained; --sync step runs it";
                    return Err(ErrorKind::Unsupported(message.to_string()).into());
                }
                let mirrors = mirrors.as_ref().filter(|_| *at_mirrors);
                before.push(Before::of(vector, merge, Reach::Modified, mirrors.map(|(_, mirrors)| mirrors.clone()))?);
                if let Some((graph, _)) = mirrors {
                    self.truth.is_true_in_part(vector, &cut, Some(*graph));
                }
            }
        }
        let own = self.running()?.index();
        let range = cut.range(own);
        let scalars = Scalars::begin(&plan, own, env)?;
        let (mut modified, mut edges) = (Union::new(vertices), 0);
        for _ in 0..ROUNDS {
            let call = again(std::mem::take(&mut sources));
            let local = self.local.run_operator(OperatorId(id), call, env);
            self.running()?.check()?;
            let local = local?;
            edges += local.edges.unwrap_or(0);
            let found = local.output.map_or(Ok(Vec::new()), |set| set.ids())?;
            modified.add_all(found.iter().copied()).ok_or_else(no_vertex)?;
            sources = found.into_iter().filter(|v| range.contains(v)).collect();
            if sources.is_empty() {
                break;
            }
            sources.sort_unstable();
            sources.dedup();
        }
        // What was changed goes to those who need it.
        let modified = modified.into_set().ok_or_else(no_vertex)?.ids()?;
        let session = self.running()?;
        let each = before.iter().any(Before::goes_to_mirrors);
        let mut outgoing = vec![Writer::default(); if each { session.peers() } else { 1 }];
        for message in &mut outgoing {
            message.u64(edges);
            scalars.write(message, env);
        }
        before.iter().try_for_each(|before| before.write_changes(&mut outgoing, (own, &cut), &modified))?;
        let messages = match each {
            true => session.exchange_each(outgoing)?,
            false => session.broadcast(outgoing.swap_remove(0))?,
        };
        let mut readers = Session::readers(&messages);
        let edges = readers.iter_mut().map(Reader::u64).sum();
        scalars.read(&mut readers, env)?;
        for before in &before {
            before.make_changes(&mut readers, |vertex, is_new| {
                if is_new && range.contains(&vertex) {
                    sources.push(vertex);
                }
            });
        }
        session.intact(&readers)?;
        // Every owner says which of its vertices have changed since it visited them.
        let mut message = Writer::default();
        sources.sort_unstable();
        sources.dedup();
        write_set(&mut message, &VertexSet::from_ids(sources), vertices)?;
        let messages = session.broadcast(message)?;
        let next = read_union(&mut Session::readers(&messages), vertices);
        let next = next.ok_or_else(|| ErrorKind::Machine("a damaged message arrived".to_string()))?;
        let (input_size, output_size) = (Some(input_size as u64), Some(next.len()? as u64));
        let edges = Some(edges);
        Ok(OperatorOutcome { input_size, output_size, output: Some(next), edges, ..OperatorOutcome::default() })
    }
}

fn no_vertex() -> ErrorKind {
    ErrorKind::Malformed("an operator says that it has modified what is no vertex".to_string())
}
