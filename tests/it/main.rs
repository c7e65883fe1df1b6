//! Everything that needs a process: real daemons, tmux servers, shells and terminals.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test panics where something is wrong and says what it leaves out"
)]

mod agents_cli;
mod agents_conversations;
mod agents_crash;
mod agents_goodbye;
mod agents_life;
mod agents_places;
mod agents_resume;
mod agents_support;
mod builders_shells;
mod builders_there;
mod builders_tmux;
mod builders_words;
mod cli_launch;
mod conversations;
mod conversations_whose;
mod daemon_caller;
mod daemon_cli;
mod daemon_client;
mod daemon_config;
mod daemon_end;
mod daemon_home;
mod daemon_start;
mod layouts;
mod open_checks;
mod open_editors;
mod open_keys;
mod open_places;
mod open_programs;
mod open_starts;
mod open_words;
mod providers;
mod readme;
mod resolve_live;
mod resolve_socket;
mod resume;
mod resume_cli;
mod resume_hosts;
mod schema;
mod seats_ends;
mod seats_hosts;
mod seats_hosts_lost;
mod seats_life;
mod seats_moves;
mod seats_spawn;
mod seats_support;
mod sessions_apps;
mod sessions_hosts;
mod sessions_tmux;
mod ssh_agents;
mod ssh_agents_asked;
mod ssh_changed_keys;
mod ssh_cli;
mod ssh_commands;
mod ssh_host_keys;
mod ssh_lines;
mod ssh_logins;
mod ssh_open;
mod ssh_pool;
mod ssh_round_trips;
mod ssh_scripts;
mod ssh_starts;
mod ssh_surfaces;
mod ssh_troubles;
mod support;
mod surfaces_panes;
mod surfaces_tmux;
mod terminals_attach;
mod terminals_cli;
mod terminals_daemon;
mod terminals_ends;
mod terminals_older;
mod terminals_screens;
mod terminals_service;
mod terminals_slow;
mod terminals_stopped;
mod terminals_streams;
mod tidy;
mod wire_clients;
mod wire_limits;
mod wire_params;
