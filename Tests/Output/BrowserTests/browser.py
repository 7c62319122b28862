"""One headless Chromium for all tests."""

import json
import os

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

screenshots: str | None = None
_driver = None
WIDTH, HEIGHT = 1280, 900


def driver():
    global _driver
    if _driver is None:
        options = webdriver.ChromeOptions()
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--window-size={WIDTH},{HEIGHT}", "--force-device-scale-factor=1"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        _driver = webdriver.Chrome(service=Service("chromedriver"), options=options)
        _driver.set_page_load_timeout(30)
        _driver.set_script_timeout(30)
    return _driver


def close() -> None:
    global _driver
    if _driver is not None:
        _driver.quit()
        _driver = None


def script(source: str, *arguments):
    return driver().execute_script(source, *arguments)


def open_page(path: str, fragment: str = "") -> None:
    """Opens a page as if for the first time, and discards the logs of earlier pages."""
    driver().get("about:blank")
    driver().get_log("browser")
    driver().get_log("performance")
    driver().get("file://" + path + fragment)
    assert script("return document.documentElement.dataset.ready") == "yes", f"{path}: the script did not finish: {complaints()}"


def complaints() -> list[str]:
    """Returns the page's messages in the console, and its network requests."""
    found = [entry["message"] for entry in driver().get_log("browser") if entry["level"] in ("WARNING", "SEVERE", "ERROR")]
    for entry in driver().get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if message["params"].get("type") != "Document" and not url.startswith("data:"):
                found.append("requests " + url)
    return found


def set_theme(theme: str) -> None:
    driver().execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})


def screenshot(name: str, full: bool = True) -> None:
    if screenshots is None:
        return
    height = script("return document.documentElement.scrollHeight") if full else HEIGHT
    driver().set_window_size(WIDTH, min(height + 100, 9000))
    script("scrollTo(0, 0); drawNow(); drawCharts()")
    driver().save_screenshot(os.path.join(screenshots, name + ".png"))
    driver().set_window_size(WIDTH, HEIGHT)


def key(*names: str, modifiers: int = 0) -> None:
    """Presses keys on the keyboard; 8 = Shift."""
    for name in names:
        text = name if len(name) == 1 else None
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": name, "modifiers": modifiers}
            if name == "Tab":
                event.update(windowsVirtualKeyCode=9, code="Tab")
            elif name == "Enter":
                event.update(windowsVirtualKeyCode=13, code="Enter", text="\r" if kind == "keyDown" else "")
            elif name == "Escape":
                event.update(windowsVirtualKeyCode=27, code="Escape")
            if text and kind == "keyDown":
                event["text"] = text
            driver().execute_cdp_cmd("Input.dispatchKeyEvent", event)


def mouse(kind: str, x: float, y: float, **more) -> None:
    driver().execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})


def drag(x: float, to: float, y: float, modifiers: int = 0) -> None:
    mouse("mouseMoved", x, y)
    mouse("mousePressed", x, y, button="left", clickCount=1, modifiers=modifiers)
    for step in range(1, 6):
        mouse("mouseMoved", x + (to - x) * step / 5, y, button="left", modifiers=modifiers)
    mouse("mouseReleased", to, y, button="left", clickCount=1, modifiers=modifiers)
