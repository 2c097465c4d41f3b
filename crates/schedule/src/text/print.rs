//! Printing schedules in the canonical text form.

use crate::program::{ProgramSchedule, Transform};
use crate::schedule::{Adaptive, Chooser, Hybrid, Schedule};
use crate::simple::{Axis, SimpleSchedule};
use std::fmt;

/// The word for "nothing set".
pub(super) const DEFAULT: &str = "default";

impl fmt::Display for SimpleSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for axis in self.set_axes() {
            let value = self.text_of(axis).unwrap_or_default();
            match axis {
                Axis::Direction => write!(f, "{comma}{value}")?,
                _ => write!(f, "{comma}{}={value}", axis.key())?,
            }
            comma = ",";
        }
        if comma.is_empty() {
            f.write_str(DEFAULT)?;
        }
        Ok(())
    }
}

impl fmt::Display for Hybrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hybrid,by={},at={}+{}+{}", self.criterion, self.threshold, self.first, self.second)
    }
}

impl fmt::Display for Chooser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Chooser::Threshold { criterion, thresholds } => {
                write!(f, "{criterion}")?;
                for (i, t) in thresholds.iter().enumerate() {
                    let lead = if i == 0 { ",at=" } else { "_" };
                    write!(f, "{lead}{t}")?;
                }
                Ok(())
            }
            Chooser::Tree(name) => write!(f, "tree.{name}"),
            Chooser::Oracle(name) => write!(f, "oracle.{name}"),
        }
    }
}

impl fmt::Display for Adaptive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "adaptive,by={}", self.chooser)?;
        for candidate in &self.candidates {
            write!(f, "+{candidate}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Simple(s) => s.fmt(f),
            Schedule::Hybrid(h) => h.fmt(f),
            Schedule::Adaptive(a) => a.fmt(f),
        }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transform::FuseFields(names) => {
                f.write_str("fuse-fields")?;
                names.iter().try_for_each(|name| write!(f, ",{name}"))
            }
            Transform::SplitForLoop { target, first, second, first_count, second_count } => {
                write!(f, "split-for-loop,{target},{first},{second},{first_count},{second_count}")
            }
            Transform::FuseForLoop { first, second, fused } => write!(f, "fuse-for-loop,{first},{second},{fused}"),
            Transform::FuseApplyFunctions { first, second, name } => {
                write!(f, "fuse-apply-functions,{first},{second},{name}")
            }
            Transform::SetVertexSet { name, form } => write!(f, "set-vertex-set,{name},{form}"),
        }
    }
}

impl fmt::Display for ProgramSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut entries = Vec::new();
        entries.extend(self.family().map(|family| format!("on={family}")));
        entries.extend(self.order().map(|order| format!("order={}", order.word())));
        entries.extend(self.transforms().iter().map(|t| format!("do={t}")));
        entries.extend(self.everywhere().map(Schedule::to_string));
        entries.extend(self.labels().map(|(label, s)| format!("{label}@{s}")));
        if entries.is_empty() {
            return f.write_str(DEFAULT);
        }
        f.write_str(&entries.join(";"))
    }
}
