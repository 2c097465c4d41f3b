//! Schedule objects of the device languages: `SimpleGPUSchedule`, `HybridGPUSchedule`, `SimpleSwarmSchedule`,
//! `SimpleHBSchedule`.

use super::syntax::{Arg, ArgKind, Call, Name};
use super::{Read, Reader};
use crate::diagnostic::Diagnostic;
use crate::suggest::nearest;
use gw_schedule::{
    Criterion, Dedup, DedupBy, Direction, Family, FrontierCreation, FrontierForm, Hybrid, LoadBalance, LoopForm, Param,
    Schedule, SimpleSchedule, SwarmQueue, Toggle,
};

/// A declared schedule object. Applying it copies its value, so later changes do not reach back.
#[derive(Clone, Debug)]
pub(super) struct Object {
    family: Family,
    schedule: Schedule,
}

/// Types of schedule objects.
const KINDS: &[(&str, Family)] = &[
    ("SimpleGPUSchedule", Family::Gpu),
    ("HybridGPUSchedule", Family::Gpu),
    ("SimpleSwarmSchedule", Family::Swarm),
    ("SimpleHBSchedule", Family::HammerBlade),
];

/// Functions of each family's simple schedule.
fn functions(family: Family) -> &'static [&'static str] {
    match family {
        Family::Gpu => &[
            "configDirection",
            "configFrontierCreation",
            "configDeduplication",
            "configLoadBalance",
            "configDelta",
            "configKernelFusion",
            "configBooleanType",
        ],
        Family::Swarm => &[
            "configDirection",
            "configDeduplication",
            "configLoadBalance",
            "configDelta",
            "configQueueType",
            "configLoopCoarsening",
            "configSpatialHint",
            "configStride",
        ],
        _ => &["configDirection", "configLoadBalance"],
    }
}

const DIRECTIONS: &[(&str, Direction)] = &[("PUSH", Direction::Push), ("PULL", Direction::Pull)];

const FORMS: &[(&str, FrontierForm)] = &[("BOOLMAP", FrontierForm::Boolmap), ("BITMAP", FrontierForm::Bitmap)];

const SWITCH: &[(&str, bool)] = &[("ENABLED", true), ("DISABLED", false)];

const DEDUP_BY: &[(&str, DedupBy)] = &[
    ("UNFUSED", DedupBy::Counters),
    ("FUSED", DedupBy::CountersFused),
    ("MONOTONIC_COUNTERS", DedupBy::Counters),
    ("COUNTERS", DedupBy::Counters),
    ("WORDS", DedupBy::Words),
    ("BITMAP", DedupBy::Bitmap),
    ("BOOLMAP", DedupBy::Boolmap),
    ("HASH", DedupBy::Hash),
    ("HASH64", DedupBy::Hash64),
    ("WARP_MATCH", DedupBy::WarpMatch),
];

const CREATION: &[(&str, FrontierCreation)] = &[
    ("FUSED", FrontierCreation::Fused),
    ("UNFUSED_BITMAP", FrontierCreation::UnfusedBitmap),
    ("UNFUSED_BOOLMAP", FrontierCreation::UnfusedBoolmap),
];

const QUEUES: &[(&str, SwarmQueue)] = &[
    ("UNORDEREDQUEUE", SwarmQueue::Unordered),
    ("PRIOQUEUE", SwarmQueue::Priority),
    ("BUCKETQUEUE", SwarmQueue::Bucket),
];

fn load_balances(family: Family) -> &'static [(&'static str, LoadBalance)] {
    use LoadBalance::*;
    match family {
        Family::Gpu => &[
            ("VERTEX_BASED", VertexBased),
            ("TWC", Twc),
            ("TWCE", Etwc),
            ("ETWC", Etwc),
            ("WM", Wm),
            ("CM", Cm),
            ("STRICT", Strict),
            ("EDGE_ONLY", EdgeOnly),
        ],
        Family::Swarm => &[("VERTEX_BASED", VertexBased), ("EDGE_BASED", EdgeBased)],
        _ => &[
            ("VERTEX_BASED", VertexBased),
            ("EDGE_BASED", EdgeBased),
            ("ALIGNED", Aligned),
            ("BLOCKING", Blocking),
            ("BLOCKED", Blocking),
        ],
    }
}

impl Reader {
    /// `Kind name;`, `Kind name = other;`, `Kind name(other);` or the four arguments of a hybrid.
    pub(super) fn declare(&mut self, kind: &Name, name: &Name, args: &[Arg]) -> Read<()> {
        let family = self.choose("schedule type", kind, KINDS)?;
        let schedule = if kind.text == "HybridGPUSchedule" {
            self.hybrid(kind, args)?
        } else {
            self.count(kind, args, 0, 1)?;
            match args.first() {
                None => Schedule::default(),
                Some(arg) => {
                    let other = self.word(kind, arg)?;
                    self.object(&other, family)?.schedule
                }
            }
        };
        if self.objects.contains_key(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            return Err(self.report(Diagnostic::error(message, name.span, "declared again here")));
        }
        self.objects.insert(name.text.clone(), Object { family, schedule });
        Ok(())
    }

    fn hybrid(&mut self, kind: &Name, args: &[Arg]) -> Read<Schedule> {
        self.count(kind, args, 4, 4)?;
        let criterion = self.word(kind, &args[0])?;
        let criterion = self.choose("criterion", &criterion, &[("INPUT_VERTEXSET_SIZE", Criterion::InputSize)])?;
        let threshold = self.threshold(kind, &args[1])?;
        let first = self.simple_part(kind, &args[2])?;
        let second = self.simple_part(kind, &args[3])?;
        Ok(Schedule::Hybrid(Hybrid { criterion, threshold, first, second }))
    }

    fn simple_part(&mut self, kind: &Name, arg: &Arg) -> Read<SimpleSchedule> {
        let name = self.word(kind, arg)?;
        match self.object(&name, Family::Gpu)?.schedule {
            Schedule::Simple(simple) => Ok(simple),
            _ => {
                let message = format!("`{}` is itself a hybrid schedule", name.text);
                Err(self.report(
                    Diagnostic::error(message, name.span, "needs a simple schedule")
                        .help("a hybrid joins two simple schedules"),
                ))
            }
        }
    }

    /// A declared object of the right family.
    fn object(&mut self, name: &Name, family: Family) -> Read<Object> {
        let Some(object) = self.objects.get(&name.text) else {
            return Err(self.no_object(name));
        };
        if object.family != family {
            let message = format!("`{}` is a schedule for {}, not for {family}", name.text, object.family);
            return Err(self.report(Diagnostic::error(message, name.span, "wrong kind of schedule")));
        }
        Ok(object.clone())
    }

    fn no_object(&mut self, name: &Name) -> super::Fail {
        let known = self.objects.keys().map(String::as_str).chain(["program"]);
        let near = nearest(&name.text, known).map(str::to_string);
        let mut diagnostic =
            Diagnostic::error(format!("there is no schedule `{}`", name.text), name.span, "not declared");
        diagnostic = match near {
            Some(near) => diagnostic.did_you_mean(Some(&near)),
            None => diagnostic.help(format!("declare it: `SimpleGPUSchedule {};`", name.text)),
        };
        self.report(diagnostic)
    }

    /// `program->apply...Schedule("path", object)`.
    pub(super) fn apply(&mut self, call: &Call, family: Family) -> Read<()> {
        self.count(&call.name, &call.args, 2, 2)?;
        let path = self.string(&call.name, &call.args[0])?.to_string();
        let name = self.word(&call.name, &call.args[1])?;
        let object = self.object(&name, family)?;
        self.family(family, call.name.span)?;
        let label = self.label(&path, call.args[0].span, false)?;
        self.schedule.insert(label, object.schedule);
        Ok(())
    }

    /// `object.config...(...)`.
    pub(super) fn object_call(&mut self, object: &Name, call: &Call) -> Read<()> {
        let Some(found) = self.objects.get(&object.text) else {
            return Err(self.no_object(object));
        };
        let (family, schedule) = (found.family, found.schedule.clone());
        let Schedule::Simple(mut simple) = schedule else {
            let message = format!("`{}` is a hybrid schedule and has no functions", object.text);
            return Err(self.report(
                Diagnostic::error(message, call.name.span, "not possible")
                    .help("configure its two simple schedules before it is declared"),
            ));
        };
        if !functions(family).contains(&call.name.text.as_str()) {
            return Err(self.unknown("function", &call.name, functions(family)));
        }
        self.configure(family, &mut simple, call)?;
        if let Some(found) = self.objects.get_mut(&object.text) {
            found.schedule = Schedule::Simple(simple);
        }
        Ok(())
    }

    fn configure(&mut self, family: Family, simple: &mut SimpleSchedule, call: &Call) -> Read<()> {
        let (name, args) = (&call.name, &call.args[..]);
        let most = match name.text.as_str() {
            "configLoadBalance" if family == Family::Gpu => 3,
            "configDirection" if family != Family::HammerBlade => 2,
            "configDeduplication" if family == Family::Gpu => 2,
            _ => 1,
        };
        self.count(name, args, 1, most)?;
        if name.text == "configDelta" {
            simple.delta = Some(self.positive(name, &args[0])?);
            return Ok(());
        }
        let word = self.word(name, &args[0])?;
        match name.text.as_str() {
            "configDirection" => {
                let direction = self.choose("direction", &word, DIRECTIONS)?;
                if let Some(form) = args.get(1) {
                    let form_name = self.word(name, form)?;
                    let form_value = self.choose("frontier form", &form_name, FORMS)?;
                    if direction == Direction::Push {
                        self.report(Diagnostic::warning(
                            "the form of the input frontier matters only for PULL",
                            form.span,
                            "no effect with PUSH",
                        ));
                    } else {
                        simple.frontier = Some(form_value);
                    }
                }
                simple.direction = Some(direction);
            }
            "configFrontierCreation" => {
                simple.creation = Some(self.choose("frontier creation", &word, CREATION)?);
            }
            "configDeduplication" => {
                let on = self.choose("setting", &word, SWITCH)?;
                simple.dedup = Some(if on { Dedup::On } else { Dedup::Off });
                if let Some(how) = args.get(1) {
                    let how = self.word(name, how)?;
                    simple.dedup_by = Some(self.choose("way of deduplication", &how, DEDUP_BY)?);
                }
            }
            "configLoadBalance" => {
                let balance = self.choose("load balance", &word, load_balances(family))?;
                simple.load_balance = Some(balance);
                simple.block = None;
                self.blocking(simple, balance, name, args)?;
            }
            "configKernelFusion" => {
                let on = self.choose("setting", &word, SWITCH)?;
                simple.loop_form = Some(if on { LoopForm::Fused } else { LoopForm::Host });
            }
            "configBooleanType" => {
                self.choose("frontier form", &word, FORMS)?;
                self.report(
                    Diagnostic::warning("`configBooleanType` has no effect", name.span, "ignored")
                        .help("choose the form with configDirection(PULL, BITMAP)"),
                );
            }
            "configQueueType" => simple.queue = Some(self.choose("queue", &word, QUEUES)?),
            "configLoopCoarsening" => {
                simple.coarsen = Some(self.toggle(&word, ["COARSEN_ENABLED", "COARSEN_DISABLED"])?);
            }
            "configSpatialHint" => {
                simple.hint = Some(self.toggle(&word, ["HINTS_ENABLED", "HINTS_DISABLED"])?);
            }
            // `functions` lists nothing else.
            _ => simple.stride = Some(self.toggle(&word, ["STRIDE_ON", "STRIDE_OFF"])?),
        }
        Ok(())
    }

    fn toggle(&mut self, word: &Name, [on, off]: [&'static str; 2]) -> Read<Toggle> {
        self.choose("setting", word, &[(on, Toggle::On), (off, Toggle::Off)])
    }

    /// The optional `BLOCKED, size` of an edge-only load balance.
    fn blocking(&mut self, simple: &mut SimpleSchedule, balance: LoadBalance, name: &Name, args: &[Arg]) -> Read<()> {
        let Some(blocked) = args.get(1) else {
            return Ok(());
        };
        let word = self.word(name, blocked)?;
        let on = self.choose("blocking", &word, &[("BLOCKED", true), ("UNBLOCKED", false)])?;
        if !on {
            return Ok(());
        }
        if balance != LoadBalance::EdgeOnly {
            return Err(self.report(Diagnostic::error(
                "only EDGE_ONLY can be BLOCKED",
                blocked.span,
                "needs EDGE_ONLY",
            )));
        }
        simple.block = Some(match args.get(2) {
            Some(size) if matches!(size.kind, ArgKind::Int(_)) => self.positive(name, size)?,
            Some(size) => self.number(name, size)?,
            None => Param::Value(1),
        });
        Ok(())
    }
}
