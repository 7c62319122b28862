"""One method per measured figure. Each raises NotMeasured when the figure is not available."""

import argparse
import os
from dataclasses import dataclass
from statistics import median

import machine
from commands import NotMeasured, number, run_command, run_json, run_json_lines
from producers import Producers
from scale import ANALYZE, REPORT, counted
from server import Server, requests_per_second
from workload_files import events_in

EVENTS_PER_PASS = 8
MIB = 2**20
TWO_CPUS_EVENTS_MIN = 104_000_000  # in a shorter file, the start of the process affects the ratio
ANALYZE_REPETITIONS = 3  # within a round: a run may take less than a tenth of a second
DECODE_REPETITIONS = 3
PROBE_PASSES_MAX = 100_000
PEER_PASSES = 200_000
STARTS_MAX = 200  # per round, this many starts without recording and as many with it
SATURATED_PASSES_MAX = 1_000_000
SAMPLED_CALLOUTS = 60
EPOLL_PASSES_MAX = 300_000
SERVER_SECONDS, QUICK_SERVER_SECONDS = 3, 1


@dataclass(frozen=True)
class EncodedSize:
    bytes_per_event: float
    cpu_ns_per_event: float


@dataclass(frozen=True)
class ResourceUse:
    cpu_seconds: float
    wall_seconds: float
    peak_mib: float


class Measurements:
    def __init__(self, options: argparse.Namespace, run_folder: str):
        self._rltrace = os.path.join(options.installed, "rltrace")
        self._bench = os.path.join(options.binaries, "rltrace-bench")
        self._scratch = options.scratch
        self._run_folder = run_folder
        self._passes = options.passes
        self._server_seconds = QUICK_SERVER_SECONDS if options.quick else SERVER_SECONDS
        self._has_peers = options.peers
        self._peers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers")

    # Recording

    def recording_limits(self) -> tuple[float, float]:
        """Returns (cycle counter + store, clock_gettime + store) in ns per event."""
        lines = run_json_lines([*machine.on_one_cpu(), self._reference("limits"), str(self._passes)])
        costs = {line.get("limit"): line for line in lines}
        return tuple(number(costs.get(name, {}), "cpu_ns_per_event")
                     for name in ("cycle counter + store", "clock_gettime + store"))

    def record(self) -> tuple[float, float]:
        """Returns (traced thread, drain) in ns per event."""
        events = self._passes * EVENTS_PER_PASS
        result = run_json([*machine.on_two_cpus(), self._ours(self._bench), "record", "--events", str(events)])
        if number(result, "events") != events:
            raise NotMeasured(f"rltrace-bench record: {result['events']} events instead of {events}")
        if number(result, "lost_events") != 0:
            raise NotMeasured(f"rltrace-bench record: lost {result['lost_events']} events")
        return number(result, "traced_cpu_ns_per_event"), number(result, "drain_cpu_ns_per_event")

    def producers(self, threads: int) -> Producers:
        """Measures threads that record as fast as possible. None of them waits for the drain."""
        result = run_json([*machine.on_two_cpus(), self._ours(self._bench), "producers", "--threads", str(threads),
                           "--events", str(self._passes * EVENTS_PER_PASS)])
        return Producers(threads, *(number(result, figure) for figure in (
            "emitted_events", "lost_events", "traced_cpu_ns_per_event", "drain_cpu_ns_per_event")))

    def reference_pipeline(self) -> float:
        """Returns the cost of producer and consumer of the C recorder together, in ns per event."""
        output = os.path.join(self._run_folder, "pipeline.out")
        result = run_json([*machine.on_two_cpus(), self._reference("pipeline"), output, str(self._passes)])
        return number(result, "total_cpu_ns_per_event")

    def lttng(self) -> float:
        """Returns the cost of the traced thread with LTTng-UST, in ns per event."""
        result = run_json([self._peer("lttng.sh"), "record", self._scratch, str(min(self._passes, PEER_PASSES))])
        if number(result, "discarded_events") != 0:
            raise NotMeasured(f"LTTng-UST discarded {result['discarded_events']} events")
        return number(result, "traced_cpu_ns_per_event")

    def uftrace(self) -> tuple[float, float]:
        """Returns (ns of the traced thread per record, M records per CPU second of its report)."""
        calls = min(self._passes, PEER_PASSES) * EVENTS_PER_PASS // 2  # two records for each call
        result = run_json([self._peer("uftrace.sh"), self._scratch, str(calls)])
        if number(result, "lost_records") != 0:
            raise NotMeasured(f"uftrace lost {result['lost_records']} records")
        return number(result, "cpu_ns_per_record"), number(result, "report_million_records_per_second")

    def probe(self) -> tuple[float, float, float]:
        """Returns the time of a poll pass of the real loop in ns: (bare, with empty observers, with the probe)."""
        passes = min(self._passes, PROBE_PASSES_MAX)
        result = run_json([*machine.on_one_cpu(), self._ours(self._bench), "probe", "--passes", str(passes)])
        return number(result, "bare_ns"), number(result, "empty_observers_ns"), number(result, "probe_ns")

    def preloaded_probe(self) -> tuple[float, float]:
        """Returns the CPU time of a poll pass on its thread in ns: (with empty observers, recorded from outside)."""
        command = [self._ours(self._bench), "passes", "--passes", str(min(self._passes, PROBE_PASSES_MAX))]
        empty = run_json([*machine.on_two_cpus(), *command, "--observers"])
        recorded = run_json([*machine.on_two_cpus(), *self._recorded(command)])
        return number(empty, "ns_per_pass"), number(recorded, "ns_per_pass")

    def saturated(self) -> tuple[float, float]:
        """Returns the passes per second of a loop that never waits: (unrecorded, recorded)."""
        command = [self._ours(self._bench), "saturate", "--passes", str(min(self._passes, SATURATED_PASSES_MAX))]
        alone = run_json([*machine.on_two_cpus(), *command])
        recorded = run_json([*machine.on_two_cpus(), *self._recorded(command)])
        return number(alone, "passes_per_s"), number(recorded, "passes_per_s")

    def starts(self) -> tuple[float, float]:
        """Returns the time from start to end of /bin/true in ms: (as it is, with the recording library loaded)."""
        variables = os.path.join(self._run_folder, "variables")
        with open(variables, "w", encoding="utf-8") as file:
            file.write(run_command([self._ours(self._rltrace), "record", "--print-env", "-o",
                                    os.path.join(self._run_folder, "starts.rltrace")]))
        result = run_json([self._reference("starts"), variables, str(min(self._passes // 10, STARTS_MAX)), "/bin/true"])
        return number(result, "alone_ms"), number(result, "with_ms")

    def first_use(self) -> tuple[float, float, float, float]:
        """Returns ms of a program's first use of a loop and a thread's first event: (unrecorded, recorded) of each."""
        command = [self._ours(self._bench), "first-use"]
        alone = run_json([*machine.on_two_cpus(), *command])
        recorded = run_json([*machine.on_two_cpus(), *self._recorded(command)])
        figures = ("first_use_ns", "first_event_ns")
        return tuple(number(result, figure) / 1e6 for figure in figures for result in (alone, recorded))

    def watched(self) -> tuple[float, float]:
        """Returns the CPU time of a recorded poll pass on its thread in ns: (not watched for stalls, watched)."""
        command = [self._ours(self._bench), "passes", "--passes", str(min(self._passes, PROBE_PASSES_MAX))]
        unwatched = run_json([*machine.on_two_cpus(), *self._recorded(command, "--stall-threshold", "off")])
        watched = run_json([*machine.on_two_cpus(), *self._recorded(command)])
        return number(unwatched, "ns_per_pass"), number(watched, "ns_per_pass")

    def sampled(self) -> tuple[float, float]:
        """Returns the wall time of a computing callout in ms: (unrecorded, with its stack sampled each ms)."""
        command = [self._ours(self._bench), "callouts", "--callouts", str(SAMPLED_CALLOUTS)]
        alone = run_json([*machine.on_two_cpus(), *command])
        sampled = run_json([*machine.on_two_cpus(), *self._recorded(command, "--sample", "1ms")])
        return number(alone, "ms_per_callout"), number(sampled, "ms_per_callout")

    def event_loop(self, threads: int) -> tuple[float, float, float]:
        """Returns the CPU time of an epoll pass in ns: (unrecorded, without `--loops`, with `--loops all`)."""
        command = [self._reference("epoll"), str(min(self._passes, EPOLL_PASSES_MAX)), str(threads)]
        ways = (command, self._recorded(command, "--allow-empty"), self._recorded(command, "--loops", "all"))
        return tuple(number(run_json([*machine.on_two_cpus(), *way]), "cpu_ns_per_pass") for way in ways)

    def server(self, server: Server, *options: str) -> tuple[float, float]:
        """Returns the requests per second of a server: (unrecorded, recorded with the options)."""
        return (requests_per_second(server, self._run_folder, self._server_seconds),
                requests_per_second(server, self._run_folder, self._server_seconds,
                                    lambda command: self._recorded(command, *options)))

    def _recorded(self, command: list[str], *options: str) -> list[str]:
        """Returns the command line that records `command`."""
        trace = os.path.join(self._run_folder, "recorded.rltrace")
        # The next recording would rename it.
        if os.path.exists(trace):
            os.remove(trace)
        return [self._ours(self._rltrace), "record", "-q", "-o", trace, *options, "--", *command]

    # Reading

    def encode(self, rows: str, trace: str, unit_ns: int) -> EncodedSize:
        """Writes `trace` and measures the size of the file."""
        result = run_json([*machine.on_one_cpu(), self._ours(self._bench), "encode", rows, trace,
                           "--time-unit", f"{unit_ns}ns"])
        events = events_in(rows)
        if number(result, "events") != events:
            raise NotMeasured(f"rltrace-bench encode: {result['events']} events instead of {events}")
        if not os.path.isfile(trace) or os.path.getsize(trace) != number(result, "bytes"):
            raise NotMeasured(f"rltrace-bench encode: the file does not have the {result['bytes']} bytes it reports")
        return EncodedSize(os.path.getsize(trace) / events, number(result, "encode_cpu_ns_per_event"))

    def reference_size(self, rows: str, unit_ns: int) -> float:
        """Returns the bytes per event of the near-limit encoding in C."""
        return number(self._decode(rows, unit_ns, repetitions=1), "bytes_per_event")

    def reference_speed(self, rows: str) -> float:
        """Returns the speed of decompression, decoding and a trivial analysis in C, in M events/s."""
        return number(self._decode(rows, 10, DECODE_REPETITIONS), "million_events_per_second")

    def analyze_on_one_cpu(self, trace: str, events: int) -> float:
        """Returns M events per CPU second of the whole process."""
        uses = [self.analyze(trace, machine.on_one_cpu()) for _ in range(ANALYZE_REPETITIONS)]
        return events / median(use.cpu_seconds for use in uses) / 1e6

    def analyze_on_one_and_two_cpus(self, trace: str, events: int) -> tuple[float, float]:
        """Returns (M events per CPU second on one CPU, M events per second of wall time on two CPUs)."""
        if len(machine.allowed_cpus()) < 2:
            raise NotMeasured("skipped: this machine has one CPU")
        if events < TWO_CPUS_EVENTS_MIN:
            raise NotMeasured(f"skipped: needs {counted(TWO_CPUS_EVENTS_MIN)} events")
        return (events / self.analyze(trace, machine.on_one_cpu()).cpu_seconds / 1e6,
                events / self.analyze(trace, machine.on_two_cpus()).wall_seconds / 1e6)

    def analyze(self, trace: str, pinning: list[str]) -> ResourceUse:
        return self.use_of(["analyze", trace], pinning)

    def reading_commands(self, trace: str) -> dict[str, list[str]]:
        """Returns the arguments of rltrace for common uses of a trace, by name."""
        return {
            ANALYZE: ["analyze", trace],
            REPORT: ["report", trace, "-o", self._page],
            "export, CSV of all passes": ["export", trace, "--table", "passes"],
            "compare, with itself": ["compare", trace, trace],
        }

    def use_of(self, arguments: list[str], pinning: list[str]) -> ResourceUse:
        """Returns the resources of one run of rltrace with discarded output."""
        result = run_json([*pinning, self._reference("usage"), self._ours(self._rltrace), *arguments])
        return ResourceUse(number(result, "cpu_seconds"), number(result, "wall_seconds"),
                           number(result, "peak_rss_bytes") / MIB)

    def page_mb(self) -> float:
        return os.path.getsize(self._page) / 1e6

    def open_report(self) -> tuple[float, float]:
        """Returns (milliseconds from navigation until the page responds, milliseconds of a frame of its timeline)."""
        # Debian's Python, which has Debian's Selenium.
        result = run_json(["/usr/bin/python3", os.path.join(os.path.dirname(self._peers), "open_page.py"), self._page])
        return number(result, "interactive_ms"), number(result, "frame_ms")

    @property
    def _page(self) -> str:
        return os.path.join(self._run_folder, "report.html")

    def record_trace_of_lttng(self, workload: str) -> tuple[str, int]:
        """Returns (CTF trace, events in it)."""
        passes = min(self._passes, PEER_PASSES)
        result = run_json([self._peer("lttng.sh"), "trace", self._scratch, str(passes), workload])
        return os.path.join(self._scratch, "lttng-trace"), int(number(result, "events"))

    def babeltrace(self, trace: str, events: int) -> float:
        """Returns the speed of babeltrace2's dummy sink, in M events per CPU second."""
        result = run_json([self._peer("babeltrace.sh"), trace, str(events)])
        return number(result, "million_events_per_second")

    def sqlite(self, trace: str, events: int) -> float:
        """Returns the speed of importing the CSV of all passes and one query, in M events of the trace per CPU second."""
        peer, folder = self._peer("sqlite.sh"), os.path.join(self._run_folder, "tables")
        if not os.path.exists(folder):
            run_command([self._ours(self._rltrace), "export", trace, "-o", folder])
        result = run_json([peer, os.path.join(folder, "passes.csv"), "mode", "phases_ns.waiting"])
        return events / number(result, "cpu_seconds") / 1e6

    def _decode(self, rows: str, unit_ns: int, repetitions: int) -> dict:
        return run_json([*machine.on_one_cpu(), self._reference("decode"), rows, "--unit", str(unit_ns),
                         "--repetitions", str(repetitions)])

    def _ours(self, path: str) -> str:
        if not os.path.exists(path):
            raise NotMeasured(f"{os.path.basename(path)} is not built")
        return path

    def _reference(self, name: str) -> str:
        return os.path.join(self._scratch, name)

    def _peer(self, name: str) -> str:
        if not self._has_peers:
            raise NotMeasured("skipped: --no-peers")
        return os.path.join(self._peers, name)
