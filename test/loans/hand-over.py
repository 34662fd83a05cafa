"""One of two commands, each in a sandbox of its own: hands the other a descriptor of a directory, or takes one and writes through it."""
import errno
import os
import socket
import sys
import time

role, own, peer, directory, go, *files = sys.argv[1:]
gives = role == "give"
until = time.monotonic() + 15
taken = {}
made = []


def there(path):
    return os.path.exists(path)


def endpoint(kind):
    """A pair is a way to a socket where none can be made by name."""
    try:
        ends = [socket.socket(socket.AF_UNIX, kind)]
    except OSError:
        ends = socket.socketpair(socket.AF_UNIX, kind)
    made.extend(ends)
    return ends[0]


def hand(sock, name):
    if gives:
        socket.send_fds(sock, [b"x"], [os.open(directory, os.O_RDONLY | os.O_DIRECTORY)])
    else:
        sock.settimeout(2)
        taken[name] = socket.recv_fds(sock, 1, 1)[1][0]


def until_given_up(name, attempt):
    """Until it works, or the other has done all that it could."""
    while time.monotonic() < until:
        last = there(f"{peer}/done-{name}")
        try:
            return attempt()
        except OSError as error:
            # One of a pair has its partner for good.
            if last or error.errno == errno.EISCONN:
                raise
        time.sleep(0.01)
    raise TimeoutError(name)


def stream(name, address, listens):
    if listens:
        sock = endpoint(socket.SOCK_STREAM)
        sock.bind(address)
        sock.listen(1)
        sock.settimeout(0.05)
        line = until_given_up(name, lambda: sock.accept()[0])
    else:
        sock = endpoint(socket.SOCK_STREAM)
        line = until_given_up(name, lambda: sock.connect(address) or sock)
    made.append(line)
    hand(line, name)


def datagram(name):
    sock = endpoint(socket.SOCK_DGRAM)
    sock.bind(f"{own}/{name}")
    until_given_up(name, lambda: sock.connect(f"{peer}/{name}"))
    until_given_up(name, lambda: hand(sock, name))


giver, taker = (own, peer) if gives else (peer, own)
ways = {
    "listens": lambda name: stream(name, f"{giver}/{name}", gives),
    "connects": lambda name: stream(name, f"{taker}/{name}", not gives),
    "datagram": datagram,
    "abstract": lambda name: stream(name, "\0" + giver, gives),
}
for name, way in ways.items():
    try:
        way(name)
    except OSError as error:
        print(role, name, error)
    open(f"{own}/done-{name}", "w").close()


def write(when):
    for name, descriptor in taken.items():
        for file in files:
            try:
                opened = os.open(file, os.O_WRONLY | os.O_APPEND, dir_fd=descriptor)
                os.write(opened, f"{name} {when}\n".encode())
            except OSError as error:
                print(name, when, error)


if not gives:
    write("during")
open(f"{own}/written", "w").close()
while time.monotonic() < until and not there(f"{peer}/written" if gives else go):
    time.sleep(0.01)
if not gives:
    write("after")
