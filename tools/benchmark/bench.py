#!/usr/bin/env python3
"""Measures every bar in interleaved rounds and prints how close this build is to them.

Started by tools/bench, which installs and builds the measured programs. A bar is a ratio of two figures from the
same round, measured shortly after each other; its value is the median over the rounds. Nanoseconds differ
from machine to machine and from minute to minute, but ratios differ much less.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

import bars
import machine
from arguments import parse_arguments
from commands import NotMeasured, say
from lib import ROOT, around, put_between
from measurements import EVENTS_PER_PASS, Measurements
from producers import THREADS, Producers
from samples import Samples
from scale import REPORT, Reading, Scale, counted
from server import HUMMINGBIRD, NGINX
from table import format_markdown, format_text
from workload_files import BadWorkload, WorkloadFiles, check_workload, events_in

SMALLER_FILE_PART = 8  # an eighth of the workload: 1 M events
LARGER_FILE_TIMES = 13  # 104 M events
SOAK_EVENTS = 1_000_000_000
FIGURES = (ROOT / "docs/explanation/performance.md",
           "<!-- figures: written by tools/bench --write-docs, never by hand -->", "<!-- end of figures -->")
BYTES_PER_REPEATED_EVENT = 18  # a row and its part of the trace, rounded up


class Run:
    """One run of the benchmark: workload files, the figures of every round, the bars."""

    def __init__(self, options: argparse.Namespace, run_folder: str):
        self._options = options
        self._run_folder = run_folder
        self._files = WorkloadFiles(options.scratch)
        self._measure = Measurements(options, run_folder)
        self._samples = Samples()
        self._rows: dict[str, str] = {}
        self._babeltrace_input: tuple[str, int] | None = None
        self.scale = Scale([], [])
        self.producers: list[Producers] = []

    def bars(self) -> list[bars.Bar]:
        self._rows["paced"] = self._options.workload or self._files.paced(self._options.passes)
        self._rows["mix"] = self._files.mix_of(self._rows["paced"])
        self._samples.start_round()
        self._measure_sizes()
        self._measure_scale()
        self._measure_producers()
        self._record_babeltrace_input()
        for round_number in range(1, self._options.rounds + 1):
            say(f"round {round_number} of {self._options.rounds}")
            self._samples.start_round()
            self._measure_recording()
            self._measure_reading()
        return [
            *bars.recording_bars(self._samples),
            *bars.size_bars(self._samples),
            *bars.reading_bars(self._samples, self._larger_events),
            bars.memory_bar(self.scale),
            *bars.program_bars(self._samples),
            *bars.report_bars(self._samples, self._larger_events),
        ]

    @property
    def _larger_events(self) -> int:
        return events_in(self._rows["paced"]) * LARGER_FILE_TIMES

    # Measured once per run: these figures do not vary

    def _measure_sizes(self) -> None:
        say("sizes")
        for size in bars.SIZE_BARS:
            rows, trace = self._rows[size.workload], self._trace(size.id)
            self._samples.measure((f"{size.id} C bytes",),
                                  lambda: (self._measure.reference_size(rows, size.unit_ns),))
            self._samples.measure((f"{size.id} bytes", f"{size.id} encode ns"),
                                  lambda: self._encoded_size(rows, trace, size.unit_ns))

    def _encoded_size(self, rows: str, trace: str, unit_ns: int) -> tuple[float, float]:
        size = self._measure.encode(rows, trace, unit_ns)
        return size.bytes_per_event, size.cpu_ns_per_event

    def _measure_producers(self) -> None:
        for threads in THREADS:
            say(f"{threads} threads record")
            try:
                self.producers.append(self._measure.producers(threads))
            except NotMeasured as failure:
                say(f"not measured: {failure}")
                self.scale.reasons.append(f"not measured: {threads} threads record: {failure}")

    def _measure_scale(self) -> None:
        base = events_in(self._rows["paced"])
        sizes = [base // SMALLER_FILE_PART, base, self._larger_events]
        if self._options.soak:
            sizes.append(-(-SOAK_EVENTS // base) * base)
        for events in sizes:
            say(f"reading {counted(events)} events")
            try:
                self._read_trace_of(events)
            except NotMeasured as failure:
                say(f"not measured: {failure}")
                self.scale.reasons.append(f"not measured: {counted(events)} events: {failure}")
                if events == self._larger_events:
                    self._samples.give_up(
                        (*bars.TWO_CORES_FIGURES, *bars.REPORT_FIGURES, *bars.OPENING_FIGURES), str(failure))

    def _read_trace_of(self, events: int) -> None:
        base = events_in(self._rows["paced"])
        if events == base:
            if not os.path.exists(self._trace("P3")):
                raise NotMeasured(self._samples.reason("P3 bytes") or "no trace of *paced*")
            self._read(self._trace("P3"), events)
            return
        rows, trace = os.path.join(self._run_folder, "other-size.rows"), self._trace("other-size")
        needed_bytes = events * BYTES_PER_REPEATED_EVENT
        if shutil.disk_usage(self._run_folder).free < needed_bytes:
            raise NotMeasured(f"the file needs {needed_bytes / 1e9:.3g} GB of free disk")
        try:
            if events < base:
                self._files.beginning(self._rows["paced"], events, rows)
            else:
                self._files.repeated(self._rows["paced"], events // base, rows)
            self._measure.encode(rows, trace, unit_ns=10)
            os.remove(rows)
            self._read(trace, events)
            if events == self._larger_events:
                self._take_report_figures()
                self._compare_cores(trace, events)
        finally:
            for path in (rows, trace):
                if os.path.exists(path):
                    os.remove(path)

    def _read(self, trace: str, events: int) -> None:
        for command, arguments in self._measure.reading_commands(trace).items():
            use = self._measure.use_of(arguments, machine.on_two_cpus())
            self.scale.readings.append(Reading(command, events, use.cpu_seconds, use.wall_seconds, use.peak_mib))

    def _take_report_figures(self) -> None:
        """Measures the page that was made last."""
        making = self.scale.by_command()[REPORT][-1]
        self._samples.measure(bars.REPORT_FIGURES,
                              lambda: (self._measure.page_mb(), making.cpu_seconds, making.peak_mib))
        self._samples.measure(bars.OPENING_FIGURES, self._measure.open_report)

    def _compare_cores(self, trace: str, events: int) -> None:
        for _ in range(self._options.rounds):
            self._samples.start_round()
            self._samples.measure(bars.TWO_CORES_FIGURES,
                                  lambda: self._measure.analyze_on_one_and_two_cpus(trace, events))

    def _record_babeltrace_input(self) -> None:
        say("a trace of LTTng for babeltrace2")
        workload = "tight" if self._options.quick else "paced"  # tight takes a second, paced a quarter of a minute
        try:
            self._babeltrace_input = self._measure.record_trace_of_lttng(workload)
        except NotMeasured as failure:
            self._samples.give_up(("babeltrace M/s",), str(failure))

    # Measured once per round, with the figures of a bar right after each other

    def _measure_recording(self) -> None:
        take, measure = self._samples.measure, self._measure
        take(("LTTng ns",), lambda: (measure.lttng(),))
        take(("uftrace ns", "uftrace report M/s"), measure.uftrace)
        # The limits are measured before and after: the clock rate of a virtual machine drifts within seconds.
        take(("cycle counter before ns", "clock_gettime before ns"), measure.recording_limits)
        take(("traced ns", "drain ns"), measure.record)
        take(("cycle counter after ns", "clock_gettime after ns"), measure.recording_limits)
        take(("C pipeline ns",), lambda: (measure.reference_pipeline(),))
        take(("bare ns", "empty observers ns", "probe ns"), measure.probe)
        take(("empty observers alone ns", "preloaded ns"), measure.preloaded_probe)
        take(("saturated alone passes/s", "saturated recorded passes/s"), measure.saturated)
        take(("unwatched ns", "watched ns"), measure.watched)
        take(("unsampled ms", "sampled ms"), measure.sampled)
        take(("epoll alone ns", "epoll loaded ns", "epoll recorded ns"), lambda: measure.event_loop(2))
        take(
            ("epoll thread alone ns", "epoll thread loaded ns", "epoll thread recorded ns"),
            lambda: measure.event_loop(1))
        take(("server alone requests/s", "server recorded requests/s"), lambda: measure.server(NGINX, "--loops", "all"))
        take(
            ("tasks alone requests/s", "tasks recorded requests/s"),
            lambda: measure.server(HUMMINGBIRD, "--queues", "all", "--loops", "all"))
        take(("start alone ms", "start ms"), measure.starts)
        take(("first use alone ms", "first use ms", "first event alone ms", "first event ms"), measure.first_use)

    def _measure_reading(self) -> None:
        take, measure = self._samples.measure, self._measure
        for workload, bar_id in (("paced", "P3"), ("mix", "P3-mix")):
            rows, trace = self._rows[workload], self._trace(bar_id)
            events = events_in(rows)
            take((f"C decode {workload} M/s",), lambda: (measure.reference_speed(rows),))
            take((f"analyze {workload} M/s",), lambda: (measure.analyze_on_one_cpu(trace, events),))
            if workload == "paced":
                take(("sqlite M/s",), lambda: (measure.sqlite(trace, events),))
                if self._babeltrace_input:
                    take(("babeltrace M/s",), lambda: (measure.babeltrace(*self._babeltrace_input),))

    def _trace(self, name: str) -> str:
        return os.path.join(self._run_folder, f"{name}.rltrace")


def print_result(run: Run, options: argparse.Namespace) -> None:
    bars_of_run = run.bars()
    description = machine.describe_machine(options.installed)
    if options.write_docs:
        description["rounds"] = f"{options.rounds}, interleaved: medians, in brackets the smallest and the largest"
        description["events of paced"] = counted(options.passes * EVENTS_PER_PASS)
        put_between(*FIGURES, format_markdown(description, bars_of_run, run.scale, run.producers))
    if options.json:
        print(json.dumps({"machine": description, "bars": [bar.as_json() for bar in bars_of_run],
                          "scale": [reading.as_json() for reading in run.scale.readings],
                          "producers": [row.as_json() for row in run.producers]}, indent=2))
    else:
        print(format_text(description, bars_of_run, run.scale, run.producers))


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that every `finally` still runs
    options = parse_arguments(sys.argv[1:])
    try:
        if options.workload:
            check_workload(options.workload)
        if options.write_docs:
            around(*FIGURES)
        if options.check_only:
            return 0
        os.makedirs(options.scratch, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="run-", dir=options.scratch) as run_folder:
            run = Run(options, run_folder)
            print_result(run, options)
    except BadWorkload as problem:
        print(f"tools/bench: {problem}", file=sys.stderr)
        return problem.status
    except NotMeasured as problem:  # a workload file could not be generated, so nothing can be measured
        print(f"tools/bench: {problem}", file=sys.stderr)
        return os.EX_SOFTWARE
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
