"""Runs the tests of the package that contains all mutants."""

import atexit
import os
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time

import schemata

# Fast targets first. Other targets add cost without catching more.
TARGETS = [
    "HindsightSupportTests",
    "HindsightSQLiteTests",
    "HindsightTreeTests",
    "HindsightStoreTests",
    "HindsightInitTests",
    "HindsightViewTests",
    "HindsightDebuggerTests",
    "HindsightQueryTests",
    "HindsightRecordingTests",
    "HindsightReplayTests",
    "SamplesTests",
    "HindsightTestingTests",
    "HindsightCLITests",
    "FuzzTests",
    "FaultTests",
    "EndToEndTests",
]

COLORS = re.compile(r"\x1b\[[0-9;]*m")


def clear(directory):
    """Removes a directory, and unmounts the file systems that killed tests left in it."""
    try:
        with open("/proc/mounts", encoding="utf-8") as file:
            places = [line.split(" ")[1] for line in file]
    except OSError:
        places = []
    for place in places:
        if place.startswith(directory + "/"):
            subprocess.run(["umount", "-l", place], check=False)
    shutil.rmtree(directory, ignore_errors=True)


class Suite:
    """A test suite. Its duration and the mutants that it reaches are known after a run without a mutant."""

    def __init__(self, name, seconds=0.0, reached=()):
        self.name, self.seconds, self.reached = name, seconds, set(reached)

    @property
    def target(self):
        return self.name.split(".")[0]

    @property
    def pattern(self):
        # A name without a dot is that of a whole target.
        return "^" + re.escape(self.name).replace("/", r"\/") + ("/" if "." in self.name else r"\.")

    def to_json(self):
        return {"name": self.name, "seconds": self.seconds, "reached": sorted(self.reached)}


class Verdict:
    """A caught mutant: `by` is the target of the failed test, and `test` describes the failure."""

    def __init__(self, by, test, seconds):
        self.by, self.test, self.seconds = by, test, seconds


class Tests:
    def __init__(self, products, scratch):
        binary = "hindsightPackageTests.xctest"
        self.binary = os.path.join(products, binary)
        if os.path.isdir(self.binary):
            self.binary = os.path.join(self.binary, "Contents/MacOS/hindsightPackageTests")
        self.scratch = scratch
        self.running = set()
        os.makedirs(scratch, exist_ok=True)
        # A file system in memory if there is one, since killed tests leave many files behind.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.temporary = tempfile.mkdtemp(prefix="hindsight-mutation-", dir=memory)
        os.chmod(self.temporary, 0o755)
        atexit.register(clear, self.temporary)

    def run(self, patterns, seconds, environment, stops=True, silence=900):
        """Runs the tests that match.

        Returns None if all passed, or the failure; with `stops`, as soon as a test fails. After `seconds`, or `silence`
        seconds in which no test begins or ends, ends the tests and all processes that they have started.
        """
        command = [self.binary, "--testing-library", "swift-testing", "--filter", "|".join(patterns)]
        temporary = tempfile.mkdtemp(dir=self.temporary)
        os.chmod(temporary, 0o755)
        process = subprocess.Popen(
            command,
            # No code reads the backtrace of a test that traps, which would take seconds.
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "TMPDIR": temporary, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.running.add(process)
        try:
            return self.read(process, time.monotonic() + seconds, silence, stops)
        finally:
            self.end(process)
            self.running.discard(process)
            clear(temporary)

    def read(self, process, deadline, silence, stops):
        failed, started, rest = None, "", b""
        heard = time.monotonic()
        selector = selectors.DefaultSelector()
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = min(deadline, heard + silence) - time.monotonic()
            if left <= 0:
                return failed or f"hangs: {started}"
            if not selector.select(min(left, 1)):
                # A child that outlives the tests may hold their output open.
                if process.poll() is None:
                    continue
                data = b""
            else:
                data = os.read(process.stdout.fileno(), 1 << 16)
                heard = time.monotonic()
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            for line in lines:
                text = COLORS.sub("", line.decode("utf-8", "replace"))
                if "◇ Test " in text and "started" in text:
                    started = text.split("Test ", 1)[1]
                if "✘" in text and failed is None:
                    failed = text.split("✘", 1)[1].strip()[:200]
                if failed and stops:
                    return failed
            if not data:
                break
        code = process.wait()
        if failed or code == 0:
            return failed
        return f"ends with {code}: {started}"

    def end(self, process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        process.stdout.close()

    def end_all(self):
        for process in list(self.running):
            self.end(process)

    def suites(self, targets, without=()):
        command = [self.binary, "--testing-library", "swift-testing", "--list-tests"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
        names = sorted({line.split("/")[0] for line in listed.splitlines() if "/" in line})
        names = [name for name in names if not name.startswith(tuple(without))]
        return [Suite(name) for name in names if name.split(".")[0] in targets]

    def measure(self, suite, count):
        """Runs a suite without a mutant, notes its duration and reached mutants, and returns the failure, if any."""
        trace = os.path.join(self.scratch, f"trace-{suite.name}")
        with open(trace, "wb") as file:
            file.truncate(schemata.TRACE_BYTES)
        # Also for processes that tests start as another user.
        os.chmod(trace, 0o666)
        begun = time.monotonic()
        failed = self.run([suite.pattern], 900, {"HINDSIGHT_MUTANT_TRACE": trace}, stops=False)
        suite.seconds = time.monotonic() - begun
        with open(trace, "rb") as file:
            reached = file.read()
        os.remove(trace)
        suite.reached = {number for number in range(1, count + 1) if reached[number]}
        return failed

    def stages(self, suites):
        """Groups the suites, short ones first, into runs of increasing duration."""
        stages, stage, cost, spent = [], [], 0.0, 0.0
        for suite in sorted(suites, key=lambda suite: suite.seconds):
            stage.append(suite)
            cost += suite.seconds
            if cost > max(1.0, spent):
                stages.append(stage)
                spent += cost
                stage, cost = [], 0.0
        return stages + ([stage] if stage else [])

    def try_mutant(self, number, suites):
        """Runs the suites that reach a mutant. Returns the verdict, or None if it survives."""
        begun = time.monotonic()
        for stage in self.stages([suite for suite in suites if number in suite.reached]):
            usual = sum(suite.seconds for suite in stage)
            patterns = [suite.pattern for suite in stage]
            failed = self.run(patterns, 10 + 4 * usual, {"HINDSIGHT_MUTANT": str(number)}, silence=10 + usual)
            if failed:
                targets = {suite.target for suite in stage}
                by = targets.pop() if len(targets) == 1 else self.target_of(failed, stage)
                return Verdict(by, failed, time.monotonic() - begun)
        return None

    def target_of(self, failed, stage):
        """The target of the failed test, among those that ran together; the first one if its name does not say."""
        return min((suite.target for suite in stage), key=TARGETS.index)
