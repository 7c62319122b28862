"""The bars P1 to P7: the figures that each compares, its limit, and whether this run met it."""

from dataclasses import dataclass, field
from statistics import median

from samples import Samples
from scale import Scale, counted

AT_MOST, AT_LEAST = "<=", ">="


@dataclass
class Bar:
    id: str
    what: str
    direction: str
    limit: float | None
    figures: list[float] = field(default_factory=list)  # one per round, or a single one
    peers: dict[str, float | None] = field(default_factory=dict)
    reason: str | None = None
    also_holds: bool = True  # requirements of the bar besides its limit

    @property
    def value(self) -> float | None:
        return median(self.figures) if self.figures else None

    @property
    def spread(self) -> tuple[float, float] | None:
        return (min(self.figures), max(self.figures)) if len(self.figures) > 1 else None

    @property
    def met(self) -> bool:
        if self.value is None or self.limit is None or not self.also_holds:
            return False
        return self.value <= self.limit if self.direction == AT_MOST else self.value >= self.limit

    def as_json(self) -> dict[str, object]:
        entry = {
            "id": self.id,
            "what": self.what,
            "value": _rounded(self.value),
            "limit": self.limit,
            "direction": self.direction,
            "met": self.met,
            "spread": [_rounded(edge) for edge in self.spread] if self.spread else None,
            "peers": {name: _rounded(value) for name, value in self.peers.items()},
        }
        if self.reason:
            entry["reason"] = self.reason
        return entry


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def _ratio_bar(samples: Samples, numerator: str, denominator: str, measured: tuple[str, ...] = (),
               peers: dict[str, str] | None = None, **bar) -> Bar:
    """`measured` names the series that a derived numerator or denominator comes from, `peers` those that are shown."""
    ratios = samples.ratios(numerator, denominator)
    reason = samples.reason(*(measured or (numerator, denominator)))
    return Bar(figures=ratios, reason=None if ratios else reason, peers=_medians(samples, peers or {}), **bar)


def _medians(samples: Samples, series: dict[str, str]) -> dict[str, float | None]:
    return {label: samples.median(name) for label, name in series.items()}


def recording_bars(samples: Samples) -> list[Bar]:
    samples.derive("recorder ns", ("traced ns", "drain ns"), lambda traced, drain: traced + drain)
    for clock in ("cycle counter", "clock_gettime"):
        samples.derive(f"{clock} ns", (f"{clock} before ns", f"{clock} after ns"),
                       lambda before, after: (before + after) / 2)
    p1 = _ratio_bar(
        samples, "traced ns", "cycle counter ns",
        measured=("traced ns", "cycle counter before ns", "cycle counter after ns"),
        id="P1", what="record: traced thread ÷ (cycle counter + 16-byte store)", direction=AT_MOST, limit=1.30,
        peers={"traced thread, ns/event": "traced ns", "cycle counter + store, ns/event": "cycle counter ns",
               "clock_gettime + store, ns/event": "clock_gettime ns", "LTTng-UST, ns/event": "LTTng ns"})
    p1.peers["ratio to LTTng-UST"] = samples.median_ratio("traced ns", "LTTng ns")
    p1_lttng = _ratio_bar(samples, "traced ns", "LTTng ns", id="P1-lttng", direction=AT_MOST, limit=0.20,
                          what="record: traced thread ÷ LTTng-UST")
    p1_uftrace = _ratio_bar(samples, "traced ns", "uftrace ns", id="P1-uftrace", direction=AT_MOST, limit=None,
                            what="record: traced thread ÷ uftrace, per record",
                            peers={"uftrace, ns/record": "uftrace ns"})
    p2 = _ratio_bar(
        samples, "recorder ns", "C pipeline ns", measured=("traced ns", "C pipeline ns"),
        id="P2", what="whole pipeline: (traced thread + drain) ÷ the same in C", direction=AT_MOST, limit=1.5,
        peers={"traced thread + drain, ns/event": "recorder ns", "drain, ns/event": "drain ns",
               "C pipeline, ns/event": "C pipeline ns"})
    return [p1, p1_lttng, p1_uftrace, p2]


@dataclass(frozen=True)
class SizeBar:
    id: str
    workload: str
    unit_ns: int
    limit: float


SIZE_BARS = (
    SizeBar("P3", "paced", 10, 1.18),
    SizeBar("P3-1ns", "paced", 1, 1.60),
    SizeBar("P3-100ns", "paced", 100, 0.83),
    SizeBar("P3-mix", "mix", 10, 1.40),
)


def size_bars(samples: Samples) -> list[Bar]:
    return [
        Bar(id=size.id, what=f"size: bytes per event of *{size.workload}* at {size.unit_ns} ns, whole file",
            direction=AT_MOST, limit=size.limit, figures=samples.series(f"{size.id} bytes"),
            peers=_medians(samples, {"near-limit encoding in C, bytes/event": f"{size.id} C bytes",
                                     "encoding, CPU ns/event": f"{size.id} encode ns"}),
            reason=samples.reason(f"{size.id} bytes"))
        for size in SIZE_BARS
    ]


TWO_CORES_FIGURES = ("analyze larger one core M/s", "analyze larger two cores M/s")


def reading_bars(samples: Samples, larger_events: int) -> list[Bar]:
    """Returns the bars for reading. The one for two cores is measured on the file of `larger_events`."""
    one_core, two_cores = TWO_CORES_FIGURES

    def analyze(id: str, limit: float | None, series: str, what: str, peers: dict[str, str],
                analyzed: str = "analyze paced M/s") -> Bar:
        return _ratio_bar(samples, analyzed, series, id=id, what=what, direction=AT_LEAST, limit=limit, peers=peers)

    return [
        *(analyze(id, 0.75, f"C decode {workload} M/s",
                  f"analyze *{workload}*, one core ÷ decoding and a trivial analysis in C",
                  {"analyze, M events/s": f"analyze {workload} M/s",
                   "decode + trivial analysis in C, M events/s": f"C decode {workload} M/s"}, f"analyze {workload} M/s")
          for id, workload in (("P4", "paced"), ("P4-mix", "mix"))),
        analyze("P4-two-cores", 1.8, one_core,
                f"analyze {counted(larger_events)} events of *paced*: wall speed on two cores ÷ CPU speed on one",
                {"two cores, M events/s of wall time": two_cores, "one core, M events/s of CPU time": one_core},
                two_cores),
        analyze("P4-babeltrace", 25, "babeltrace M/s", "analyze *paced*, one core ÷ babeltrace2's dummy sink",
                {"babeltrace2, M events/s": "babeltrace M/s"}),
        analyze("P4-uftrace", None, "uftrace report M/s",
                "analyze *paced*, one core ÷ uftrace report of its own records",
                {"uftrace report, M records/s": "uftrace report M/s"}),
        analyze("P4-sqlite", None, "sqlite M/s",
                "analyze *paced*, one core ÷ sqlite: the CSV of its passes, read and grouped once",
                {"sqlite, M events/s": "sqlite M/s"}),
    ]


GROWTH_MAX = 1.10  # of the peak from the smallest to the largest file: a higher value is not flat


def memory_bar(scale: Scale) -> Bar:
    peak_mib_of_events = sorted(scale.peak_mib_of_events().items())
    sizes = ", ".join(counted(events) for events, _ in peak_mib_of_events)
    peaks = [peak for _, peak in peak_mib_of_events]
    bar = Bar(id="P5", direction=AT_MOST, limit=64, figures=[max(peaks)] if peaks else [],
              reason="; ".join(scale.reasons) or None,
              what=f"memory: peak MiB of analyze, here on {sizes or 'no'} events; growth ≤ {GROWTH_MAX} up to 1 G")
    bar.peers = {f"{counted(events)} events, MiB": peak for events, peak in peak_mib_of_events}
    growth = peaks[-1] / peaks[0] if len(peaks) > 1 else None
    bar.peers["growth, largest file ÷ smallest"] = growth
    bar.also_holds = growth is not None and growth <= GROWTH_MAX
    return bar


def program_bars(samples: Samples) -> list[Bar]:
    """Returns the bars for the cost of a recorded program."""
    def ratio(id: str, limit: float | None, what: str, recorded: tuple[str, str], alone: tuple[str, str],
              direction: str = AT_MOST) -> Bar:
        """`recorded` and `alone`: the label of a series, and its name."""
        return _ratio_bar(samples, recorded[1], alone[1], id=id, what=what, direction=direction, limit=limit,
                          peers=dict([recorded, alone]))

    def epoll(id: str, limit: float, what: str, recorded: str, alone: str, way: str = "recorded, ns") -> Bar:
        return ratio(id, limit, what, (way, recorded), ("by itself, ns", alone))

    def server(name: str, what: str) -> Bar:
        return ratio(f"P6-{name}", 0.95, what, ("recorded, requests/s", f"{name} recorded requests/s"),
                     ("by itself, requests/s", f"{name} alone requests/s"), AT_LEAST)

    probe = ratio("P6", 1.15, "probe: a CFRunLoop poll pass with it ÷ the same with as many empty observers",
                  ("with the probe, ns", "probe ns"), ("with empty observers, ns", "empty observers ns"))
    probe.peers["bare pass, ns"] = samples.median("bare ns")
    probe.peers["ratio to bare"] = samples.median_ratio("probe ns", "bare ns")
    return [
        probe,
        ratio("P6-preloaded", 1.15, "record -- COMMAND: the same, recorded from outside",
              ("recorded, ns", "preloaded ns"), ("with empty observers, ns", "empty observers alone ns")),
        _added_bar(samples, "start", 0.2, "record -- COMMAND: ms added to the start of /bin/true"),
        _added_bar(samples, "first use", 0.5, "record -- COMMAND: ms added to a program's first use of a run loop"),
        _added_bar(samples, "first event", 0.05, "record -- COMMAND: ms added to a thread's first event"),
        ratio("P6-saturated", None, "record -- COMMAND: passes per second of a loop that never waits ÷ by itself",
              ("recorded, passes/s", "saturated recorded passes/s"),
              ("by itself, passes/s", "saturated alone passes/s"), AT_LEAST),
        ratio("P6-watched", None,
              "record -- COMMAND: a poll pass watched for stalls (default) ÷ with --stall-threshold off",
              ("watched, ns", "watched ns"), ("not watched, ns", "unwatched ns")),
        ratio("P6-sampled", None,
              "record --sample 1ms -- COMMAND: callouts that compute, sampled each ms ÷ by themselves",
              ("sampled, ms", "sampled ms"), ("by itself, ms", "unsampled ms")),
        epoll("P6-loop", 1.35, "record --loops all -- COMMAND: an epoll pass with a wake-up ÷ by itself",
              "epoll recorded ns", "epoll alone ns"),
        epoll("P6-loop-alone", 1.35,
              "record --loops all -- COMMAND: the same in a program with one thread ÷ by itself",
              "epoll thread recorded ns", "epoll thread alone ns"),
        epoll("P6-loop-off", 1.05, "record -- COMMAND, without event loops: the same ÷ by itself",
              "epoll loaded ns", "epoll alone ns", "library loaded, ns"),
        server("server", "record --loops all -- nginx: requests per second under wrk ÷ by itself"),
        server("tasks",
               "record --queues all --loops all -- a Hummingbird server: requests per second under wrk ÷ by itself"),
    ]


def _added_bar(samples: Samples, name: str, limit_ms: float, what: str) -> Bar:
    samples.derive(f"added to {name} ms", (f"{name} ms", f"{name} alone ms"), lambda recorded, alone: recorded - alone)
    added = samples.series(f"added to {name} ms")
    return Bar(
        id="P6-" + name.replace(" ", "-"), what=what, direction=AT_MOST, limit=limit_ms, figures=added,
        reason=None if added else samples.reason(f"{name} ms"),
        peers=_medians(samples, {"by itself, ms": f"{name} alone ms", "recorded, ms": f"{name} ms"}))


REPORT_FIGURES = ("report MB", "report CPU s", "report peak MiB")
OPENING_FIGURES = ("report opens ms", "report frame ms")


def report_bars(samples: Samples, events: int) -> list[Bar]:
    """Returns the bars for the HTML report. They are measured once per run, on the largest file of P5."""
    of = f"report: HTML of {counted(events)} events"
    reason = samples.reason(*REPORT_FIGURES)
    return [
        Bar(id="P7", what=f"{of}, MB", direction=AT_MOST, limit=5, figures=samples.series("report MB"), reason=reason,
            peers=_medians(samples, {"making it, CPU s": "report CPU s", "making it, peak MiB": "report peak MiB"})),
        Bar(id="P7-open", what=f"{of}: ms from navigation until it answers, in headless Chromium", direction=AT_MOST,
            limit=1000, figures=samples.series("report opens ms"), reason=reason or samples.reason(*OPENING_FIGURES),
            peers=_medians(samples, {"a frame of the timeline, ms": "report frame ms"})),
    ]
