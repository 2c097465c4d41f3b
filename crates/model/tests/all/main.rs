//! Tests of whole models: trained, kept, judged, exported; models of workload against counted operations.

mod by_hand;
mod choice;
mod exported;
mod in_a_lab;
mod learning;
mod made_up;
mod studies;
mod workload;
