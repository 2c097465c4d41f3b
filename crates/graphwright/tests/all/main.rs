//! The tests of this crate that can share a process, in one program: it is compiled and linked once.

mod door;
mod front_door;
mod incremental;
mod learned;
mod one_way;
mod order;
mod presets;
mod views;
mod weights;
