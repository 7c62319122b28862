"""Tables sort by exact numbers, and filter; charts and the starvation view are drawn."""

import unittest

import browser
import reports
from browser import script


def column(table: str, place: int, attribute: str) -> list:
    return script("""return [...document.querySelector(arguments[0]).tBodies[0].rows].filter((row) => !row.hidden)
      .map((row) => row.cells[arguments[1]].dataset[arguments[2]])""", table, place, attribute)


class TablesTest(unittest.TestCase):
    def test_gaps_sort_by_each_heading_both_ways(self):
        browser.open_page(reports.report_of(reports.sample("five-causes")))
        lengths = [int(value) for value in column("#gaps", 1, "ns")]
        self.assertEqual(lengths, sorted(lengths, reverse=True))
        for place, attribute in ((0, "ns"), (1, "ns"), (7, "value")):
            for reverse in (True, False):
                script("document.querySelector('#gaps').tHead.rows[0].cells[arguments[0]].querySelector('button').click()", place)
                values = [int(value) for value in column("#gaps", place, attribute)]
                self.assertEqual(values, sorted(values, reverse=reverse))
        self.assertEqual(script("return document.querySelectorAll('#gaps [aria-sort]').length"), 1)
        self.assertEqual(browser.complaints(), [])

    def test_a_table_filters(self):
        browser.open_page(reports.report_of(reports.sample("five-causes")))
        script("""const field = document.querySelector('input[aria-controls=callouts]');
          field.value = 'network synchronous'; field.dispatchEvent(new Event('input'))""")
        self.assertEqual(column("#callouts", 0, "ns"), [])
        script("""const field = document.querySelector('input[aria-controls=callouts]');
          field.value = 'synchronous timer'; field.dispatchEvent(new Event('input'))""")
        self.assertEqual(len(column("#callouts", 0, "ns")), 1)

    def test_columns_that_are_the_same_in_all_rows_are_folded(self):
        browser.open_page(reports.report_of(reports.real("timer-starvation")))
        shown = "return [...document.querySelector('#timers').tHead.rows[0].cells].filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent)"
        folded, words = script(shown), script("return document.querySelector('#timers').parentElement.nextElementSibling.textContent")
        self.assertNotIn("withdrawn", folded)
        self.assertIn("withdrawn 0", words)
        self.assertLessEqual({"timer", "skipped", "blocked by", "max late"}, set(folded))
        script("document.querySelector('#timers').parentElement.nextElementSibling.querySelector('button').click()")
        self.assertIn("withdrawn", script(shown))
        self.assertIn(f"All {len(script(shown))} columns", words)

    def test_sections_with_nothing_in_them_are_left_out(self):
        browser.open_page(reports.report_of(reports.sample("detect-idle")))
        self.assertIn("gaps", script("return document.getElementById('facts').textContent.split('Left out')[1]"))
        self.assertEqual(script("return [...document.querySelectorAll('nav a')].filter((link) => !document.querySelector(link.hash)).length"), 0)
        self.assertEqual(script("return [...document.querySelectorAll('main > section')].filter((section) => section.children.length < 2).map((section) => section.id)"), [])

    def test_variants_stand_side_by_side(self):
        browser.open_page(reports.report_of(reports.sample("timer-starvation")))
        kinds = script("return [...document.querySelectorAll('#starvation-0 tbody th')].map((head) => head.textContent)")
        self.assertEqual(sorted(kinds), ["common modes", "default + tracking", "default only"])
        skipped = dict(zip(kinds, column("#starvation-0", 3, "value")))
        self.assertEqual(skipped, {"default only": "199", "default + tracking": "0", "common modes": "0"})
        cost = dict(zip(kinds, (int(value) for value in column("#starvation-0", 6, "ns"))))
        self.assertEqual(cost["default only"] // 1_000_000, 0)
        self.assertEqual(round(cost["common modes"] / 1_000_000), 10)

    def test_one_variant_is_no_comparison(self):
        browser.open_page(reports.report_of(reports.sample("starvation-default-only")))
        self.assertIsNone(script("return document.getElementById('starvation')"))

    def test_charts_are_drawn(self):
        for name in ("timer-starvation", "five-causes"):
            browser.open_page(reports.report_of(reports.sample(name)))
            script("drawCharts()")
            blank = script("""return [...document.querySelectorAll('.charts canvas, .variants canvas')].filter((canvas) =>
              !canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value !== 0)).length""")
            self.assertEqual(blank, 0, name)
            self.assertGreater(script("return document.querySelectorAll('.charts canvas').length"), 2)
