#!/usr/bin/env python3
"""How fast a program pours out text through an attached viewer.

Runs `cat` of a 100 MB file of lines in each of: a bare pseudo-terminal (the floor), `surfaced attach`, dtach, tmux, abduco
and shpool, whichever are installed. The viewer is in a pseudo-terminal of 24 rows and 80 columns whose other end is read as
fast as this script can. Measured is the time from the start of `cat` until a line that follows it is seen at the viewer;
rounds are interleaved, and the median of each is printed with the bytes that the viewer was sent. tmux and surfaced skip what
nobody could have seen go by and draw the screen as it is then; dtach and shpool send every byte.

    cargo build --release
    benches/throughput.py [--rounds 5] [--megabytes 100] [--surfaced target/release/surfaced]

Measured on 2026-11-30: 3 rounds, 2 processors, Linux, busy with other work (load 10 to 12); tmux 3.3a, dtach of Debian 12,
shpool of crates.io.

                 median     best    worst    MB/s  MB to viewer
    bare          1.50s    1.00s    2.12s      67         101.6
    surfaced      1.22s    1.13s    2.69s      82           0.1
    dtach         3.01s    2.90s    3.25s      33         101.6
    tmux          3.46s    3.35s    5.23s      29           1.0
    shpool        8.99s    7.69s   11.92s      11         101.6
"""

import argparse
import fcntl
import glob
import os
import pty
import shlex
import shutil
import signal
import statistics
import struct
import subprocess
import tempfile
import termios
import time

END = b"THE-END-OF-IT"


def viewer(argv, env):
    """Starts a command in a pseudo-terminal of 24 rows and 80 columns."""
    pid, master = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execvpe(argv[0], argv, env)
    os.set_blocking(master, True)
    return pid, master


def read_until(master, mark):
    """Reads until the mark is seen; answers how many bytes that took."""
    seen, tail = 0, b""
    while mark not in tail:
        data = os.read(master, 1 << 16)
        seen += len(data)
        tail = (tail + data)[-4096:] if len(data) < 4096 else tail[-64:] + data
    return seen


def close(pid, master):
    os.close(master)
    os.waitpid(pid, 0)


def measure(argv, env, go):
    """Starts the viewer, waits until the program behind it waits for `go`, and times the rest."""
    pid, master = viewer(argv, env)
    read_until(master, b"READY")
    start = time.monotonic()
    open(go, "w").close()
    sent = read_until(master, END)
    took = time.monotonic() - start
    close(pid, master)
    return took, sent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--surfaced", default="target/release/surfaced")
    args = parser.parse_args()
    surfaced = os.path.abspath(args.surfaced)

    with tempfile.TemporaryDirectory(prefix="sfb", dir="/tmp") as place:
        text = os.path.join(place, "text")
        with open(text, "w") as file:
            size = number = 0
            while size < args.megabytes * 1_000_000:
                size += file.write(f"{number:08} the quick brown fox jumps over the lazy dog, and on\n")
                number += 1
        env = {
            "PATH": os.environ["PATH"],
            "HOME": place,
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "SURFACED_HOME": os.path.join(place, "state"),
        }
        os.mkdir(env["SURFACED_HOME"], 0o700)

        def program(go):
            # The mark is put together only when it is printed: an echo of the command line does not hold it.
            return [
                "sh",
                "-c",
                f"printf 'REA''DY'; while [ ! -e {go} ]; do sleep 0.01; done; cat {text}; "
                f"printf 'THE-END-''OF-IT'; sleep 2",
            ]

        def attached(go):
            made = subprocess.run(
                [surfaced, "terminal", "create", "--", *program(go)],
                env=env, check=True, capture_output=True, text=True,
            )
            return [surfaced, "attach", made.stdout.strip()]

        runners = {
            "bare": program,
            "surfaced": attached,
            "dtach": lambda go: ["dtach", "-c", go + ".dtach", "-E", "-z", *program(go)],
            "tmux": lambda go: ["tmux", "-f", "/dev/null", "-S", go + ".tmux", "new-session", *program(go)],
            "abduco": lambda go: ["abduco", "-c", go + ".abduco", *program(go)],
            "shpool": lambda go: ["shpool", "attach", "-c", shlex.join(program(go)), os.path.basename(go)],
        }
        names = [name for name in runners if name in ("bare", "surfaced") or shutil.which(name)]
        results = {name: [] for name in names}
        for round_ in range(args.rounds):
            for name in names:
                go = os.path.join(place, f"go-{name}-{round_}")
                results[name].append(measure(runners[name](go), env, go))
        subprocess.run([surfaced, "daemon", "stop"], env=env, check=False, capture_output=True)
        for pid in glob.glob(os.path.join(place, ".local/run/shpool/*.pid")):
            os.kill(int(open(pid).read()), signal.SIGTERM)

        print(f"{'':10}{'median':>9}{'best':>9}{'worst':>9}{'MB/s':>8}{'MB to viewer':>14}")
        for name in names:
            times = [took for took, _ in results[name]]
            median = statistics.median(times)
            sent = statistics.median(sent for _, sent in results[name]) / 1e6
            print(
                f"{name:10}{median:8.2f}s{min(times):8.2f}s{max(times):8.2f}s"
                f"{args.megabytes / median:8.0f}{sent:14.1f}"
            )


if __name__ == "__main__":
    main()
