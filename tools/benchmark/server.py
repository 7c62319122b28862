"""The speed of a server under load: nginx, whose only process has one event loop, and wrk."""

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable

import machine
from commands import GRACE_SECONDS, NotMeasured, run_command

CONFIGURATION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Tests", "Fixtures", "EventLoops",
                             "nginx.conf")
START_SECONDS = 10
WARM_UP_SECONDS = 1


def requests_per_second(folder: str, seconds: int, recorded: Callable[[list[str]], list[str]] | None = None) -> float:
    """Starts nginx in a folder, as it is or with the command line that `recorded` makes, and ends it."""
    nginx = shutil.which("nginx")
    if not nginx:
        raise NotMeasured("skipped: nginx is not installed")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    configuration = os.path.join(folder, "nginx.conf")
    with open(CONFIGURATION, encoding="utf-8") as template, open(configuration, "w", encoding="utf-8") as file:
        file.write(template.read().replace("PORT", str(port)))
    command = [nginx, "-e", "stderr", "-p", folder, "-c", configuration]
    server = subprocess.Popen([*machine.on_two_cpus(), *(recorded(command) if recorded else command)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True)
    try:
        _wait_until_listening(port, server)
        _load(port, WARM_UP_SECONDS)
        return _load(port, seconds)
    finally:
        _end(server)


def _wait_until_listening(port: int, server: subprocess.Popen) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise NotMeasured("nginx did not start")


def _load(port: int, seconds: int) -> float:
    output = run_command([*machine.on_two_cpus(), "wrk", "-t1", "-c16", f"-d{seconds}s", f"http://127.0.0.1:{port}/"])
    found = re.search(r"^Requests/sec:\s+([\d.]+)", output, re.MULTILINE)
    if not found:
        raise NotMeasured("wrk reports no requests per second")
    return float(found[1])


def _end(server: subprocess.Popen) -> None:
    """Ends the server, also under rltrace, which passes the signal on."""
    server.terminate()
    try:
        server.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
