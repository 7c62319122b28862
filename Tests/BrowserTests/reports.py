"""The reports under test: of each sample trace, of a long one, of hostile names."""

import functools
import glob
import json
import os
import subprocess

_rltrace = _scratch = _root = ""


def setup(rltrace: str, scratch: str, root: str) -> None:
    global _rltrace, _scratch, _root
    _rltrace, _scratch, _root = rltrace, scratch, root


def rltrace(*arguments: str) -> str:
    return subprocess.run([_rltrace, *arguments], check=True, capture_output=True, text=True).stdout


def samples() -> list[str]:
    """Those that are recordings: the format's own samples hold times that no analysis takes."""
    found = sorted(path for folder in ("real", "real-1.1", "virtual")
                   for path in glob.glob(os.path.join(_root, "SampleTraces", folder, "*.rltrace")))
    assert len(found) > 20, found
    return found


EX_DATAERR = 65  # damaged or cut short: what could be read is reported


def read(*arguments: str) -> str:
    result = subprocess.run([_rltrace, *arguments], capture_output=True, text=True)
    assert result.returncode in (0, EX_DATAERR), result.stderr
    return result.stdout


@functools.cache
def report_of(trace: str) -> str:
    folder = _scratch if trace.startswith(_scratch) else os.path.join(_root, "SampleTraces")
    page = os.path.join(_scratch, os.path.relpath(trace, folder).replace(os.sep, "-") + ".html")
    read("report", trace, "-o", page)
    return page


@functools.cache
def analysis_of(trace: str) -> dict:
    return json.loads(read("analyze", trace, "--format", "json"))


def sample(name: str) -> str:
    return os.path.join(_root, "SampleTraces", "virtual", name + ".rltrace")


@functools.cache
def long_trace() -> str:
    """Six minutes of a scrolling finger every ten seconds, a million events."""
    gestures = "\n".join(f"  - {{at: {second}s, for: 2s, do: [cpu: 2ms]}}" for second in range(5, 340, 10))
    return recorded("long", f"""\
scenario: long
about: A million events.
common modes: [tracking]
timers:
  - {{name: refresh (default only), every: 10ms, do: [cpu: 100us]}}
  - {{name: refresh (default + tracking), every: 10ms, first: 13333us, modes: [default, tracking], do: [cpu: 100us]}}
  - {{name: refresh (common), every: 10ms, first: 16667us, modes: [common], do: [cpu: 100us]}}
  - {{name: save, every: 47s, do: [disk: 700ms]}}
gestures:
{gestures}
thread:
  - run: {{for: 340s}}
""")


HOSTILE_NAMES = [
    "<script>document.title='owned'</script>", "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">", "=HYPERLINK(1+1)", "left \u202e right", "a\tb",
    "'\"><b>bold</b>{{file}}", "<!--", "]]>", "long " + "x" * 10_000,
]


@functools.cache
def hostile_trace() -> str:
    timers = "\n".join(
        f"  - {{name: {json.dumps(name)}, every: {20 + place}ms, do: [cpu: {300 if place == 0 else 1}ms]}}"
        for place, name in enumerate(HOSTILE_NAMES))
    return recorded("hostile", f"""\
scenario: hostile
about: Names that would like to be markup.
timers:
{timers}
gestures:
  - {{at: 500ms, for: 500ms, do: [cpu: 2ms]}}
thread:
  - run: {{for: 2s}}
""")


def recorded(name: str, scenario: str) -> str:
    source, trace = os.path.join(_scratch, name + ".yaml"), os.path.join(_scratch, name + ".rltrace")
    with open(source, "w", encoding="utf-8") as file:
        file.write(scenario)
    rltrace("record", "--scenario", source, "--virtual", "--quiet", "-o", trace)
    return trace


def leaves(value, key=""):
    """The keys of a JSON document as the page names them, with their values."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{key}[{place}]")
    else:
        yield key, value
