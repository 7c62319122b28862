"""The queries in the pages about formats give the printed rows when the real programs run them.

RLTRACE_UPDATE_GOLDEN=1 writes the rows into the pages.
"""

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import reports
import viewers

PAGES = viewers.ROOT / "docs/reference/formats"
QUERY = re.compile(r"```sql\n(.*?)```\n\n```text\n(.*?)```\n", re.S)


class QueriesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = reports.real("timer-starvation")
        self.file = os.path.join(folder.name, "export")

    def check(self, page: str, ask) -> None:
        """`ask` returns the rows of each statement."""
        path = PAGES / page
        text = path.read_text(encoding="utf-8")
        statements = [statement for statement, _ in QUERY.findall(text)]
        self.assertEqual(len(statements), 5)
        answers = iter(ask(statements))
        expected = QUERY.sub(lambda found: f"```sql\n{found[1]}```\n\n```text\n{table(next(answers))}```\n", text)
        if os.environ.get("RLTRACE_UPDATE_GOLDEN") == "1":
            path.write_text(expected, encoding="utf-8")
            return
        self.maxDiff = None
        self.assertEqual(text, expected)

    def test_perfetto(self):
        reports.read("export", self.trace, "--format", "perfetto", "-o", self.file)

        def ask(statements: list[str]) -> list[list[list[str]]]:
            options = [f"--sql={statement}" for statement in statements]
            result = subprocess.run([viewers.ROOT / "tools/perfetto", self.file, *options, "--header"],
                                    capture_output=True, text=True)
            if result.returncode == 69:
                print(f"queries_test.py: queries of Perfetto were NOT run: {result.stderr.strip()}", file=sys.stderr)
                self.skipTest(result.stderr.strip())
            self.assertEqual(result.returncode, 0, result.stderr)
            return [[line.split("\t") for line in rows.splitlines()] for rows in result.stdout.split("\n\n")]

        self.check("perfetto.md", ask)

    def test_sqlite(self):
        reports.read("export", self.trace, "--format", "sqlite", "-o", self.file)
        database = sqlite3.connect(self.file)
        self.addCleanup(database.close)

        def ask(statements: list[str]) -> list[list[list[str]]]:
            cursors = [database.execute(statement) for statement in statements]
            return [[[column[0] for column in cursor.description], *([str(cell) for cell in row] for row in cursor)]
                    for cursor in cursors]

        self.check("sqlite.md", ask)


def table(rows: list[list[str]]) -> str:
    """Returns rows as aligned columns, with two spaces between them."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in rows)
