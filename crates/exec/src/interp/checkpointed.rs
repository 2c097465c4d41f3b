//! Running `main` with checkpoints at the heads of its loops.

use std::hash::Hasher;

use gw_ir::module::Module;
use rustc_hash::FxHasher;

use super::Interp;
use crate::checkpoint::{Checkpoint, Identity, Item, Items, Saved, bad, module_hash, not_held, unholdable};
use crate::code::{Function, Line, LineKind, Num};
use crate::error::{ErrorKind, ExecError, Result};
use crate::sites::StatementId;

/// A run that is saved now and then.
struct Run<'c> {
    checkpoint: &'c Checkpoint,
    identity: Identity,
    items: Items,
}

impl<'a> Interp<'a> {
    /// Runs `main`, which is that of `module`, and saves its state at the heads of its loops; from a saved state on,
    /// where one is given.
    pub(crate) fn run_main_with_checkpoints(
        &mut self,
        main: &'a Function,
        checkpoint: &Checkpoint,
        saved: Option<&Saved>,
        module: &Module,
    ) -> Result<()> {
        let lines = main.body.as_deref().unwrap_or_default();
        if !lines.iter().any(|line| matches!(line.kind, LineKind::While(..))) {
            let message = "checkpoints are written at the head of a `while` loop that stands directly in `main`; this \
                           program has none";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        if let Some((what, place)) = unholdable(module) {
            return Err(ExecError::from(not_held(what)).at(place));
        }
        checkpoint.prepare()?;
        let mut hash = FxHasher::default();
        hash.write_u64(module_hash(module));
        for argument in (2..).map_while(|index| self.env.argument(index).ok()) {
            hash.write(argument.as_bytes());
            hash.write_u8(0);
        }
        let items = Items::new(&self.env.objects);
        let identity = Identity { program: hash.finish(), seed: self.env.seed(), graphs: items.graph_sizes() };
        let run = Run { checkpoint, identity, items };
        let frame = self.enter(main, Vec::new())?;
        let caller = (self.frames.base, self.frames.object_base, self.function);
        (self.frames.base, self.frames.object_base, self.function) = (frame.base, frame.object_base, main);
        let outcome = self.lines_with_checkpoints(lines, &run, saved);
        (self.frames.base, self.frames.object_base, self.function) = caller;
        self.leave(frame);
        outcome
    }

    fn lines_with_checkpoints(&mut self, lines: &'a [Line], run: &Run<'_>, saved: Option<&Saved>) -> Result<()> {
        let mut rounds = 0;
        let start = match saved {
            Some(saved) => {
                self.restore(run, saved)?;
                rounds = saved.rounds;
                saved.line as usize
            }
            None => 0,
        };
        for (at, line) in lines.iter().enumerate().skip(start) {
            let outcome = match &line.kind {
                LineKind::While(id, condition, body) => {
                    self.loop_with_checkpoints((at, *id), condition, body, std::mem::take(&mut rounds), run)
                }
                _ => self.line(line).map(|_| ()),
            };
            outcome.map_err(|error| error.at(line.span))?;
        }
        Ok(())
    }

    fn loop_with_checkpoints(
        &mut self,
        (at, id): (usize, StatementId),
        condition: &'a Num,
        body: &'a [Line],
        done: u64,
        run: &Run<'_>,
    ) -> Result<()> {
        if self.machine.claims(id) {
            let message = "this machine runs the loop as a whole, so that there is no moment for a checkpoint; a \
                           schedule without fusion runs it round by round";
            return Err(ErrorKind::Unsupported(message.to_string()).into());
        }
        let mut rounds = done;
        loop {
            self.tick()?;
            if rounds == done {
                // What can be known before the first round is told then.
                self.items(run)?;
            } else if rounds.is_multiple_of(run.checkpoint.every) {
                self.save(run, at, rounds)?;
            }
            if self.num(condition)? == 0 || self.block(body)? {
                return Ok(());
            }
            rounds += 1;
        }
    }

    fn save(&mut self, run: &Run<'_>, line: usize, rounds: u64) -> Result<()> {
        let mut watched = Vec::new();
        let all = self.env.objects.iter().chain(&self.frames.objects[self.frames.object_base..]);
        all.for_each(|value| value.collect_watched(&mut watched));
        watched
            .iter()
            .filter(|vector| vector.is_watched())
            .try_for_each(|vector| self.machine.host_will_read(vector))?;
        let (items, objects) = self.items(run)?;
        for set in &items.sets {
            set.len()?;
        }
        let saved = Saved {
            identity: run.identity.clone(),
            line: line as u64,
            rounds,
            calls: self.env.calls,
            drawn: self.env.draws.drawn(),
            scalars: [self.env.scalars.clone(), self.frames.registers[self.frames.base..].to_vec()],
            objects,
            vectors: items.vectors,
            sets: items.sets,
            checksum: 0,
        };
        run.checkpoint.write(&saved)
    }

    /// All values of globals and of `main` but numbers, as a checkpoint holds them.
    fn items(&self, run: &Run<'_>) -> Result<(Items, [Vec<Item>; 2])> {
        let mut items = Items::with_graphs_of(&run.items);
        let mut item = |value| items.item(value).map_err(not_held);
        let globals = self.env.objects.iter().map(&mut item).collect::<std::result::Result<Vec<_>, _>>()?;
        let own = &self.frames.objects[self.frames.object_base..];
        let own = own.iter().map(&mut item).collect::<std::result::Result<Vec<_>, _>>()?;
        Ok((items, [globals, own]))
    }

    fn restore(&mut self, run: &Run<'_>, saved: &Saved) -> Result<()> {
        let path = run.checkpoint.path();
        if saved.identity != run.identity {
            let what = if saved.identity.graphs != run.identity.graphs {
                "another graph"
            } else if saved.identity.seed != run.identity.seed {
                "another seed"
            } else {
                "another program, schedule or argument (machines choose schedules of their own where none is given: \
                 --schedule default is the same on all)"
            };
            return Err(bad(&path, format!("belongs to a run with {what}; leave --resume out to begin anew")));
        }
        let nonsense = || bad(&path, "does not fit this program".to_string());
        let values = |items: &[Item]| {
            let value = |item| run.items.value(item, saved).ok_or_else(nonsense);
            items.iter().map(value).collect::<Result<Vec<_>>>()
        };
        let [globals, own] = [values(&saved.objects[0])?, values(&saved.objects[1])?];
        let (base, object_base) = (self.frames.base, self.frames.object_base);
        let fits = saved.scalars[0].len() == self.env.scalars.len()
            && saved.scalars[1].len() == self.frames.registers.len() - base
            && globals.len() == self.env.objects.len()
            && own.len() == self.frames.objects.len() - object_base;
        if !fits {
            return Err(nonsense());
        }
        self.env.scalars.clone_from(&saved.scalars[0]);
        self.env.objects = globals;
        self.frames.registers[base..].copy_from_slice(&saved.scalars[1]);
        self.frames.objects[object_base..].clone_from_slice(&own);
        self.env.calls = saved.calls;
        self.env.draws.set_drawn(saved.drawn);
        Ok(())
    }
}
