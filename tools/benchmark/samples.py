"""The measurements of a run's rounds: series of figures by name, and the reasons for missing figures."""

from collections.abc import Callable
from statistics import median

from commands import NotMeasured, say


class Samples:
    def __init__(self) -> None:
        self._rounds: list[dict[str, float]] = []
        self._reasons: dict[str, str] = {}

    def start_round(self) -> None:
        self._rounds.append({})

    def measure(self, names: tuple[str, ...], measurement: Callable[[], tuple[float, ...]]) -> None:
        """Measures one figure per name in this round. A measurement that failed once is not repeated."""
        if any(name in self._reasons for name in names):
            return
        try:
            figures = measurement()
        except NotMeasured as failure:
            self.give_up(names, str(failure))
            return
        self._rounds[-1].update(zip(names, figures, strict=True))

    def give_up(self, names: tuple[str, ...], reason: str) -> None:
        say(f"not measured: {', '.join(names)}: {reason}")
        for name in names:
            self._reasons.setdefault(name, reason)

    def derive(self, name: str, names: tuple[str, ...], formula: Callable[..., float]) -> None:
        """Adds a series: the formula's value in each round that has all of `names`."""
        for figures in self._rounds:
            if all(each in figures for each in names):
                figures[name] = formula(*(figures[each] for each in names))

    def series(self, name: str) -> list[float]:
        return [figures[name] for figures in self._rounds if name in figures]

    def ratios(self, numerator: str, denominator: str) -> list[float]:
        """Returns the ratios of figures from the same round."""
        return [figures[numerator] / figures[denominator]
                for figures in self._rounds if numerator in figures and denominator in figures]

    def median(self, name: str) -> float | None:
        figures = self.series(name)
        return median(figures) if figures else None

    def median_ratio(self, numerator: str, denominator: str) -> float | None:
        ratios = self.ratios(numerator, denominator)
        return median(ratios) if ratios else None

    def reason(self, *names: str) -> str | None:
        return next((self._reasons[name] for name in names if name in self._reasons), None)
