"""The reports under test: of each sample trace, of a long trace, and of traces with hostile names."""

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
    """Returns the samples that are recordings. The format's own samples contain times that no analysis accepts."""
    found = sorted(path for folder in ("real", "virtual")
                   for path in glob.glob(os.path.join(_root, "SampleTraces", folder, "*.rltrace")))
    assert len(found) > 20, found
    return found


EX_DATAERR = 65  # damaged or truncated: the readable part is reported


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
def comparison_of(base: str, new: str) -> str:
    """Returns the page that compares two traces."""
    page = os.path.join(_scratch, "comparison.html")
    rltrace("compare", base, new, "--html", page)
    return page


def overview_of(*traces: str) -> str:
    """Returns the page with links to the traces' reports."""
    page = os.path.join(_scratch, "overview.html")
    rltrace("report", *traces, "-o", page)
    return page


@functools.cache
def fleet_page() -> str:
    """Returns the page of a fleet whose second build is worse."""
    lines, page = os.path.join(_scratch, "fleet.jsonl"), os.path.join(_scratch, "fleet.html")
    subprocess.run([os.path.join(_root, "tools/fleet/generate"), "--sessions", "20", "--os", "17,18", "--devices", "phoneA,phoneB",
                    "--planted", "2", "--rltrace", _rltrace, "-o", lines], check=True, capture_output=True)
    result = subprocess.run([_rltrace, "fleet", lines, "--by", "os,device", "--base", "build=1.3", "--new", "build=1.4", "--html", page],
                            capture_output=True, text=True)
    assert result.returncode == 1, result.stderr
    return page


@functools.cache
def analysis_of(trace: str) -> dict:
    return json.loads(read("analyze", trace, "--format", "json"))


def sample(name: str) -> str:
    return os.path.join(_root, "SampleTraces", "virtual", name + ".rltrace")


def real(name: str) -> str:
    return os.path.join(_root, "SampleTraces", "real", name + ".rltrace")


@functools.cache
def long_trace() -> str:
    """Records six minutes with a scrolling finger every ten seconds: a million events."""
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
about: Names that look like markup.
timers:
{timers}
gestures:
  - {{at: 500ms, for: 500ms, do: [cpu: 2ms]}}
thread:
  - run: {{for: 2s}}
""")


@functools.cache
def threads_trace() -> str:
    """Three threads, two with the same name. Each has a port and a timer that starves, and the timers have the same name."""
    blocks = [loop_of_a_thread(*thread) for thread in ((0, 100, 30), (1, 300, 120), (2, 500, 260))]
    return assembled("threads", """\
rltrace-text 1
header minor=1 unit=10ns codec=none capture=callouts clock=monotonic high=yes
strings
  1 "loop"
  2 "tick"
  3 "work"
  4 "port"
threads
  0 os=1 main=yes "app"
  1 os=2 main=no "worker"
  2 os=3 main=no "worker"
modes
  1 "kCFRunLoopDefaultMode"
sync
  0 monotonic=0 boottime=0 realtime=1700000000000000000
""" + "".join(blocks) + "end\n")


@functools.cache
def marks_trace() -> str:
    """A thread that runs a loop, with marks and intervals of the program: nested, overlapping and unfinished."""
    return assembled("marks", """\
rltrace-text 1
header minor=2 unit=10ns codec=none capture=callouts clock=monotonic high=yes
strings
  1 "loop"
  2 "import"
  3 "parse"
  4 "</script><b>upload"
  5 "loaded"
threads
  0 os=1 main=yes "app"
modes
  1 "kCFRunLoopDefaultMode"
events thread=0
  0 loop.create #1 name=1
  0 Entry.low m1 #1
  0 Entry.high m1 #1
  10000000 interval.begin m1 #2 name=2
  20000000 interval.begin m1 #3 name=3
  30000000 interval.end m1 #3
  35000000 interval.begin m1 #4 name=4
  40000000 interval.end m1 #2
  50000000 mark m1 name=5
  90000000 mark m1 name=5
  100000000 Exit.low m1 #1
  100000000 Exit.high m1 #1
end
""")


MS = 100_000  # in the text's time units

# The functions of `stacks_trace` by number: name, file, line. Functions from LIBRARY on belong to a library.
LIBRARY = 20
CODE = {
    1: ("main", "/src/app/main.swift", 3), 2: ("Feed.refresh()", "/src/app/Feed.swift", 12),
    3: ("<script>document.title='owned'</script>", "/src/app/\"><b>Cache.swift", 41),
    4: ("Feed.layout()\nof `rows` \u202e '\"&amp;", "/src/app/Feed.swift", 57), 5: ("walk(_:) " + "x" * 400, "/src/app/Tree.swift", 9),
    20: ("CFRunLoopRun", "", 0), 21: ("__CFRunLoopDoTimer", "", 0), 22: ("fsync", "", 0), 23: ("read", "", 0), 24: ("__start", "", 0),
}
OUTER = [24, 1, 20, 21, 21, 21, 2]
STALLS = [  # begin and length (ms), and the samples with their times (ms), outermost frame first
    (100, 500, [(at, [*OUTER, 3, 22]) for at in (230, 280, 330)] + [(at, [*OUTER, 3, 23]) for at in (380, 430)] + [(480, [*OUTER, 4])]),
    (800, 400, [(at, [*OUTER, 4, 5, 5, 5, 5]) for at in (930, 980, 1030, 1080, 1130)]),
    (1400, 300, [(at, [24, 20, 22]) for at in (1530, 1580, 1630)]),
]


@functools.cache
def stacks_trace() -> str:
    """Three stalls: in two functions, in a recursion, and in no function of the program. The names look like markup."""
    strings = ["loop", "/opt/app/bin/app", "/usr/lib/libc.so.6", ""]

    def string(text: str) -> int:
        if text not in strings:
            strings.append(text)
        return strings.index(text) + 1

    def address(number: int) -> int:
        return 0x1000 * number + 0x10

    names = [f"  0 frameName address={address(number)} depth=0 function={string(name)} file={string(file)} line={line} column=1"
             for number, (name, file, line) in CODE.items()]
    events = ["  0 loop.create #1 name=1", "  0 Entry.low m1 #1", "  0 Entry.high m1 #1"]

    def at(ms: float, event: str) -> None:
        events.append(f"  {int(ms * MS)} {event}")

    samples = [f"  0 imageMap path=2 base=0x1000 size={0x1000 * (LIBRARY - 1)} build_id=4",
               f"  0 imageMap path=3 base={0x1000 * LIBRARY} size={0x100000} build_id=4"]
    for begin, length, sampled in STALLS:
        for activity in ("BeforeTimers", "BeforeSources", "BeforeWaiting"):
            at(begin - 50, f"{activity}.low m1 #1")
            at(begin - 50, f"{activity}.high m1 #1")
        for edge in ("low", "high"):
            at(begin, f"AfterWaiting.{edge} m1 #1")
        for edge in ("low", "high"):
            at(begin + length, f"BeforeTimers.{edge} m1 #1")
        for when, stack in sampled:
            frames = [address(number) + (1 if place > 0 else 0) for place, number in enumerate(reversed(stack))]
            samples.append(f"  {when * MS} thread.stack thread=1 reason=1 " + " ".join(f"frame={frame}" for frame in frames))
    for edge in ("low", "high"):
        at(1900, f"Exit.{edge} m1 #1")
    listed = "".join(f"  {number + 1} {text_of(text)}\n" for number, text in enumerate(strings))
    return assembled("stacks", f"""\
rltrace-text 1
header minor=2 unit=10ns codec=none capture=callouts clock=monotonic high=yes
strings
{listed}threads
  0 os=1 main=yes "app"
  1 os=2 main=no "(recorder)"
modes
  1 "kCFRunLoopDefaultMode"
info
  "recorder_thread" "1"
  "program" "/opt/app/bin/app"
events thread=1
""" + "\n".join(names + samples) + "\nevents thread=0\n" + "\n".join(events) + "\nend\n")


def text_of(name: str) -> str:
    """Returns the name as a string of the text form."""
    return '"' + "".join(f"\\u{{{ord(letter):x}}}" if letter in '"\\' or not letter.isprintable() else letter for letter in name) + '"'



def loop_of_a_thread(thread: int, busy_from: int, busy_for: int) -> str:
    """Returns a loop with a port and a 10 ms timer that a block keeps from firing for some time. Times are milliseconds."""
    loop, timer, block, port = (4 * thread + number for number in range(1, 5))
    lines = [f"events thread={thread}"]

    def at(ms: float, *events: str) -> None:
        lines.extend(f"  {int(ms * MS)} {event}" for event in events)

    def both(activity: str) -> tuple[str, str]:
        return f"{activity}.low m1 #{loop}", f"{activity}.high m1 #{loop}"

    def to_sleep(ms: float) -> None:
        at(ms, *both("BeforeTimers"), *both("BeforeSources"), *both("BeforeWaiting"))

    first = busy_from - 10
    at(0, f"loop.create #{loop} name=1", f"timer.create #{timer} name=2 interval_ns={10_000_000 + 10 * thread} tolerance_ns=0 due={first * MS} site=2",
       f"timer.add #{timer} mode=1 loop={loop}", f"source.create #{port} name=4 version=1 order=0 site=4", f"source.add #{port} mode=1 loop={loop}",
       f"block.create #{block} name=3 loop={loop}", f"run.begin m1 #{loop} timeout_ns=60000000000 return_after_source=0", *both("Entry"))
    to_sleep(0)
    at(first, *both("AfterWaiting"), f"timer.due m1 #{timer} due={first * MS}", f"timer.begin m1 #{timer}")
    at(first + 1, f"timer.end m1 #{timer}", f"source1.begin m1 #{port}")
    at(first + 2, f"source1.end m1 #{port}")
    to_sleep(first + 2)
    at(busy_from - 1, *both("AfterWaiting"), *both("BeforeTimers"), *both("BeforeSources"), f"block.begin m1 #{block}")
    at(busy_from + busy_for, f"block.end m1 #{block}",
       f"timer.due m1 #{timer} due={first * MS + MS * 10 + thread}", f"timer.begin m1 #{timer}")
    at(busy_from + busy_for + 1, f"timer.end m1 #{timer}", f"timer.invalidate m1 #{timer}")
    to_sleep(busy_from + busy_for + 1)
    return "\n".join(lines) + "\n"


@functools.cache
def deep_trace() -> str:
    """A timer whose callouts run the loop, fourteen deep."""
    depth = 14
    timers = "".join(
        f"  - {{name: level {level}, every: 10s, first: {level}ms, modes: [level {level}], do: [cpu: 100us, run: {{mode: level {level + 1}, for: 30ms}}]}}\n"
        for level in range(1, depth + 1))
    return recorded("deep", f"""\
scenario: deep
about: Runs in runs.
timers:
{timers}
thread:
  - run: {{mode: level 1, for: 200ms}}
""")


@functools.cache
def frames_trace() -> str:
    """A frame source of 60 Hz, three of whose frames wait for a timer of 50 ms. The screen changes after 1.2 s."""
    return recorded("frames", """\
scenario: frames
about: Frames that wait for a decoder.
timers:
  - {name: display, every: 16667us, frames: true, do: [cpu: 2ms]}
  - {name: decode, every: 500ms, do: [cpu: 50ms]}
thread:
  - state: {name: screen, value: Feed}
  - run: {for: 1200ms}
  - state: {name: screen, value: "</script><b>Settings"}
  - run: {for: 700ms}
""")


@functools.cache
def common_trace() -> str:
    """A timer in the common modes that is late because of other callouts."""
    return recorded("common", """\
scenario: common
about: Common modes do not prevent delays by other callouts.
common modes: [tracking]
timers:
  - {name: clock, every: 10ms, modes: [common], do: [cpu: 100us]}
  - {name: save, every: 1s, do: [disk: 300ms]}
thread:
  - run: {for: 3s}
""")


def assembled(name: str, text: str) -> str:
    source, trace = os.path.join(_scratch, name + ".rltext"), os.path.join(_scratch, name + ".rltrace")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    rltrace("assemble", source, "-o", trace)
    return trace


def recorded(name: str, scenario: str) -> str:
    source, trace = os.path.join(_scratch, name + ".yaml"), os.path.join(_scratch, name + ".rltrace")
    with open(source, "w", encoding="utf-8") as file:
        file.write(scenario)
    rltrace("record", "--scenario", source, "--virtual", "--quiet", "-o", trace)
    return trace


def leaves(value, key=""):
    """Yields the keys of a JSON document, in the form of the page, with their values."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{key}[{place}]")
    else:
        yield key, value
