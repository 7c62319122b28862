"""The command line of tools/bench."""

import argparse
import os
import sys
from typing import NoReturn

EX_USAGE = 64

FULL_PASSES, FULL_ROUNDS = 1_000_000, 7
QUICK_PASSES, QUICK_ROUNDS = 200_000, 3


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (try --help)", file=sys.stderr)
        sys.exit(EX_USAGE)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, got '{text}'")
    return int(text)


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="tools/bench",
        allow_abbrev=False,
        description="Measures rltrace against the machine's limits and its peers, and judges each bar as a ratio "
        "within this run.",
        epilog="Exit status: 0 measured (whether or not the bars are met), 64 bad flag, 65 bad workload file, "
        "66 no such workload file, 69 a tool is missing, 70 a build failed.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--write-docs", action="store_true",
                        help="also write the figures into docs/explanation/performance.md, replacing the old ones")
    parser.add_argument("--workload", metavar="FILE", help="measure size and reading on these rows instead of "
                        "generated ones (16 bytes each, see reference/workload.h)")
    parser.add_argument("--passes", type=_positive, metavar="N",
                        help=f"run-loop passes, 8 events each (default {FULL_PASSES}, with --quick {QUICK_PASSES})")
    parser.add_argument("--rounds", type=_positive, metavar="N",
                        help=f"interleaved rounds (default {FULL_ROUNDS}, with --quick {QUICK_ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="fewer passes and rounds: under two minutes")
    parser.add_argument("--soak", action="store_true", help="read 1 G events as well: 20 GB of disk")
    parser.add_argument("--no-peers", dest="peers", action="store_false",
                        help="neither install nor measure LTTng-UST, babeltrace2 and uftrace")
    parser.add_argument("--no-build", action="store_true", help="use the rltrace and rltrace-bench that are built")
    parser.add_argument("--installed", metavar="DIR", default=".build/benchmark/installed/bin",
                        help="the folder of rltrace (default: .build/benchmark/installed/bin)")
    parser.add_argument("--binaries", metavar="DIR", default=".build/release",
                        help="the folder of rltrace-bench, with the runtime as a library (default: .build/release)")
    parser.add_argument("--scratch", default=".build/benchmark", help=argparse.SUPPRESS)
    parser.add_argument("--check-only", action="store_true", help=argparse.SUPPRESS)
    return parser


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    options = _make_parser().parse_args(arguments)
    options.passes = options.passes or (QUICK_PASSES if options.quick else FULL_PASSES)
    options.rounds = options.rounds or (QUICK_ROUNDS if options.quick else FULL_ROUNDS)
    options.installed = os.path.abspath(options.installed)
    options.binaries = os.path.abspath(options.binaries)
    options.scratch = os.path.abspath(options.scratch)
    return options
