//! Models: decision trees learned from the lab, and models of workload.
