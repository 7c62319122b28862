#!/usr/bin/env python3
"""Makes reports of every sample trace and of a long one, and tests them in headless Chromium.

    run.py --rltrace .build/test/release/rltrace --scratch .build/browser-tests [--screenshots .build/screenshots] [-k PATTERN]

Started by tools/test, which installs the required packages. Exit status: 0 all passed, 1 a test failed, 69 no browser.
"""

import argparse
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

    import reports
    os.makedirs(options.scratch, exist_ok=True)
    reports.setup(os.path.abspath(options.rltrace), os.path.abspath(options.scratch),
                  os.path.dirname(os.path.dirname(os.path.dirname(here))))
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
        browser.screenshots = os.path.abspath(options.screenshots)
    loader = unittest.TestLoader()
    if options.pattern:
        loader.testNamePatterns = [f"*{options.pattern}*"]
    try:
        result = unittest.TextTestRunner(verbosity=1).run(loader.discover(here, pattern="*_test.py", top_level_dir=here))
    finally:
        browser.close()
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
