//! Graphs that change on an emulated GPU: their lists, and programs that read them where they stand.

mod lists;
mod programs;
