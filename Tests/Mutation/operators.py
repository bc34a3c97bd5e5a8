"""Mutants, and how they are found. A mutant changes the decision of one expression or statement."""

import hashlib
import re

from swift_source import BEFORE_TERNARY, Source

COMPARISONS = {"<": "Less", "<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual"}
SHIFTED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGIC = (" && ", " || ", "&& ", "|| ")
EQUALITY = (" == ", " != ", " < ", " <= ", " > ", " >= ", " ~= ")
KEYWORDS = re.compile(
    r"(let|var|return|throw|if|guard|else|for|while|repeat|switch|case|default|func|init|deinit|import|struct|class|enum"
    r"|extension|protocol|public|private|fileprivate|package|internal|static|mutating|override|final|defer|do|catch"
    r"|nonisolated|break|continue|subscript|get|set|some|any|where|typealias|weak|unowned|lazy|indirect|convenience|associatedtype|super\.init|self\.init|precondition|print|usleep)\b|[@#}]"
)
# What a generic declaration requires of its types, and the label of a parameter: no conditions.
GENERIC = re.compile(r"\bwhere ([A-Z][\w.]*(:| ==)|\w+:) ")
# What reads a clock.
CLOCK = re.compile(r"\b(ContinuousClock\.now|SystemClock\.monotonic|SystemClock\.wall|SystemClock\.sinceBoot)\b")
STATEMENT = re.compile(r"(_ = )?(try )?[A-Za-z_$][\w$]*[\w.?!\[\]$ +*/]*(\(| (=|[-+*|&^]=|<<=|>>=) )")


class Mutant:
    """One change of one place.

    `before`, `after` and `token` rewrite the source so that it contains both variants. `%d` in them is the number that
    selects the mutant. `is_guess` says that the mutant may well not compile, because it depends on types.
    """

    def __init__(self, source, kind, start, end, change, before, after, token=None, is_guess=False):
        self.source, self.kind, self.start, self.end = source, kind, start, end
        self.change, self.before, self.after, self.token = change, before, after, token
        self.is_guess = is_guess
        self.line = source.line_number(start)
        first, last = source.line(self.line)
        self.column = start - first
        self.text = source.text[first:last].strip()
        self.id = None

    @property
    def module(self):
        return self.source.path.split("/")[1]

    def __repr__(self):
        place = " ".join(self.source.text[self.start : self.end].split())
        place = "" if place == self.text else f"{place}: "
        return f"{self.id}  {self.source.path}:{self.line}: {self.text}  [{place}{self.change}]"


def identify(mutants):
    """Gives each mutant an ID that does not depend on other lines."""
    seen = {}
    for mutant in mutants:
        indented = mutant.source.text[slice(*mutant.source.line(mutant.line))]
        column = mutant.column - (len(indented) - len(indented.lstrip()))
        inside = mutant.source.text[mutant.start : mutant.end]
        key = f"{mutant.kind}|{mutant.text}|{column}|{inside}"
        place = (mutant.source.path, key)
        seen[place] = seen.get(place, 0) + 1
        digest = hashlib.sha256(f"{key}|{seen[place]}".encode()).hexdigest()[:8]
        mutant.id = f"{short(mutant.source.path)}:{mutant.kind}:{digest}"
    return mutants


def short(path):
    return re.sub(r"^Sources/(?:Hindsight)?(\w+?)/(.*)\.swift$", r"\1/\2", path)


def find(path, text, more=None):
    """All mutants of a file, in order.

    `more` takes the source, the ranges of conditions and the mutants so far, and returns further mutants.
    """
    source = Source(path, text)
    found = []
    regions = list(conditions(source))
    for start, end in regions:
        found += condition_mutants(source, start, end)
    found += logic_mutants(source, regions)
    found += comparison_mutants(source, regions)
    found += ternary_mutants(source, regions)
    found += literal_mutants(source)
    found += bool_mutants(source)
    found += extreme_mutants(source)
    found += dropped_statements(source)
    if more:
        found += more(source, regions, found)
    unique = {}
    negated = {(mutant.start, mutant.end) for mutant in found if mutant.kind == "negate"}
    for mutant in found:
        if mutant.text.startswith("#") or GENERIC.search(mutant.text):
            continue
        if mutant.kind == "equality" and (mutant.start, mutant.end) in negated:
            continue
        if mutant.line in source.inactive:
            continue
        unique.setdefault((mutant.start, mutant.end, mutant.kind), mutant)
    return identify(sorted(unique.values(), key=lambda mutant: (mutant.start, -mutant.end, mutant.kind)))


def conditions(source):
    """The ranges of the conditions of if, guard, while and where."""
    mask = source.mask
    is_case = False
    for match in re.finditer(r"(?<![\w.`#(])(if|guard|while|where)\b", mask):
        word, at = match.group(), match.end()
        if word == "where":
            line = mask[slice(*source.line_at(match.start()))].strip()
            if not line.startswith(("for ", "case ", "where ")) or (line.startswith("where ") and "{" not in line):
                continue
        first = source.line_at(match.start())[0]
        is_case = word == "where" and not line.startswith("for ")
        is_repeat = word == "while" and mask[first : match.start()].strip() == "}"
        end = condition_end(source, at, word, is_repeat, is_case)
        if end is not None:
            yield source.trimmed(at, end)


def condition_end(source, at, word, is_repeat, is_case):
    mask = source.mask
    while at < len(mask):
        char = mask[at]
        if char == "{" and word != "guard":
            return at
        if char == ":" and is_case and mask[at + 1 : at + 2] in (" ", "\n"):
            return at
        if word == "guard" and re.match(r"\belse\b", mask[at:]) and not mask[at - 1].isalnum():
            return at
        if char in "([{":
            if at not in source.pair:
                return None
            at = source.pair[at]
        elif char in ")]}":
            return None
        elif char == "\n" and is_repeat and not source.goes_on(at):
            return at
        at += 1
    return None


def split(source, start, end, separator):
    """The parts of a range between separators outside brackets."""
    parts, at, first = [], start, start
    while at < end:
        if source.mask[at] in "([{" and at in source.pair:
            at = source.pair[at] + 1
            continue
        if source.mask.startswith(separator, at):
            parts.append(source.trimmed(first, at))
            at += len(separator)
            first = at
            continue
        at += 1
    return parts + [source.trimmed(first, end)]


def condition_mutants(source, start, end):
    clauses = [clause for clause in split(source, start, end, ",") if clause[0] < clause[1]]
    found = []
    for first, last in clauses:
        text = source.mask[first:last]
        if re.match(r"((let|var|case|_)\b|#|true$)", text) or " else " in text:
            continue
        if has_logic(source, first, last):
            continue
        if len(clauses) > 1:
            found.append(forced(source, first, last, "true", "clause"))
        else:
            found.append(Mutant(source, "negate", first, last, "negated", "(isMutant(%d) != (", "))"))
    return found


def has_logic(source, start, end):
    return len(split(source, start, end, "&&")) + len(split(source, start, end, "||")) > 2


def forced(source, start, end, value, kind):
    return Mutant(source, kind, start, end, f"always {value}", f"(isMutant(%d) ? {value} : (", "))")


def region_of(regions, at):
    """The innermost condition around an offset."""
    around = [region for region in regions if region[0] <= at < region[1]]
    return min(around, key=lambda region: region[1] - region[0]) if around else None


def operands(source, regions, start, end, stops):
    """The operands on both sides of an operator."""
    region = region_of(regions, start)
    low, high = region or (0, None)
    left = source.trimmed(source.left_end(start, stops, low), start)
    right = source.trimmed(end, source.right_end(end, stops, high))
    return left, right


def logic_mutants(source, regions):
    found = []
    for match in re.finditer(r"(&&|\|\|) ", source.mask):
        is_and = match.group(1) == "&&"
        stops = BEFORE_TERNARY + (LOGIC if is_and else (" || ", "|| "))
        for first, last in operands(source, regions, match.start(), match.end(), stops):
            if first < last and not source.mask[first:last].startswith("try "):
                found.append(forced(source, first, last, "true" if is_and else "false", "drop-operand"))
    return found


def comparison_mutants(source, regions):
    found = []
    stops = BEFORE_TERNARY + LOGIC + EQUALITY
    for match in re.finditer(r" (<=|>=|<|>|==|!=) ", source.mask):
        if re.search(r"func $|func \S* ?$", source.mask[: match.start() + 1].split("\n")[-1]):
            continue
        left, right = operands(source, regions, match.start(), match.end(), stops)
        if left[0] >= left[1] or right[0] >= right[1]:
            continue
        sign = match.group(1)
        if sign in COMPARISONS:
            # No test can meet the very moment of a deadline.
            if any(CLOCK.search(source.mask[slice(*operand)]) for operand in (left, right)):
                continue
            name = f"mutant{COMPARISONS[sign]}(%d, "
            token = (match.start(), match.end(), ", ")
            found.append(Mutant(source, "shift", left[0], right[1], SHIFTED[sign], name, ")", token))
        elif not any(source.trimmed(*clause) == (left[0], right[1]) for clause in regions):
            change = "!=" if sign == "==" else "=="
            found.append(Mutant(source, "equality", left[0], right[1], change, "(isMutant(%d) != (", "))"))
    return found


def ternary_mutants(source, regions):
    found = []
    stops = tuple(stop for stop in BEFORE_TERNARY)
    for match in re.finditer(r" \? ", source.mask):
        (first, last), _ = operands(source, regions, match.start(), match.end(), stops)
        if first < last:
            found.append(Mutant(source, "negate", first, last, "negated", "(isMutant(%d) != (", "))"))
    for match in re.finditer(r"\n( +)\? ", source.mask):
        (first, last), _ = operands(source, regions, match.start(), match.end(), stops)
        if first < last:
            found.append(Mutant(source, "negate", first, last, "negated", "(isMutant(%d) != (", "))"))
    return found


def literal_mutants(source):
    found = []
    for match in re.finditer(r"(?<=[\w)\]] [-+] )1(?![\w.])|(?<=[+-]= )1(?![\w.])", source.mask):
        found.append(Mutant(source, "literal", *match.span(), "0", "(isMutant(%d) ? 0 : ", ")"))
    for match in re.finditer(r"(?<![\w.$])[01](?=\.\.[.<])", source.mask):
        value = 1 - int(match.group())
        found.append(Mutant(source, "literal", *match.span(), str(value), f"(isMutant(%d) ? {value} : ", ")"))
    return found


def bool_mutants(source):
    found = []
    for match in re.finditer(r"(?<=return )(true|false)\b|(?<= = )(true|false)\b", source.mask):
        line = source.mask[slice(*source.line_at(match.start()))].strip()
        if match.group(2) and KEYWORDS.match(line):
            continue
        found.append(Mutant(source, "flip", *match.span(), "flipped", "(isMutant(%d) != ", ")"))
    return found


def extreme_mutants(source):
    found = []
    for match in re.finditer(r"(?<![\w.])(min|max)\(", source.mask):
        at = match.end() - 1
        if at not in source.pair or "," not in source.mask[at : source.pair[at]]:
            continue
        name = "Min" if match.group(1) == "min" else "Max"
        token = (match.start(), match.end(), "")
        other = "max" if name == "Min" else "min"
        end = source.pair[at] + 1
        found.append(Mutant(source, "extreme", match.start(), end, other, f"mutant{name}(%d, ", "", token))
    return found


def dropped_statements(source):
    found = []
    for number in range(1, len(source.starts) + 1):
        first, last = source.trimmed(*source.line(number))
        if first >= last:
            continue
        line = source.mask[first:last]
        inline = re.match(r"(defer|[\w@ ().]*func [^{]*\)( throws(\([\w.]+\))?)?) \{ (?P<body>[^{}]+) \}$", line)
        if inline and "->" not in line:
            start, end = first + inline.start("body"), first + inline.end("body")
            if ";" not in line and STATEMENT.match(source.mask[start:end]):
                found.append(drop(source, start, end))
            continue
        # Memory that is not freed changes no result.
        if line.endswith((".deallocate()", ".free()")):
            continue
        if KEYWORDS.match(line) or not STATEMENT.match(line) or not is_whole(source, first, last):
            continue
        if is_first_assignment(source, first, line) or is_result(source, first, last):
            continue
        found.append(drop(source, first, last))
    return found


def block(source, first, last):
    """The innermost braces around a range."""
    around = (at for at in source.pair if source.mask[at] == "{" and at < first and source.pair[at] >= last)
    return max(around, default=None)


def is_result(source, first, last):
    """Whether a line is the only one in its braces, and so their value."""
    start = block(source, first, last)
    if start is None:
        return False
    parameters = re.match(r"[^\n{]* in\n", source.mask[start + 1 :])
    begin = start + 1 + (parameters.end() if parameters else 0)
    if source.trimmed(begin, source.pair[start]) != (first, last):
        return False
    head = source.mask[:start].rstrip().split("\n")[-1]
    is_block = re.search(r"\b(if|else|for|while|do|catch|deinit|defer|repeat)\b", head)
    return "->" in head or not (is_block or re.search(r"\bfunc\b|^ *\)( throws\S*)?$", head))


def is_first_assignment(source, first, line):
    """Whether a line initialises a property, which cannot be left out."""
    start = block(source, first, first + 1)
    if start is None or not re.match(r"(self\.)?\w+ = ", line):
        return False
    # Comments are long runs of blanks: each is looked at once.
    head = re.sub(r"(?<!\s)\s+(async )?throws(\(\w+\))?$", "", source.mask[:start].rstrip())
    opening = head[: source.pair[len(head) - 1]] if head.endswith(")") and len(head) - 1 in source.pair else head
    return re.search(r"\binit\??(<[^>]*>)?$", opening) is not None or "init" in head.split("\n")[-1]


def drop(source, start, end):
    return Mutant(source, "drop", start, end, "left out", "if !isMutant(%d) { ", " }")


def is_whole(source, first, last):
    """Whether a line is one whole statement."""
    mask = source.mask
    for at in range(first, last):
        if mask[at] in "([{)]}" and not first <= source.pair.get(at, -1) < last:
            return False
    if mask[last:].lstrip().startswith((".", "?", ":", "&", "||", "+", "-", "{", "=")):
        return False
    before = mask[:first].rstrip()
    previous = before.split("\n")[-1].strip()
    if before.endswith((",", "(", "[", "=", "+", "&&", "||", "?", ".")):
        return False
    if before.endswith(":") and not previous.startswith(("case ", "default", ".")):
        return False
    around = max((at for at in source.pair if mask[at] in "([{" and at < first and source.pair[at] >= last), default=None)
    return around is not None and mask[around] == "{"
