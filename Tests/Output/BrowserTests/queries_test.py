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
        path = PAGES / page
        text = path.read_text(encoding="utf-8")
        self.assertEqual(len(QUERY.findall(text)), 5)

        def answered(found: re.Match) -> str:
            return f"```sql\n{found[1]}```\n\n```text\n{table(ask(found[1]))}```\n"

        expected = QUERY.sub(answered, text)
        if os.environ.get("RLTRACE_UPDATE_GOLDEN") == "1":
            path.write_text(expected, encoding="utf-8")
            return
        self.maxDiff = None
        self.assertEqual(text, expected)

    def test_perfetto(self):
        reports.read("export", self.trace, "--format", "perfetto", "-o", self.file)

        def ask(statement: str) -> list[list[str]]:
            result = subprocess.run([viewers.ROOT / "tools/perfetto", self.file, "--sql", statement, "--header"],
                                    capture_output=True, text=True)
            if result.returncode == 69:
                print(f"queries_test.py: queries of Perfetto were NOT run: {result.stderr.strip()}", file=sys.stderr)
                self.skipTest(result.stderr.strip())
            self.assertEqual(result.returncode, 0, result.stderr)
            return [line.split("\t") for line in result.stdout.splitlines()]

        self.check("perfetto.md", ask)

    def test_sqlite(self):
        reports.read("export", self.trace, "--format", "sqlite", "-o", self.file)
        database = sqlite3.connect(self.file)
        self.addCleanup(database.close)

        def ask(statement: str) -> list[list[str]]:
            cursor = database.execute(statement)
            return [[column[0] for column in cursor.description], *([str(cell) for cell in row] for row in cursor)]

        self.check("sqlite.md", ask)


def table(rows: list[list[str]]) -> str:
    """Returns rows as aligned columns, with two spaces between them."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in rows)
