"""Runs measured programs. Each of them prints JSON objects, one per line."""

import json
import subprocess
import sys
from collections.abc import Callable

TIMEOUT_SECONDS = 1800
GRACE_SECONDS = 60  # the time in which a script can end its daemons


class NotMeasured(Exception):
    """A figure cannot be measured. The message becomes the reason that its bars give."""


def say(message: str) -> None:
    print(f"bench: {message}", file=sys.stderr, flush=True)


def run_command(command: list[str]) -> str:
    """Returns the output of the command. Raises NotMeasured, with the last line of its stderr, when it fails."""
    name = _name(command)
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise NotMeasured(f"{name}: {error.strerror}") from error
    try:
        output, errors = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired as error:
        end(process, process.kill)
        raise NotMeasured(f"{name}: did not end within {TIMEOUT_SECONDS} s") from error
    except BaseException:  # Ctrl-C: subprocess.run would kill at once, and leave the daemons running
        end(process, process.kill)
        raise
    if process.returncode != 0:
        last_words = (errors.strip().splitlines() or ["no message"])[-1]
        raise NotMeasured(f"{name}: exit status {process.returncode}: {last_words}")
    return output


def end(process: subprocess.Popen, kill: Callable[[], None]) -> None:
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        kill()
        process.wait()


def run_json_lines(command: list[str]) -> list[dict]:
    name = _name(command)
    try:
        objects = [json.loads(line) for line in run_command(command).splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        raise NotMeasured(f"{name}: its output is not JSON: {error}") from error
    if not objects or not all(isinstance(each, dict) for each in objects):
        raise NotMeasured(f"{name}: its output is not a JSON object")
    if "skipped" in objects[0]:
        raise NotMeasured(f"skipped: {objects[0]['skipped']}")
    return objects


def run_json(command: list[str]) -> dict:
    return run_json_lines(command)[0]


def number(result: dict, key: str) -> float:
    value = result.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotMeasured(f"no number '{key}' in {json.dumps(result)}")
    return float(value)


def _name(command: list[str]) -> str:
    """Returns the measured program and its subcommand, without the commands that run it."""
    words = command[3:] if command[0] == "taskset" else command
    if words[0].endswith("/usage"):
        words = words[1:]
    subcommand = [word for word in words[1:2] if word.isalpha()]
    return " ".join([words[0].rsplit("/", 1)[-1], *subcommand])
