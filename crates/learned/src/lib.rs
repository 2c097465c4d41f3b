//! The learned choice: which schedule of a portfolio suits an operator on a graph.
//!
//! | file | concept |
//! |---|---|
//! | `adviser` | the part of a model that picks at every step of a run |
//! | `portfolio` | the schedules to choose among, by kind of place |
//! | `probe` | a short look at a graph |
//! | `features` | what is known about a place and a graph |
//! | `places` | the places of a program |
//! | `tree`, `model` | what a candidate costs against the rule; the choice |

pub mod adviser;
pub mod features;
pub mod model;
pub mod places;
pub mod portfolio;
pub mod probe;
pub mod tree;
