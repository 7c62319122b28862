"""The cost of reading as traces grow: the same commands on files with more and more events."""

from dataclasses import dataclass

ANALYZE, REPORT = "analyze", "report"


def counted(events: float) -> str:
    """Returns the number in readable form: `104 M`, `1 G`."""
    return f"{events / 1e9:.3g} G" if events >= 1e9 else f"{events / 1e6:.3g} M"


@dataclass(frozen=True)
class Reading:
    """One run of a command on a trace, on two CPUs."""

    command: str
    events: int
    cpu_seconds: float
    wall_seconds: float
    peak_mib: float

    @property
    def cpu_ns_per_event(self) -> float:
        return self.cpu_seconds * 1e9 / self.events

    @property
    def wall_ns_per_event(self) -> float:
        return self.wall_seconds * 1e9 / self.events

    def as_json(self) -> dict[str, object]:
        return {
            "command": self.command,
            "events": self.events,
            "cpu_ns_per_event": round(self.cpu_ns_per_event, 2),
            "wall_ns_per_event": round(self.wall_ns_per_event, 2),
            "peak_mib": round(self.peak_mib, 2),
        }


@dataclass
class Scale:
    readings: list[Reading]
    reasons: list[str]  # why readings are missing

    def peak_mib_of_events(self) -> dict[int, float]:
        return {reading.events: reading.peak_mib for reading in self.readings if reading.command == ANALYZE}

    def by_command(self) -> dict[str, list[Reading]]:
        """Returns each command's readings, smallest file first."""
        rows: dict[str, list[Reading]] = {}
        for reading in sorted(self.readings, key=lambda reading: reading.events):
            rows.setdefault(reading.command, []).append(reading)
        return rows
