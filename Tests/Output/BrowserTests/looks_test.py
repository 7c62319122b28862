"""The drawings are readable: nothing is cut off, overlaps, or is left out without a message."""

import os
import unittest

import browser
import checks
import reports
from browser import script

SHOWN = "return timeline.rows.filter((row) => !row.canvas.hidden).map((row) => row.lane.title)"


class LooksTest(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def test_short_words_of_a_comparison_are_not_broken(self):
        browser.driver().get("file://" + reports.comparison_of(reports.sample("location-uncached"), reports.sample("location-cached")))
        lines = script('''return [...document.querySelectorAll('.word')].filter((cell) => /^[a-z]{1,9}$/i.test(cell.textContent)).map((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return [cell.textContent, range.getClientRects().length];
        })''')
        self.assertLessEqual({"trace", "base", "new", "callouts"}, {text for text, _ in lines})
        self.assertEqual([text for text, count in lines if count != 1], [])

    def test_texts_do_not_lie_over_each_other(self):
        """pages_test.py checks the reports of samples."""
        for trace in (reports.threads_trace(), reports.deep_trace()):
            with self.subTest(trace=os.path.basename(trace)):
                browser.open_page(reports.report_of(trace))
                checks.texts(self)
                script("show(spanNs * 0.3, spanNs * 0.4)")
                checks.texts(self)

    def test_every_phase_of_life_is_named(self):
        browser.open_page(reports.report_of(reports.sample("watchdog-phases")))
        self.assertLessEqual({"launching", "active", "background", "terminating"}, set(checks.texts(self)))

    def test_threads_have_headings_and_names_of_their_own(self):
        browser.open_page(reports.report_of(reports.threads_trace()))
        browser.screenshot("threads")
        groups = "return [...document.querySelectorAll('.lane-group')].filter((group) => !group.hidden).map((group) => group.querySelector('bdi').textContent)"
        self.assertEqual(script(groups), ["main", "worker (thread 1)", "worker (thread 2)"])
        cut = script("return timeline.rows.filter(({ name }) => name.scrollHeight > name.clientHeight).map(({ lane }) => lane.title)")
        self.assertEqual(cut, [])
        script("filterLanes('thread 2')")
        self.assertEqual(script(groups), ["worker (thread 2)"])
        self.assertEqual(script(SHOWN)[:4], ["mode", "phases", "callouts", "tick"])
        titles = script("return [...document.querySelectorAll('#histograms figcaption')].map((title) => title.textContent)")
        self.assertEqual(len(titles), len(set(titles)), titles)

    def test_a_finding_leads_to_its_own_timer(self):
        """Three timers have the same name and share a card. Each timer links to the place where that timer was late."""
        browser.open_page(reports.report_of(reports.threads_trace()))
        places = script("""return [...document.querySelectorAll('.finding')].filter((box) => box.querySelector('.rule').textContent === 'RL004')
          .flatMap((box) => [...box.querySelectorAll('a[data-span]')].map((link) => link.dataset.span.split('-').map(Number)))""")
        begins = sorted(round((begin - reports_begin()) / 1e6) for begin, _ in places)
        self.assertEqual(begins, [100, 300, 500])

    def test_callouts_beyond_the_last_row_are_told(self):
        browser.open_page(reports.report_of(reports.deep_trace()))
        lane = "timeline.rows.find((row) => row.lane.title === 'callouts')"
        self.assertEqual(script(f"return {lane}.name.querySelector('.quiet').textContent"), "12 of 14 levels drawn")
        deepest = "threads[0].callouts[13].start[0] + 1"
        self.assertEqual(len(script(f"return {lane}.lane.at({deepest}, 0)")), 14)
        counted = script("return threadStatistics(threads[0], 0, spanNs).callouts")
        analysis = reports.analysis_of(reports.deep_trace())
        self.assertEqual(counted, sum(callout["count"] for callout in analysis["callouts"]))

    def test_every_mode_looks_different(self):
        browser.open_page(reports.report_of(reports.deep_trace()))
        same = script("""const looks = new Map(), found = [];
          modeNames.forEach((name, mode) => { const look = modeColour(mode) + (modeStyles[mode] + Math.floor(modeStyles[mode] / 6)) % 6;
            if (looks.has(look)) found.push([name, looks.get(look)]); looks.set(look, name); });
          return found""")
        self.assertEqual(same, [])
        self.assertIn("more mode", script("return document.getElementById('legend').textContent"))

    def test_what_lies_over_the_lanes_is_as_high_as_they_are(self):
        browser.open_page(reports.report_of(reports.threads_trace()))
        browser.driver().set_window_size(browser.WIDTH, 500)
        try:
            script("timeline.cursor = spanNs / 2; select([spanNs * 0.4, spanNs * 0.6]); drawNow()")
            heights = script("return [laneBox.clientHeight, timeline.marker.offsetHeight, timeline.shade.offsetHeight, laneBox.scrollHeight]")
        finally:
            browser.driver().set_window_size(browser.WIDTH, browser.HEIGHT)
        self.assertLess(heights[0], heights[3])
        self.assertGreaterEqual(min(heights[1:3]), heights[3] - 2)

    def test_modes_of_a_timer_are_compared_where_there_are_several(self):
        for page in [reports.report_of(reports.common_trace()), reports.report_of(reports.sample("starvation-default-only"))]:
            browser.open_page(page)
            self.assertFalse(script("return document.getElementById('starvation') !== null"))
        browser.open_page(reports.report_of(reports.sample("timer-starvation")))
        self.assertIn("refresh", script("return document.getElementById('starvation').textContent"))

    def test_sources_of_both_versions_have_rows(self):
        browser.open_page(reports.report_of(reports.threads_trace()))
        rows = script("return [...document.querySelectorAll('#sources tbody tr')].map((row) => [...row.cells].slice(0, 4).map((cell) => cell.textContent))")
        self.assertEqual(rows, [["port", "source1", "–", "1"]] * 3)

    def test_many_findings_leave_room_for_the_time_line(self):
        browser.open_page(reports.report_of(reports.real("stalls")))
        shown, all_of_them = script("const all = [...document.querySelectorAll('.finding')]; return [all.filter((box) => box.checkVisibility()).length, all.length]")
        self.assertEqual(shown, 3)
        self.assertGreater(all_of_them, 3)
        self.assertIn(f"{all_of_them - 3} more findings", script("return document.querySelector('.more > summary').textContent"))
        script("dispatchEvent(new Event('beforeprint'))")
        self.assertTrue(script("return [...document.querySelectorAll('.finding')].every((box) => box.checkVisibility())"))
        script("dispatchEvent(new Event('afterprint'))")
        self.assertFalse(script("return document.querySelector('.more').open"))

    def test_the_strip_names_who_held_the_loop_and_leads_there(self):
        browser.open_page(reports.report_of(reports.real("stalls")))
        self.assertIn("607 ms  Stalls.askHelper()", " ".join(checks.texts(self)))
        script("""const canvas = document.querySelector('#strip canvas'), box = canvas.getBoundingClientRect(), hang = hangs.at(-1);
          canvas.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: box.left + (hang.start + hang.length / 2) / spanNs * box.width, clientY: box.top + 5 }))""")
        self.assertEqual(script("return timeline.selection"), script("return [hangs.at(-1).start, hangs.at(-1).end]"))

    def test_who_kept_a_timer_from_firing_is_said(self):
        browser.open_page(reports.report_of(reports.common_trace()))
        said = script("""const timer = timers.find((one) => one.name === "clock"), i = timer.late.findIndex((late) => late > 1e8);
          return pointWords(timer, i)""")
        self.assertRegex(said, r"^\d+ ms late, busy: save; due at ")

    def test_what_is_said_of_several_has_a_bar_for_each(self):
        browser.open_page(reports.report_of(reports.real("five-causes")))
        script("document.querySelectorAll('.finding summary').forEach((one) => one.click())")
        bars = script("return [...document.querySelectorAll('.subjects li')].map((row) => [row.querySelector('bdi').textContent, row.querySelector('meter').value / row.querySelector('meter').max])")
        analysis = reports.analysis_of(reports.real("five-causes"))
        expected = []
        for subjects in (finding["subjects"] for finding in analysis["findings"]):
            longest = max((subject["time_ns"] for subject in subjects), default=1)
            if len(subjects) > 1:
                expected += [[subject["subject"], subject["time_ns"] / longest] for subject in subjects]
        self.assertEqual(bars, expected)
        self.assertEqual(len(bars), 4)


def reports_begin() -> int:
    return int(script("return data.fromNs"))
