"""Exports open in the viewers that they are made for, with every slice."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

import browser
import reports
import viewers

THREAD_SLICES = """
    SELECT coalesce(thread.name, thread_track.name, ''), coalesce(slice.name, ''), ts, dur
    FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)"""
TRACK = "overdue: refresh (default only)"


class ViewersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        starvation = next(path for path in reports.samples() if path.endswith("real/timer-starvation.rltrace"))
        try:
            # The first use installs the viewers.
            viewers.sql([cls.export(starvation, "perfetto")], "SELECT 1")
            cls.viewers = viewers.Viewers(cls.folder.name)
        except viewers.Missing as missing:
            cls.folder.cleanup()
            print(f"viewers_test.py: exports were NOT opened in other viewers: {missing}", file=sys.stderr)
            raise unittest.SkipTest(str(missing)) from missing
        cls.starvation = starvation

    @classmethod
    def tearDownClass(cls):
        cls.viewers.close()
        cls.folder.cleanup()

    @classmethod
    def export(cls, trace: str, format: str) -> str:
        name = "-".join(trace.split(os.sep)[-2:]).removesuffix(".rltrace")
        path = os.path.join(cls.folder.name, f"{name}.{format}")
        if not os.path.exists(path):
            reports.read("export", trace, "--format", format, "-o", path)
        return path

    def test_catapult_has_every_slice_without_a_warning(self):
        """Catapult reads the same slices from the JSON as trace_processor reads from the protobuf."""
        traces = reports.samples()
        slices = viewers.sql([self.export(trace, "perfetto") for trace in traces], THREAD_SLICES)
        self.viewers.open_catapult()
        compared = 0
        for trace, rows in zip(traces, slices):
            with self.subTest(trace=os.path.basename(trace)):
                found = self.viewers.import_in_catapult(os.path.basename(self.export(trace, "chrome")))
                self.assertEqual(found["warnings"], [])
                expected = [(thread, name, int(begin), int(length)) for thread, name, begin, length in rows]
                self.assertEqual(since_the_first(expected), since_the_first(map(tuple, found["slices"])))
                compared += len(expected)
        self.assertGreater(compared, 10_000)

        if browser.screenshots:
            self.viewers.show_in_catapult(os.path.basename(self.export(self.starvation, "chrome")))
            viewers.save_picture(os.path.join(browser.screenshots, "catapult.png"), 310)

    def test_speedscope_shows_profiles(self):
        """Speedscope's own loader accepts the file. The page shows the main thread, and the number of threads."""
        try:
            viewers.install_speedscope()
        except viewers.Missing as missing:
            print(f"viewers_test.py: exports were NOT opened in speedscope: {missing}", file=sys.stderr)
            self.skipTest(str(missing))
        for trace in (reports.sample("stuttering-app"), reports.real("stalls"), self.starvation):
            with self.subTest(trace=os.path.basename(trace)):
                path = self.export(trace, "speedscope")
                with open(path, encoding="utf-8") as file:
                    profile = json.load(file)
                place = profile["activeProfileIndex"]
                shown = self.viewers.open_speedscope(os.path.basename(path))
                self.assertNotIn("wrong", shown)
                self.assertIn(profile["profiles"][place]["name"], shown)
                if len(profile["profiles"]) > 1:
                    self.assertIn(f"({place + 1}/{len(profile['profiles'])})", shown)
                errors = [entry["message"] for entry in browser.driver().get_log("browser") if entry["level"] == "SEVERE"]
                self.assertEqual([error for error in errors if "favicon" not in error], [])
        if browser.screenshots:
            browser.driver().execute_async_script("setTimeout(arguments[0], 500)")
            viewers.save_picture(os.path.join(browser.screenshots, "speedscope.png"), 270)

    def test_perfetto_shows_the_starved_timer(self):
        self.viewers.open_perfetto(os.path.basename(self.export(self.starvation, "perfetto")))
        self.assertIn(TRACK, self.viewers.tracks())
        [[track, name, length]] = self.viewers.query(
            "SELECT track.name AS track, slice.name AS slice, dur FROM slice JOIN track ON slice.track_id = track.id "
            "WHERE category = 'overdue' ORDER BY dur DESC LIMIT 1", "track", "slice", "dur")
        self.assertEqual((track, name), (TRACK, "fired"))
        self.assertEqual(round(int(length) / 1e9, 1), 2.0)
        # The slice takes the second half of the recording.
        self.assertGreater(self.viewers.longest_bar(TRACK), 0.4)
        self.assertLess(self.viewers.longest_bar("overdue: refresh (common)"), 0.1)
        if browser.screenshots:
            browser.driver().set_window_size(browser.WIDTH, 700)
            browser.driver().execute_async_script("setTimeout(arguments[0], 500)")
            browser.driver().save_screenshot(os.path.join(browser.screenshots, "perfetto.png"))
            browser.driver().set_window_size(browser.WIDTH, browser.HEIGHT)


def since_the_first(slices) -> Counter:
    slices = list(slices)
    first = min((begin for _, _, begin, _ in slices), default=0)
    return Counter((thread, name, begin - first, length) for thread, name, begin, length in slices)


def plain(cell: str) -> str:
    """Returns the text of a cell that tools/perfetto printed."""
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), cell)


def unescaped(name: str) -> str:
    """Returns a name that trace_processor shows as JSON: v52 decodes escapes only in texts with an escaped quote."""
    return json.loads(f'"{name}"').replace("\0", "\N{REPLACEMENT CHARACTER}")


HOSTILE_NAMES = [
    r'\"quoted\" \\ \u{8}', r"two\nlines\u{D}\n", r"a\tb\u{0}c\u{1B}[31mred", r"left \u{202E}right\u{2066}",
    "<script>alert(1)</script>", "</script>]]>--", "{\\\"ph\\\":\\\"B\\\"}", "\udcff\udcfe invalid", "\U0001F600 \u0627\u0628",
    # A name in a trace has at most 65,536 bytes.
    "x" * 65_000, "%s %n ${0}",
]


class HostileExportsTest(unittest.TestCase):
    """The real trace_processor reads exports of hostile and cut traces, drops nothing and sees the same slices in both formats."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def check(self, *traces: str, options: tuple[str, ...] = ()) -> list[str]:
        paths = []
        for trace in traces:
            for format in ("perfetto", "chrome"):
                paths.append(f"{trace}.{format}")
                reports.read("export", trace, "--format", format, "-o", paths[-1])
        result = subprocess.run([viewers.ROOT / "tools/perfetto", *options, *paths], capture_output=True, text=True)
        if result.returncode == 69:
            self.skipTest(result.stderr.strip())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return paths

    def test_names(self):
        strings = "".join(f'  {place} "{name}"\n' for place, name in enumerate(HOSTILE_NAMES, 2))
        places = range(2, len(HOSTILE_NAMES) + 2)
        sources = "".join(f"  0 source.create #{place} name={place} version=0 order=0 site={place}\n" for place in places)
        events = "".join(
            f"  {100 * place} source0.begin m1 #{place}\n  {100 * place + 50} source0.end m1 #{place}\n" for place in places)
        text = (
            "rltrace-text 1\nheader minor=1 unit=10ns codec=none capture=callouts clock=monotonic high=yes\n"
            f'strings\n  1 "loop"\n{strings}'
            f'threads\n  0 os=1 main=yes "{HOSTILE_NAMES[0]}"\nmodes\n  1 "{HOSTILE_NAMES[3]}"\n'
            "sync\n  0 monotonic=0 boottime=0 realtime=1700000000000000000\nevents thread=0\n"
            "  0 loop.create #1 name=1\n" + sources + "  0 run.begin m1 #1 timeout_ns=6000000000 return_after_source=0\n"
            f"  0 Entry.low m1 #1\n  10 BeforeTimers.low m1 #1\n{events}  5000 Exit.low m1 #1\n  5000 run.end m1 #1 result=1\nend\n")
        path = os.path.join(self.folder, "names")
        # A name that is not UTF-8 in the text form.
        with open(path + ".rltext", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        made = subprocess.run([reports._rltrace, "assemble", path + ".rltext", "-o", path + ".rltrace"], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr[:400])
        exports = self.check(path + ".rltrace")
        statement = "SELECT slice.ts, dur, depth, slice.name FROM slice WHERE category = 'source0' ORDER BY slice.ts"
        rows = viewers.sql(exports, statement)
        self.assertEqual(len(rows[0]), len(HOSTILE_NAMES))
        for protobuf, chrome in zip(*rows, strict=True):
            self.assertEqual(protobuf[:3], chrome[:3])
            if protobuf[3] != chrome[3]:
                self.assertEqual(plain(protobuf[3]), unescaped(plain(chrome[3])))
        self.assertIn("<script>alert(1)</script>", [row[3] for row in rows[0]])
        self.assertIn("two\nlines\r\n", [plain(row[3]) for row in rows[0]])

    def test_cut_traces(self):
        cut = []
        for name in (reports.sample("stuttering-app"), reports.real("stalls")):
            with open(name, "rb") as file:
                data = file.read()
            for part in (0.3, 0.6, 0.95):
                cut.append(os.path.join(self.folder, f"{part}-of-{os.path.basename(name)}"))
                with open(cut[-1], "wb") as file:
                    file.write(data[:int(len(data) * part)])
        self.check(*cut, options=("--same",))
