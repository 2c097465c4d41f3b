//! The tests of the standard programs, in one binary: texts, validators, runs on the reference machine, the guide.

mod arguments;
mod bind;
mod damage;
mod guide;
mod machine;
mod networks;
mod oracle;
mod paths;
mod plain;
mod programs;
mod real_graphs;
mod reference;
mod repeats;
mod suit;
mod validators;
