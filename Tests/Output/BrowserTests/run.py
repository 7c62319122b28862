#!/usr/bin/env python3
"""Makes reports of every sample trace and of a long one, and tests them in headless Chromium.

    run.py --rltrace .build/test/release/rltrace --scratch .build/browser-tests [--screenshots .build/screenshots] [-k PATTERN]

Started by tools/test, which installs the required packages. Exit status: 0 all passed, 1 a test failed, 69 no browser.
"""

import argparse
import multiprocessing
import os
import shutil
import sys
import unittest

sys.dont_write_bytecode = True

EX_UNAVAILABLE = 69


def main() -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rltrace", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--screenshots")
    parser.add_argument("-k", dest="pattern", help="only tests whose names contain this")
    options = parser.parse_args()
    packages = os.path.join(options.scratch, "python")
    sys.path[:0] = [here, packages]

    try:
        import browser
    except ImportError as missing:
        print(f"run.py: {missing}; tools/install-deps --test installs it", file=sys.stderr)
        return EX_UNAVAILABLE
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("run.py: no chromium or no chromedriver; tools/install-deps --test installs them", file=sys.stderr)
        return EX_UNAVAILABLE

    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
        browser.screenshots = os.path.abspath(options.screenshots)
    loader = unittest.TestLoader()
    if options.pattern:
        loader.testNamePatterns = [f"*{options.pattern}*"]
    tests = list(each(loader.discover(here, pattern="*_test.py", top_level_dir=here)))
    # Each process has a browser and reports of its own. Tests with a common set-up stay together, in the last process.
    apart = [test for test in tests if "setUpClass" in vars(type(test))]
    others = [test for test in tests if test not in apart]
    processes = min(os.cpu_count() or 1, max(1, len(others)))
    parts = [others[number::processes] for number in range(processes)]
    parts[-1] += apart
    root = os.path.dirname(os.path.dirname(os.path.dirname(here)))

    def passes(part: int) -> bool:
        import reports
        scratch = os.path.abspath(os.path.join(options.scratch, str(part)))
        os.makedirs(scratch, exist_ok=True)
        reports.setup(os.path.abspath(options.rltrace), scratch, root)
        try:
            return unittest.TextTestRunner(verbosity=1).run(unittest.TestSuite(parts[part])).wasSuccessful()
        finally:
            browser.close()

    children = [multiprocessing.get_context("fork").Process(target=lambda part=part: sys.exit(not passes(part)))
                for part in range(processes)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    return 0 if tests and all(child.exitcode == 0 for child in children) else 1


def each(suite):
    """Returns the tests of a suite and of the suites in it."""
    for test in suite:
        yield from each(test) if isinstance(test, unittest.TestSuite) else [test]


if __name__ == "__main__":
    sys.exit(main())
