"""Every report opens without messages, is small, and agrees with the analysis."""

import os
import re
import unittest

import browser
import checks
import reports
from browser import script

CELLS = """return [...document.querySelectorAll("[data-key]")].map((cell) => [cell.dataset.key,
  cell.dataset.ns ?? cell.dataset.value ?? null, cell.textContent])"""


class PageTest(unittest.TestCase):
    def check_numbers(self, trace: str) -> int:
        """Compares every number of the page with the same key of the JSON. Returns their number."""
        wanted = dict(reports.leaves(reports.analysis_of(trace)))
        compared = 0
        for key, value, text in script(CELLS):
            if key not in wanted:
                self.assertFalse(value, f"{key} is not in the JSON")
                continue
            expected = wanted[key]
            if expected is None:
                self.assertIn(value, ("", None), key)
            elif isinstance(expected, bool):
                self.assertEqual(text, "yes" if expected else "no", key)
            elif isinstance(expected, float):
                self.assertAlmostEqual(float(value), expected, places=9, msg=key)
            elif isinstance(expected, int):
                self.assertEqual(value, str(expected), key)
            else:
                continue
            compared += 1
        return compared

    def test_every_sample(self):
        """All checks of a sample's report take place on one page, because opening it takes the longest."""
        compared = 0
        for trace in reports.samples():
            with self.subTest(trace=os.path.basename(trace)):
                browser.open_page(reports.report_of(trace))
                compared += self.check_numbers(trace)
                self.check_rows(trace)
                checks.texts(self)
                script("show(spanNs * 0.3, spanNs * 0.4)")
                checks.texts(self)
                self.check_first_screen()
                self.assertEqual(browser.complaints(), [])
        self.assertGreater(compared, 2000)

    def check_first_screen(self) -> None:
        """Checks that the first screen of a wide window has the whole strip, and the timeline from near the middle on."""
        browser.driver().set_window_size(1400, browser.HEIGHT)
        try:
            strip, top = script("return ['strip', 'timeline'].map((id) => document.getElementById(id).getBoundingClientRect()).map((box, i) => i === 0 ? box.height : box.top)")
        finally:
            browser.driver().set_window_size(browser.WIDTH, browser.HEIGHT)
        self.assertTrue(96 <= strip <= 100, strip)
        self.assertLess(top, 460)  # The verdict may take another line.

    def check_rows(self, trace: str) -> None:
        """Checks that the page has every finding, timer and gap."""
        analysis = reports.analysis_of(trace)
        found = script("return [...document.querySelectorAll('.finding .rule')].map((rule) => rule.textContent)")
        self.assertEqual(found, [finding["rule"] for finding in analysis["findings"]])
        keys = {key for key, _, _ in script(CELLS)}
        for place in range(len(analysis["timers"])):
            self.assertIn(f"timers[{place}].lateness_ns.p99", keys)
        for place in range(len(analysis["gaps"])):
            self.assertIn(f"gaps[{place}].duration_ns", keys)

    def test_a_long_trace_is_small_and_opens_at_once(self):
        page = reports.report_of(reports.long_trace())
        self.assertLessEqual(os.path.getsize(page), 5_000_000)
        browser.open_page(page)
        self.assertGreater(self.check_numbers(reports.long_trace()), 100)
        self.assertEqual(browser.complaints(), [])
        self.assertRegex(script("return document.getElementById('detail').textContent"), "has no individual marks: each column sums up")

    def test_hostile_names_are_text(self):
        trace = reports.hostile_trace()
        page = reports.report_of(trace)
        browser.open_page(page)
        self.assertNotEqual(script("return document.title"), "owned")
        self.assertEqual(script("return document.querySelectorAll('img, b:not(.remedy b, .figure b)').length"), 0)
        self.assertEqual(script("return document.scripts.length"), 2)
        self.assertEqual(browser.complaints(), [])
        shown = script("return [...document.querySelectorAll('#timers tbody th bdi')].map((name) => name.textContent)")
        self.assertIn(reports.HOSTILE_NAMES[0], shown)
        with open(page, encoding="utf-8") as file:
            source = file.read()
        self.assertNotIn("\u202e", source)
        self.assertEqual(len(re.findall("<script", source)), 2)

    def test_a_long_name_is_cut_and_can_be_read(self):
        browser.open_page(reports.report_of(reports.hostile_trace()))
        script("document.querySelector('#timers button.whole').click()")
        longest = max(script("return [...document.querySelectorAll('#whole-text')].map((box) => box.textContent.length)"))
        self.assertGreater(longest, 64)
        widest = script("return Math.max(...[...document.querySelectorAll('#timers bdi')].map((name) => name.textContent.length))")
        self.assertLessEqual(widest, 64)

    def test_it_says_what_was_not_kept(self):
        browser.open_page(reports.report_of(reports.sample("timer-starvation")))
        self.assertRegex(script("return document.getElementById('detail').textContent"), "Every pass, phase, callout and due point")

    def test_it_is_readable_without_a_script(self):
        browser.driver().execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            browser.driver().get("file://" + reports.report_of(reports.sample("timer-starvation")))
            tree = browser.driver().execute_cdp_cmd("DOM.getDocument", {"depth": -1})
            text = str(tree)
        finally:
            browser.driver().execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertIn("timers[0].lateness_ns.p99", text)
        self.assertIn("this browser does not run", text)
