"""A Swift source file: brackets, strings, comments and operands, without a full parser."""

import platform
import re
import sys

OPEN, CLOSE = "([{", ")]}"

# The tokens that end an operand of a comparison, of && and of ||, as the formatter writes them.
BEFORE_TERNARY = (" ? ", " : ", ": ", ",", " = ", " -> ", "; ")
WORDS = re.compile(r"\b(return|if|guard|while|where|else|in|let|var|try|await|throw|repeat|case|switch)\b")
CONTINUES_LINE = ("&&", "||", "? ", ": ", ".", "+ ", "- ", "?? ", "== ", "< ", "> ", "| ", "^ ")
CONTINUES_NEXT = ("&&", "||", "?", ",", "+", "-", "=", "==", "<", ">", "(", "[", "??", "|", ".")


def masked(text):
    """The text with its comments and strings blanked, with all offsets unchanged."""
    out = list(text)

    def blot(start, end, mark):
        for at in range(start, min(end, len(text))):
            if text[at] != "\n" or mark == "_":
                out[at] = mark

    at = 0
    while at < len(text):
        if text.startswith("//", at):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            blot(at, end, " ")
            at = end
        elif text.startswith("/*", at):
            end = text.find("*/", at) + 2
            blot(at, end, " ")
            at = end
        elif text[at] == '"' or (text[at] == "#" and re.match(r'#+"', text[at:])):
            end = string_end(text, at)
            blot(at, end, "_")
            at = end
        else:
            at += 1
    return "".join(out)


def string_end(text, at):
    """The offset after the string literal that begins at `at`."""
    hashes = re.match(r"#*", text[at:]).group()
    at += len(hashes)
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    while at < len(text):
        if text.startswith("\\" + hashes, at):
            at += 1 + len(hashes)
            if text.startswith("(", at):
                at = interpolation_end(text, at)
            else:
                at += 1
        elif text.startswith(quote + hashes, at):
            return at + len(quote) + len(hashes)
        else:
            at += 1
    return at


def interpolation_end(text, at):
    depth = 0
    while at < len(text):
        if text[at] == '"':
            at = string_end(text, at)
            continue
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
        if depth == 0:
            return at
    return at


def holds(condition):
    """Whether this machine compiles the lines under `#if condition`."""
    names = {"Darwin"} if sys.platform == "darwin" else {"Glibc", "Synchronization"}
    names |= {"FoundationEssentials", "Linux"} if sys.platform == "linux" else {"macOS"}
    # The compilers that build the package differ from the next ones only in what these guard.
    condition = re.sub(r"(?:compiler|swift)\([^)]*\)", "DEBUG", condition)
    condition = re.sub(r"targetEnvironment\(\w+\)", "none", condition)
    names |= {platform.machine().replace("aarch64", "arm64").replace("AMD64", "x86_64"), "DEBUG"}
    terms = re.sub(r"(?:canImport|os|arch)\((\w+)\)|(\w+)", lambda term: str((term[1] or term[2]) in names), condition)
    return bool(eval(terms.replace("!", " not ").replace("&&", " and ").replace("||", " or "), {}))


def inactive_lines(lines):
    """The numbers of the lines that this machine does not compile."""
    inactive, stack = set(), []
    for number, line in enumerate(lines, 1):
        word = line.strip()
        if word.startswith("#if "):
            is_on = holds(word[4:])
            stack.append([is_on, is_on])
        elif word.startswith("#elseif ") and stack:
            is_on = not stack[-1][1] and holds(word[8:])
            stack[-1] = [is_on, is_on or stack[-1][1]]
        elif word == "#else" and stack:
            stack[-1] = [not stack[-1][1], True]
        elif word == "#endif" and stack:
            stack.pop()
        elif not all(is_on for is_on, _ in stack):
            inactive.add(number)
    return inactive


class Source:
    """A file: its text, the text with strings and comments blanked, and its pairs of brackets."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.mask = masked(text)
        self.pair, self.outer = {}, {}
        stack = []
        for at, char in enumerate(self.mask):
            if char in OPEN:
                stack.append(at)
            elif char in CLOSE and stack:
                start = stack.pop()
                self.pair[start], self.pair[at] = at, start
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.inactive = inactive_lines(self.mask.split("\n"))

    def line_number(self, at):
        low, high = 0, len(self.starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= at else (low, middle)
        return low + 1

    def line(self, number):
        """A line's range, without its line feed."""
        start = self.starts[number - 1]
        end = self.text.find("\n", start)
        return start, len(self.text) if end < 0 else end

    def line_at(self, at):
        return self.line(self.line_number(at))

    def is_one_line(self, start, end):
        return "\n" not in self.text[start:end]

    def goes_on(self, newline):
        """Whether the expression before a line feed continues after it."""
        after = self.mask[newline + 1 :].lstrip()
        before = self.mask[:newline].rstrip()
        return after.startswith(CONTINUES_LINE) or before.endswith(CONTINUES_NEXT)

    def trimmed(self, start, end):
        """A range without the blanks at its ends."""
        while start < end and self.mask[start].isspace():
            start += 1
        while end > start and self.mask[end - 1].isspace():
            end -= 1
        return start, end

    def right_end(self, at, stops, limit=None):
        """The end of the operand that begins at `at`."""
        limit = len(self.mask) if limit is None else limit
        while at < limit:
            char = self.mask[at]
            if char in CLOSE:
                break
            if char in OPEN:
                end = self.pair.get(at)
                if end is None or (char == "{" and not self.is_one_line(at, end)):
                    break
                at = end + 1
                continue
            if char == "\n" and not self.goes_on(at):
                break
            if self.mask.startswith(stops, at) or self.mask.startswith(":\n", at) or self.begins_word(at):
                break
            at += 1
        return min(at, limit)

    def left_end(self, at, stops, limit=0):
        """The start of the operand that ends at `at`."""
        while at > limit:
            char = self.mask[at - 1]
            if char in OPEN:
                break
            if char in CLOSE:
                start = self.pair.get(at - 1)
                if start is None or (char == "}" and not self.is_one_line(start, at)):
                    break
                at = start
                continue
            if char == "\n" and (not self.goes_on(at - 1) or self.mask[: at - 1].endswith(" =")):
                break
            if any(self.mask.endswith(stop, 0, at) for stop in stops) or self.ends_word(at):
                break
            at -= 1
        return max(at, limit)

    def begins_word(self, at):
        if not self.mask[at].isalpha() or (at and (self.mask[at - 1].isalnum() or self.mask[at - 1] in "_.`")):
            return False
        match = WORDS.match(self.mask, at)
        return match is not None and match.group() != "try"

    def ends_word(self, at):
        if at < 2 or self.mask[at - 1] not in " \n":
            return False
        word = re.search(r"([\w.`]+)\s*$", self.mask[max(0, at - 12) : at])
        return word is not None and WORDS.fullmatch(word.group(1)) is not None
