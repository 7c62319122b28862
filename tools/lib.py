"""Common code of the Python scripts in this folder: the project's folder, messages, arguments and packages."""

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = Path(sys.argv[0]).stem
PROBLEMS_MAX = 20  # that are printed per file


def say(message):
    print(f"{TOOL}: {message}", file=sys.stderr)


def fail(status, message):
    print(f"tools/{TOOL}: {message}", file=sys.stderr)
    sys.exit(status)


def run(command, **options):
    return subprocess.run([str(part) for part in command], text=True, **options)


def output(command, *others, about=None, failing=1, **options):
    """Returns the output of a command. A status other than 0 and `others` ends the script with the status `failing`, and
    a message that begins with `about` or the command."""
    done = run(command, capture_output=True, **options)
    if done.returncode not in (0, *others):
        fail(failing, f"{about or ' '.join(map(str, command))}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def build(*products):
    """Builds products of the package in release. Returns their folder."""
    for product in products:
        command = ["swift", "build", "--package-path", ROOT, "-c", "release", "--product", product]
        if run(command, stdout=sys.stderr).returncode != 0:
            fail(70, f"{product} does not build; the reason is above")
    return ROOT / ".build/release"


def check_files(check, files, good):
    """Prints the problems that `check` finds in each file, and ends the script. `good` describes a file without any."""
    bad = 0
    for path in files:
        problems = check(path)
        bad += bool(problems)
        for problem in problems[:PROBLEMS_MAX]:
            print(f"{path}: {problem}")
        if len(problems) > PROBLEMS_MAX:
            print(f"{path}: {len(problems) - PROBLEMS_MAX} more problems")
    say(f"{len(files) - bad} of {len(files)} files {good}")
    sys.exit(1 if bad else 0)


def span(numbers):
    return f"{min(numbers)}" if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"


class Parser(argparse.ArgumentParser):
    """A parser whose --help prints the script's docstring. A bad flag ends with status 64."""

    def __init__(self, about):
        super().__init__(prog=f"tools/{TOOL}", usage=argparse.SUPPRESS, description=about,
                         formatter_class=argparse.RawDescriptionHelpFormatter, add_help=False)
        self.add_argument("--help", "-h", action="store_true", help=argparse.SUPPRESS)
        self.about = about

    def parse_args(self, *arguments):
        if {"--help", "-h"} & set(sys.argv[1:]):
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            print(self.about.strip())
            sys.exit(0)
        return super().parse_args(*arguments)

    def error(self, message):
        fail(64, f"{message} (try --help)")


def around(page, begin, end):
    """Returns a page up to a comment, and from another one on. Each is in a line of its own."""
    head, found, rest = page.read_text().partition(f"{begin}\n")
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        fail(65, f"{page.relative_to(ROOT)} lacks {begin} or {end}")
    return head + found, closed + tail


def put_between(page, begin, end, text):
    """Replaces the part of a page between two comments. The page is never half written."""
    head, tail = around(page, begin, end)
    new = page.with_name(f".{page.name}.new")
    new.write_text(f"{head}\n{text}\n\n{tail}")
    new.replace(page)


def rltrace():
    """Returns the path of rltrace: of the release build, else on the PATH, else of the debug build."""
    builds = [ROOT / ".build" / kind / "rltrace" for kind in ("release", "debug")]
    return next((path for path in (builds[0], shutil.which("rltrace")) if path and os.access(path, os.X_OK)), builds[1])


def python_with(packages, folder, *options, requirements=None):
    """Returns a Python that has these packages of PyPI, in a virtual environment in the folder. Creates it unless it is there
    and complete. `options` are those of pip. `requirements`: a file that names the packages, with their hashes."""
    environment = folder / "venv"
    complete = environment / "complete"
    wanted = "\n".join([*packages, *([requirements.read_text()] if requirements else []), sys.version])
    if requirements:
        options = (*options, "--require-hashes", "--only-binary=:all:", "-r", requirements)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if complete.exists() and complete.read_text() == wanted:
            return environment / "bin/python"
        names = " ".join(packages) or f"the packages of {requirements.relative_to(ROOT)}"
        say(f"installing {names} in {folder.relative_to(ROOT)}")
        if run([sys.executable, "-m", "venv", "--clear", environment], stdout=sys.stderr).returncode != 0:
            fail(69, "cannot create a virtual environment; on Debian: apt-get install python3-venv")
        pip = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if run([*pip, *options, *packages], stdout=sys.stderr).returncode != 0:
            fail(69, f"cannot install {names} from PyPI; the reason is above")
        complete.write_text(wanted)
    return environment / "bin/python"


def dumped_package(folder, *options, failing=70, **others):
    """Returns the description of a package, as its manifest declares it. A manifest that cannot be read ends the
    script with the status `failing`."""
    return json.loads(output(["swift", "package", "--package-path", folder, *options, "dump-package"], failing=failing,
                             about=f"cannot read the manifest of {folder}", **others))


def needs(target):
    """Returns the names of the targets and products that a described target depends on."""
    return [next(iter(dependency.values()))[0] for dependency in target["dependencies"]]
