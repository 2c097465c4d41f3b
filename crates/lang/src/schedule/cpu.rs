//! Functions of `program` for the CPU: `configApply...`, the legacy `setApply`, and program transforms.

use super::syntax::{Arg, ArgKind, Call, Name as Word};
use super::{Read, Reader};
use crate::diagnostic::Diagnostic;
use gw_schedule::{
    Dedup, Direction, Family, FrontierCreation, FrontierForm, Hybrid, Intersection, Label, Name, Numa, Parallelism,
    PriorityUpdate, Schedule, SetForm, SimpleSchedule, Transform,
};

/// Every function of `program`, for suggestions.
const FUNCTIONS: &[&str] = &[
    "applyGPUSchedule",
    "applySwarmSchedule",
    "applyHBSchedule",
    "configApplyDirection",
    "configApplyParallelization",
    "configApplyDenseVertexSet",
    "configApplyNumSSG",
    "configApplyNUMA",
    "configApplyPriorityUpdate",
    "configApplyPriorityUpdateDelta",
    "configBucketMergeThreshold",
    "configNumOpenBuckets",
    "configNumBuckets",
    "configApplyDeduplication",
    "configIntersection",
    "configParForGrainSize",
    "fuseFields",
    "splitForLoop",
    "fuseForLoop",
    "fuseApplyFunctions",
    "configApplyNumSegments",
    "configApplyNumaAware",
    "configApplyDataStructure",
    "setVertexSet",
    "setApply",
];

/// A direction as the CPU language names it: one, or a switch between two.
#[derive(Clone, Copy)]
enum Way {
    One(Direction),
    PushPull,
    PushDensePush,
}

const WAYS: &[(&str, Way)] = &[
    ("SparsePush", Way::One(Direction::Push)),
    ("DensePull", Way::One(Direction::Pull)),
    ("DensePush", Way::One(Direction::DensePush)),
    ("SparsePush-DensePull", Way::PushPull),
    ("DensePull-SparsePush", Way::PushPull),
    ("DensePush-SparsePush", Way::PushDensePush),
    ("SparsePush-DensePush", Way::PushDensePush),
];

const PARALLEL: &[(&str, Parallelism)] = &[
    ("serial", Parallelism::Serial),
    ("dynamic-vertex-parallel", Parallelism::Dynamic),
    ("static-vertex-parallel", Parallelism::Static),
    ("edge-aware-dynamic-vertex-parallel", Parallelism::EdgeAware),
];

/// Directions a setting can be limited to; `None` is all of them.
const SIDES: &[(&str, Option<Direction>)] = &[
    ("all", None),
    ("SparsePush", Some(Direction::Push)),
    ("DensePull", Some(Direction::Pull)),
    ("DensePush", Some(Direction::DensePush)),
];

const DENSE_SETS: &[(&str, FrontierForm)] = &[
    ("bitvector", FrontierForm::Bitmap),
    ("boolean-array", FrontierForm::Boolmap),
    ("bool-array", FrontierForm::Boolmap),
    ("boolmap", FrontierForm::Boolmap),
];

const NUMA: &[(&str, Numa)] =
    &[("serial", Numa::Serial), ("static-parallel", Numa::StaticParallel), ("dynamic-parallel", Numa::DynamicParallel)];

const UPDATES: &[(&str, PriorityUpdate)] = &[
    ("lazy_priority_update", PriorityUpdate::Lazy),
    ("eager_priority_update", PriorityUpdate::Eager),
    ("eager_priority_update_with_merge", PriorityUpdate::EagerWithMerge),
    ("constant_sum_reduce_before_update", PriorityUpdate::ConstantSum),
];

const DEDUP: &[(&str, Dedup)] = &[("enable_deduplication", Dedup::On), ("disable_deduplication", Dedup::Off)];

const INTERSECTIONS: &[(&str, Intersection)] = &[
    ("NaiveIntersection", Intersection::Naive),
    ("HiroshiIntersection", Intersection::Hiroshi),
    ("MultiskipIntersection", Intersection::Multiskip),
    ("CombinedIntersection", Intersection::Combined),
    ("BinarySearchIntersection", Intersection::BinarySearch),
];

/// Words of `setApply`.
const LEGACY: &[(&str, ())] = &[
    ("push", ()),
    ("pull", ()),
    ("hybrid_dense", ()),
    ("hybrid_dense_forward", ()),
    ("serial", ()),
    ("parallel", ()),
    ("enable_deduplication", ()),
    ("disable_deduplication", ()),
    ("sliding_queue", ()),
    ("pull_frontier_bitvector", ()),
    ("pull_edge_based_load_balance", ()),
    ("numa_aware", ()),
    ("lazy_priority_update", ()),
    ("eager_priority_update", ()),
    ("eager_priority_update_with_merge", ()),
    ("constant_sum_reduce_before_update", ()),
    ("num_segment", ()),
    ("delta", ()),
    ("bucket_merge_threshold", ()),
    ("num_open_buckets", ()),
    ("grain_size", ()),
];

/// A direction whose half of a hybrid a setting belongs to when none is named.
const PULL: Option<Direction> = Some(Direction::Pull);

impl Reader {
    pub(super) fn cpu_call(&mut self, call: &Call) -> Read<()> {
        let (name, args) = (&call.name, &call.args[..]);
        self.family(Family::Cpu, name.span)?;
        match name.text.as_str() {
            "configApplyDirection" => {
                self.count(name, args, 2, 2)?;
                let label = self.label_arg(name, &args[0], false)?;
                let way = self.choose_string(name, "direction", &args[1], WAYS)?;
                self.direction(label, way);
            }
            "configApplyParallelization" => self.parallelization(name, args)?,
            "configApplyDenseVertexSet" => {
                self.count(name, args, 2, 4)?;
                let label = self.label_arg(name, &args[0], false)?;
                let form = self.choose_string(name, "vertex set form", &args[1], DENSE_SETS)?;
                if let Some(set) = args.get(2) {
                    self.choose_string(name, "vertex set", set, &[("src-vertexset", ())])?;
                }
                self.on_side(name, label, args.get(3), PULL, |s| s.frontier = Some(form))?;
            }
            "configApplyNumSSG" => {
                self.count(name, args, 3, 4)?;
                let label = self.label_arg(name, &args[0], false)?;
                self.choose_string(name, "way of segmenting", &args[1], &[("fixed-vertex-count", ())])?;
                let n = self.positive(name, &args[2])?;
                self.on_side(name, label, args.get(3), PULL, |s| s.segments = Some(n))?;
            }
            "configApplyNUMA" => {
                self.count(name, args, 2, 3)?;
                let label = self.label_arg(name, &args[0], false)?;
                let numa = self.choose_string(name, "NUMA setting", &args[1], NUMA)?;
                self.on_side(name, label, args.get(2), PULL, |s| s.numa = Some(numa))?;
            }
            "configApplyPriorityUpdate" => {
                let (label, arg) = self.two(call)?;
                let update = self.choose_string(name, "priority update", arg, UPDATES)?;
                self.everywhere(label, |s| s.update = Some(update));
            }
            "configApplyPriorityUpdateDelta" => {
                let (label, arg) = self.two(call)?;
                let delta = self.positive(name, arg)?;
                self.everywhere(label, |s| s.delta = Some(delta));
            }
            "configBucketMergeThreshold" => {
                let (label, arg) = self.two(call)?;
                let merge = self.number(name, arg)?;
                self.everywhere(label, |s| s.merge = Some(merge));
            }
            "configNumOpenBuckets" | "configNumBuckets" => {
                let (label, arg) = self.two(call)?;
                let buckets = self.positive(name, arg)?;
                self.everywhere(label, |s| s.buckets = Some(buckets));
            }
            "configApplyDeduplication" => {
                let (label, arg) = self.two(call)?;
                let dedup = self.choose_string(name, "setting", arg, DEDUP)?;
                self.everywhere(label, |s| s.dedup = Some(dedup));
            }
            "configIntersection" => {
                let (label, arg) = self.two(call)?;
                let which = self.choose_string(name, "intersection", arg, INTERSECTIONS)?;
                self.everywhere(label, |s| s.intersection = Some(which));
            }
            "configParForGrainSize" => {
                self.count(name, args, 1, 2)?;
                let label = self.label_arg(name, &args[0], true)?;
                let grain = match args.get(1) {
                    Some(arg) => self.number(name, arg)?,
                    None => 0.into(),
                };
                self.everywhere(label, |s| s.grain = Some(grain));
            }
            "configApplyNumSegments" => {
                let (label, arg) = self.two(call)?;
                let n = self.positive(name, arg)?;
                self.on_side(name, label, None, PULL, |s| s.segments = Some(n))?;
            }
            "configApplyNumaAware" => {
                self.count(name, args, 1, 1)?;
                let label = self.label_arg(name, &args[0], false)?;
                self.on_side(name, label, None, PULL, |s| s.numa = Some(Numa::StaticParallel))?;
            }
            "configApplyDataStructure" => {
                let (label, arg) = self.two(call)?;
                let form = self.choose_string(name, "vertex set form", arg, DENSE_SETS)?;
                self.on_side(name, label, None, PULL, |s| s.frontier = Some(form))?;
            }
            "setApply" => self.set_apply(name, args)?,
            "setVertexSet" => {
                self.count(name, args, 2, 2)?;
                let set = self.name_arg(name, &args[0])?;
                let forms = [("sparse", SetForm::Sparse), ("dense", SetForm::Dense)];
                let form = self.choose_string(name, "vertex set form", &args[1], &forms)?;
                self.schedule.push_transform(Transform::SetVertexSet { name: set, form });
            }
            "fuseFields" | "splitForLoop" | "fuseForLoop" | "fuseApplyFunctions" => {
                self.transform(name, args)?;
            }
            _ => return Err(self.unknown("function", name, FUNCTIONS)),
        }
        Ok(())
    }

    fn label_arg(&mut self, call: &Word, arg: &Arg, bare: bool) -> Read<Label> {
        let path = self.string(call, arg)?.to_string();
        self.label(&path, arg.span, bare)
    }

    fn name_arg(&mut self, call: &Word, arg: &Arg) -> Read<Name> {
        let text = self.string(call, arg)?.to_string();
        self.plain_name(&text, arg.span)
    }

    fn plain_name(&mut self, text: &str, span: crate::Span) -> Read<Name> {
        match Name::new(text) {
            Ok(name) => Ok(name),
            Err(error) => Err(self.report(Diagnostic::error(error.to_string(), span, "not a name"))),
        }
    }

    /// The label and value of a function with exactly those two arguments.
    fn two<'a>(&mut self, call: &'a Call) -> Read<(Label, &'a Arg)> {
        self.count(&call.name, &call.args, 2, 2)?;
        let label = self.label_arg(&call.name, &call.args[0], false)?;
        Ok((label, &call.args[1]))
    }

    /// Sets something in all parts of a label's schedule.
    fn everywhere(&mut self, label: Label, mut set: impl FnMut(&mut SimpleSchedule)) {
        for part in self.schedule.entry(label).parts_mut() {
            set(part);
        }
    }

    /// Sets something in the parts of one direction. Without a named direction it goes to the `home` half of a
    /// hybrid (if it has one) and to a simple schedule whatever its direction.
    fn on_side(
        &mut self,
        call: &Word,
        label: Label,
        side: Option<&Arg>,
        home: Option<Direction>,
        mut set: impl FnMut(&mut SimpleSchedule),
    ) -> Read<()> {
        let side_value = match side {
            Some(arg) => self.choose_string(call, "direction", arg, SIDES)?,
            None => None,
        };
        let mut parts = self.schedule.entry(label).parts_mut();
        let direction = |part: &SimpleSchedule| part.direction.unwrap_or(Direction::Push);
        let has_home = parts.len() > 1 && parts.iter().any(|part| Some(direction(part)) == home);
        let mut hit = false;
        for part in &mut parts {
            let wanted = match side_value {
                Some(side) => direction(part) == side,
                None => !has_home || Some(direction(part)) == home,
            };
            if wanted {
                set(part);
                hit = true;
            }
        }
        if let (false, Some(arg)) = (hit, side) {
            return Err(self.report(
                Diagnostic::error(
                    format!("`{}` names a direction that this label does not have", call.text),
                    arg.span,
                    "not among its directions",
                )
                .help("call `configApplyDirection` for the label first"),
            ));
        }
        Ok(())
    }

    /// Gives a label its direction, keeping what else is set on it.
    fn direction(&mut self, label: Label, way: Way) {
        let entry = self.schedule.entry(label);
        let kept: Vec<SimpleSchedule> = entry.parts().into_iter().copied().collect();
        let first = kept.first().copied().unwrap_or_default();
        // The half that takes over the settings of a second half, if there was one.
        let second = kept.last().copied().unwrap_or_default();
        let hybrid = |hybrid: Hybrid| {
            let toward = |part: SimpleSchedule, direction| SimpleSchedule { direction, ..part };
            Schedule::Hybrid(Hybrid {
                first: toward(first, hybrid.first.direction),
                second: toward(second, hybrid.second.direction),
                ..hybrid
            })
        };
        *entry = match way {
            Way::One(direction) => Schedule::Simple(SimpleSchedule { direction: Some(direction), ..first.or(&second) }),
            Way::PushPull => hybrid(Hybrid::push_pull()),
            Way::PushDensePush => hybrid(Hybrid::push_dense_push()),
        };
    }

    fn parallelization(&mut self, name: &Word, args: &[Arg]) -> Read<()> {
        self.count(name, args, 2, 4)?;
        let label = self.label_arg(name, &args[0], false)?;
        let parallel = self.choose_string(name, "parallelization", &args[1], PARALLEL)?;
        // The grain may be left out before the direction.
        let is_side = |arg: &Arg| matches!(&arg.kind, ArgKind::Str(text) if SIDES.iter().any(|(side, _)| side == text));
        let (grain, side) = match args {
            [_, _, third] if is_side(third) => (None, Some(third)),
            _ => (args.get(2), args.get(3)),
        };
        let grain = match grain {
            Some(grain) => Some(self.number(name, grain)?),
            None => None,
        };
        let home = (parallel == Parallelism::EdgeAware).then_some(Direction::Pull);
        self.on_side(name, label, side, home, |s| {
            s.parallelism = Some(parallel);
            s.grain = grain.or(s.grain);
        })
    }

    fn set_apply(&mut self, name: &Word, args: &[Arg]) -> Read<()> {
        self.count(name, args, 2, 3)?;
        let label = self.label_arg(name, &args[0], false)?;
        self.choose_string(name, "setting", &args[1], LEGACY)?;
        let word = self.string(name, &args[1])?.to_string();
        let value = match args.get(2) {
            Some(arg) => Some(self.number(name, arg)?),
            None => None,
        };
        let takes_number = matches!(
            word.as_str(),
            "num_segment" | "delta" | "bucket_merge_threshold" | "num_open_buckets" | "grain_size"
        );
        if takes_number && value.is_none() {
            let message = format!("`{word}` needs a number as third argument");
            return Err(self.report(Diagnostic::error(message, args[1].span, "number missing")));
        }
        if let (Some(extra), false) = (args.get(2), takes_number || word == "pull_edge_based_load_balance") {
            let message = format!("`{word}` takes no number");
            return Err(self.report(Diagnostic::error(message, extra.span, "not needed")));
        }
        let pull = |s: &mut SimpleSchedule| match word.as_str() {
            "pull_frontier_bitvector" => s.frontier = Some(FrontierForm::Bitmap),
            "numa_aware" => s.numa = Some(Numa::StaticParallel),
            "num_segment" => s.segments = value,
            _ => {
                s.parallelism = Some(Parallelism::EdgeAware);
                s.grain = value.or(s.grain);
            }
        };
        match word.as_str() {
            "push" => self.direction(label, Way::One(Direction::Push)),
            "pull" => self.direction(label, Way::One(Direction::Pull)),
            "hybrid_dense" => self.direction(label, Way::PushPull),
            "hybrid_dense_forward" => self.direction(label, Way::PushDensePush),
            "pull_frontier_bitvector" | "numa_aware" | "num_segment" | "pull_edge_based_load_balance" => {
                self.on_side(name, label, None, PULL, pull)?;
            }
            "sliding_queue" => {
                let queue = FrontierCreation::SlidingQueue;
                self.on_side(name, label, None, Some(Direction::Push), |s| s.creation = Some(queue))?;
            }
            _ => self.everywhere(label, |s| match word.as_str() {
                "serial" => s.parallelism = Some(Parallelism::Serial),
                "parallel" => s.parallelism = Some(Parallelism::Dynamic),
                "delta" => s.delta = value,
                "bucket_merge_threshold" => s.merge = value,
                "num_open_buckets" => s.buckets = value,
                "grain_size" => s.grain = value,
                other => {
                    let find = |(word, _): &&(&str, _)| *word == other;
                    if let Some((_, dedup)) = DEDUP.iter().find(|(word, _)| *word == other) {
                        s.dedup = Some(*dedup);
                    } else if let Some((_, update)) = UPDATES.iter().find(find) {
                        s.update = Some(*update);
                    }
                }
            }),
        }
        Ok(())
    }

    fn transform(&mut self, name: &Word, args: &[Arg]) -> Read<()> {
        let transform = match name.text.as_str() {
            "fuseFields" => {
                let mut fields = Vec::new();
                for arg in args {
                    match &arg.kind {
                        ArgKind::List(items) => {
                            for (text, span) in items {
                                fields.push(self.plain_name(text, *span)?);
                            }
                        }
                        _ => fields.push(self.name_arg(name, arg)?),
                    }
                }
                if fields.len() < 2 {
                    let message = "`fuseFields` needs at least two vectors";
                    return Err(self.report(Diagnostic::error(message, name.span, "too few")));
                }
                Transform::FuseFields(fields)
            }
            "splitForLoop" => {
                self.count(name, args, 5, 5)?;
                let target = self.label_arg(name, &args[0], false)?;
                let first = self.new_label(name, &args[1])?;
                let second = self.new_label(name, &args[2])?;
                let first_count = self.constant(name, &args[3])?;
                let second_count = self.constant(name, &args[4])?;
                Transform::SplitForLoop { target, first, second, first_count, second_count }
            }
            "fuseForLoop" => {
                self.count(name, args, 3, 3)?;
                Transform::FuseForLoop {
                    first: self.label_arg(name, &args[0], false)?,
                    second: self.label_arg(name, &args[1], false)?,
                    fused: self.new_label(name, &args[2])?,
                }
            }
            _ => {
                self.count(name, args, 3, 3)?;
                Transform::FuseApplyFunctions {
                    first: self.label_arg(name, &args[0], false)?,
                    second: self.label_arg(name, &args[1], false)?,
                    name: self.name_arg(name, &args[2])?,
                }
            }
        };
        self.schedule.push_transform(transform);
        Ok(())
    }

    /// A label that the transform introduces, thus not looked up in the program.
    fn new_label(&mut self, call: &Word, arg: &Arg) -> Read<Label> {
        let text = self.string(call, arg)?.to_string();
        match Label::new(text) {
            Ok(label) => Ok(label),
            Err(error) => Err(self.report(Diagnostic::error(error.to_string(), arg.span, "not a label"))),
        }
    }

    fn constant(&mut self, call: &Word, arg: &Arg) -> Read<u64> {
        match arg.kind {
            ArgKind::Int(value) => Ok(value),
            _ => {
                let message = format!("`{}` needs a whole number here", call.text);
                Err(self.report(Diagnostic::error(message, arg.span, "not a whole number")))
            }
        }
    }
}
