//! Which keys each kind of metadata has, once, for both printing and parsing.

use super::value::{Field, MetaValue};
use crate::meta::*;
use crate::module::Context;
use crate::stmt::Decision;

/// Metadata that can be written as `key=value` pairs and read back.
pub(super) trait Meta {
    /// All entries that differ from their default, in print order.
    fn entries(&self) -> Vec<(String, MetaValue)>;
    /// Sets one entry; false when the key is unknown or the value does not fit it.
    fn put(&mut self, key: &str, value: MetaValue) -> bool;
}

fn extra_entries(extra: &Extra, out: &mut Vec<(String, MetaValue)>) {
    for (machine, key, value) in extra.iter() {
        let value = match value {
            Value::Bool(b) => MetaValue::Word(b.to_string()),
            Value::Int(i) => MetaValue::Int(*i),
            Value::Float(x) => MetaValue::Float(*x),
            Value::Text(t) => MetaValue::Text(t.clone()),
        };
        out.push((format!("{machine}.{key}"), value));
    }
}

fn put_extra(extra: &mut Extra, key: &str, value: MetaValue) -> bool {
    let Some((machine, key)) = key.split_once('.') else { return false };
    let value = match value {
        MetaValue::Word(w) => match w.parse() {
            Ok(b) => Value::Bool(b),
            Err(_) => return false,
        },
        MetaValue::Int(i) => Value::Int(i),
        MetaValue::Float(x) => Value::Float(x),
        MetaValue::Text(t) => Value::Text(t),
        MetaValue::List(_) => return false,
    };
    extra.set(machine, key, value);
    true
}

macro_rules! meta_keys {
    ($ty:ty: $($field:ident),*) => {
        impl Meta for $ty {
            fn entries(&self) -> Vec<(String, MetaValue)> {
                #[allow(unused_mut)]
                let mut out: Vec<(String, MetaValue)> = Vec::new();
                $(if let Some(value) = self.$field.write() {
                    out.push((stringify!($field).to_string(), value));
                })*
                extra_entries(&self.extra, &mut out);
                out
            }
            fn put(&mut self, key: &str, value: MetaValue) -> bool {
                match key {
                    $(stringify!($field) => match Field::read(value) {
                        Some(read) => {
                            self.$field = read;
                            true
                        }
                        None => false,
                    },)*
                    _ => put_extra(&mut self.extra, key, value),
                }
            }
        }
    };
}

meta_keys!(UpdateMeta: atomic, deferred);
meta_keys!(EnqueueMeta: format, dedup);
meta_keys!(EdgeMeta: direction, is_parallel, is_edge_parallel, is_weighted, is_all_edges, requires_output,
    udf_enqueues, can_reuse_frontier, claims_for_good, bears_missing_leaves, has_condition, visits_once, dedup, dedup_inline,
    output_representation, pull_input_frontier, to_folded, merge_reduce, path, schedule);
meta_keys!(VertexMeta: is_all_vertices, is_parallel, path, schedule);
meta_keys!(QueueMeta: kind, update, delta, merge_threshold, open_buckets, all_in_buckets);
meta_keys!(WhileMeta: needs_fusion, fusable, why_not, hoisted, queues, path, schedule);
meta_keys!(ForMeta: grain_size);
meta_keys!(IntersectionMeta: kind);
meta_keys!(GlobalMeta: fused_into);
meta_keys!(DedupMeta: perfect);
meta_keys!(FunctionMeta: context);
meta_keys!(HybridMeta: criterion, threshold, schedule, tree);

/// Metadata of `VertexSetDedup` as written.
#[derive(Default)]
pub(super) struct DedupMeta {
    pub perfect: bool,
    pub extra: Extra,
}

/// Metadata of functions as written.
#[derive(Default)]
pub(super) struct FunctionMeta {
    pub context: Context,
    pub extra: Extra,
}

/// Metadata of `HybridStmt` as written.
#[derive(Default)]
pub(super) struct HybridMeta {
    pub criterion: Option<gw_schedule::Criterion>,
    pub threshold: Option<gw_schedule::Threshold>,
    pub schedule: Option<crate::bound::BoundSchedule>,
    pub tree: Option<std::sync::Arc<gw_schedule::Tree>>,
    pub extra: Extra,
}

impl HybridMeta {
    /// The entries that stand for a decision.
    pub(super) fn of(decision: &Decision, extra: &Extra) -> HybridMeta {
        let meta = HybridMeta { extra: extra.clone(), ..HybridMeta::default() };
        match decision {
            Decision::Threshold { criterion, threshold } => {
                HybridMeta { criterion: Some(*criterion), threshold: Some(*threshold), ..meta }
            }
            Decision::Chooser { schedule, tree } => {
                HybridMeta { schedule: Some(schedule.clone()), tree: tree.clone(), ..meta }
            }
        }
    }

    /// The decision these entries stand for.
    pub(super) fn decision(self) -> Option<(Decision, Extra)> {
        let decision = match (self.criterion, self.threshold, self.schedule, self.tree) {
            (Some(criterion), Some(threshold), None, None) => Decision::Threshold { criterion, threshold },
            (None, None, Some(schedule), tree) => Decision::Chooser { schedule, tree },
            _ => return None,
        };
        Some((decision, self.extra))
    }
}
