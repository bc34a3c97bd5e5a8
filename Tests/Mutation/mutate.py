#!/usr/bin/env python3
"""Mutation tests: changes one line at a time of each module but the samples, and expects a test to fail.

    Tests/Mutation/mutate.py                 the default selection of mutants, the same each time
    Tests/Mutation/mutate.py --all           every mutant: takes days
    Tests/Mutation/mutate.py --sample 50     of each module in turn, each tried by its module's own tests; --seed varies them
    Tests/Mutation/mutate.py --modules M …   only mutants of these modules
    Tests/Mutation/mutate.py --only ID …     these; an ID may be a prefix
    Tests/Mutation/mutate.py --list          lists the mutants without running them
    Tests/Mutation/mutate.py --core          only mutants of the modules on which all others stand, in a build of these alone
    Tests/Mutation/mutate.py --least 0.6     fails only if a smaller share of the mutants is caught
    Tests/Mutation/mutate.py --quick 2       runs only suites of less than two seconds
    Tests/Mutation/mutate.py --resume        continues with the mutants that the last run did not catch
    Tests/Mutation/mutate.py --self-test     checks the mutants of all files without building them

All mutants are in one copy of the package, in build/mutation, which is built once. An environment variable selects one.
A mutant survives if no test fails. Each survivor needs a test, or a line in survivors.txt that says why no test can tell it
from the original. The exit code is 1 if a survivor has neither, or if a line in survivors.txt is obsolete.

The first build takes as long as one of the whole package. Later ones compile the files whose mutants are others than in the
last one, and link the tests: about half a minute for a few files of the modules on which few others stand, such as
HindsightQuery, HindsightDebugger and HindsightView. --minutes limits what follows. A sample is not preceded by a run without
a mutant, so the tests must pass.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import builds
import schemata
import trials

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(PACKAGE, "build", "mutation")
HERE = os.path.dirname(os.path.abspath(__file__))

# The share of mutants in the default selection, by part.
SHARES = {
    "Recorder/Recorder/RecorderCore": 0.35,
    "Recorder/Recorder": 0.25,
    # Tests of signal handlers need processes that die, which takes long.
    "Recorder/Crash": 0.02,
    "Recorder/Actions": 0.18,
    "Recorder/Journal": 0.17,
    "Recorder/Writer": 0.18,
    "Recorder/File": 0.11,
    "Format/Journal": 0.17,
    "Format/Tables": 0.12,
    "Format/File": 0.10,
    "Recording/Reading": 0.10,
    "Recording/Recovery": 0.20,
    "Recording/Rows": 0.10,
    "Tree/Changes": 0.12,
    "Tree/Types": 0.12,
    "Tree/Patches": 0.07,
}
OTHER_SHARE = 0.02

# The modules of which `Package.swift` builds nothing but them and their tests if HINDSIGHT_PART is "core".
CORE = ["HindsightSupport", "HindsightSQLite", "HindsightTree", "HindsightStore"]

# How long a module's own tests are taken to run for a sample, in seconds. They may take some times as long.
LONGEST = 30

# Always selected: dropping one of these statements loses data silently.
ALWAYS = ("leaveUnfinished(&session)", "journal.begin()", "markStopped()", "channel.shut()", "catchUp(&session)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="ID")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modules", nargs="+", choices=schemata.MODULES, metavar="M", default=list(schemata.MODULES))
    parser.add_argument("--least", type=float, metavar="SHARE")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="mutants at a time, at most 2")
    parser.add_argument("--without", nargs="+", default=[], metavar="TESTS", help="targets or suites to leave out")
    parser.add_argument("--quick", type=float, metavar="S", help="run only suites under S seconds, and report no survivors")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--skip-build", action="store_true", help="run the last build, of the same selection")
    parser.add_argument("--minutes", type=float, help="start no mutant after this time")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.core:
        options.modules = CORE
        os.environ["HINDSIGHT_PART"] = "core"
    return options


# MARK: Selecting


def excluded():
    """Parts of lines that affect only time or memory, without the reasons."""
    return [line.split("  ", 1)[0] for line in lines_of("costs.txt")]


def lines_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def explained():
    """The reasons why mutants survive, by ID."""
    return dict(line.split("  ", 1) for line in lines_of("survivors.txt"))


def is_usual(mutant):
    if mutant.kind == "drop" and mutant.text.strip() in ALWAYS:
        return True
    rank = int(mutant.id.rsplit(":", 1)[1], 16) / (1 << 32)
    part = max((part for part in SHARES if mutant.id.startswith(part)), key=len, default=None)
    return rank < SHARES.get(part, OTHER_SHARE)


def chosen(mutants, options):
    costs = excluded()
    deciding = [
        mutant
        for mutant in mutants
        if mutant.module in options.modules and not any(cost in mutant.text for cost in costs)
    ]
    if options.only:
        return [mutant for mutant in deciding if mutant.id.startswith(tuple(options.only))]
    if options.all:
        return deciding
    if options.sample:
        print(f"--sample {options.sample} --seed {options.seed} --modules {' '.join(options.modules)}")
        return sample(deciding, options)
    return [mutant for mutant in deciding if is_usual(mutant)]


def sample(mutants, options):
    """Mutants of each module in turn. Which ones depends on their IDs and the seed, and so not on other files."""

    def rank(mutant):
        return hashlib.sha256(f"{options.seed} {mutant.id}".encode()).hexdigest()

    ranked = {module: sorted((m for m in mutants if m.module == module), key=rank) for module in options.modules}
    turns = [(turn, module) for module in options.modules for turn in range(len(ranked[module]))]
    taken = [ranked[module][turn] for turn, module in sorted(turns, key=lambda pair: pair[0])[: options.sample]]
    return sorted(taken, key=lambda mutant: (mutant.source.path, mutant.start))


def targets(mutants, options):
    """The test targets to run: a sample's modules have their own only."""
    if not options.sample:
        return trials.TARGETS
    return {schemata.MODULES[mutant.module] for mutant in mutants}


# MARK: Running


def measure(tests, numbered, options):
    """Runs all suites without a mutant, and leaves out those that fail. For a sample, a whole target is a suite.

    `numbered` are the mutants, each with its number in the build. --resume uses earlier results for the same build.
    """
    path = os.path.join(TARGET, "suites.json")
    wanted = targets([mutant for _, mutant in numbered], options)
    if options.sample:
        return [trials.Suite(target, LONGEST, [number for number, _ in numbered]) for target in sorted(wanted)]
    stamp = [os.stat(tests.binary).st_mtime, options.without, numbered[-1][0], sorted(wanted)]
    if options.resume and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        if kept["stamp"] == stamp:
            return [trials.Suite(**suite) for suite in kept["suites"]]
    suites = []
    for suite in tests.suites(wanted, options.without):
        failed = tests.measure(suite, numbered[-1][0])
        if failed:
            print(f"  {suite.name} fails without a mutant and is left out: {failed}", flush=True)
        else:
            suites.append(suite)
    print(f"{len(suites)} suites, {sum(suite.seconds for suite in suites):.0f} s without a mutant.", flush=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"stamp": stamp, "suites": [suite.to_json() for suite in suites]}, file)
    return suites


def known(path, mutants):
    """The last run's results for mutants that still exist."""
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    except (OSError, ValueError):
        return {}
    ids = {mutant.id for mutant in mutants}
    return {id: result for id, result in results.items() if id in ids}


def run(tests, suites, numbered, options, results, save):
    begun = time.monotonic()
    lock = threading.Lock()
    if options.quick:
        suites = [suite for suite in suites if suite.seconds < options.quick]
    if options.resume:
        numbered = [(number, mutant) for number, mutant in numbered if not results.get(mutant.id, {}).get("by")]
    # Known survivors run all tests, so they come last in case time runs out.
    reasons = explained()
    numbered = sorted(
        numbered, key=lambda pair: (pair[1].id in reasons, pair[1].id in results, pair[1].id.rsplit(":", 1)[1])
    )

    def attempt(pair):
        number, mutant = pair
        if options.minutes and time.monotonic() - begun > options.minutes * 60:
            return
        wanted = targets([mutant], options)
        verdict = tests.try_mutant(number, [suite for suite in suites if suite.target in wanted])
        with lock:
            if verdict:
                results[mutant.id] = {"by": verdict.by, "test": verdict.test, "seconds": round(verdict.seconds, 1)}
                print(f"caught    {mutant}\n          {verdict.seconds:.1f} s, {verdict.by}: {verdict.test}", flush=True)
            elif not options.quick:
                is_reached = any(number in suite.reached and suite.target in wanted for suite in suites)
                results[mutant.id] = {"by": None, "reached": is_reached}
                print(f"SURVIVES  {mutant}{'' if is_reached else '  (no test reaches it)'}", flush=True)
            save(results)

    with concurrent.futures.ThreadPoolExecutor(max(1, min(2, options.jobs))) as pool:
        try:
            list(pool.map(attempt, numbered))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            tests.end_all()
            raise


# MARK: Checking the mutants


def self_test(everything):
    """Checks that each mutant changes its file, and that the files with all their mutants still are Swift."""
    files = {}
    for mutant in everything:
        files.setdefault(mutant.source, []).append(mutant)
    assert len({mutant.id for mutant in everything}) == len(everything), "two mutants have one ID"
    assert len(everything) < schemata.TRACE_BYTES, "there are more mutants than the trace has bytes"
    for module, target in schemata.MODULES.items():
        assert os.path.isdir(os.path.join(PACKAGE, "Tests", target)), f"{target} is not there"
        assert any(mutant.module == module for mutant in everything), f"{module} has no mutant"
    with tempfile.TemporaryDirectory(prefix="hindsight-mutation-") as scratch:
        for source, mutants in files.items():
            for mutant in mutants:
                assert mutant.before or mutant.token, f"changes nothing: {mutant}"
                inside = source.mask[mutant.start : mutant.end]
                if mutant.token:
                    start, end, instead = (at - mutant.start if isinstance(at, int) else at for at in mutant.token)
                    inside = inside[:start] + instead + inside[end:]
                assert is_balanced(mutant.before % 1 + inside + mutant.after), f"leaves brackets open: {mutant}"
            text = schemata.rewritten(source, list(enumerate(mutants, 1)))
            assert text != source.text, f"its mutants do not change {source.path}"
            schemata.write(scratch, source.path, text)
        compiler = os.path.join(os.path.dirname(os.environ.get("SWIFT", "")), "swiftc")
        if shutil.which(compiler):

            def errors(module):
                paths = [os.path.join(scratch, path) for path in schemata.sources(scratch, [f"Sources/{module}"])]
                command = [compiler, "-frontend", "-parse", *paths]
                result = subprocess.run(command, capture_output=True, text=True, check=False)
                return result.stderr if result.returncode else ""

            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                refused = [text for text in pool.map(errors, schemata.MODULES) if text]
            assert not refused, "\n".join(refused)
    for id in explained():
        assert any(mutant.id == id for mutant in everything), f"survivors.txt explains {id}, which does not exist"
    print(f"{len(everything)} mutants of {len(files)} files change them, and parse.")
    return 0


def is_balanced(text):
    return all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}"))


# MARK: Reporting


def report(everything, mutants, results, least=None):
    """Prints which target caught how many mutants, and the survivors; returns the exit code."""
    reasons = explained()
    counts = {}
    for mutant in mutants:
        result = results.get(mutant.id)
        name = "not tried" if result is None else result["by"] or ("explained" if mutant.id in reasons else "SURVIVE")
        counts[name] = counts.get(name, 0) + 1
    print(f"\n{len(mutants)} mutants")
    for name in [*trials.TARGETS, "explained", "not tried", "SURVIVE"]:
        if name in counts:
            print(f"{counts[name]:6}  {name}")
    unexplained = [
        mutant
        for mutant in mutants
        if mutant.id in results and not results[mutant.id]["by"] and mutant.id not in reasons
    ]
    if unexplained:
        print("\nNo test catches these, and survivors.txt does not explain them:")
        for mutant in unexplained:
            print(f"  {mutant}")
    ids = {mutant.id for mutant in everything}
    stale = [(id, "the mutant no longer exists") for id in reasons if id not in ids]
    stale += [(id, f"{results[id]['by']} catches it") for id in reasons if results.get(id, {}).get("by")]
    if stale:
        print("\nsurvivors.txt has obsolete lines:")
        for id, why in stale:
            print(f"  {id}: {why}")
    if least is not None:
        tried = [mutant for mutant in mutants if mutant.id in results]
        share = 1 - len(unexplained) / max(1, len(tried))
        print(f"\n{share:.0%} of {len(tried)} are caught or explained; at least {least:.0%} must be.")
        return 0 if tried and share >= least else 1
    return 1 if unexplained or stale else 0


def main():
    options = arguments()
    everything = schemata.find_all(PACKAGE)
    if options.self_test:
        return self_test(everything)
    mutants = chosen(everything, options)
    if options.list:
        for mutant in mutants:
            print(mutant)
        print(f"{len(mutants)} of {len(everything)} mutants")
        return 0
    print(f"{len(mutants)} of {len(everything)} mutants; building.", flush=True)
    build = builds.Build(PACKAGE, TARGET, checked=["--build-tests"], product=["--build-tests"])
    numbered = build.last(mutants) if options.skip_build else build.make(mutants)
    mutants = [mutant for _, mutant in numbered]
    if options.build_only or not mutants:
        return 0
    path = os.path.join(TARGET, "results.json")
    results = known(path, everything) if options.resume else {}

    def save(results):
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
        os.replace(path + ".new", path)

    tests = trials.Tests(build.products(), os.path.join(TARGET, "results"))
    suites = measure(tests, numbered, options)
    run(tests, suites, numbered, options, results, save)
    return report(everything, mutants, results, options.least)


if __name__ == "__main__":
    try:
        # The processes that it has started end with it.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        sys.exit(main())
    except schemata.Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(2)
