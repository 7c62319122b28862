"""The measuring machine: its description, and the CPUs for a measured process."""

import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime


def allowed_cpus() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pinned_to(cpus: list[int]) -> list[str]:
    """Returns the command prefix that keeps a process on `cpus`; empty if taskset is missing."""
    if not shutil.which("taskset"):
        return []
    return ["taskset", "-c", ",".join(str(cpu) for cpu in sorted(set(cpus)))]


def on_one_cpu() -> list[str]:
    """Returns the prefix for the last CPU: interrupts and other processes prefer the first."""
    return pinned_to(allowed_cpus()[-1:])


def on_two_cpus() -> list[str]:
    cpus = allowed_cpus()
    return pinned_to([cpus[0], cpus[-1]])


def _cpu_model() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
                        platform.machine())
    except OSError:
        return platform.processor() or platform.machine()


def _first_line(command: list[str]) -> str | None:
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return None
    return lines[0] if lines else None


def _build_of(folder: str) -> str:
    """Returns the version and date of the measured rltrace, and the commit of the sources next to it."""
    rltrace = os.path.join(folder, "rltrace")
    version = _first_line([rltrace, "--version"]) or "rltrace of unknown version"
    here = os.path.dirname(os.path.abspath(__file__))
    commit = _first_line(["git", "-C", here, "describe", "--always", "--dirty"])
    try:
        built = datetime.fromtimestamp(os.path.getmtime(rltrace), UTC).strftime(", built on %Y-%m-%d")
    except OSError:
        built = ""
    return f"{version}{built}" + (f", sources {commit}" if commit else "")


def describe_machine(installed: str) -> dict[str, object]:
    return {
        "build": _build_of(installed),
        "cpu": _cpu_model(),
        "cpus": len(allowed_cpus()),
        "memory_mib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "c_compiler": _first_line(["cc", "--version"]),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "pinned": bool(on_one_cpu()),
    }
