//! `surfaced` opens interactive commands where the person works: a per-user daemon and its command line.
//!
//! The modules stand in the order of their layers, lowest first; a module imports only from those above it in this list.
//! ARCHITECTURE.md says why.

pub mod proto;

pub mod config;

pub mod launch;

pub mod screen;

pub mod tmux;

pub mod backend;

pub mod resolve;

pub mod provider;

pub mod os;

pub mod host;

pub mod transport;

pub mod store;

pub mod service;

pub mod rpc;

pub mod daemon;

pub mod client;

pub mod cli;
