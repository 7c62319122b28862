"""The cost of recording when many threads record at once."""

from dataclasses import asdict, dataclass

THREADS = (1, 2, 8, 64, 1000)


@dataclass(frozen=True)
class Producers:
    """One run of threads that record as fast as possible, on two CPUs that they share with the drain."""

    threads: int
    emitted_events: float
    lost_events: float
    traced_cpu_ns_per_event: float
    drain_cpu_ns_per_event: float

    @property
    def lost_share(self) -> float:
        return self.lost_events / self.emitted_events

    def as_json(self) -> dict[str, object]:
        return asdict(self)
