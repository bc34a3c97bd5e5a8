"""Tests of the mutation tests of the samples: changed recordings and false verdicts, each of which must be noticed."""

import copy
import json
import os
import re
import shutil
import sqlite3
import tempfile

import recorded_states
import replays
from recorded_states import MISSING

# A recorded change of a whole number.
CHANGE = re.compile(r'\["r([^"]*)",(-?\d+),(-?\d+)\]')


def run(path, fixtures):
    """Changes some recorded steps, one at a time. The reducers then differ from the recording at a known place."""
    tool, count, lies = replays.Tool(path), 0, 0
    for fixture in fixtures:
        expect(replays.first_difference(tool, fixture) is None and tool.verdict(fixture) is None, fixture.name, "equal")
        for seq, _, steps in fixture.recording.actions[3::7]:
            change = CHANGE.search(steps)
            if not change:
                continue
            with tempfile.TemporaryDirectory(prefix="hindsight-samples-") as scratch:
                place = os.path.join(scratch, fixture.name)
                shutil.copy(fixture.path, place)
                falsify(place, seq, steps, change)
                changed = Changed(place, fixture, seq)
                difference, verdict = replays.first_difference(tool, changed), tool.verdict(changed)
            where = f"{fixture.name}, {change.group(1)} in action {seq}"
            reducer = reducer_of(steps, change.group())
            expect(difference is not None and verdict is not None, where, "both find the change")
            expect((difference.seq, difference.reducer) == (seq, reducer), where, f"{difference} is the place")
            expect(verdict.path == change.group(1), where, f"{verdict} has the path")
            expect(replays.fault(difference, verdict) is None, where, replays.fault(difference, verdict))
            for lie in false_verdicts(verdict):
                expect(replays.fault(difference, lie) is not None, where, f"{lie} is recognised as false")
                lies += 1
            expect(replays.fault(None, verdict) is not None, where, "a false alarm is recognised")
            count += 1
    expect(count >= 20, "fixtures", f"{count} changes are enough")
    print(f"Found {count} changed recordings, and recognised {lies} false verdicts.")
    return 0


class Changed(replays.Fixture):
    """A fixture with a changed step. Later steps may not fit, so only states up to that action are known."""

    def __init__(self, path, original, last):
        self.path, self.name = path, original.name
        self.recording = recorded_states.Recording(path)
        self.states = []
        for seq, reducer, state in self.recording.states():
            self.states.append((seq, reducer, copy.deepcopy(state)))
            if (seq, reducer) == (last, len(self.recording.names)):
                break


def falsify(path, seq, steps, change):
    value = int(change.group(3)) + 1000
    with sqlite3.connect(path) as database:
        instead = f'["r{change.group(1)}",{change.group(2)},{value}]'
        database.execute("UPDATE action SET steps = ? WHERE seq = ?", (steps.replace(change.group(), instead, 1), seq))
    database.close()


def reducer_of(steps, operation):
    """The number of the first reducer that made a change."""
    for reducer, entry in enumerate(json.loads(steps), 1):
        if isinstance(entry, list) and json.loads(operation) in entry:
            return reducer
    return None


def false_verdicts(verdict):
    """None, and copies with one part changed each."""
    yield None
    names = {
        "seq": verdict.seq + 1,
        "reducer": verdict.reducer + 1,
        "name": "another",
        "path": "",
        "expected": verdict.got,
        "got": verdict.expected,
        "crashed": True,
    }
    for name, value in names.items():
        lie = copy.copy(verdict)
        setattr(lie, name, value)
        yield lie
    lie = copy.copy(verdict)
    lie.got = MISSING
    yield lie


def expect(holds, where, what):
    if not holds:
        raise AssertionError(f"{where}: does not hold: {what}")
