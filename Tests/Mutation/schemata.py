"""A copy of the package that has all mutants in it: one build, and a variable of the environment that chooses."""

import os
import re
import shutil
import subprocess

import operators

PARTS = [
    *(f"Sources/HindsightFormat/{part}" for part in "Tables Journal File".split()),
    *(f"Sources/HindsightRecorder/{part}" for part in "Actions Recorder Writer Journal Crash File".split()),
    *(f"Sources/HindsightRecording/{part}" for part in "Rows Reading Recovery".split()),
    "Sources/HindsightTree/Changes",
    "Sources/HindsightTree/Patches",
    "Sources/HindsightTree/Types",
]

# What notes which mutants were reached; there are fewer.
TRACE_BYTES = 1 << 16

CHOICE = """\
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The number of the mutant that this process is; 0 where it is none.
private let chosenMutant: Int = getenv("HINDSIGHT_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

/// A byte for each mutant, in a file that a process and its children share: 1 where its place was reached.
nonisolated(unsafe) private let reachedMutants: UnsafeMutablePointer<UInt8>? = {
    guard let path = getenv("HINDSIGHT_MUTANT_TRACE") else { return nil }
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    let memory = mmap(nil, %d, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return memory == MAP_FAILED ? nil : memory?.assumingMemoryBound(to: UInt8.self)
}()

func isMutant(_ number: Int) -> Bool {
    if let reachedMutants { reachedMutants[number] = 1 }
    return chosenMutant == number
}

func mutantLess<T: Comparable>(_ number: Int, _ left: T, _ right: T) -> Bool {
    isMutant(number) ? left <= right : left < right
}
func mutantLessOrEqual<T: Comparable>(_ number: Int, _ left: T, _ right: T) -> Bool {
    isMutant(number) ? left < right : left <= right
}
func mutantGreater<T: Comparable>(_ number: Int, _ left: T, _ right: T) -> Bool {
    isMutant(number) ? left >= right : left > right
}
func mutantGreaterOrEqual<T: Comparable>(_ number: Int, _ left: T, _ right: T) -> Bool {
    isMutant(number) ? left > right : left >= right
}
func mutantMin<T: Comparable>(_ number: Int, _ left: T, _ right: T) -> T {
    isMutant(number) ? max(left, right) : min(left, right)
}
func mutantMax<T: Comparable>(_ number: Int, _ left: T, _ right: T) -> T {
    isMutant(number) ? min(left, right) : max(left, right)
}
"""


class Failure(Exception):
    pass


def sources(package):
    """The files that are changed, as paths in the package."""
    found = []
    for part in PARTS:
        directory = os.path.join(package, part)
        for folder, _, names in os.walk(directory):
            found += [os.path.relpath(os.path.join(folder, name), package) for name in names if name.endswith(".swift")]
    return sorted(found)


def find_all(package):
    found = []
    for path in sources(package):
        with open(os.path.join(package, path), encoding="utf-8") as file:
            found += operators.find(path, file.read())
    return found


def rewritten(source, numbered):
    """A file's text with its mutants in it: `numbered` are pairs of a number and a mutant."""
    opens, closes, tokens, ranges = {}, {}, {}, []
    for number, mutant in sorted(numbered, key=lambda pair: (pair[1].start, -pair[1].end)):
        if any(crosses(mutant, other) for other in ranges):
            continue
        ranges.append(mutant)
        opens.setdefault(mutant.start, []).append(mutant.before % number)
        closes.setdefault(mutant.end, []).append((mutant.start, len(ranges), mutant.after))
        if mutant.token:
            tokens[mutant.token[0]] = mutant.token
    text, out, at = source.text, [], 0
    while at <= len(text):
        # What began last ends first.
        out += [after for _, _, after in sorted(closes.get(at, []), reverse=True)]
        out += opens.get(at, [])
        if at in tokens:
            _, end, instead = tokens[at]
            out.append(instead)
            at = end
            # Whatever begins or ends within what was replaced would have been lost.
            continue
        out.append(text[at : at + 1])
        at += 1
    return "".join(out)


def crosses(left, right):
    return left.start < right.start < left.end < right.end or right.start < left.start < right.end < left.end


def write(target, path, text):
    """Writes a file where it is another than there is, so that no more than that is built again."""
    place = os.path.join(target, path)
    data = text if isinstance(text, bytes) else text.encode()
    try:
        with open(place, "rb") as file:
            if file.read() == data:
                return
    except OSError:
        os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(data)


def copy(package, target):
    """Copies what git knows and what is new, without what it ignores."""
    listing = ["git", "-C", package, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, check=True, capture_output=True).stdout.decode().split("\0")
    kept, mutated = set(), set(sources(package))
    for name in filter(None, names):
        place = os.path.join(package, name)
        if not os.path.isfile(place) or name in mutated:
            kept.add(name)
            continue
        kept.add(name)
        with open(place, "rb") as file:
            data = file.read()
        if name == "Package.swift":
            # What is added for the mutants may warn.
            data = re.sub(rb"\s*\.treatAllWarnings\(as: \.error\)\s*", b"", data)
        if name == "Tests/FaultTests/Subject.swift":
            # All that tests write is to be where it is removed, also where they are killed.
            data = data.replace(b'URL(fileURLWithPath: "/dev/shm", ', b"URL(fileURLWithPath: NSTemporaryDirectory(), ")
        write(target, name, data)
        shutil.copymode(place, os.path.join(target, name))
    for folder, folders, names in os.walk(target):
        folders[:] = [name for name in folders if name not in (".build", "results")]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), target)
            if path not in kept and name.endswith(".swift") and name != "IsMutant.swift":
                os.remove(os.path.join(target, path))


def rewrite(package, target, mutants):
    """Writes the changed sources; a mutant's number is its place in the list, from 1."""
    files = {path: [] for path in sources(package)}
    for number, mutant in enumerate(mutants, 1):
        files[mutant.source.path].append((number, mutant))
    for path, numbered in files.items():
        if numbered:
            write(target, path, rewritten(numbered[0][1].source, numbered))
        else:
            with open(os.path.join(package, path), "rb") as file:
                write(target, path, file.read())
    for module in ("HindsightTree", "HindsightRecording"):
        write(target, f"Sources/{module}/IsMutant.swift", CHOICE % TRACE_BYTES)


def rejected(mutants, errors):
    """The mutants that the compiler refuses: those on the lines of which it complains, as pairs of path and line.

    Of a value that is missing it complains behind the statement that was to give it: then it is those before it in its
    function.
    """
    found = set()
    for path, line, text in errors:
        here = [mutant for mutant in mutants if mutant.source.path == path]
        on_line = [mutant for mutant in here if mutant.line <= line <= mutant.source.line_number(mutant.end - 1)]
        name = re.search(r"'(?:self\.)?(\w+)' (?:used before|captured)", text)
        if name:
            assigns = re.compile(rf"\b{name.group(1)}\b.* = ")
            found |= {mutant for mutant in here if mutant.kind == "drop" and assigns.match(mutant.text)}
        elif on_line and "return" not in text:
            found |= set(on_line)
        elif here:
            source = here[0].source
            end = source.trimmed(*source.line(line))[0]
            start = source.line_number(source.pair.get(end, end))
            start = min(start, line - 15) if start == line else start
            found |= {mutant for mutant in here if mutant.kind == "drop" and start <= mutant.line <= line}
    return found


def compile_errors(output, target):
    """Which lines of which files a compiler's output complains about, and its words."""
    found = set()
    for path, line, text in re.findall(r"^(\S+\.swift):(\d+):\d+: error: (.*)", output, re.MULTILINE):
        path = os.path.relpath(path, target) if os.path.isabs(path) else path
        found.add((path, int(line), text))
    return found


def settle(package, target, mutants, check):
    """Rewrites the sources until they compile, leaving out the mutants that do not; those are given back.

    `check` compiles, and gives what the compiler said, or None where it had nothing to complain about.
    """
    mutants = list(mutants)
    left_out = []
    for _ in range(40):
        rewrite(package, target, mutants)
        output = check()
        if output is None:
            return mutants, left_out
        refused = rejected(mutants, compile_errors(output, target))
        if not refused:
            raise Failure(output)
        left_out += sorted(mutant.id for mutant in refused)
        mutants = [mutant for mutant in mutants if mutant not in refused]
    raise Failure("the sources do not compile without ever more mutants being left out")
