"""How much resident memory a piece of work takes at its peak, for scripts that tests run in a process of its own."""

import ctypes
import gc
import time


def _status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


def peak_of(work):
    """The bytes beyond those at the start, and what the work gave."""
    gc.collect()
    # Pages that are free but still resident, here or in the allocator of another package, would
    # hide what is taken from them: wait until they are given back.
    ctypes.CDLL(None).malloc_trim(0)
    lowest, since = _status("VmRSS"), time.monotonic()
    while time.monotonic() - since < 1.5:
        time.sleep(0.1)
        if _status("VmRSS") < lowest - 500_000:
            lowest, since = _status("VmRSS"), time.monotonic()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = _status("VmRSS")
    made = work()
    return _status("VmHWM") - before, made
