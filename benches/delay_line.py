"""A line of its own between two network namespaces: the one it is started in, and a new one.

    delay_line.py NEAR FAR MILLISECONDS

Makes a TUN device in each, with the addresses NEAR and FAR (of one /30), and carries every packet between them, each way in so
many milliseconds: real handshakes and acknowledgements on a long way, without a netem in the kernel. Prints `ready` once the
line is up; the new namespace is the one of this process. Ends with its standard input. Needs root, ip and /dev/net/tun.
"""

import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import time
from collections import deque

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000


def device(name, address):
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    for words in (
        ["link", "set", "lo", "up"],
        ["address", "add", f"{address}/30", "dev", name],
        ["link", "set", name, "up"],
    ):
        subprocess.run(["ip", *words], check=True)
    return tun


def main():
    near_address, far_address, delay = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1000
    near = device("sfnear", near_address)
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    far = device("sffar", far_address)
    print("ready", flush=True)
    other = {near: far, far: near}
    under_way = deque()
    while True:
        wait = max(0, under_way[0][0] - time.monotonic()) if under_way else None
        readable, _, _ = select.select([near, far, sys.stdin], [], [], wait)
        now = time.monotonic()
        if sys.stdin in readable and not os.read(sys.stdin.fileno(), 1):
            return
        for tun in readable:
            while tun in other:
                try:
                    packet = os.read(tun, 65536)
                except BlockingIOError:
                    break
                under_way.append((now + delay, other[tun], packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, tun, packet = under_way.popleft()
            os.write(tun, packet)


main()
