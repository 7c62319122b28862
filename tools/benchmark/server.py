"""The speed of servers under load by wrk."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import machine
from commands import NotMeasured, end, run_command
from recorded_programs import SERVERS, free_port, nginx_command, wait_until_listening

WARM_UP_SECONDS = 1


@dataclass(frozen=True)
class Server:
    """`command` gets the folder of the run and a free port. `path`: that of the requests."""
    command: Callable[[str, int], list[str]]
    path: str


def _nginx(folder: str, port: int) -> list[str]:
    nginx = shutil.which("nginx")
    if not nginx:
        raise NotMeasured("skipped: nginx is not installed")
    return nginx_command(nginx, Path(folder), port)


def _hummingbird(folder: str, port: int) -> list[str]:
    program = SERVERS / "release/HummingbirdServer"
    if not program.exists():
        raise NotMeasured("skipped: tools/event-loops builds the server")
    return [str(program), str(port)]


NGINX = Server(_nginx, "/")  # one process with one event loop
HUMMINGBIRD = Server(_hummingbird, "/fast")  # tasks on the cooperative pool, and two event loops of SwiftNIO


def requests_per_second(server: Server, folder: str, seconds: int,
                        recorded: Callable[[list[str]], list[str]] | None = None) -> float:
    """Starts a server in a folder, as it is or with the command line that `recorded` makes, and ends it."""
    if not shutil.which("wrk"):
        raise NotMeasured("skipped: wrk is not installed")
    port = free_port()
    command = server.command(folder, port)
    process = subprocess.Popen([*machine.on_two_cpus(), *(recorded(command) if recorded else command)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        if not wait_until_listening(port, process):
            raise NotMeasured(f"{os.path.basename(command[0])} did not start")
        address = f"http://127.0.0.1:{port}{server.path}"
        _load(address, WARM_UP_SECONDS)
        return _load(address, seconds)
    finally:
        # Also under rltrace, which passes the signal on.
        end(process, lambda: os.killpg(process.pid, signal.SIGKILL))


def _load(address: str, seconds: int) -> float:
    output = run_command([*machine.on_two_cpus(), "wrk", "-t1", "-c16", f"-d{seconds}s", address])
    found = re.search(r"^Requests/sec:\s+([\d.]+)", output, re.MULTILINE)
    if not found:
        raise NotMeasured("wrk reports no requests per second")
    return float(found[1])
