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


def _ratio_bar(samples: Samples, numerator: str, denominator: str, measured: tuple[str, ...] = (), **bar) -> Bar:
    """`measured` names the series that a derived numerator or denominator comes from."""
    ratios = samples.ratios(numerator, denominator)
    reason = samples.reason(*(measured or (numerator, denominator)))
    return Bar(figures=ratios, reason=None if ratios else reason, **bar)


def recording_bars(samples: Samples) -> list[Bar]:
    samples.derive("recorder ns", ("traced ns", "drain ns"), lambda traced, drain: traced + drain)
    for clock in ("cycle counter", "clock_gettime"):
        samples.derive(f"{clock} ns", (f"{clock} before ns", f"{clock} after ns"),
                       lambda before, after: (before + after) / 2)
    p1 = _ratio_bar(
        samples, "traced ns", "cycle counter ns",
        measured=("traced ns", "cycle counter before ns", "cycle counter after ns"),
        id="P1", what="record: traced thread ÷ (cycle counter + 16-byte store)", direction=AT_MOST, limit=1.30,
        peers={
            "traced thread, ns/event": samples.median("traced ns"),
            "cycle counter + store, ns/event": samples.median("cycle counter ns"),
            "clock_gettime + store, ns/event": samples.median("clock_gettime ns"),
            "LTTng-UST, ns/event": samples.median("LTTng ns"),
            "ratio to LTTng-UST": samples.median_ratio("traced ns", "LTTng ns"),
        })
    p1_lttng = _ratio_bar(samples, "traced ns", "LTTng ns", id="P1-lttng", direction=AT_MOST, limit=0.20,
                          what="record: traced thread ÷ LTTng-UST")
    p1_uftrace = _ratio_bar(samples, "traced ns", "uftrace ns", id="P1-uftrace", direction=AT_MOST, limit=None,
                            what="record: traced thread ÷ uftrace, per record",
                            peers={"uftrace, ns/record": samples.median("uftrace ns")})
    p2 = _ratio_bar(
        samples, "recorder ns", "C pipeline ns",
        measured=("traced ns", "C pipeline ns"),
        id="P2", what="whole pipeline: (traced thread + drain) ÷ the same in C", direction=AT_MOST, limit=1.5,
        peers={
            "traced thread + drain, ns/event": samples.median("recorder ns"),
            "drain, ns/event": samples.median("drain ns"),
            "C pipeline, ns/event": samples.median("C pipeline ns"),
        })
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
    bars = []
    for size in SIZE_BARS:
        value = samples.median(f"{size.id} bytes")
        bars.append(Bar(
            id=size.id, what=f"size: bytes per event of *{size.workload}* at {size.unit_ns} ns, whole file",
            direction=AT_MOST, limit=size.limit,
            figures=[] if value is None else [value],
            peers={
                "near-limit encoding in C, bytes/event": samples.median(f"{size.id} C bytes"),
                "encoding, CPU ns/event": samples.median(f"{size.id} encode ns"),
            },
            reason=samples.reason(f"{size.id} bytes")))
    return bars


TWO_CORES_FIGURES = ("analyze larger one core M/s", "analyze larger two cores M/s")


def reading_bars(samples: Samples, larger_events: int) -> list[Bar]:
    """Returns the bars for reading. The one for two cores is measured on the file of `larger_events`."""
    one_core, two_cores = TWO_CORES_FIGURES
    bars = [
        _ratio_bar(
            samples, f"analyze {workload} M/s", f"C decode {workload} M/s",
            id=bar_id, what=f"analyze *{workload}*, one core ÷ decoding and a trivial analysis in C",
            direction=AT_LEAST, limit=0.75,
            peers={
                "analyze, M events/s": samples.median(f"analyze {workload} M/s"),
                "decode + trivial analysis in C, M events/s": samples.median(f"C decode {workload} M/s"),
            })
        for bar_id, workload in (("P4", "paced"), ("P4-mix", "mix"))
    ]
    bars.append(_ratio_bar(
        samples, two_cores, one_core, id="P4-two-cores",
        what=f"analyze {counted(larger_events)} events of *paced*: wall speed on two cores ÷ CPU speed on one",
        direction=AT_LEAST, limit=1.8,
        peers={"two cores, M events/s of wall time": samples.median(two_cores),
               "one core, M events/s of CPU time": samples.median(one_core)}))
    bars.append(_ratio_bar(
        samples, "analyze paced M/s", "babeltrace M/s",
        id="P4-babeltrace", what="analyze *paced*, one core ÷ babeltrace2's dummy sink",
        direction=AT_LEAST, limit=25,
        peers={"babeltrace2, M events/s": samples.median("babeltrace M/s")}))
    bars.append(_ratio_bar(
        samples, "analyze paced M/s", "uftrace report M/s",
        id="P4-uftrace", what="analyze *paced*, one core ÷ uftrace report of its own records",
        direction=AT_LEAST, limit=None,
        peers={"uftrace report, M records/s": samples.median("uftrace report M/s")}))
    bars.append(_ratio_bar(
        samples, "analyze paced M/s", "sqlite M/s",
        id="P4-sqlite", what="analyze *paced*, one core ÷ sqlite: the CSV of its passes, read and grouped once",
        direction=AT_LEAST, limit=None,
        peers={"sqlite, M events/s": samples.median("sqlite M/s")}))
    return bars


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
    samples.derive("added to start ms", ("start ms", "start alone ms"), lambda recorded, alone: recorded - alone)
    added = samples.series("added to start ms")
    return [
        _probe_bar(samples),
        _ratio_bar(
            samples, "preloaded ns", "empty observers alone ns",
            id="P6-preloaded", what="record -- COMMAND: the same, recorded from outside", direction=AT_MOST, limit=1.15,
            peers={
                "recorded, ns": samples.median("preloaded ns"),
                "with empty observers, ns": samples.median("empty observers alone ns"),
            }),
        Bar(id="P6-start", what="record -- COMMAND: ms added to the start of /bin/true", direction=AT_MOST, limit=0.2,
            figures=added, reason=None if added else samples.reason("start ms"),
            peers={"by itself, ms": samples.median("start alone ms"), "recorded, ms": samples.median("start ms")}),
        _added_bar(samples, "first use", 0.5, "record -- COMMAND: ms added to a program's first use of a run loop"),
        _added_bar(samples, "first event", 0.05, "record -- COMMAND: ms added to a thread's first event"),
        _ratio_bar(
            samples, "saturated recorded passes/s", "saturated alone passes/s",
            id="P6-saturated", what="record -- COMMAND: passes per second of a loop that never waits ÷ by itself",
            direction=AT_LEAST, limit=None,
            peers={
                "recorded, passes/s": samples.median("saturated recorded passes/s"),
                "by itself, passes/s": samples.median("saturated alone passes/s"),
            }),
        _ratio_bar(
            samples, "watched ns", "unwatched ns",
            id="P6-watched", what="record -- COMMAND: a poll pass watched for stalls (default) ÷ with --stall-threshold off",
            direction=AT_MOST, limit=None,
            peers={"watched, ns": samples.median("watched ns"), "not watched, ns": samples.median("unwatched ns")}),
        _ratio_bar(
            samples, "sampled ms", "unsampled ms",
            id="P6-sampled", what="record --sample 1ms -- COMMAND: callouts that compute, sampled each ms ÷ by themselves",
            direction=AT_MOST, limit=None,
            peers={"sampled, ms": samples.median("sampled ms"), "by itself, ms": samples.median("unsampled ms")}),
        *_event_loop_bars(samples),
    ]


def _event_loop_bars(samples: Samples) -> list[Bar]:
    def epoll(id: str, what: str, limit: float, recorded: str, alone: str, way: str = "recorded") -> Bar:
        return _ratio_bar(
            samples, recorded, alone, id=id, what=what, direction=AT_MOST, limit=limit,
            peers={f"{way}, ns": samples.median(recorded), "by itself, ns": samples.median(alone)})

    def server(name: str, what: str) -> Bar:
        recorded, alone = f"{name} recorded requests/s", f"{name} alone requests/s"
        return _ratio_bar(
            samples, recorded, alone, id=f"P6-{name}", what=what, direction=AT_LEAST, limit=0.95,
            peers={"recorded, requests/s": samples.median(recorded), "by itself, requests/s": samples.median(alone)})

    return [
        epoll("P6-loop", "record --loops all -- COMMAND: an epoll pass with a wake-up ÷ by itself", 1.35,
              "epoll recorded ns", "epoll alone ns"),
        epoll("P6-loop-alone", "record --loops all -- COMMAND: the same in a program with one thread ÷ by itself", 1.35,
              "epoll thread recorded ns", "epoll thread alone ns"),
        epoll("P6-loop-off", "record -- COMMAND, without event loops: the same ÷ by itself", 1.05,
              "epoll loaded ns", "epoll alone ns", "library loaded"),
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
        peers={"by itself, ms": samples.median(f"{name} alone ms"), "recorded, ms": samples.median(f"{name} ms")})


def _probe_bar(samples: Samples) -> Bar:
    return _ratio_bar(
        samples, "probe ns", "empty observers ns",
        id="P6", what="probe: a CFRunLoop poll pass with it ÷ the same with as many empty observers",
        direction=AT_MOST, limit=1.15,
        peers={
            "with the probe, ns": samples.median("probe ns"),
            "with empty observers, ns": samples.median("empty observers ns"),
            "bare pass, ns": samples.median("bare ns"),
            "ratio to bare": samples.median_ratio("probe ns", "bare ns"),
        })


REPORT_FIGURES = ("report MB", "report CPU s", "report peak MiB")
OPENING_FIGURES = ("report opens ms", "report frame ms")


def report_bars(samples: Samples, events: int) -> list[Bar]:
    """Returns the bars for the HTML report. They are measured once per run, on the largest file of P5."""
    of = f"report: HTML of {counted(events)} events"
    reason = samples.reason(*REPORT_FIGURES)
    return [
        Bar(id="P7", what=f"{of}, MB", direction=AT_MOST, limit=5, figures=samples.series("report MB"), reason=reason,
            peers={"making it, CPU s": samples.median("report CPU s"),
                   "making it, peak MiB": samples.median("report peak MiB")}),
        Bar(id="P7-open", what=f"{of}: ms from navigation until it answers, in headless Chromium", direction=AT_MOST,
            limit=1000, figures=samples.series("report opens ms"), reason=reason or samples.reason(*OPENING_FIGURES),
            peers={"a frame of the timeline, ms": samples.median("report frame ms")}),
    ]
