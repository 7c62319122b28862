"""The workload files of a run: the user's file, which is checked, or generated files, which stay in the scratch folder."""

import operator
import os
import sys
from array import array

import machine
from commands import NotMeasured, run_command, say

ROW_BYTES = 16
KIND_OFFSET = 12
KIND_MAX = 7
ROWS_PER_READ = 65536

EX_DATAERR, EX_NOINPUT = 65, 66


class BadWorkload(Exception):
    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


def check_workload(path: str) -> None:
    """Raises BadWorkload unless `path` consists of whole rows of known kinds in time order."""
    if not os.path.exists(path):
        raise BadWorkload(EX_NOINPUT, f"{path}: no such file")
    if not os.path.isfile(path):
        raise BadWorkload(EX_NOINPUT, f"{path}: not a regular file")
    size = os.path.getsize(path)
    if size == 0 or size % ROW_BYTES:
        raise BadWorkload(EX_DATAERR, f"{path}: {size} bytes are not a whole, positive number of {ROW_BYTES}-byte rows")
    try:
        with open(path, "rb") as rows:
            _check_rows(path, rows)
    except OSError as error:
        raise BadWorkload(EX_NOINPUT, f"{path}: cannot read: {error.strerror}") from error


def _check_rows(path: str, rows) -> None:
    # In chunks, so that this process stays small whatever the length of the file.
    first_row, last_time = 0, 0
    while chunk := rows.read(ROWS_PER_READ * ROW_BYTES):
        kinds = chunk[KIND_OFFSET::ROW_BYTES]
        if max(kinds) > KIND_MAX:
            bad = next(index for index, kind in enumerate(kinds) if kind > KIND_MAX)
            raise BadWorkload(EX_DATAERR, f"{path}: row {first_row + bad} has kind {kinds[bad]}, "
                              f"the largest is {KIND_MAX}")
        times = _times_of(chunk)
        times.insert(0, last_time)
        if any(map(operator.gt, times, times[1:])):
            bad = next(index for index in range(len(kinds)) if times[index] > times[index + 1])
            raise BadWorkload(EX_DATAERR, f"{path}: time goes backwards at row {first_row + bad}")
        last_time = times[-1]
        first_row += len(kinds)


def _times_of(chunk: bytes) -> array:
    words = array("Q", chunk)
    if sys.byteorder == "big":
        words.byteswap()
    return words[::2]


def events_in(path: str) -> int:
    return os.path.getsize(path) // ROW_BYTES


class WorkloadFiles:
    """Generates the missing files in the scratch folder."""

    def __init__(self, scratch: str):
        self._scratch = scratch
        self._generate = os.path.join(scratch, "generate")

    def paced(self, passes: int) -> str:
        path = os.path.join(self._scratch, f"paced-{passes}.rows")
        if self._is_stale(path, self._generate):
            say(f"generating the paced workload in real time: about {passes * 65e-6:.0f} s")
            run_command([*machine.on_one_cpu(), self._generate, "paced", path, str(passes)])
        return path

    def mix_of(self, paced: str) -> str:
        path = os.path.join(self._scratch, "mix.rows")
        run_command([self._generate, "mix", path, paced])
        if events_in(path) == 0:
            raise NotMeasured("the mixed workload has no events: use a larger workload")
        return path

    @staticmethod
    def beginning(rows: str, events: int, path: str) -> None:
        with open(rows, "rb") as source, open(path, "wb") as target:
            target.write(source.read(events * ROW_BYTES))

    def repeated(self, rows: str, times: int, path: str) -> None:
        run_command([self._generate, "repeat", path, rows, str(times)])

    @staticmethod
    def _is_stale(path: str, maker: str) -> bool:
        return not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(maker)
