"""The result as tables, for a terminal and for docs/explanation/performance.md."""

from collections.abc import Iterable

from bars import AT_MOST, Bar
from producers import Producers
from scale import Scale, counted

HEADER = ("bar", "value", "limit", "met", "spread", "what")


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if abs(value) < 100 else f"{value:.0f}"


def _row(bar: Bar) -> tuple[str, ...]:
    sign = "≤" if bar.direction == AT_MOST else "≥"
    return (
        bar.id,
        _figure(bar.value),
        f"{sign} {bar.limit:g}" if bar.limit is not None else "–",
        "yes" if bar.met else "NO" if bar.value is not None and bar.limit is not None else "–",
        " … ".join(_figure(edge) for edge in bar.spread) if bar.spread else "",
        bar.what,
    )


def _notes(bar: Bar) -> list[str]:
    notes = [f"{name}: {_figure(value)}" for name, value in bar.peers.items() if value is not None]
    return [*notes, f"not measured: {bar.reason}"] if bar.reason else notes


def _scale_rows(scale: Scale) -> Iterable[tuple[str, ...]]:
    for command, readings in scale.by_command().items():
        for reading in readings:
            yield (command, counted(reading.events), _figure(reading.cpu_ns_per_event),
                   _figure(reading.wall_ns_per_event), _figure(reading.peak_mib))


def _producer_rows(producers: list[Producers]) -> Iterable[tuple[str, ...]]:
    for row in producers:
        yield (str(row.threads), counted(row.emitted_events), f"{row.lost_share:.1%}",
               _figure(row.traced_cpu_ns_per_event), _figure(row.drain_cpu_ns_per_event))


PRODUCERS_HEADER = ("threads", "events", "lost", "traced, CPU ns/event", "drain, CPU ns/event")
SCALE_HEADER = ("command", "events", "CPU ns/event", "wall ns/event", "peak MiB")


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]]).rstrip() for row in rows]


def format_text(machine: dict[str, object], bars: list[Bar], scale: Scale, producers: list[Producers]) -> str:
    lines = [", ".join(f"{name} {value}" for name, value in machine.items()), ""]
    rows = _aligned([HEADER, *map(_row, bars)])
    notes_begin = rows[0].index(HEADER[-1]) + 2
    lines.append(rows[0])
    for row, bar in zip(rows[1:], bars):
        lines += [row, *(" " * notes_begin + note for note in _notes(bar))]
    return "\n".join([*lines, "", *_aligned([SCALE_HEADER, *_scale_rows(scale)]), "",
                      *_aligned([PRODUCERS_HEADER, *_producer_rows(producers)]), *scale.reasons])


def _markdown(rows: list[tuple[str, ...]]) -> list[str]:
    escaped = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return [escaped[0], "|" + "---|" * len(rows[0]), *escaped[1:]]


def format_markdown(machine: dict[str, object], bars: list[Bar], scale: Scale, producers: list[Producers]) -> str:
    met = {"yes": "met", "NO": "**missed**", "–": ""}
    rows = [("", "what", "figure", "bar", "", "measured")]
    for bar in bars:
        name, value, limit, is_met, spread, what = _row(bar)
        figure = f"{value} [{spread}]" if spread else value
        rows.append((name, what, figure, limit, met[is_met], "; ".join(_notes(bar))))
    about = [f"* {name.replace('_', ' ')}: {value}" for name, value in machine.items()]
    return "\n".join([*about, "", *_markdown(rows), "",
                      "The same commands on traces of more and more events, once each, on two cores:", "",
                      *_markdown([SCALE_HEADER, *_scale_rows(scale)]), "",
                      "Threads that record as fast as they can and never wait, once each, on two cores that they share with "
                      "the drain: events that do not fit into a ring are lost, and counted.", "",
                      *_markdown([PRODUCERS_HEADER, *_producer_rows(producers)]), *scale.reasons])
