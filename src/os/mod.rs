//! The operating system: each call behind a small type.

pub mod boot;
pub mod clock;
pub mod detach;
pub mod device;
pub mod environment;
pub mod exit_watch;
pub mod lock;
pub mod log_file;
pub mod paths;
pub mod peer;
pub mod person;
pub mod private_dir;
pub mod process_table;
pub mod replace;
pub mod service_manager;
pub mod settle;
pub mod shortage;
pub mod signal_name;
pub mod signals;
pub mod socket;
pub mod supervise;
pub mod tree;
pub mod versioned;
