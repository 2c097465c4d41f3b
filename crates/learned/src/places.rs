//! The places of a program that take a schedule, as the learned choice sees them.

use gw_ir::Module;
use gw_ir::points::{Point, program_points};
use gw_schedule::ProgramSchedule;

use crate::features::PlaceFeatures;
use crate::portfolio::PlaceKind;

/// A place with a label.
#[derive(Debug, Clone)]
pub struct Place {
    /// The label path.
    pub label: String,
    /// What kind of place it is.
    pub kind: PlaceKind,
    /// What stands there.
    pub features: PlaceFeatures,
    /// The statements that have the label.
    pub points: Vec<Point>,
}

/// The places of a module as lowered that the rule of a machine gives this schedule; operators without a label get one.
pub fn labelled_places(module: &Module, rule: &ProgramSchedule) -> Vec<Place> {
    let mut module = module.clone();
    gw_exec::label_operators(&mut module);
    places(&module, rule)
}

/// The places of a module as lowered, with a label on every operator, that the rule gives this schedule.
pub fn places(module: &Module, rule: &ProgramSchedule) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for point in program_points(module) {
        let (Some(label), Some(kind)) = (point.path.as_deref(), PlaceKind::of(&point.point)) else { continue };
        match places.iter_mut().find(|place| place.label == label) {
            Some(place) => place.points.push(point),
            None => {
                let features = PlaceFeatures::of(module, &point, rule.get(label));
                places.push(Place { label: label.to_string(), kind, features, points: vec![point] });
            }
        }
    }
    places
}
