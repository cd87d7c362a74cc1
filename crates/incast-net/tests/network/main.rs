//! Tests of the network model against independent knowledge: closed forms, conservation of packets,
//! queueing theory, recorded runs of other simulators.
//!
//! All tests are one binary, so that linking happens once.

mod listener;
mod mixed;
mod random_network;
mod several_paths;
mod support;

mod arbitration;
mod arrival_order;
mod balancers;
mod bounded_series;
mod closed_form;
mod contention;
mod credits;
mod deadlock;
mod determinism;
mod endings;
mod execution_paths;
mod fair_rates;
mod faults;
mod faults_at_random;
mod grants;
mod linear_scan;
mod lossless;
mod machines;
mod marking;
mod nscc;
mod one_rtt;
mod packet_trace;
mod paused_ports;
mod per_port_buffers;
mod pfc;
mod programs;
mod properties;
mod recovery;
mod s_perc;
mod selective;
mod senders;
mod shared_random;
mod shared_states;
mod sharing;
mod spraying;
mod switch_paths;
mod telemetry;
mod threads;
mod ties;
mod timers;
mod timing_errors;
mod tracing;
mod trimming;
mod waiting;
mod windows;
