"""A copy of the package that contains all mutants: one build, and an environment variable that selects one."""

import os
import re
import shutil
import subprocess

import operators

# The modules, each with its own test target. The code of HindsightArchive needs a trait and a server; the samples have
# tests of their own, samples.py.
MODULES = {
    "HindsightSupport": "HindsightSupportTests",
    "HindsightStore": "HindsightStoreTests",
    "HindsightTree": "HindsightTreeTests",
    "HindsightSQLite": "HindsightSQLiteTests",
    "HindsightFormat": "HindsightRecordingTests",
    "HindsightRecorder": "HindsightRecordingTests",
    "HindsightRecording": "HindsightRecordingTests",
    "HindsightReplay": "HindsightReplayTests",
    "HindsightQuery": "HindsightQueryTests",
    "HindsightDebugger": "HindsightDebuggerTests",
    "HindsightView": "HindsightViewTests",
    "HindsightCLI": "HindsightCLITests",
    "HindsightTesting": "HindsightTestingTests",
    "HindsightInit": "HindsightInitTests",
}
PARTS = [f"Sources/{module}" for module in MODULES]

# The size of the file that notes which mutants were reached. There are fewer mutants.
TRACE_BYTES = 1 << 16

CHOICE = """\
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The number of the selected mutant; 0 if there is none.
private let chosenMutant: Int = getenv("HINDSIGHT_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

/// A byte for each mutant, in a file that a process and its children share: 1 if the mutant was reached.
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


def sources(package, parts=PARTS):
    """The files to change, as paths in the package."""
    found = []
    for part in parts:
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
    """A file's text with its mutants. `numbered` are pairs of a number and a mutant."""
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
        # Close the innermost mutant first.
        out += [after for _, _, after in sorted(closes.get(at, []), reverse=True)]
        out += opens.get(at, [])
        if at in tokens:
            _, end, instead = tokens[at]
            out.append(instead)
            at = end
            # No mutant may begin or end within a replaced token.
            continue
        out.append(text[at : at + 1])
        at += 1
    return "".join(out)


def crosses(left, right):
    return left.start < right.start < left.end < right.end or right.start < left.start < right.end < left.end


def write(target, path, text):
    """Writes a file if its contents differ, so that the build compiles no more than it must."""
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


def copy(package, target, parts=PARTS):
    """Copies all files that git does not ignore, without those to change."""
    listing = ["git", "-C", package, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, check=True, capture_output=True).stdout.decode().split("\0")
    kept, mutated = set(), set(sources(package, parts))
    for name in filter(None, names):
        place = os.path.join(package, name)
        if not os.path.isfile(place) or name in mutated:
            kept.add(name)
            continue
        kept.add(name)
        with open(place, "rb") as file:
            data = file.read()
        if name == "Package.swift":
            # The code of mutants may cause warnings.
            data = re.sub(rb"\s*\.treatAllWarnings\(as: \.error\)\s*", b"", data)
        if name == "Tests/FaultTests/Subject.swift":
            # Tests must write only where `clear` removes it, since they may be killed.
            data = data.replace(b'URL(fileURLWithPath: "/dev/shm", ', b"URL(fileURLWithPath: NSTemporaryDirectory(), ")
        write(target, name, data)
        shutil.copymode(place, os.path.join(target, name))
    for folder, folders, names in os.walk(target):
        folders[:] = [name for name in folders if name not in (".build", "results")]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), target)
            if path not in kept and name.endswith(".swift") and name != "IsMutant.swift":
                os.remove(os.path.join(target, path))


def rewrite(package, target, mutants, parts=PARTS):
    """Writes the changed sources. A mutant's number is its index in the list, from 1."""
    files = {path: [] for path in sources(package, parts)}
    for number, mutant in enumerate(mutants, 1):
        files[mutant.source.path].append((number, mutant))
    for path, numbered in files.items():
        if numbered:
            write(target, path, rewritten(numbered[0][1].source, numbered))
        else:
            with open(os.path.join(package, path), "rb") as file:
                write(target, path, file.read())
    for module in {part.split("/")[1] for part in parts}:
        write(target, f"Sources/{module}/IsMutant.swift", CHOICE % TRACE_BYTES)


def rejected(mutants, errors):
    """The mutants that do not compile. `errors` are triples of path, line and message.

    The compiler reports a missing value after the statement that should have assigned it. In that case, the preceding
    dropped statements of the function are the cause.
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
            # Of the mutants on a line, those that only guess a type are the likely cause.
            found |= {mutant for mutant in on_line if mutant.is_guess} or set(on_line)
        elif here:
            source = here[0].source
            end = source.trimmed(*source.line(line))[0]
            start = source.line_number(source.pair.get(end, end))
            start = min(start, line - 15) if start == line else start
            dropped = [mutant for mutant in here if mutant.kind in ("drop", "drop-case")]
            found |= {mutant for mutant in dropped if start <= mutant.line <= line}
    return found


def compile_errors(output, target):
    """The errors in a compiler's output, as triples of path, line and message."""
    found = set()
    for path, line, text in re.findall(r"^(\S+\.swift):(\d+):\d+: error: (.*)", output, re.MULTILINE):
        path = os.path.relpath(path, target) if os.path.isabs(path) else path
        found.add((path, int(line), text))
    return found


def settle(package, target, mutants, check, parts=PARTS):
    """Rewrites the sources without the mutants that do not compile, until all do. Returns both lists.

    `check` compiles, and returns the compiler's output, or None if there is no error.
    """
    mutants = list(mutants)
    left_out = []
    for _ in range(40):
        rewrite(package, target, mutants, parts)
        output = check()
        if output is None:
            return mutants, left_out
        refused = rejected(mutants, compile_errors(output, target))
        if not refused:
            raise Failure(output)
        left_out += sorted(mutant.id for mutant in refused)
        mutants = [mutant for mutant in mutants if mutant not in refused]
    raise Failure("the sources do not compile, even without many of the mutants")
