"""Moving in the timeline: keys, pointer, selection, links, addresses."""

import time
import unittest

import browser
import reports
from browser import drag, key, mouse, script

VIEW = "return [timeline.view.a, timeline.view.b]"
SPAN = "return spanNs"


def rest():
    """Waits until the effects of a move are complete."""
    time.sleep(0.25)


class MarksTest(unittest.TestCase):
    """The program's marks and intervals have lanes and tables."""

    def setUp(self):
        browser.open_page(reports.report_of(reports.marks_trace()))

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def test_lanes_tell_intervals_and_marks(self):
        titles = script("return timeline.rows.map(({ lane }) => lane.title)")
        self.assertIn("intervals", titles)
        self.assertIn("marks", titles)
        said = script("""
            const lane = (title) => timeline.rows.find((row) => row.lane.title === title).lane;
            return [lane("intervals").at(250e6, 0), lane("intervals").at(380e6, 0), lane("marks").at(500e6, 1e6)]""")
        self.assertEqual([len(words) for words in said], [2, 2, 1])
        self.assertTrue(any("parse" in words for words in said[0]) and any("import" in words for words in said[0]))
        self.assertTrue(any("still open" in words and "<b>upload" in words for words in said[1]))
        self.assertIn("loaded", said[2][0])

    def test_tables(self):
        rows = script("""return ["intervals", "marks"].map((id) =>
            [...document.querySelectorAll("#" + id + " tbody tr")].map((row) => row.cells[0].textContent))""")
        self.assertEqual(sorted(rows[0]), ["</script><b>upload", "import", "parse"])
        self.assertEqual(rows[1], ["loaded", "loaded"])


class FramesTest(unittest.TestCase):
    """A frame source has lanes of its frames and hitches; a state has a lane."""

    def setUp(self):
        self.trace = reports.frames_trace()
        browser.open_page(reports.report_of(self.trace))

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def click(self, title: str, moment: str) -> dict:
        """Clicks a moment of a lane. Returns the facts in the details."""
        place = script(f"""const at = {moment}, row = timeline.rows.find(({{ lane }}) => lane.title === {title!r});
          show(at - 1e8, at + 1e8);
          row.canvas.scrollIntoView({{ block: "center", behavior: "instant" }});
          const box = row.canvas.getBoundingClientRect(), {{ a, b }} = timeline.view;
          return [box.left + (at - a) / (b - a) * box.width, box.top + box.height / 2]""")
        mouse("mousePressed", *place, button="left", clickCount=1)
        mouse("mouseReleased", *place, button="left", clickCount=1)
        rest()
        return dict(script("return [...document.querySelectorAll('#details .facts > div')].map((line) => [...line.children].map((part) => part.textContent))"))

    def test_frames_and_hitches_agree_with_the_analysis(self):
        analysis = reports.analysis_of(self.trace)
        [source], hitches = analysis["frames"], analysis["hitches"]
        self.assertEqual(len(hitches), 3)
        wanted = [source["on_time"], source["late"], source["frames"] - source["on_time"] - source["late"]]
        self.assertEqual(script("return frameStatistics(frameSources[0], 0, spanNs).counts"), wanted)
        # The columns have the same numbers as the marks.
        summed = script("frameSources[0].detail.covers = () => false; return frameStatistics(frameSources[0], 0, spanNs).counts")
        self.assertEqual(summed, wanted)
        self.assertEqual(sorted(script("return frameSources[0].hitches.map(({ length }) => length)")), sorted(hitch["duration_ns"] for hitch in hitches))

    def test_a_click_shows_what_to_blame(self):
        hitch = self.click("hitches of display", "frameSources[0].hitches[0].start + 1e6")
        self.assertRegex(hitch["cause"], r"^busy, \d+(\.\d+)? ms$")
        self.assertEqual(hitch["callout"], "timer decode")
        self.assertEqual(script("return timeline.selection"), script("const [hitch] = frameSources[0].hitches; return [hitch.start, hitch.start + hitch.length]"))
        frame = self.click("frames of display", "frameSources[0].hitches[0].due + 1e6")
        self.assertEqual(frame["callout"], "timer decode")
        self.assertIn("frame late", script("return document.getElementById('details').textContent"))
        self.assertRegex(frame["ready"], r" s, \d+(\.\d+)? ms later$")

    def test_the_steps_go_to_late_frames(self):
        steps = script("""const { lane } = timeline.rows.find((row) => row.lane.title === "frames of display"), found = [];
          for (let at = lane.step(0, 1); at !== null; at = lane.step(at, 1)) found.push(at);
          return [found, lane.step(found[1], -1) === found[0]]""")
        self.assertEqual(steps, [sorted(script("return frameSources[0].hitches.map(({ due }) => due)")), True])

    def test_lanes_are_drawn(self):
        drawn = script("""drawNow(true);
          return timeline.rows.filter(({ lane }) => lane.frames).map(({ canvas }) => {
            const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return [packed(colours.late), packed(colours.hang)].map((colour) => pixels.some((pixel) => pixel === colour));
          })""")
        self.assertEqual(drawn, [[False, True], [True, False]])

    def test_a_state_has_a_lane(self):
        said = script("""const { lane } = timeline.rows.find((row) => row.lane.title === "state screen");
          return [lane.at(5e8, 0), lane.at(1.5e9, 0)]""")
        self.assertEqual([len(words) for words in said], [1, 1])
        self.assertIn("Feed, 1.20 s", said[0][0])
        self.assertIn("</script><b>Settings", said[1][0])
        self.assertEqual(script("return stateWords(states[0], 0, spanNs)"), "Feed, </script><b>Settings")

    def test_the_table_of_the_visible_span_has_them(self):
        script("document.getElementById('lane-facts').open = true; fillLaneTable()")
        text = script("return document.getElementById('lane-table').textContent")
        self.assertIn("3 late; 3 hitches, the longest ", text)
        self.assertIn("state screen", text)


class LongTest(unittest.TestCase):
    """The page of a long trace does not contain every mark."""

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def test_no_zoom_beyond_half_a_column_and_the_nearest_marks_are_offered(self):
        browser.open_page(reports.report_of(reports.long_trace()))
        gap = script("""const spans = [...threads, ...timers].filter((lane) => !lane.detail.isWhole).flatMap((lane) => lane.detail.spans).sort(([x], [y]) => x - y);
          let end = 0, most = [0, 0];
          for (const [from, to] of spans) { if (from - end > most[1] - most[0]) most = [end, from]; end = Math.max(end, to); }
          return most""")
        middle = sum(gap) / 2
        script("show(arguments[0] - 50, arguments[0] + 50)", middle)
        rest()
        a, b = script(VIEW)
        self.assertAlmostEqual(b - a, script("return Math.min(...[...threads, ...timers].filter((lane) => !lane.detail.isWhole).map((lane) => lane.bins.width)) / 2"), delta=1)
        button = "document.querySelector('#detail button')"
        self.assertIn("No individual marks here; the nearest are at", script(f"return {button}.textContent"))
        script(f"{button}.click()")
        rest()
        self.assertTrue(script("return [...threads, ...timers].some((lane) => !lane.detail.isWhole && lane.detail.covers(timeline.view.a, timeline.view.a))"))


class SuspensionTest(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def test_a_suspended_span_is_not_busy(self):
        """The process was stopped in the middle of a callout, from 1.03 s to 6.03 s."""
        browser.open_page(reports.report_of(reports.sample("detect-suspended")))
        found = script("return threadStatistics(threads[0], 2e9, 4e9)")
        self.assertEqual((found["busy"], found["waiting"], found["suspended"]), (0, 0, 2e9))
        self.assertEqual(script("return busyWords(threadStatistics(threads[0], 2e9, 4e9))"), "suspended")
        analysis = reports.analysis_of(reports.sample("detect-suspended"))
        whole = script("return threadStatistics(threads[0], 0, spanNs)")
        [used] = analysis["utilisation"]
        self.assertAlmostEqual(whole["busy"], used["busy_ns"], delta=1e6)
        self.assertAlmostEqual(whole["waiting"], used["waiting_ns"], delta=1e6)
        script("select([2e9, 4e9])")
        self.assertIn("suspended for 2.00 s", script("return document.getElementById('selection').textContent"))

    def test_a_task_says_how_much_of_its_budget_it_used(self):
        browser.open_page(reports.report_of(reports.sample("background-task-cycle")))
        said = script("return timeline.rows[0].lane.at(100e9, 0)")
        self.assertTrue(any("140 s of 180 s" in words for words in said), said)


class TimelineTest(unittest.TestCase):
    def setUp(self):
        browser.open_page(reports.report_of(reports.sample("timer-starvation")))
        script("laneBox.scrollIntoView({block: 'start', behavior: 'instant'}); laneBox.focus()")
        box = script("const box = timeline.rows[0].canvas.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]")
        self.left, self.top, self.width, self.height = box

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def view(self):
        return script(VIEW)

    def test_keys_zoom_pan_and_fit(self):
        whole = self.view()
        key("+", "+")
        a, b = self.view()
        self.assertAlmostEqual(b - a, whole[1] / 4, delta=2)
        key("ArrowRight")
        moved = self.view()
        self.assertGreater(moved[0], a)
        self.assertAlmostEqual(moved[1] - moved[0], b - a, delta=2)
        key("-")
        self.assertAlmostEqual(self.view()[1] - self.view()[0], (b - a) * 2, delta=4)
        key("f")
        self.assertEqual(self.view(), whole)

    def test_the_wheel_zooms_to_the_pointer(self):
        x = self.left + self.width * 0.25
        before = script("return timeAt(arguments[0])", x)
        mouse("mouseWheel", x, self.top + 8, deltaX=0, deltaY=-300)
        rest()
        a, b = self.view()
        self.assertLess(b - a, script(SPAN) * 0.8)
        self.assertAlmostEqual(script("return timeAt(arguments[0])", x), before, delta=script(SPAN) * 0.002)

    def test_dragging_pans(self):
        key("+", "+")
        a, b = self.view()
        drag(self.left + 400, self.left + 200, self.top + 8)
        now = self.view()
        self.assertAlmostEqual(now[0] - a, (b - a) * 200 / self.width, delta=(b - a) * 0.01)

    def test_a_selection_has_the_numbers_of_the_whole(self):
        analysis = reports.analysis_of(reports.sample("timer-starvation"))
        script("select([0, spanNs])")
        text = script("return document.getElementById('selection').textContent")
        passes = script("return Number(document.querySelector('#selection li').dataset.passes)")
        self.assertEqual(passes, sum(mode["passes"] for mode in analysis["modes"]))
        starved = next(timer for timer in analysis["timers"] if "default only" in timer["name"])
        self.assertIn(f"{starved['fired']} fired of {starved['due']} due, {starved['skipped']} skipped (mostly wrong mode)", text)

    def test_sums_and_marks_agree(self):
        """For whole columns, the columns' sums agree with the individual marks."""
        differing = script("""
          const found = [];
          for (const thread of threads) for (const [from, to] of [[0, 1], [100, 300], [0, thread.bins.count]]) {
            const a = from * thread.bins.width, b = Math.min(to * thread.bins.width, spanNs + 1);
            const exact = threadStatistics(thread, a, b);
            const covers = thread.detail.covers;
            thread.detail.covers = () => false;
            const summed = threadStatistics(thread, a, b);
            thread.detail.covers = covers;
            for (const name of ["passes", "busy", "waiting", "callouts"]) if (exact[name] !== summed[name]) found.push([name, from, exact[name], summed[name]]);
          }
          for (const timer of timers) for (const [from, to] of [[100, 300], [0, timer.bins.count]]) {
            const a = from * timer.bins.width, b = to * timer.bins.width + (to === timer.bins.count ? 1 : 0);
            const exact = timerStatistics(timer, a, b), covers = timer.detail.covers;
            timer.detail.covers = () => false;
            const summed = timerStatistics(timer, a, b - (to === timer.bins.count ? 1 : 0));
            timer.detail.covers = covers;
            for (const name of ["fired", "skipped", "withdrawn", "pending"]) if (exact[name] !== summed[name]) found.push([timer.name, name, from, exact[name], summed[name]]);
          }
          return found""")
        self.assertEqual(differing, [])

    def test_sums_draw_what_marks_draw(self):
        """Where there are too many marks to distinguish, their columns' sums are drawn, with the same points and causes."""
        for name in ("timer-starvation", "five-causes", "added-timer"):
            browser.open_page(reports.report_of(reports.sample(name)))
            differing = script("""
              const pen = new Pen(document.createElement("canvas"), { a: 0, b: spanNs }), pixels = 600, found = [];
              Object.assign(pen, { width: pixels, scale: pixels / spanNs });
              const empty = () => ({ fired: new Float64Array(pixels), skipped: new Float64Array(pixels), worst: new Float64Array(pixels), causes: new Int8Array(pixels).fill(-1) });
              const total = (values) => values.reduce((sum, value) => sum + value, 0);
              for (const timer of timers) {
                const marks = empty(), sums = empty();
                addCrowd(pen, timer, 0, spanNs, 0, marks);
                addPointSums(pen, timer, 0, spanNs, sums);
                for (const what of ["fired", "skipped"]) {
                  if (Math.abs(total(marks[what]) - total(sums[what])) > 0.1) found.push([timer.name, what, total(marks[what]), total(sums[what])]);
                }
                for (let x = 2; x < pixels - 2; x++) {
                  const around = marks.causes.slice(x - 2, x + 3), cause = marks.causes[x];
                  if (around.every((other) => other === cause) && marks.skipped[x] > 0 && sums.causes[x] !== cause) found.push([timer.name, x, cause, sums.causes[x]]);
                }
              }
              return found""")
            self.assertEqual(differing, [], name)

    def test_late_fires_show_where_everything_is_visible(self):
        """Each late fire is at least two pixels wide, below the line, in the colour of lateness."""
        browser.open_page(reports.report_of(reports.real("timer-starvation")))
        lanes = script("""drawNow(true);
          return timeline.rows.filter(({ lane }) => lane.timer).map(({ lane, canvas }) => {
            const late = packed(colours.late), image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const pixels = new Uint32Array(image.data.buffer), line = Math.floor(canvas.height / 2), runs = [];
            let wide = 0;
            for (let x = 0; x <= canvas.width; x++) {
              const isLate = x < canvas.width && pixels[(line + 1) * canvas.width + x] === late;
              if (isLate) wide++; else { if (wide > 0) runs.push(wide); wide = 0; }
            }
            return [lane.timer.name, lane.sum().map(([words]) => words), runs];
          })""")
        late = {name: (sums, runs) for name, sums, runs in lanes}
        for name, count in (("refresh (common)", 41), ("refresh (default + tracking)", 40)):
            sums, runs = late[name]
            self.assertEqual(sums, [f"{count} late"])
            self.assertGreaterEqual(len(runs), count - 3, name)
            self.assertGreaterEqual(min(runs), 2, name)
        self.assertIn("199 / 400 skipped", late["refresh (default only)"][0])

    def test_modes_are_named_by_sums_as_by_marks(self):
        named = script("""
          const thread = threads[0], pen = new Pen(document.createElement("canvas"), { a: 0, b: spanNs }), names = [];
          Object.assign(pen, { width: 600, scale: 600 / spanNs });
          nameSums(thread.bins, 0, thread.bins.count, thread.modes.map((_, place) => ["mode" + place, place]), collectNames(pen, names));
          return names.map(([from, end, place]) => [modeNames[thread.modes[place]], Math.round(from / 1e8), Math.round(end / 1e8)])""")
        self.assertEqual(named, [["kCFRunLoopDefaultMode", 0, 10], ["UITrackingRunLoopMode", 10, 30], ["kCFRunLoopDefaultMode", 30, 40]])

    def test_dragging_with_shift_selects(self):
        drag(self.left + 100, self.left + 300, self.top + 8, modifiers=8)
        a, b = script("return timeline.selection")
        self.assertAlmostEqual(b - a, script(SPAN) * 200 / self.width, delta=script(SPAN) * 0.01)
        self.assertTrue(script("return !document.getElementById('selection').hidden && !timeline.shade.hidden"))
        key("Escape")
        self.assertIsNone(script("return timeline.selection"))
        self.assertTrue(script("return document.getElementById('selection').hidden"))

    def test_arrows_with_shift_select(self):
        key("ArrowRight", "ArrowRight", modifiers=8)
        a, b = script("return timeline.selection")
        self.assertAlmostEqual(b - a, script(SPAN) / 10, delta=script(SPAN) * 0.01)

    def test_the_address_holds_the_view_and_leads_back(self):
        script("show(1e9, 2e9); select([1.2e9, 1.4e9])")
        rest()
        address = script("return location.hash")
        self.assertEqual(address, "#t=1000000000-2000000000&s=1200000000-1400000000")
        browser.open_page(reports.report_of(reports.sample("timer-starvation")), address)
        self.assertEqual(self.view(), [1e9, 2e9])
        self.assertEqual(script("return timeline.selection"), [1.2e9, 1.4e9])

    def test_nonsense_in_the_address_is_no_matter(self):
        whole = self.view()
        for nonsense in ("#t=5-1", "#t=a-b", "#s=99999999999999999999-999999999999999999999", "#t=%00", "#findings"):
            browser.open_page(reports.report_of(reports.sample("timer-starvation")), nonsense)
            self.assertEqual(self.view(), whole, nonsense)

    def test_a_finding_leads_into_the_time_line(self):
        browser.open_page(reports.report_of(reports.sample("five-causes")))
        link = "document.querySelector('.finding a[data-span]')"
        wanted = [int(part) for part in script(f"return {link}.dataset.span").split("-")]
        script(f"{link}.closest('.finding').querySelector('summary').click(); {link}.click()")
        self.assertEqual([round(x) for x in script("return timeline.selection")], wanted)
        a, b = self.view()
        self.assertTrue(a <= wanted[0] and wanted[1] <= b and b - a < script(SPAN))
        self.assertTrue(script("return document.activeElement === laneBox"))

    def test_n_and_p_go_through_the_findings(self):
        browser.open_page(reports.report_of(reports.sample("five-causes")))
        count = script("return stops.length")
        self.assertGreater(count, 0)
        key("n")
        first = script("return timeline.selection")
        key("p")
        self.assertEqual(script("return timeline.finding"), count - 1)
        key("n")
        self.assertEqual(script("return timeline.selection"), first)
        self.assertIn("Finding 1 of", script("return document.getElementById('selection').textContent"))

    def test_hover_and_enter_say_what_is_there(self):
        mouse("mouseMoved", self.left + 200, self.top + 8)
        said = script("return tip.hidden ? '' : tip.textContent")
        self.assertIn("kCFRunLoopDefaultMode", said)
        key("ArrowDown", "Enter")
        self.assertIn("phases at 2.0", script("return document.getElementById('selection').textContent"))

    def test_a_late_fire_has_details_and_leads_to_the_callout_to_blame(self):
        browser.open_page(reports.report_of(reports.common_trace()))
        place = script("""const row = timeline.rows.find(({ lane }) => lane.title === "clock"), i = row.lane.timer.late.findIndex((late) => late > 1e8);
          show(row.lane.timer.due[i] - 2e8, row.lane.timer.due[i] + 4e8); row.canvas.scrollIntoView({ block: "center", behavior: "instant" });
          const box = row.canvas.getBoundingClientRect(), { a, b } = timeline.view;
          return [box.left + (row.lane.timer.due[i] + 1e6 - a) / (b - a) * box.width, box.top + box.height / 2]""")
        mouse("mousePressed", *place, button="left", clickCount=1)
        mouse("mouseReleased", *place, button="left", clickCount=1)
        rest()
        facts = dict(script("return [...document.querySelectorAll('#details .facts > div')].map((line) => [...line.children].map((part) => part.textContent))"))
        self.assertEqual(facts["cause"], "busy")
        self.assertRegex(facts["lateness"], r"^\d+ ms$")
        self.assertRegex(facts["callout"], r"^save, \d+ ms of the lateness$")
        blamed, outline, callouts = script("""const box = (element) => { const { left, right, top, bottom } = element.getBoundingClientRect(); return { left, right, top, bottom }; };
          return [!timeline.outline.hidden && !timeline.connector.hidden, box(timeline.outline), box(timeline.rows.find(({ lane }) => lane.title === "callouts").canvas)]""")
        self.assertTrue(blamed)
        self.assertTrue(callouts["top"] <= outline["top"] and outline["bottom"] <= callouts["bottom"], (outline, callouts))
        due = facts["due"]
        script("document.querySelector('#details [data-step=\"1\"]').click()")
        self.assertNotEqual(script("return document.querySelector('#details .facts dd').textContent"), due)
        script("document.querySelector('#details [data-step=\"-1\"]').click()")
        self.assertEqual(script("return document.querySelector('#details .facts dd').textContent"), due)
        key("Escape")
        self.assertTrue(script("return document.getElementById('details').hidden && timeline.outline.hidden"))

    def test_the_lanes_of_a_finding_come_first(self):
        places = "return timeline.rows.map(({ lane, canvas }) => [canvas.offsetTop, lane.title]).sort(([x], [y]) => x - y).map(([, title]) => title)"
        before = script(places)
        key("n")
        rest()
        self.assertEqual(script(places)[:4], ["mode", "phases", "callouts", "refresh (default only)"])
        self.assertIn("timer starves", script("return timeline.pinned.textContent"))
        script("pin(null)")
        self.assertEqual(script(places), before)
        self.assertTrue(script("return timeline.pinned.hidden"))

    def test_the_wheel_gives_way_at_the_limits(self):
        wheel = """const event = new WheelEvent("wheel", { deltaY: arguments[0], ctrlKey: arguments[1], bubbles: true, cancelable: true, clientX: 600 });
          timeline.rows[0].canvas.dispatchEvent(event); return event.defaultPrevented"""
        self.assertFalse(script(wheel, 100, False), "zooms out beyond the whole recording")
        self.assertTrue(script(wheel, 100, True), "the page itself zooms")
        self.assertTrue(script(wheel, -100, False))
        self.assertTrue(script(wheel, 100, False))

    def test_the_way_of_zoom_leads_back(self):
        whole = self.view()
        for share in (0.2, 0.02):
            script("show(spanNs / 2, spanNs / 2 + spanNs * arguments[0])", share)
            rest()
        self.assertEqual(script("return [...document.querySelectorAll('#way button')].map((button) => button.textContent)"), ["4.00 s", "800 ms"])
        script("document.querySelector('#way button').click()")
        self.assertEqual(self.view(), whole)

    def test_the_minimap_shows_and_moves_the_view(self):
        script("show(0, spanNs / 10); drawNow()")
        script("""const box = timeline.minimap.getBoundingClientRect();
          timeline.minimap.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: box.left + box.width * 0.7, clientY: box.top + 4 }))""")
        a, b = self.view()
        self.assertAlmostEqual((a + b) / 2, script(SPAN) * 0.7, delta=script(SPAN) / 100)

    def test_the_filter_keeps_lanes(self):
        key("/")
        self.assertEqual(script("return document.activeElement.id"), "lane-filter")
        browser.driver().switch_to.active_element.send_keys("common")
        shown = script("return timeline.rows.filter((row) => !row.canvas.hidden).map((row) => row.lane.title)")
        self.assertEqual(shown, ["refresh (common)"])
        key("Escape")
        self.assertEqual(script("return timeline.rows.filter((row) => row.canvas.hidden).length"), 0)

    def test_the_lane_table_follows_the_view(self):
        script("document.getElementById('lane-facts').open = true")
        rest()
        text = script("return document.getElementById('lane-table').textContent")
        self.assertIn("199 skipped (mostly wrong mode)", text)

    def test_lanes_are_not_empty(self):
        for name in ("timer-starvation", "five-causes", "leave-and-return"):
            browser.open_page(reports.report_of(reports.sample(name)))
            empty = script("""return timeline.rows.filter(({ lane, canvas }) => {
                const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                return !pixels.some((value) => value !== 0);
              }).map((row) => row.lane.title)""")
            self.assertEqual(empty, [], name)


class LongTimelineTest(unittest.TestCase):
    def test_a_frame_is_drawn_in_time_at_any_zoom_and_selections_agree(self):
        trace = reports.long_trace()
        browser.open_page(reports.report_of(trace))
        script("select([0, spanNs])")
        passes = script("return Number(document.querySelector('#selection li').dataset.passes)")
        self.assertEqual(passes, sum(mode["passes"] for mode in reports.analysis_of(trace)["modes"]))
        for place in (0.6, 0):
            script("show(0, spanNs)")
            for _ in range(30):
                script("zoom(0.5, spanNs * arguments[0]); drawNow()", place)
        # The beginning has individual marks. Elsewhere zooming stops where the sums have no more detail.
        self.assertLess(script("return timeline.view.b - timeline.view.a"), 1e5)
        script("show(0, spanNs)")
        self.assertIn("in whole columns", script("select([spanNs * 0.5, spanNs * 0.500001]); return document.getElementById('selection').textContent"))
        self.assertEqual(browser.complaints(), [])
