"""Measures how long an HTML report takes to open: prints {"interactive_ms": …}, from the navigation to the page's own mark.

    open_page.py PAGE

Uses one headless Chromium. The time is the median of several openings without the first one. Also measures how long a
frame of the timeline takes to draw: the median of 40 frames of zooming in and out, after 20 others.
"""

import json
import os
import sys
from statistics import median

OPENINGS = 6
FRAMES = """const frames = [];
for (let i = 0; i < 60; i++) { zoom(i % 20 < 10 ? 0.8 : 1.25); drawNow(); frames.push(timeline.frameMs); }
return frames"""


def main(page: str) -> None:
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError as missing:
        sys.exit(f"{missing}; tools/install-deps --bench installs it")
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(flag)
    browser = webdriver.Chrome(service=Service("chromedriver"), options=options)
    try:
        times = []
        for _ in range(OPENINGS):
            browser.get("about:blank")
            browser.get("file://" + os.path.abspath(page))
            times.append(browser.execute_script("return performance.getEntriesByName('report-ready')[0].startTime"))
        frames = browser.execute_script(FRAMES)
    finally:
        browser.quit()
    print(json.dumps({"interactive_ms": median(times[1:]), "first_ms": times[0], "frame_ms": median(frames[20:])}))


if __name__ == "__main__":
    main(sys.argv[1])
