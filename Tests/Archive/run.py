"""Runs the tests of modules, two modules at once: python3 run.py [MODULE…].

Each module has a process and a server of its own. Its output is printed when it has ended. What HINDSIGHT_TORTURE measures
needs the machine for itself, so the modules then run one after the other.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time


def run(module):
    begun = time.monotonic()
    answer = subprocess.run(
        [sys.executable, "-m", "unittest", "-v", module],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return module, answer, time.monotonic() - begun


folder = pathlib.Path(__file__).parent
os.chdir(folder)
# The modules that take longest first.
order = ["test_queue", "test_faults", "test_torture"]
found = sorted(path.stem for path in folder.glob("test_*.py"))
modules = sys.argv[1:] or sorted(found, key=lambda name: order.index(name) if name in order else len(order))
failed = []
with concurrent.futures.ThreadPoolExecutor(1 if "HINDSIGHT_TORTURE" in os.environ else 2) as pool:
    for done in concurrent.futures.as_completed([pool.submit(run, module) for module in modules]):
        module, answer, seconds = done.result()
        print(f"== {module} ({seconds:.0f} s)\n{answer.stdout}", flush=True)
        if answer.returncode:
            failed.append(module)
if failed:
    sys.exit(f"failed: {', '.join(failed)}")
