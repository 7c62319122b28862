"""The flame graph of sampled stacks: weights, zoom, search, callers and callees, keys, and names that are text."""

import unittest

import browser
import reports
from browser import key, mouse, script

BOXES = """return flame.boxes.map(({ node, left, width, row, box }) => [node.function < 0 ? "shared" : stackFunctions[node.function].name,
  Math.round(node.total / 1e6), Math.round(1000 * left), Math.round(1000 * width), row, box !== null])"""
ABOUT = "return document.getElementById('flame-about').textContent"
SCRIPT = reports.CODE[3][0]


def boxes() -> dict[str, list]:
    """Returns the first box of each name."""
    found: dict[str, list] = {}
    for name, *rest in script(BOXES):
        found.setdefault(name, rest)
    return found


def press(name: str) -> None:
    script("document.querySelector(`[data-flame=${arguments[0]}]`).click()", name)


def choose(scope: str) -> None:
    script("const box = document.getElementById('flame-scope'); box.value = arguments[0]; box.dispatchEvent(new Event('change'))", scope)


def choose_box(name: str) -> None:
    script("flame.boxes.find(({ node }) => node.function >= 0 && stackFunctions[node.function].name === arguments[0]).box.click()", name)


class FlameTest(unittest.TestCase):
    def setUp(self):
        browser.open_page(reports.report_of(reports.stacks_trace()))

    def tearDown(self):
        self.assertNotEqual(script("return document.title"), "owned")
        self.assertEqual(browser.complaints(), [])

    def test_weights_are_those_of_the_analysis(self):
        stalls = reports.analysis_of(reports.stacks_trace())["stalls"]
        self.assertEqual([stall["duration_ns"] for stall in stalls], [length * 1_000_000 for _, length, _ in reports.STALLS])
        self.assertEqual(script("return stacksOf(stalls).total"), sum(part["duration_ns"] for stall in stalls for part in stall["stacks"]))
        self.assertEqual(script("return functionSums(stacksOf(stalls), false).reduce((sum, { self }) => sum + self, 0)"), 1_200_000_000)
        found = boxes()
        # 380 ms including the time before the first sample, then 120 ms in another function.
        self.assertEqual(found[SCRIPT][0], 380)
        self.assertEqual(found["read"][0], 100)
        # fsync has two callers, so it has two boxes.
        self.assertEqual([box[1] for box in script(BOXES) if box[0] == "fsync"], [300, 280])

    def test_a_stall_by_itself(self):
        choose("1")
        # The recursion is a path of four frames. The outer frames, which all stacks share, are one box until they are
        # expanded.
        walks = [box for box in script(BOXES) if box[0].startswith("walk(_:)")]
        self.assertEqual([box[1] for box in walks], [400] * 4)
        self.assertEqual([box[4] for box in walks], sorted(box[4] for box in walks))
        self.assertNotIn("shared", boxes())
        about = script("return document.getElementById('flame-stall').textContent")
        self.assertIn("Tree.swift:9", about)
        self.assertIn("Confidence high: 5 samples", about)
        choose("2")
        self.assertIn("no function of the program itself", script("return document.getElementById('flame-stall').textContent"))

    def test_zoom_and_the_way_back(self):
        before = script(BOXES)
        choose_box(SCRIPT)
        found = boxes()
        self.assertEqual(found[SCRIPT][2], 1000)
        self.assertEqual(round(found["fsync"][2] / 10), 74)
        self.assertFalse(any(name.startswith("Feed.layout()") for name in found))
        # Choosing the caller zooms out, and so does the button.
        self.assertEqual(found["Feed.refresh()"][2], 1000)
        choose_box("Feed.refresh()")
        self.assertEqual(round(boxes()[SCRIPT][2]), round(1000 * 380 / 900))
        press("back")
        press("back")
        self.assertEqual(script(BOXES), before)

    def test_callers_above_and_callees_below(self):
        choose_box("fsync")
        press("sandwich")
        rows = [(name, rest[0], rest[3]) for name, *rest in script(BOXES)]
        # The last row shows fsync with its samples from both stalls, and its callers above it. It calls nothing.
        last = max(row for _, _, row in rows)
        self.assertEqual([row for row in rows if row[2] == last], [("fsync", 280 + 300, last)])
        self.assertEqual({row[:2] for row in rows if row[2] == last - 1}, {(SCRIPT, 280), ("CFRunLoopRun", 300)})
        press("sandwich")
        script("[...document.querySelectorAll('#flame-functions button.link')].find((one) => one.textContent === 'Feed.refresh()').click()")
        below = {name: rest for name, *rest in script(BOXES)}
        self.assertLess(below["Feed.refresh()"][3], below[SCRIPT][3])
        self.assertEqual(below["Feed.refresh()"][0], 900)

    def test_search_tells_time_and_marks(self):
        script("const field = document.getElementById('flame-find'); field.value = 'TREE.swift'; field.dispatchEvent(new Event('input'))")
        self.assertIn("Found 1 function: 400 ms, 33.3 %", script("return document.getElementById('flame-path').textContent"))
        self.assertEqual(script("return document.querySelectorAll('.frame.found').length"), 4)
        script("const field = document.getElementById('flame-find'); field.value = 'nowhere'; field.dispatchEvent(new Event('input'))")
        self.assertIn("Nothing here matches", script("return document.getElementById('flame-path').textContent"))

    def test_keys_move_zoom_and_go_back(self):
        script("document.querySelector('.frame[tabindex=\"0\"]').focus()")
        self.assertEqual(script("return document.querySelectorAll('.frame[tabindex=\"0\"]').length"), 1)
        for _ in range(20):
            key("ArrowUp")
        self.assertEqual(script("return flame.boxes.find(({ node }) => node === flame.current).row"), 0)
        for _ in range(20):
            key("ArrowDown")
        deepest = script("return document.activeElement.getAttribute('aria-label')")
        self.assertIn("ms", deepest)
        self.assertIn(deepest.split(",")[0][:20], script(ABOUT))
        key("ArrowUp", "Enter")
        self.assertEqual(len(script("return flame.zoom")) > 0, True)
        self.assertIn("frame", script("return document.activeElement.className"))
        key("s")
        self.assertIsNotNone(script("return flame.around"))
        key("Backspace", "Backspace")
        self.assertEqual(script("return [flame.around, flame.zoom.length]"), [None, 0])
        # These keys belong to the graph, not to the timeline.
        self.assertEqual(script("return timeline.selection"), None)

    def test_pointer_tells_function_place_image_time_and_share(self):
        script("document.getElementById('flame-graph').scrollIntoView({ block: 'center' })")
        left, top = script("""const box = flame.boxes.find(({ node }) => node.function >= 0 && stackFunctions[node.function].name === arguments[0]).box.getBoundingClientRect();
          return [box.left + 40, box.top + 8]""", SCRIPT)
        mouse("mouseMoved", left, top)
        for part in (SCRIPT, "Cache.swift:41", "app", "380 ms", "31.7 %"):
            self.assertIn(part, script(ABOUT))

    def test_names_are_text_everywhere(self):
        self.assertEqual(script("return document.scripts.length"), 2)
        self.assertEqual(script("return document.querySelectorAll('#flame script, #flame img').length"), 0)
        for scope in ("all", "0", "1", "2"):
            choose(scope)
        press("sandwich")
        with open(reports.report_of(reports.stacks_trace()), encoding="utf-8") as file:
            self.assertNotIn("\u202e", file.read())

    def test_the_time_line_tells_who_held_the_loop(self):
        lanes = script("return timeline.rows.map(({ lane }) => lane.title)")
        self.assertEqual(lanes[lanes.index("gaps") + 1], "stacks")
        said = script("return ['gaps', 'stacks', 'phases'].map((title) => timeline.rows.find(({ lane }) => lane.title === title).lane.at(300e6, 0).join('\\n'))")
        for words in (said[0], said[2]):
            self.assertIn(f"blocked 380 ms by {SCRIPT} \"><b>Cache.swift:41", words)
            self.assertIn("confidence", words)
        self.assertIn("fsync\n", said[1])
        script("document.getElementById('lane-facts').open = true; fillLaneTable()")
        self.assertIn("3 stalls, the longest 500 ms: blocked 380 ms by", script("return document.getElementById('lane-table').textContent"))
        # A selection leads to the stacks.
        script("select([0, spanNs])")
        script("document.querySelector('[data-stall=\"1\"]').click()")
        self.assertEqual(script("return [flame.scope, document.activeElement.id]"), ["1", "flame-scope"])

    def test_boxes_stay_inside_and_do_not_lie_over_each_other(self):
        for scope in ("all", "0", "1", "2"):
            choose(scope)
            found = script("""const graph = document.getElementById('flame-graph').getBoundingClientRect();
              return flame.boxes.filter(({ box }) => box).map(({ box, row }) => { const { left, right, top, bottom } = box.getBoundingClientRect();
                return [row, left - graph.left, right - graph.left, graph.width, bottom - graph.top, graph.height]; })""")
            for place, (row, left, right, width, bottom, height) in enumerate(found):
                self.assertGreaterEqual(left, -0.5)
                self.assertLessEqual(right, width + 0.5)
                self.assertLessEqual(bottom, height + 0.5)
                for other, other_left, other_right, *_ in found[place + 1:]:
                    if other == row:
                        self.assertTrue(right <= other_left + 0.5 or other_right <= left + 0.5)

    def test_a_page_without_stalls_has_none_of_it(self):
        browser.open_page(reports.report_of(reports.sample("pass-anatomy")))
        self.assertEqual(script("return [document.getElementById('flame'), document.getElementById('stalls-section'), data.stalls ?? null]"), [None, None, None])
        self.assertNotIn("Stalls", script("return document.querySelector('nav').textContent"))
