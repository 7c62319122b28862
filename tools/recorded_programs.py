"""Common code of tools/event-loops, tools/executors and tools/functions-check, which record real programs and check
what is found in them. tools/bench loads some of the servers."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from lib import ROOT, TOOL, Parser, fail, output, rltrace, run

SCRATCH = ROOT / ".build" / TOOL
SERVERS = ROOT / ".build/event-loops/servers"  # where tools/event-loops builds the package of servers
LIMIT_S = 120
# The blamed function and its place, in the sentence of a finding.
BLAMED = re.compile(r'"([^"]+)" held the thread for|The thread spent [^"]+ in "([^"]+)"')


class Missing(Exception):
    """A program cannot be run here. The message is the reason."""


@dataclass(frozen=True)
class Finding:
    rule: str
    severity: str
    time_ns: int
    blamed: str
    text: str

    @property
    def is_info(self):
        return self.severity == "info"


@dataclass(frozen=True)
class Recorded:
    """The analysis of a recording. `document` is the one of --format json."""
    document: dict
    findings: list

    @property
    def loops(self):
        return [loop["loop"] for loop in self.document["loops"]]

    @property
    def lost_events(self):
        return self.document["trace"]["lost_events"]


NOTHING_RECORDED = Recorded({"loops": [], "trace": {"lost_events": 0}}, [])


def compile_program(command, source):
    SCRATCH.mkdir(parents=True, exist_ok=True)
    if run(command).returncode != 0:
        fail(70, f"{source} does not compile")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_until_listening(port, process):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


def nginx_command(nginx, folder, port):
    configuration = folder / "nginx.conf"
    template = ROOT / "Tests/Fixtures/EventLoops/nginx.conf"
    configuration.write_text(template.read_text().replace("PORT", str(port)))
    return [nginx, "-e", "stderr", "-p", str(folder), "-c", str(configuration)]


def record(words, options, folder, environment=(), meanwhile=None):
    """Records one run. `meanwhile` gets the running process. Returns the status, or a text if the run did not end, what
    the program and rltrace printed, and the trace, which may not exist."""
    trace = folder / "recorded.rltrace"
    for earlier in folder.glob(f"{trace.name}*"):
        earlier.unlink()
    command = [rltrace(), "record", "-q", "--allow-empty", *options, "-o", trace, "--", *words]
    with open(folder / "log", "w+", errors="replace") as log:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   env=os.environ | dict(environment), start_new_session=True)
        try:
            if meanwhile:
                meanwhile(process)
            status = process.wait(LIMIT_S)
        except (OSError, subprocess.SubprocessError) as problem:
            status = f"none, {problem}"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        log.seek(0)
        return status, log.read(), trace


def analyzed(trace):
    document = json.loads(output([rltrace(), "analyze", "--format", "json", trace]))
    findings = []
    for finding in document["findings"]:
        for subject in finding["subjects"]:
            blamed = BLAMED.search(subject["text"])
            findings.append(Finding(finding["rule"], finding["severity"], subject["time_ns"] or 0,
                                    next(filter(None, blamed.groups())) if blamed else "", subject["text"]))
    return Recorded(document, findings)


def main(about, programs, judge, heads, dependencies="true", repeats=("--runs", 3), judge_all=lambda: True):
    """Judges each program, and ends with the script's status. `programs` gets whether programs are built. `judge` gets a
    program, the number of runs and a folder, prints rows and returns whether all is right. `heads`: those of its table.
    `dependencies`: a command that installs what the programs need. `repeats`: the option for the number of runs, and its
    default. `judge_all` judges all programs together, after their table, and returns whether all is right."""
    parser = Parser(about)
    parser.add_argument(repeats[0], type=int, default=repeats[1], dest="runs")
    parser.add_argument("--only")
    parser.add_argument("--no-build", action="store_true")
    options = parser.parse_args()
    chosen = programs(not options.no_build)
    if options.only:
        names = [program.name for program in chosen]
        chosen = [program for program in chosen if program.name == options.only]
        if not chosen:
            fail(64, f"no program is called {options.only}; there are: {', '.join(names)}")
    if options.runs < 1:
        fail(64, f"{repeats[0]} needs a whole number above 0")
    if not options.no_build:
        build = f"cd '{ROOT}' && source tools/lib.sh && {dependencies} && build rltrace rltrace-preload"
        if run(["bash", "-euo", "pipefail", "-c", build], stdout=sys.stderr).returncode != 0:
            fail(69, "cannot build rltrace")
    if not shutil.which("llvm-symbolizer"):
        fail(69, "no llvm-symbolizer, so findings have no lines; Debian's package is llvm")
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    right, missing = True, []
    for program in chosen:
        with tempfile.TemporaryDirectory() as folder:
            try:
                right = judge(program, options.runs, Path(folder)) and right
            except Missing as reason:
                missing.append(f"* {program.name}: {reason}")
    right = judge_all() and right
    if missing:
        print("\nNot run:\n\n" + "\n".join(missing))
    sys.exit(0 if right else 1)
