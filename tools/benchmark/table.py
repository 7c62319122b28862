"""The bars as a table for people."""

from bars import AT_MOST, Bar


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


def format_table(machine: dict[str, object], bars: list[Bar]) -> str:
    lines = [", ".join(f"{name} {value}" for name, value in machine.items()), ""]
    rows = [("bar", "value", "limit", "met", "spread", "what"), *map(_row, bars)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row, bar in zip(rows, [None, *bars]):
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
        if bar:
            lines += _notes(bar, indent=" " * (sum(widths) + 2 * len(widths)))
    return "\n".join(lines)


def _notes(bar: Bar, indent: str) -> list[str]:
    notes = [f"{indent}  {name}: {_figure(value)}" for name, value in bar.peers.items() if value is not None]
    if bar.reason:
        notes.append(f"{indent}  not measured: {bar.reason}")
    return notes
