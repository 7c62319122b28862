"""Counts instructions per event with callgrind: see tools/instructions."""

import argparse
import json
import os
import random
import re
import struct
import sys

import machine
from commands import NotMeasured, run_command, say

LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")
TOLERANCE = 1.03
SHORT_PASSES, LONG_PASSES = 500, 100_500  # their difference excludes the start-up
EVENTS_PER_PASS = 8
RECORDED_EVENTS = 200_000
# Before these events, the program fills the ring once.
RING_SLOTS = 1 << 17

# The objects of the traces: activities in a mode, a source and a timer, as in tools/benchmark/reference/workload.h.
LOOP, FIRST_SOURCE, FIRST_TIMER = 1, 16, 256
SOURCES, TIMERS = 64, 192


def write_rows(path: str, passes: int) -> None:
    """Writes passes whose times and objects are the same on every machine."""
    numbers = random.Random(42)
    time = mode = 0
    with open(path, "wb") as rows:
        for _ in range(passes):
            if numbers.random() < 1 / 2000:
                mode = numbers.randrange(3)
            source = FIRST_SOURCE + int(SOURCES ** numbers.random()) - 1
            timer = FIRST_TIMER + int(TIMERS ** numbers.random()) - 1
            objects = (LOOP, LOOP, source, source, LOOP, LOOP, timer, timer)
            for kind, thing in enumerate(objects):
                time += int(numbers.lognormvariate(8, 1.5))
                rows.write(struct.pack("<QIBBH", time, thing, kind, mode, 0))


class Counter:
    def __init__(self, scratch: str):
        self._out = os.path.join(scratch, "callgrind.out")

    def total(self, command: list[str]) -> int:
        return self._run(command)[0]

    def inside(self, command: list[str], *functions: str) -> list[int]:
        """Returns the instructions of functions, including their callees. `functions`: prefixes of their symbols."""
        return self._run(command, functions)[1]

    def _run(self, command: list[str], functions: tuple[str, ...] = ()) -> tuple[int, list[int]]:
        # One CPU, so that the work of a second thread counts here. Valgrind's memory counts as the program's.
        run_command(["env", "SWIFT_DETERMINISTIC_HASHING=1", "RLTRACE_MEMORY=1G", *machine.on_one_cpu(), "valgrind", "--quiet",
                     "--tool=callgrind", f"--callgrind-out-file={self._out}", *command])
        total = 0
        with open(self._out, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if match := re.match(r"(?:totals|summary): (\d+)", line):
                    total = max(total, int(match[1]))
        inside = [self._inclusive(function) for function in functions]
        return total, inside

    def _inclusive(self, function: str) -> int:
        listing = run_command(["callgrind_annotate", "--inclusive=yes", "--threshold=100", self._out])
        counts = [int(match[1].replace(",", "")) for line in listing.splitlines()
                  if (match := re.match(r"\s*([\d,]+) .*?[?\w./+-]+:(\S+)", line)) and match[2].startswith(function)]
        if not counts:
            raise NotMeasured(f"no function {function}… in the profile: it was inlined or renamed")
        return max(counts)


def measure(scratch: str) -> dict[str, float]:
    rltrace, bench = (os.path.join(scratch, name) for name in ("rltrace", "rltrace-bench"))
    counter = Counter(scratch)
    rows = {passes: os.path.join(scratch, f"counted-{passes}.rows") for passes in (SHORT_PASSES, LONG_PASSES)}
    traces = {passes: os.path.join(scratch, f"counted-{passes}.rltrace") for passes in rows}
    encode, analyze = {}, {}
    for passes, path in rows.items():
        write_rows(path, passes)
        say(f"encoding and analyzing {passes * EVENTS_PER_PASS} events")
        encode[passes] = counter.total([bench, "encode", path, traces[passes]])
        analyze[passes] = counter.total([rltrace, "analyze", traces[passes]])
    events = (LONG_PASSES - SHORT_PASSES) * EVENTS_PER_PASS
    say("looking into the analysis, recording, starting")
    decode, replay = counter.inside([rltrace, "analyze", traces[LONG_PASSES]],
                                    "$s11TraceFormat11BlockLoaderC6events", "$s11TraceReplay06ThreadB0V6replay")
    emit = counter.inside([bench, "record", "--events", str(RECORDED_EVENTS), "--slots-per-ring", str(RING_SLOTS)],
                          "$s13rltrace_bench13TightWorkloadV4emit")
    return {
        "emit": emit[0] / (RING_SLOTS + RECORDED_EVENTS),
        "encode": (encode[LONG_PASSES] - encode[SHORT_PASSES]) / events,
        "decode": decode / (LONG_PASSES * EVENTS_PER_PASS),
        "replay": replay / (LONG_PASSES * EVENTS_PER_PASS),
        "analyze": (analyze[LONG_PASSES] - analyze[SHORT_PASSES]) / events,
        "start-version": counter.total([rltrace, "--version"]),
        "start-help": counter.total([rltrace, "--help"]),
        "start-analyze": analyze[SHORT_PASSES],
    }


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("scratch", help="the folder with the programs, stripped of debug information")
    arguments = parser.parse_args()
    try:
        counts = measure(arguments.scratch)
    except NotMeasured as error:
        print(f"tools/instructions: {error}", file=sys.stderr)
        return 69
    if arguments.record:
        with open(LIMITS, "w", encoding="utf-8") as limits:
            json.dump({name: round(count, 1) for name, count in counts.items()}, limits, indent=2)
            limits.write("\n")
    with open(LIMITS, encoding="utf-8") as recorded:
        before = json.load(recorded)
    above = [name for name, count in counts.items() if count > before[name] * TOLERANCE]
    if arguments.json:
        print(json.dumps(counts))
    else:
        print(f"{'instructions':16}{'now':>14}{'recorded':>14}{'now ÷ recorded':>16}")
        for name, count in counts.items():
            note = "  above the limit" if name in above else ""
            print(f"{name:16}{count:>14,.1f}{before[name]:>14,.1f}{count / before[name]:>16.3f}{note}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
