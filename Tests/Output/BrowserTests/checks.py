"""A check of the open page that several tests share."""

import unittest

from browser import script

# All text on canvases: canvas, text, left, baseline, width, and the canvas's width.
TEXTS = """
  const found = [], canvases = [], write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (!canvases.includes(this.canvas)) canvases.push(this.canvas);
    found.push([canvases.indexOf(this.canvas), text, x, y, this.measureText(text).width, this.canvas.clientWidth]);
    write.call(this, text, x, y);
  };
  try { drawNow(true); drawCharts(); } finally { CanvasRenderingContext2D.prototype.fillText = write; }
  return found"""


def texts(test: unittest.TestCase) -> list[str]:
    """Checks that no text on a canvas is cut off or lies over another. Returns the texts."""
    found = script(TEXTS)
    for place, (canvas, text, left, line, width, room) in enumerate(found):
        test.assertGreaterEqual(left, -1, text)
        test.assertLessEqual(left + width, room + 1, text)
        for other, other_text, other_left, other_line, other_width, _ in found[place + 1:]:
            if other == canvas and abs(other_line - line) < 8:
                test.assertTrue(left + width <= other_left + 1 or other_left + other_width <= left + 1,
                                f"{text!r} and {other_text!r} overlap")
    return [text for _, text, *_ in found]
