"""Accessibility of the page: keyboard, screen readers, contrast and printing."""

import base64
import glob
import html
import importlib.util
import os
import re
import subprocess
import tempfile
import unittest

import browser
import reports
from browser import key, script


def axe_source() -> str:
    """Returns the source of axe-core from the package axe-core-python."""
    package = os.path.dirname(importlib.util.find_spec("axe_core_python").origin)
    with open(glob.glob(os.path.join(package, "axe.min.js"))[0], encoding="utf-8") as file:
        return file.read()


# The rules of axe whose results depend on colours.
RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]


class AccessibilityTest(unittest.TestCase):
    def tearDown(self):
        browser.set_theme("light")

    def test_axe_finds_nothing_serious(self):
        source = axe_source()
        for trace in (reports.sample("timer-starvation"), reports.sample("leave-and-return"), reports.hostile_trace(), reports.stacks_trace(), reports.frames_trace(), reports.real("stalls")):
            browser.open_page(reports.report_of(trace))
            script("select([0, spanNs]); document.getElementById('lane-facts').open = true; document.querySelector('[data-do=help]').click()")
            self.check_barriers(source, trace)
        for page in (reports.comparison_of(reports.sample("starvation-default-only"), reports.sample("stuttering-app")),
                     reports.overview_of(reports.sample("stuttering-app"), reports.real("stalls")),
                     reports.fleet_page()):
            browser.driver().get("file://" + page)
            self.check_barriers(source, page)

    def check_barriers(self, source: str, page: str) -> None:
        """The themes of a page differ in nothing but colours."""
        script(source)
        browser.set_theme("light")
        self.assertEqual(barriers({}), [], f"light {page}")
        browser.set_theme("dark")
        self.assertEqual(barriers({"runOnly": RULES_OF_COLOURS}), [], f"dark {page}")

    def test_an_overview_leads_to_the_moments_of_its_reports(self):
        overview = reports.overview_of(reports.sample("stuttering-app"), reports.real("stalls"))
        browser.driver().get("file://" + overview)
        self.assertEqual(script("return [...document.querySelectorAll('.glance rect.tracking')].length"), 2)
        hang = script("return document.querySelector('a:has(rect.hang)').getAttribute('href')")
        page, _, fragment = hang.partition("#")
        browser.open_page(os.path.join(os.path.dirname(overview), page), "#" + fragment)
        self.assertEqual(script("return timeline.selection.map((time) => Number(origin) + time)"), [int(text) for text in hang.split("#s=")[1].split("-")])
        self.assertEqual(script("return [Math.round(hangs[0].start / 1e8), Math.round(hangs[0].length / 1e8)]"), [160, 26])

    def test_an_axis_has_one_unit(self):
        browser.open_page(reports.report_of(reports.sample("timer-starvation")))
        for view in ("0, spanNs", "0, 2e6", "1e9, 1.0001e9"):
            labels = script("""const found = [], write = CanvasRenderingContext2D.prototype.fillText;
              CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { if (this.canvas === timeline.axis) found.push(text); write.call(this, text, x, y); };
              try { show(%s); drawNow(); } finally { CanvasRenderingContext2D.prototype.fillText = write; }
              return found""" % view)
            self.assertGreater(len(labels), 2)
            self.assertEqual(len({label.split(" ")[-1] for label in labels}), 1, labels)
            self.assertEqual(len(set(labels)), len(labels), labels)

    def test_names_can_be_read_on_every_colour_of_the_flame_graph(self):
        for theme in ("light", "dark"):
            browser.set_theme(theme)
            browser.open_page(reports.report_of(reports.real("stalls")))
            ink, *papers = script("""const style = getComputedStyle(document.documentElement);
              return ["ink", "own", "image-0", "image-1", "image-2", "image-3", "image-other", "found"].map((name) => style.getPropertyValue("--" + name).trim())""")
            for paper in papers:
                self.assertGreaterEqual(contrast(ink, paper), 4.5, f"{theme} {paper}")

    def test_inks_stand_out(self):
        """Canvas colours, which axe cannot check, have a contrast of 3:1 to neighbours, and of 4.5:1 for text."""
        for theme in ("light", "dark"):
            inks = inks_of(theme)
            for one, other in INKS_THAT_TOUCH:
                self.assertGreaterEqual(contrast(inks[one], inks[other]), 3, f"{theme} {one} {other}")
            for text, below in (("ink", "paper"), ("quiet", "paper"), ("late", "card"), ("mark-text", "busy"), ("mark-text", "hang"), ("mark-text", "rest")):
                self.assertGreaterEqual(contrast(inks[text], inks[below]), 4.5, f"{theme} {text} {below}")

    def test_inks_are_told_apart_by_those_who_do_not_see_all_colours(self):
        for theme in ("light", "dark"):
            inks = inks_of(theme)
            for blindness, matrix in COLOUR_BLINDNESS.items():
                for one, other in (("busy", "hang"), ("busy", "late"), ("hang", "late"), ("rest", "hang"), ("mode-0", "mode-1")):
                    apart = distance(seen(inks[one], matrix), seen(inks[other], matrix))
                    self.assertGreater(apart, 60, f"{theme} {blindness} {one} {other}")

    def test_tab_reaches_everything_and_focus_shows(self):
        for trace in (reports.sample("five-causes"), reports.real("stalls")):
            with self.subTest(trace=os.path.basename(trace)):
                self.check_tab(trace)

    def check_tab(self, trace: str) -> None:
        browser.open_page(reports.report_of(trace))
        wanted = script("""return [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
          .filter((one) => one.checkVisibility()).length""")
        script("""window.reached = new Set(); window.unseen = [];
          document.addEventListener('focusin', (event) => {
            window.reached.add(event.target);
            const style = getComputedStyle(event.target);
            if (style.outlineStyle === 'none' || style.outlineWidth === '0px') window.unseen.push(event.target.outerHTML.slice(0, 120));
          });""")
        for _ in range(wanted + 5):
            key("Tab")
        self.assertEqual(script("return window.unseen"), [])
        missing = script("""return [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
          .filter((one) => one.checkVisibility() && !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 120))""")
        self.assertEqual(missing, [])

    def test_headings_are_in_order_and_landmarks_are_there(self):
        for trace in reports.samples()[:6] + [reports.sample("timer-starvation")]:
            browser.open_page(reports.report_of(trace))
            levels = script("return [...document.querySelectorAll('h1, h2, h3')].filter((head) => head.checkVisibility()).map((head) => Number(head.tagName[1]))")
            self.assertEqual(levels[0], 1)
            self.assertEqual(levels.count(1), 1)
            self.assertTrue(all(b - a <= 1 for a, b in zip(levels, levels[1:])), levels)
            self.assertEqual(script("return document.querySelectorAll('main').length"), 1)

    def test_every_canvas_has_words(self):
        browser.open_page(reports.report_of(reports.sample("timer-starvation")))
        self.assertEqual(script("""return [...document.querySelectorAll('canvas')].filter((canvas) =>
          canvas.getAttribute('aria-hidden') !== 'true' && !canvas.getAttribute('aria-label')).length"""), 0)

    def test_paper_has_every_column(self):
        """The PDF contains every heading and number of the page, and no word lies outside the paper."""
        for trace in (reports.sample("timer-starvation"), reports.real("stalls")):
            browser.open_page(reports.report_of(trace))
            headings = script("return [...document.querySelectorAll('table.sortable')].map((table) => [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim()))")
            pages = printed_words()
            self.assertFalse(script("return document.documentElement.classList.contains('paper') || document.querySelector('.on-paper') !== null"))
            text = " ".join(word for _, words in pages for _, _, word in words)
            for heads in headings:
                for heading in heads:
                    self.assertIn(heading, text)
            outside = [word for width, words in pages for left, right, word in words if float(left) < 0 or float(right) > width]
            self.assertEqual(outside, [])
        self.assertEqual(browser.complaints(), [])

    def test_canvases_are_drawn_as_wide_as_the_paper(self):
        browser.open_page(reports.report_of(reports.sample("timer-starvation")))
        script("dispatchEvent(new Event('beforeprint'))")
        stretched = script("""return [...document.querySelectorAll("main canvas, #strip canvas")].filter((canvas) => canvas.clientWidth > 0 &&
          Math.abs(canvas.width / canvas.clientWidth - canvas.height / canvas.clientHeight) > 0.1).length""")
        widest = script("return Math.max(...[...document.querySelectorAll('canvas')].map((canvas) => canvas.getBoundingClientRect().right - document.body.getBoundingClientRect().left))")
        script("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(stretched, 0)
        self.assertLessEqual(widest, 700)

    def test_on_a_phone_names_can_be_told_apart(self):
        browser.driver().set_window_size(500, 900)  # The window cannot be narrower, so the test sets the width of a phone in the page.
        try:
            browser.open_page(reports.report_of(reports.sample("timer-starvation")))
            script("document.documentElement.style.width = '400px'; dispatchEvent(new Event('resize'))")
            names = script("""return timeline.rows.map(({ name }) => name.querySelector("bdi")).map((text) => [text.textContent, text.scrollHeight <= text.clientHeight + 1, text.scrollWidth <= text.clientWidth + 1])""")
            self.assertEqual([name for name, *fits in names if not all(fits)], [])
        finally:
            browser.driver().set_window_size(browser.WIDTH, browser.HEIGHT)

    def test_a_narrow_window_does_not_scroll_sideways(self):
        browser.driver().set_window_size(500, 900)
        try:
            browser.open_page(reports.report_of(reports.hostile_trace()))
            self.assertLessEqual(script("return document.documentElement.scrollWidth - innerWidth"), 0)
        finally:
            browser.driver().set_window_size(browser.WIDTH, browser.HEIGHT)

    def test_a_fleet_page_fits_a_phone_and_names_the_regression(self):
        browser.driver().set_window_size(500, 900)
        try:
            browser.driver().get("file://" + reports.fleet_page())
            self.assertLessEqual(script("return document.documentElement.scrollWidth - innerWidth"), 0)
            self.assertIn("build=1.4 is worse than build=1.3", script("return document.querySelector('h1').innerText"))
            worse = script("return [...document.querySelectorAll('tr.part th')].map((cell) => cell.innerText.trim())")
            self.assertTrue(any("os=18" in text for text in worse), worse)
            self.assertFalse(any("os=17" in text for text in worse), worse)
        finally:
            browser.driver().set_window_size(browser.WIDTH, browser.HEIGHT)

    def test_paper_has_the_whole_fleet(self):
        """The PDF contains every heading of the page of a fleet and every group, and no word lies outside the paper."""
        browser.driver().get("file://" + reports.fleet_page())
        wanted = script("""return [...document.querySelectorAll('h1, h2, thead th, tbody th')].flatMap((one) => one.innerText.trim().split(/\\s+/))""")
        pages = printed_words()
        found = {html.unescape(word) for _, words in pages for _, _, word in words}
        self.assertGreater(len(wanted), 50)
        self.assertEqual([word for word in wanted if word not in found], [])
        self.assertEqual([word for width, words in pages for left, right, word in words if float(left) < 0 or float(right) > width], [])

    def test_screenshots(self):
        """Saves screenshots to look at."""
        for name, trace in (("starvation", reports.sample("timer-starvation")), ("causes", reports.sample("five-causes")),
                            ("life", reports.sample("leave-and-return")), ("stalls", reports.real("stalls")), ("long", reports.long_trace())):
            browser.open_page(reports.report_of(trace))
            for theme in ("light", "dark"):
                browser.set_theme(theme)
                browser.screenshot(f"{name}-{theme}")
            browser.set_theme("light")
        self.assertEqual(browser.complaints(), [])


def printed_words() -> list:
    """Returns the width of each page of paper, and its words with their left and right ends."""
    printed = browser.driver().execute_cdp_cmd("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True})
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(base64.b64decode(printed["data"]))
        file.flush()
        boxes = subprocess.run(["pdftotext", "-bbox", file.name, "-"], check=True, capture_output=True, text=True).stdout
    return [(float(page[1]), re.findall(r'<word xMin="([^"]+)" yMin="[^"]+" xMax="([^"]+)" yMax="[^"]+">([^<]*)<', page[2]))
            for page in re.finditer(r'<page width="([^"]+)"[^>]*>(.*?)</page>', boxes, re.S)]


def barriers(options: dict) -> list:
    """Returns the violations that axe, which the page has, finds on the page. `options` are those of axe."""
    result = browser.driver().execute_async_script(
        "const [options, done] = arguments; axe.run(options).then(done, (error) => done({ violations: [{ id: String(error), impact: 'serious', nodes: [] }] }))",
        {"resultTypes": ["violations"], **options})
    return [(violation["id"], violation["impact"], [node["html"][:160] for node in violation["nodes"][:3]])
            for violation in result["violations"] if violation["impact"] in ("serious", "critical", "moderate")]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(colour: str) -> list[float]:
    parts = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    return [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


INKS_THAT_TOUCH = [(ink, "paper") for ink in ("busy", "late", "hang", "rest", *(f"mode-{number}" for number in range(6)))] + [
    ("busy", "late"), ("hang", "late"), ("rest", "late"), ("mode-0", "mode-1"), ("busy", "card"), ("late", "card")]

# The visible parts of linear red, green and blue without one kind of cone: Viénot, Brettel and Mollon, 1999.
COLOUR_BLINDNESS = {
    "protanopia": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deuteranopia": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
}


def seen(colour: str, matrix) -> list[float]:
    """Returns the colour as a colour-blind person sees it, with components from 0 to 255."""
    mixed = [min(max(sum(share * part for share, part in zip(row, linear(colour))), 0), 1) for row in matrix]
    return [255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055) for part in mixed]


def distance(one: list[float], other: list[float]) -> float:
    return sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5


def inks_of(theme: str) -> dict[str, str]:
    """Returns the colours of the style sheet, with six digits each."""
    browser.set_theme(theme)
    browser.open_page(reports.report_of(reports.sample("timer-starvation")))
    return script("""const pen = document.createElement("canvas").getContext("2d"), inks = {};
      for (const name of arguments[0]) { pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); inks[name] = pen.fillStyle; }
      return inks""", ["paper", "card", "ink", "quiet", "mark-text", "busy", "late", "hang", "rest", *(f"mode-{number}" for number in range(6))])
