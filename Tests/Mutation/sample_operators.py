"""Mutants of the samples' reducers, in addition to those of operators.py: off by one, forced branches, dropped and
swapped cases, patterns that never match, and wrong fields.

Wrong fields are guesses, since the type of an expression is not known here. A guess takes another member of the same
type in the same struct, and the build leaves it out if it does not compile.
"""

import os
import re

import operators
import schemata
from operators import Mutant, forced
from swift_source import Source

PARTS = ["Sources/Samples/Todo", "Sources/Samples/Checkout", "Sources/Samples/Notepad"]

# Code that builds initial states, which recordings hold themselves, or that no reducer calls.
NOT_REDUCING = ("static var open: CheckoutState {", "var visible: [TodoItem] {")

# The structs of variables, by their names in the samples.
STRUCTS = {
    "totals": "Totals",
    "counts": "TodoCounts",
    "change": "TodoChange",
    "history": "TodoHistory",
    "item": "TodoItem",
    "line": "Line",
    "shipping": "Shipping",
    "audit": "Audit",
    "entry": "Entry",
    "Todo/state": "TodoState",
    "Checkout/state": "CheckoutState",
    "Notepad/state": "NotepadState",
}

# The result of a function for an action that it ignores, by the type of the result.
IGNORING = {"TodoPlan": ".changes([])"}

LITERAL_TYPES = {"0.0": "Double", "true": "Bool", "false": "Bool"}

NUMBER = re.compile(r"(?:(?<![\w.$])|(?<=\.\.\.))(0x[\da-fA-F_]+|0b[01_]+|\d[\d_]*)(?![\w.]|\.\d)")

# A body that is not a statement is the value of its case.
STATEMENT = re.compile(r" [&+-]{0,2}= |^(if|for|guard|return)\b|\.(remove|insert|append|sell|reserve)\(")


def find_all(package):
    texts = {}
    for path in schemata.sources(package, PARTS):
        with open(os.path.join(package, path), encoding="utf-8") as file:
            texts[path] = file.read()
    types = {part: Types({path: text for path, text in texts.items() if path.startswith(part)}) for part in PARTS}
    found = []
    for path, text in texts.items():
        source = Source(path, text)
        hidden = [block_of(source, head) for head in NOT_REDUCING if head in text]

        def more(source, regions, mutants):
            part = types[os.path.dirname(source.path)]
            return (
                branches(mutants)
                + numbers(source)
                + patterns(source, regions)
                + cases(source, mutants)
                + members(source, part)
                + bindings(source, part)
            )

        found += [
            mutant
            for mutant in operators.find(path, text, more)
            if not any(first < mutant.start < last for first, last in hidden)
        ]
    return found


def block_of(source, head):
    start = source.text.index(head) + len(head) - 1
    return start, source.pair[start]


# MARK: Off by one


def numbers(source):
    """Number literals plus one."""
    found = []
    for match in NUMBER.finditer(source.mask):
        line = source.mask[slice(*source.line_at(match.start()))].strip()
        # The initial values of fields.
        if re.match(r"(public )?var \w+(: \w+)? = ", line):
            continue
        value = str(int(match.group().replace("_", ""), 0) + 1)
        found.append(Mutant(source, "number", *match.span(), value, f"(isMutant(%d) ? {value} : ", ")"))
    return found


# MARK: Branches and guards


def branches(mutants):
    """Conditions that are always true or always false: a missing guard, or a branch that is never taken."""
    found = []
    for mutant in mutants:
        if mutant.kind == "negate":
            for value in ("true", "false"):
                found.append(forced(mutant.source, mutant.start, mutant.end, value, f"always-{value}"))
    return found


def patterns(source, regions):
    """Patterns and optional bindings that never match: an `if` goes to its `else`, and a `guard` leaves."""
    found = []
    for start, end in regions:
        for first, last in operators.split(source, start, end, ","):
            if re.match(r"(let|var|case)\b", source.mask[first:last]):
                found.append(Mutant(source, "mismatch", first, last, "never matches", "!isMutant(%d), ", ""))
                break
    return found


# MARK: Cases


def cases(source, mutants):
    """Cases that do nothing, and cases that do what the next one does."""
    found = []
    dropped = {(mutant.start, mutant.end) for mutant in mutants if mutant.kind == "drop"}
    for opening in (at for at in source.pair if source.mask[at] == "{"):
        labelled = bodies(source, opening)
        for index, (label, first, last) in enumerate(labelled):
            body = source.mask[first:last]
            kind = kind_of(body)
            if kind == "statements" and (first, last) not in dropped:
                found.append(Mutant(source, "drop-case", first, last, "case left out", "if !isMutant(%d) { ", " }"))
            if kind == "return":
                result = result_type(source, opening)
                if result in IGNORING and body != f"return {IGNORING[result]}":
                    instead = f"if isMutant(%d) {{ return {IGNORING[result]} }}; "
                    found.append(Mutant(source, "drop-case", first, last, "case left out", instead, ""))
            other = labelled[(index + 1) % len(labelled)]
            if other[0] != label and not binds(label) and not binds(other[0]):
                found += swapped(source, (first, last), kind, other)
    return found


def bodies(source, opening):
    """The cases of a switch, as triples of label, start and end of the body; empty for other braces."""
    closing = source.pair[opening]
    head = source.mask[: opening].rstrip().split("\n")[-1]
    if not re.search(r"\bswitch \S", head):
        return []
    found, at = [], opening + 1
    labels = []
    while at < closing:
        if source.mask[at] in "([{":
            at = source.pair[at] + 1
            continue
        match = re.compile(r"(?<=[\n ])(case\b|default:)").match(source.mask, at)
        if match and not source.mask[slice(source.line_at(at)[0], at)].strip():
            colon = at
            while source.mask[colon] != ":" or source.mask[colon - 1] == " ":
                colon = source.pair[colon] + 1 if source.mask[colon] in "([{" else colon + 1
            labels.append((at, colon + 1))
            at = colon
        at += 1
    for index, (start, after) in enumerate(labels):
        end = labels[index + 1][0] if index + 1 < len(labels) else closing
        first, last = source.trimmed(after, end)
        if first < last:
            found.append((source.text[start:after], first, last))
    return found


def kind_of(body):
    if body.startswith("break"):
        return "nothing"
    if re.search(r"(^|\n) *return \S", body):
        return "return"
    is_value = "\n" not in body and not STATEMENT.search(body)
    return "value" if is_value else "statements"


def binds(label):
    return re.search(r"\b(let|var)\b", label) is not None


def result_type(source, at):
    """The result of the innermost function around an offset."""
    heads = [
        (match.end() - 1, match.group(1))
        for match in re.finditer(r"func [^{]*-> ([^{]+?) \{", source.mask)
        if match.end() - 1 < at < source.pair[match.end() - 1]
    ]
    return max(heads)[1] if heads else None


def swapped(source, body, kind, other):
    first, last = body
    text = source.text[other[1] : other[2]]
    if "\n" in text or "\n" in source.text[first:last] or kind_of(source.mask[other[1] : other[2]]) != kind:
        return []
    if kind == "value":
        return [Mutant(source, "swap", first, last, text, f"(isMutant(%d) ? ({escaped(text)}) : (", "))")]
    if kind == "statements":
        return [Mutant(source, "swap", first, last, text, f"if isMutant(%d) {{ {escaped(text)} }} else {{ ", " }")]
    return []


def escaped(text):
    return text.replace("%", "%%")


# MARK: Wrong fields


class Types:
    """The fields of the structs, and the payloads of the enum cases, of a sample."""

    def __init__(self, texts):
        # By struct, the types by field, and the full name; by case, the types of its payloads.
        self.fields, self.full, self.payloads = {}, {}, {}
        for path, text in texts.items():
            source = Source(path, text)
            for match in re.finditer(r"\bstruct (\w+)[^{]*\{", source.mask):
                opening = match.end() - 1
                self.fields[match.group(1)] = dict(self.stored(source, opening))
                outer = extended(source, match.start())
                self.full[match.group(1)] = f"{outer}.{match.group(1)}" if outer else match.group(1)
            for match in re.finditer(r"^ +case (\w+)\(((?:\w+: [^,()]+(?:, )?)+)\)$", source.mask, re.MULTILINE):
                pairs = [part.split(": ", 1) for part in match.group(2).split(", ")]
                self.payloads[match.group(1)] = [type.split(" = ")[0] for _, type in pairs]

    def stored(self, source, opening):
        at = opening + 1
        while at < source.pair[opening]:
            if source.mask[at] in "([{":
                at = source.pair[at] + 1
                continue
            match = re.compile(r"(?:let|var) (\w+)(?:: ([^={\n]+?))?(?: = (\S+?)(?:\(\))?)?\n").match(source.text, at)
            if match and source.mask[at - 1] == " ":
                name, type, value = match.groups()
                number = "Int" if value and value.isdigit() else None
                yield name, type or number or LITERAL_TYPES.get(value) or ("String" if value == '""' else str(value))
            at += 1

    def siblings(self, struct, name):
        """The other fields of the same type, beginning with the next one."""
        names = list(self.fields[struct])
        after = names[names.index(name) + 1 :] + names[: names.index(name)]
        return [other for other in after if self.fields[struct][other] == self.fields[struct][name]]


def members(source, types):
    """Fields replaced by the next one of the same type."""
    found = []
    folder = source.path.split("/")[2]
    for match in re.finditer(r"(?<=[\w)\]?])\.(\w+)\b(?!\()", source.mask):
        name, at = match.group(1), match.start()
        base = re.search(r"(\$?\w+)\??$", source.mask[:at])
        known = base and (STRUCTS.get(f"{folder}/{base.group(1)}") or STRUCTS.get(base.group(1)))
        structs = [known] if known else [struct for struct in types.fields if name in types.fields[struct]]
        for struct in structs:
            others = types.siblings(struct, name) if name in types.fields[struct] else []
            if others:
                root = types.full[struct]
                before = f"[keyPath: isMutant(%d) ? \\{root}.{others[0]} : \\{root}"
                found.append(guess(source, match.span(), others[0], before, "]"))
                break
    for match in re.finditer(r"(?<![\w.\\$`])([a-z]\w*)\b(?!:|\()", source.mask):
        struct = extended(source, match.start(), is_nested=True)
        if struct not in types.fields or match.group(1) not in types.fields[struct] or is_declared(source, match):
            continue
        others = types.siblings(struct, match.group(1))
        if others:
            root = types.full[struct]
            before = f"self[keyPath: isMutant(%d) ? \\{root}.{others[0]} : \\{root}."
            found.append(guess(source, match.span(), others[0], before, "]"))
    return found


def guess(source, span, other, before, after):
    return Mutant(source, "field", *span, other, before, after, is_guess=True)


def extended(source, at, is_nested=False):
    """The struct in whose braces an offset is; with `is_nested`, only if it is in a nested block there."""
    heads = [
        (match.end() - 1, match.group(1))
        for match in re.finditer(r"\b(?:struct|extension) (\w+)[^{]*\{", source.mask)
        if match.end() - 1 < at < source.pair[match.end() - 1]
    ]
    if not heads:
        return None
    opening, name = max(heads)
    if not is_nested:
        return name
    inner = [other for other in source.pair if source.mask[other] == "{" and opening < other < at < source.pair[other]]
    return name if inner else None


def is_declared(source, match):
    return re.search(r"\b(let|var|func|case|for) $", source.mask[: match.start()]) is not None


def bindings(source, types):
    """Bound payloads replaced by the next payload of the same type."""
    found = []
    for match in re.finditer(r"case \.(\w+)\(", source.mask):
        names = source.mask[match.end() : source.pair[match.end() - 1]].split(", ")
        payloads = types.payloads.get(match.group(1), [])
        if len(payloads) != len(names):
            continue
        bound = [(name[4:], type) for name, type in zip(names, payloads) if name.startswith("let ")]
        for name, type in bound:
            others = [other for other, its in bound if its == type and other != name]
            if others:
                found += uses(source, match, name, others[0])
    return found


def uses(source, pattern, name, other):
    end = source.pair[operators.block(source, *pattern.span())]
    after = re.compile(r"\n +(case|default)\b").search(source.mask, source.pair[pattern.end() - 1])
    end = min(end, after.start()) if after else end
    for match in re.compile(rf"(?<![\w.]){name}\b(?!:)").finditer(source.mask, source.pair[pattern.end() - 1], end):
        yield guess(source, match.span(), other, f"(isMutant(%d) ? {other} : ", ")")
