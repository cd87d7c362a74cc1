//! Whole runs of scenarios: their results on any path and any number of threads, and the scenarios
//! that are refused.
//!
//! All tests are in one binary, which links only once.

mod support;

mod attacks;
mod changed_files;
mod coexistence;
mod collectives;
mod comm_groups;
mod convergence;
mod execution_paths;
mod external;
mod faults;
mod flow_rows;
mod golden;
mod int_age;
mod live;
mod marking_tiers;
mod nics;
mod planes;
mod results;
mod round_trips;
mod scenarios;
mod spraying;
mod task_files;
mod threads;
mod timeouts;
mod told_apart;
mod topologies;
mod trimming;
