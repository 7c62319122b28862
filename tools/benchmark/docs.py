"""Writes the figures of a run into docs/explanation/performance.md, between two marks. The text around them stays."""

import os
import tempfile

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "explanation", "performance.md")
BEGIN = "<!-- figures: written by tools/bench --write-docs, never by hand -->"
END = "<!-- end of figures -->"


class PageWithoutMarks(Exception):
    pass


def _parts(page: str) -> tuple[str, str]:
    """Returns the text before the figures and the text after them."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise PageWithoutMarks(f"docs/explanation/performance.md: no place for the figures: expected '{BEGIN}' and '{END}'")
    return before, after


def check_page() -> None:
    """Checks the page before minutes of measuring. Raises PageWithoutMarks."""
    with open(PAGE, encoding="utf-8") as file:
        _parts(file.read())


def write_figures(figures: str) -> None:
    with open(PAGE, encoding="utf-8") as file:
        before, after = _parts(file.read())
    folder = os.path.dirname(PAGE)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=".performance.", delete=False) as file:
        file.write(f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}")
    os.chmod(file.name, 0o644)
    os.replace(file.name, PAGE)
