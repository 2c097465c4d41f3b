//! Tests of whole models: trained, kept, judged, exported.

mod by_hand;
mod exported;
mod learning;
mod made_up;
mod studies;
