//! Windows of seats that somebody has divided.

use super::seats_support::{Place, ids};
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;

/// Somebody who divides the window of a seat keeps what is theirs, and the seat's name is free again once they name it otherwise.
#[test]
fn a_pane_of_the_persons_own_in_the_window_lives_on() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("e", "keeper", "exec cat");
    for method in ["seat.stop", "seat.reap"] {
        let seat = place.spawn("e", "shared", "exec cat");
        let (window, pane) = ids(&seat);
        let own = tmux.ok(&[
            "split-window",
            "-d",
            "-t",
            &window,
            "-P",
            "-F",
            "#{pane_id} #{pane_pid}",
            "exec cat",
        ]);
        let (own, pid) = own.split_once(' ').unwrap();
        place.call(method, &seat);
        assert_eq!(
            tmux.get(own, "#{window_id} #{pane_pid}"),
            format!("{window} {pid}")
        );
        let panes = tmux.ok(&["list-panes", "-a", "-F", "#{pane_id}"]);
        assert!(!panes.lines().any(|line| line == pane), "{panes}");
        // What is left is no seat, and nothing here closes it.
        assert_eq!(place.call("seat.reap", &seat)["outcome"], "absent");
        assert_eq!(tmux.get(own, "#{@surfaced_seat}#{@surfaced_home}"), "");
        tmux.ok(&["kill-window", "-t", &window]);
    }
    let left = tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]);
    assert_eq!(left, "keeper");
}
