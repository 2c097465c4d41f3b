//! Loops that run on the device, in one launch or several.

use std::collections::HashMap;
use std::sync::Arc;

use gw_device::Buffer;
use gw_exec::{
    Environment, ErrorKind, Locals, MachineSet, Result, SetForm, StatementOutcome, StepRecord, Value, VertexSet,
};
use gw_graph::Graph;
use gw_ir::analysis::region::LoopRegion;
use gw_ir::source::Name;
use gw_ir::types::Type;
use gw_schedule::LoopForm;

use crate::bindings::Bindings;
use crate::codegen::access::Requirement;
use crate::codegen::region::{GraphShape, Outcome};
use crate::codegen::{BLOCK, BLOCK_MEMBERS, Generated, LOOP_BLOCK, Refusal, Task, generate};
use crate::error::exec_error;
use crate::executable::{CudaExecutable, Key, within};
use crate::outcomes::Outcomes;
use crate::prepared::{Loaded, kernel_name, title};
use crate::queue::DeviceQueue;
use crate::requirements;
use crate::set::{ListStorage, ListedSet};

/// Threads per block of loops that walk all vertices every time, over graphs with long lists.
const WHOLE_BLOCK: u32 = 1024;

impl CudaExecutable {
    /// The code of a loop, in blocks of at most so many threads.
    pub(crate) fn loop_code(
        &self,
        fused: &LoopRegion,
        shapes: &HashMap<Name, GraphShape>,
        most: u32,
    ) -> std::result::Result<Generated, Refusal> {
        let small = fused.form != LoopForm::SingleBlock && shapes.values().all(|s| s.flat);
        let mut task = Task {
            module: &self.module,
            name: &kernel_name("loop", &fused.path, fused.span),
            title: &title(&fused.path, fused.span, "loop"),
            params: fused.params.clone(),
            shapes: shapes.clone(),
            body: &fused.body,
            block: if small { BLOCK } else { LOOP_BLOCK.min(most) },
            single: false,
            loop_form: Some(fused.form),
            counted: None,
            careful: false,
        };
        let code = generate(&task)?;
        if small || fused.form == LoopForm::SingleBlock || code.takes_steps() {
            return Ok(code);
        }
        task.block = WHOLE_BLOCK.min(most);
        generate(&task)
    }

    /// Runs a loop on the device. What it leaves in variables goes back to them.
    pub(crate) fn run_loop(
        &mut self,
        id: usize,
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<StatementOutcome> {
        let start = std::time::Instant::now();
        let Some(fused) = &self.statements[id] else {
            return Err(ErrorKind::Malformed("this loop runs on the host".into()).into());
        };
        let span = fused.span;
        let mut values: Vec<(Name, Type, Value)> = Vec::new();
        for (name, ty) in &fused.params {
            values.push((name.clone(), ty.clone(), locals.get(name).unwrap_or_default()));
        }
        let graphs: Vec<(Name, Arc<Graph>)> =
            values.iter().filter_map(|(name, _, value)| Some((name.clone(), value.as_graph()?.clone()))).collect();
        let shapes = self.shapes(env, &graphs);
        let by_name: HashMap<Name, GraphShape> = shapes.iter().cloned().collect();
        let code = |e: &Self, most| match &e.statements[id] {
            Some(fused) => e.loop_code(fused, &by_name, most),
            None => Err(Refusal { span, reason: "this loop runs on the host".into() }),
        };
        let key = Key::Loop(id, shapes);
        let requires = self.requires(&key, |e| code(e, u32::MAX)).map_err(|error| error.at(span))?;
        let Some(vertices) = loop_vertices(&requires, &values, env) else { return Ok(StatementOutcome::HostTurn) };
        if self.outgrown(id, &values, vertices, env)? {
            return Ok(StatementOutcome::HostTurn);
        }
        let mut bindings = Bindings::new(vertices);
        for (name, ty, value) in &values {
            match (ty, value) {
                (Type::VertexSet(_) | Type::List(_), _) => {}
                (Type::EdgeSet { .. }, Value::Graph(graph)) => bindings.graph(name.clone(), Arc::clone(graph)),
                (_, value) => bindings.value(name.clone(), value.clone()),
            }
        }
        // A loop over graphs, vectors and sets of different sizes: the host goes through it, and every operator is
        // called with the sizes that are its own.
        if !requirements::hold(&requires, &bindings, env) {
            return Ok(StatementOutcome::HostTurn);
        }
        if !self.bind_sets(&mut bindings, &values, vertices).map_err(|error| error.at(span))? {
            return Ok(StatementOutcome::HostTurn);
        }
        let loaded = self.loaded(key, code).map_err(|error| error.at(span))?;
        self.bind_queues(&loaded, &mut bindings, env)?;
        let mut outcomes = self.launcher.launch(&loaded, &mut bindings, &mut self.vectors, Some(env))?;
        let words = self.collect(&outcomes, span)?;
        outcomes.read(&loaded.code, &words);
        self.store_cells(&loaded, &words, env);
        self.launcher.round = outcomes.round;
        let ended = self.take_up(&loaded, &mut outcomes, &mut bindings, &words, &values, locals, env)?;
        bindings.note_places(&outcomes)?;
        outcomes.give_back(&self.launcher.spares);
        let Some(fused) = &self.statements[id] else { return Ok(ended) };
        let (path, function) = (fused.path.to_string(), fused.function.as_ref().map(ToString::to_string));
        let form = fused.form;
        env.report(|| StepRecord {
            step: 0,
            operator: "While",
            path,
            function,
            input: None,
            output: None,
            edges: None,
            told: None,
            schedule: Some(format!("loop={form}")),
            variant: 0,
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok(ended)
    }

    /// Binds the sets and lists of a loop; false where one of them holds what is no vertex of the loop.
    fn bind_sets(&mut self, bindings: &mut Bindings, values: &[(Name, Type, Value)], vertices: usize) -> Result<bool> {
        for (name, ty, value) in values {
            let bound = match (ty, value) {
                (Type::VertexSet(_), Value::Set(set)) => self.bind_set(bindings, name, set, vertices),
                (Type::VertexSet(_), _) => {
                    bindings.place(name.clone(), crate::bindings::EMPTY);
                    Ok(())
                }
                (Type::List(_), Value::List(list)) => {
                    let sets: Vec<Value> = list.entries().clone();
                    self.bind_list(bindings, name, &sets, vertices)
                }
                _ => Ok(()),
            };
            match bound {
                Err(error) if matches!(error.kind(), ErrorKind::VertexOutOfRange { .. }) => return Ok(false),
                bound => bound?,
            }
        }
        Ok(true)
    }

    /// What a loop left goes back to its variables: scalars, sets, lists and queues.
    #[expect(clippy::too_many_arguments, reason = "both sides of every variable")]
    fn take_up(
        &mut self,
        loaded: &Loaded,
        outcomes: &mut Outcomes,
        bindings: &mut Bindings,
        words: &[u64],
        values: &[(Name, Type, Value)],
        locals: &mut dyn Locals,
        env: &mut Environment,
    ) -> Result<StatementOutcome> {
        let mut ended = StatementOutcome::Done;
        for (at, outcome) in loaded.code.outcomes.iter().enumerate() {
            let word = words[at];
            match outcome {
                Outcome::Local(name, scalar) => {
                    locals.set(name, Value::from_bits(*scalar, word));
                }
                Outcome::Global(name, scalar) => {
                    env.set_global(name, Value::from_bits(*scalar, word));
                }
                Outcome::Set(name) if values.iter().any(|(n, _, _)| n == name) => {
                    let place = word as u32 as i32;
                    let known = outcomes.placed.iter().find(|(p, _)| *p == place).map(|(_, s)| s.clone());
                    let set = match (known, place) {
                        (Some(set), _) => set,
                        (None, 8..12) => bindings.set_at(place).unwrap_or_else(VertexSet::empty),
                        (None, place) => self.set_at(outcomes, place, bindings.vertices)?,
                    };
                    locals.set(name, Value::Set(set));
                }
                Outcome::List(name) => {
                    let (depth, _) = ((word >> 32) as usize, word as u32 as usize);
                    if let Some((_, _, Value::List(list))) = values.iter().find(|(n, _, _)| n == name) {
                        let sets = bindings.listed(name, depth, &self.context.device)?;
                        *list.entries() = sets;
                    }
                }
                Outcome::Queue(name) => {
                    let Some(Value::Queue(queue)) = env.global(name) else { continue };
                    let mut state = queue.state();
                    let Some(own) = state.as_any().downcast_mut::<DeviceQueue>() else { continue };
                    own.note(&words[at..]);
                    let place = words[at + 1] as u32 as i32;
                    own.near = outcomes.near_set(&self.context, &self.launcher.spares, place, bindings)?;
                }
                Outcome::Outgrown if word != 0 => ended = StatementOutcome::HostTurn,
                _ => {}
            }
        }
        Ok(ended)
    }

    /// Whether something that a loop reads is too large for the one block that shall run it.
    fn outgrown(&self, id: usize, values: &[(Name, Type, Value)], vertices: usize, env: &Environment) -> Result<bool> {
        let Some(fused) = self.statements[id].as_ref().filter(|l| l.form == LoopForm::SingleBlock) else {
            return Ok(false);
        };
        let limit = BLOCK_MEMBERS as usize;
        let frontiers = &fused.frontiers;
        for (name, _, value) in values {
            if let Value::Set(set) = value
                && frontiers.sets.contains(name)
                && set.len()? > limit
            {
                return Ok(true);
            }
        }
        for name in &frontiers.queues {
            if let Some(Value::Queue(queue)) = env.global(name) {
                let mut state = queue.state();
                let own = state.as_any().downcast_mut::<DeviceQueue>();
                if let Some(near) = own.and_then(|own| own.near.as_ref())
                    && near.len()? > limit
                {
                    return Ok(true);
                }
            }
        }
        Ok(frontiers.all && vertices > limit)
    }

    /// A list of the host as a list on the device.
    fn bind_list(&mut self, bindings: &mut Bindings, name: &Name, sets: &[Value], vertices: usize) -> Result<()> {
        let device = &self.context.device;
        let mut ends: Vec<u32> = Vec::with_capacity(sets.len());
        let mut storage: Option<Arc<ListStorage>> = None;
        let mut same = true;
        for (i, value) in sets.iter().enumerate() {
            let Value::Set(set) = value else {
                return Err(ErrorKind::Unsupported("only lists of sets go to the device".into()).into());
            };
            same &= set.with(|form| match form {
                SetForm::Machine(machine) => match machine.as_any().downcast_mut::<ListedSet>() {
                    Some(listed) => {
                        let list = storage.get_or_insert_with(|| Arc::clone(&listed.list));
                        ends.push(listed.end as u32);
                        Arc::ptr_eq(list, &listed.list) && listed.depth == i && list.vertices == vertices
                    }
                    None => false,
                },
                _ => false,
            });
            if !same {
                break;
            }
        }
        if same && let Some(storage) = storage {
            // As a loop left it.
            bindings.list(name.clone(), storage, sets.len(), ends.last().copied().unwrap_or(0));
            return Ok(());
        }
        let mut ids: Vec<u32> = Vec::new();
        ends.clear();
        let mut heads: Vec<u32> = Vec::new();
        for value in sets {
            if let Value::Set(set) = value {
                set.with_ids(|members| ids.extend_from_slice(members))?;
                heads.extend([ids.len() as u32 - ends.last().copied().unwrap_or(0), 0, 0, 0]);
                ends.push(ids.len() as u32);
            }
        }
        within(&ids, vertices)?;
        let capacity = ids.len() + 4 * vertices + 1024;
        let depth_capacity = sets.len() + vertices.min(1 << 22) + 1024;
        let storage = ListStorage {
            ids: Buffer::new(device, 4 * capacity).map_err(exec_error)?,
            ends: Buffer::new(device, 4 * depth_capacity).map_err(exec_error)?,
            heads: Buffer::new(device, 16 * depth_capacity).map_err(exec_error)?,
            capacity,
            depth_capacity,
            vertices,
        };
        let upload = |to: &Buffer, words: &[u32]| match words.is_empty() {
            true => Ok(()),
            false => device.upload(to.address(), bytemuck::cast_slice(words)).map_err(exec_error),
        };
        upload(&storage.ids, &ids)?;
        upload(&storage.ends, &ends)?;
        upload(&storage.heads, &heads)?;
        bindings.list(name.clone(), Arc::new(storage), sets.len(), ids.len() as u32);
        Ok(())
    }
}

/// The number of vertices that a loop works with: that of the first graph it walks, or of what else it needs one for.
fn loop_vertices(requires: &[Requirement], values: &[(Name, Type, Value)], env: &Environment) -> Option<usize> {
    let graph = |name: &Name| match values.iter().find(|(local, _, _)| local == name) {
        Some((_, _, value)) => value.as_graph().cloned(),
        None => env.global(name).and_then(|value| value.as_graph().cloned()),
    };
    let walked = requires.iter().filter(|r| matches!(r, Requirement::Walked(_)));
    let mut wanted = walked.chain(requires).filter_map(|r| requirements::number(r, &graph, env));
    // A loop over sets of the host alone.
    wanted.next().or_else(|| {
        values.iter().find_map(|(_, ty, _)| match ty {
            Type::VertexSet(element) => env.vertices_of(element).ok(),
            _ => None,
        })
    })
}
