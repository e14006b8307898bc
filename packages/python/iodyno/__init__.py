"""Records of iodyno as frames of pandas or polars.

>>> import iodyno
>>> runs = iodyno.records(verb="run", device="sda")     # one row a record
>>> rates = iodyno.records("intervals", tag="before")   # one row a second and job

The tables and the words that choose records are those of `iodyno export`.
"""

import io
import os
import shutil
import subprocess
import sysconfig

TABLES = ("records", "samples", "intervals", "histograms", "settings")


class Refused(RuntimeError):
    """The program said no; the text is what it said."""


def program():
    """The path of the iodyno that came with this package, or else of the one on PATH."""
    own = os.path.join(sysconfig.get_path("scripts"), "iodyno")
    found = own if os.access(own, os.X_OK) else shutil.which("iodyno")
    if found is None:
        raise Refused("iodyno is neither beside this Python nor on PATH")
    return found


def records(table="records", *numbers, frame="pandas", **which):
    """A table of the records as a frame.

    table: records, samples, intervals, histograms or settings.
    numbers: only these records.
    frame: "pandas" or "polars".
    which: what they have, as the options of `iodyno export` say it: host, device, serial, target, job, kernel, verb, tag,
    setting, since, until, text. Without any, and without numbers, all records.

    Raises Refused with the program's own words, and ImportError where the library of the frame is not installed.
    """
    if table not in TABLES:
        raise ValueError(f"there is no table {table!r}, but " + ", ".join(TABLES))
    if frame == "pandas":
        import pandas as library
    elif frame == "polars":
        import polars as library
    else:
        raise ValueError(f"frame is {frame!r}, and can be 'pandas' or 'polars'")
    chosen = [f"--{name.replace('_', '-')}={value}" for name, value in which.items()]
    numbered = [str(int(number)) for number in numbers]
    command = [program(), "export", f"--csv={table}", *chosen, *numbered]
    if not chosen and not numbered:
        command.append("--all")
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise Refused(done.stderr.decode(errors="replace").strip())
    return library.read_csv(io.BytesIO(done.stdout))
