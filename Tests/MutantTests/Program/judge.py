"""Checks the tool's answers about mutants: computes the same from the same files, without the tool's code.

    judge.py DIRECTORY      one directory per mutant: m.hindsight and its sidecar files, answer-0, answer-1, …

An answer is right if it follows from the file's rows, damaged or not. Exits with 1 if one is wrong.
"""

import base64
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import time


class Refused(Exception):
    """The rows are inconsistent: the tool should not have answered."""


class Number(str):
    """A number as its text."""


def parse(text):
    def members(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise Refused("a key twice")
        return dict(pairs)

    def constant(text):
        raise Refused("no JSON: " + text)

    try:
        return json.loads(
            text, parse_int=Number, parse_float=Number, parse_constant=constant, object_pairs_hook=members
        )
    except (ValueError, RecursionError) as error:
        raise Refused(str(error))


def same(one, other):
    return kind(one) == kind(other) and (
        all(same(a, b) for a, b in zip(one, other)) and len(one) == len(other)
        if isinstance(one, list)
        else list(one) == list(other) and all(same(one[key], other[key]) for key in one)
        if isinstance(one, dict)
        else one == other
    )


def kind(value):
    return (type(value) is Number, type(value))


def place(node, path):
    """The container and the key in it."""
    if path and not path.startswith("/"):
        raise Refused("no path")
    names = [name.replace("~1", "/").replace("~0", "~") for name in path.split("/")[1:]]
    for name in names[:-1]:
        node = child(node, name)
    return node, names[-1]


def child(node, name):
    if isinstance(node, list):
        if not re.fullmatch("0|[1-9][0-9]*", name) or int(name) >= len(node):
            raise Refused("nothing there")
        return node[int(name)]
    if not isinstance(node, dict) or name not in node:
        raise Refused("nothing there")
    return node[name]


def whole(number):
    if type(number) is not Number or not re.fullmatch("-?[0-9]+", number):
        raise Refused("no place")
    return int(number)


def apply(root, operation):
    """Applies one operation in its compact form to {"": state}."""
    head, rest = operation[0], operation[1:]
    letter, path = head[0], head[1:]
    box, name = place(root, "/" + path) if path == "" else place(root[""], path)
    if path == "":
        box, name = root, ""
    if letter == "r":
        old, new = rest
        check(child(box, name), old)
        put(box, name, new)
    elif letter == "a":
        value, at = rest[0], whole(rest[1]) if len(rest) > 1 else None
        if isinstance(box, list):
            index = len(box) if name == "-" else int(name)
            if index > len(box):
                raise Refused("beyond the end")
            box.insert(index, value)
        else:
            if name in box:
                raise Refused("there already")
            keys = list(box)
            if at is None:
                encoded = [key.encode() for key in keys]
                is_sorted = encoded == sorted(encoded)
                at = sum(key < name.encode() for key in encoded) if is_sorted else len(keys)
            if at > len(keys):
                raise Refused("beyond the end")
            items = list(box.items())
            items.insert(at, (name, value))
            box.clear()
            box.update(items)
    elif letter == "d":
        check(child(box, name), rest[0])
        if isinstance(box, dict) and len(rest) > 1 and list(box).index(name) != whole(rest[1]):
            raise Refused("another place")
        if isinstance(box, list):
            del box[int(name)]
        else:
            del box[name]
    elif letter == "s":
        old, new, at = rest[0], rest[1], whole(rest[2])
        array = child(box, name)
        if not isinstance(array, list):
            raise Refused("no array")
        check(array[at : at + len(old)], old)
        if at + len(old) > len(array):
            raise Refused("beyond the end")
        array[at : at + len(old)] = new
    elif letter == "e":
        old, new, at = rest[0], rest[1], whole(rest[2])
        text = child(box, name)
        before, old, new = (bytes_of(value) for value in (text, old, new))
        if before[at : at + len(old)] != old or at > len(before):
            raise Refused("another text")
        after = before[:at] + new + before[at + len(old) :]
        if isinstance(text, str):
            put(box, name, after.decode())
        else:
            put(box, name, {"$data": base64.b64encode(after).decode()})
    else:
        raise Refused("no such operation")


def bytes_of(value):
    if type(value) is str:
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and list(value) == ["$data"]:
        return base64.b64decode(value["$data"], validate=True)
    raise Refused("neither text nor data")


def check(found, expected):
    if not same(found, expected):
        raise Refused("something else is there")


def put(box, name, value):
    box[int(name) if isinstance(box, list) else name] = value


class Recording:
    def __init__(self, directory):
        self.directory = tempfile.mkdtemp()
        for suffix in ["", "-wal"]:
            source = f"{directory}/m.hindsight{suffix}"
            if os.path.exists(source):
                shutil.copy(source, f"{self.directory}/m.db{suffix}")
        self.database = sqlite3.connect(f"{self.directory}/m.db")
        self.database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        # Damaged pages may form a cycle.
        deadline = time.monotonic() + 10
        self.database.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)

    def close(self):
        self.database.close()
        shutil.rmtree(self.directory)

    def rows(self, sql, *values):
        return self.database.execute(sql, values)

    def first(self, sql, *values):
        row = self.rows(sql, *values).fetchone()
        return row[0] if row else None

    def state(self, seq, reducer=None):
        base = seq if reducer is None else seq - 1
        start = self.rows(
            "SELECT seq, state FROM keyframe NOT INDEXED WHERE seq <= ? ORDER BY seq DESC LIMIT 1", base
        ).fetchone()
        if start is None:
            raise Refused("no whole state")
        root = {"": parse(start[1])}
        wanted = start[0] + 1
        for number, steps in self.rows(
            "SELECT seq, steps FROM action NOT INDEXED WHERE seq > ? AND seq <= ? ORDER BY seq", start[0], seq
        ):
            if number != wanted:
                raise Refused("an action is missing")
            wanted += 1
            for index, step in enumerate(parse(steps) if steps is not None else []):
                if number == seq and reducer is not None and max(1, index + 1) > reducer:
                    break
                for operation in step[1:] if isinstance(step, list) else []:
                    apply(root, operation)
        if wanted <= seq:
            raise Refused("an action is missing")
        return root[""]

    def is_clear(self):
        """Whether the rows are unambiguous.

        They are not if SQLite finds different rows in the other direction, as in damaged pages; if an action with changes
        is unfinished; or if whole states follow actions without changes.
        """
        if self.first("SELECT 1 FROM action NOT INDEXED WHERE steps IS NOT NULL AND duration IS NULL LIMIT 1"):
            return False
        unknown = self.first("SELECT min(seq) FROM action NOT INDEXED WHERE seq > 0 AND steps IS NULL")
        if unknown is not None and self.first("SELECT 1 FROM keyframe NOT INDEXED WHERE seq >= ? LIMIT 1", unknown):
            return False
        for table in ("action", "keyframe"):
            forward = [row[0] for row in self.rows(f"SELECT seq FROM {table} NOT INDEXED LIMIT 100000")]
            backward = [row[0] for row in self.rows(f"SELECT seq FROM {table} NOT INDEXED ORDER BY seq DESC LIMIT 100000")]
            if forward != sorted(set(forward)) or forward != backward[::-1]:
                return False
        return True

    def name(self, value):
        return self.first("SELECT text FROM name WHERE id = ?", value) if isinstance(value, int) else value


def judge(recording, command, code, output):
    """The fault of an answer; None if it is right, or if there is nothing to compare it with."""
    words = command.split()
    if code > 1:
        return None
    if words[0] == "jump" and "--replayed" not in words and words[2] in ("end", "50%", "4.2"):
        first = recording.first("SELECT min(seq) FROM keyframe") or 0
        last = recording.first("SELECT seq FROM action NOT INDEXED WHERE steps IS NOT NULL ORDER BY seq DESC LIMIT 1")
        last = max(first, last or 0)
        if words[2] == "end":
            expected = recording.state(last)
        elif words[2] == "50%":
            # Halves are rounded away from zero.
            expected = recording.state(first + (last - first + 1) // 2)
        else:
            expected = recording.state(4, 2)
        found = parse(output)
        return None if same(found, expected) else f"found {found}, expected {expected}"
    if words[0] == "info" and "--json" in words:
        found = json.loads(output)
        # Actions before the first whole state lead nowhere, and do not count.
        first = recording.first("SELECT min(seq) FROM keyframe") or 0
        stored = recording.first("SELECT count(seq) FROM action NOT INDEXED WHERE seq > ?", first)
        if found["actions"] < stored or found["keyframes"] != recording.first("SELECT count(seq) FROM keyframe NOT INDEXED"):
            return f"{found['actions']} actions, {found['keyframes']} keyframes"
        return None
    if words[0] == "log" and words[-1] == "--json" and "--path" not in words:
        found = [json.loads(line, parse_int=Number, parse_float=Number) for line in output.splitlines()]
        first = recording.first("SELECT min(seq) FROM keyframe") or 0
        rows = list(
            recording.rows("SELECT seq, type, payload, at FROM action NOT INDEXED WHERE seq > ? ORDER BY seq", first)
        )
        if len(found) < len(rows):
            return f"{len(found)} actions, expected {len(rows)}"
        for line, (seq, type, payload, at) in zip(found, rows):
            expected = parse(payload) if payload is not None else None
            if int(line["seq"]) != seq or int(line["at"]) != at or line["type"] != recording.name(type):
                return f"action {seq}: {line}"
            if not same(line["action"], expected):
                return f"action {seq}: {line['action']}, expected {expected}"
    return None


def main(root):
    right = wrong = unknown = 0
    for number in sorted(os.listdir(root), key=lambda name: name.zfill(12)):
        directory = f"{root}/{number}"
        recording = Recording(directory)
        try:
            is_clear = recording.is_clear()
        except (sqlite3.Error, UnicodeDecodeError):
            # The rows that the answers depend on may be readable.
            is_clear = True
        for file in sorted(os.listdir(directory)):
            if not file.startswith("answer-"):
                continue
            with open(f"{directory}/{file}", encoding="utf-8", newline="") as text:
                command, code, output = text.read().split("\n", 2)
            try:
                words = judge(recording, command, int(code), output)
            except Refused as error:
                words = f"answered, though {error}"
            except sqlite3.Error as error:
                # SQLite reads damaged pages that the tool did not need.
                unknown += 1
                continue
            except Exception as error:
                words = f"could not be checked: {error!r}"
            if words is None:
                right += 1
            elif not is_clear or "RecursionError" in words:
                unknown += 1
            else:
                wrong += 1
                print(f"mutant {number}: {command}: {words[:500]}")
        recording.close()
    print(f"{right} answers right or with nothing to compare, {wrong} wrong, {unknown} that cannot be checked")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
