"""Recordings in their text form, made for the tests of the page."""

import json
import pathlib
import random

REDUCERS = ["boxes", "total", "moves", "last", "alarm"]
CREATED = 1_795_193_991_760_766_662


def line(value):
    """One line as the tool writes it: without spaces, and with its escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for code in [*range(0x7F, 0xA0), 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF,
                 *range(0xFFF9, 0xFFFC)]:  # fmt: skip
        text = text.replace(chr(code), f"\\u{code:04x}")
    # Tags are pairs of units.
    return "".join(f"\\udb40\\udc{ord(it) & 0xFF:02x}" if 0xE0000 <= ord(it) < 0xE0080 else it for it in text) + "\n"


def head(reducers, state, app="depot", facts=None):
    return line({
        "hindsight": "recording", "text": 1, "app": app, "version": "1.0", "platform": "Linux",
        "created": CREATED, "facts": facts or {"closed": CREATED + 10**12}, "reducers": reducers, "state": state,
    })  # fmt: skip


def replacement(path, old, new):
    return {"op": "replace", "path": path, "old": old, "value": new}


def action(kind, changes, at, times=(1000,), payload=None, **more):
    payload = {kind: payload or {}}
    row = {"action": kind, "payload": payload, "changes": changes, **more, "at": at, "duration": sum(times), "times": times}
    return line(row)


def write(path, first, rows):
    """Writes a recording: its head, its actions and notes, and its end."""
    with pathlib.Path(path).open("w", encoding="utf-8") as file:
        file.writelines([first, *rows, line({"end": True})])
    return path


def write_doubt(file, after, path="/note"):
    """Writes an edit of a text whose result is doubtful at a path: afterwards, the text was another one."""
    note = "The quick brown fox jumps over the lazy dog."
    edit = {"op": "edit", "path": "/note", "at": 4, "remove": "quick", "insert": "slow"}
    rows = [action("edit", {"note": [edit]}, CREATED + 1, doubtful=path), line({"state": {"note": after}})]
    return write(file, head(["note"], {"note": note}), rows)


def ticks(ats, types=None):
    """Actions that count up, one at each of the times."""
    for number, at in enumerate(ats, 1):
        yield action(types[number - 1] if types else "tick", {"count": [replacement("/count", number - 1, number)]}, at)


def write_depot(path, count, seed=1):
    """Writes a depot's recording: five reducers, a state of a thousand leaves, `count` actions."""
    chance = random.Random(seed)
    shelves = [
        [{"count": chance.randint(0, 99), "label": f"batch {shelf * 33 + box}", "isOpen": False} for box in range(33)]
        for shelf in range(10)
    ]
    total, last = sum(box["count"] for shelf in shelves for box in shelf), ""
    at = CREATED
    rows, first = [], head(REDUCERS, {"shelves": shelves, "total": total, "moves": 0, "last": last, "alarm": None})
    for number in range(1, count + 1):
        at += chance.randint(100_000, 2_000_000)
        shelf, box, amount = chance.randrange(10), chance.randrange(33), chance.randint(-3, 5)
        place = f"/shelves/{shelf}/{box}"
        it = shelves[shelf][box]
        if number % 100 == 0:
            kind = "label"
            payload = {"shelf": shelf, "box": box, "text": f"batch {number}"}
            changes = {"boxes": [replacement(place + "/label", it["label"], f"batch {number}")]}
            it["label"] = f"batch {number}"
        else:
            kind = "put"
            payload = {"shelf": shelf, "box": box, "count": amount}
            changes = {}
            if amount != 0:
                changes["boxes"] = [replacement(place + "/count", it["count"], it["count"] + amount)]
                changes["total"] = [replacement("/total", total, total + amount)]
            it["count"] += amount
            total += amount
        changes["moves"] = [replacement("/moves", number - 1, number)]
        if kind == "label":
            changes["last"] = [replacement("/last", last, it["label"])]
            last = it["label"]
        times = [chance.randint(60, 3000) for _ in REDUCERS]
        rows.append(action(kind, changes, at, times, payload, origin="Depot.swift:7"))
    return write(path, first, rows)


def write_clock(path, seconds, types=None, facts=None):
    """Writes a recording with an action at each of the times, which may go back. `types`: the type of each."""
    ats = (min(2**63 - 1, CREATED + int(second * 10**9)) for second in seconds)
    return write(path, head(["count"], {"count": 0}, app="clock", facts=facts), ticks(ats, types))


def write_placeholders(path):
    """Writes a recording that hides one place, and has the text of a placeholder at another."""
    facts = {"closed": CREATED + 10**12, "redaction": {"states": [{"path": "/secret"}], "actions": []}}
    first = head(["text"], {"own": "text", "secret": "[redacted]"}, app="placeholders", facts=facts)
    changes = {"text": [replacement("/own", "text", "[redacted]")]}
    return write(path, first, [action("write", changes, CREATED + 10**9)])


def write_big_state(path, megabytes=5):
    """Writes a recording with a large state, of which one value changes."""
    entry = {"name": "n" * 40, "text": "t" * 400, "tags": ["a", "b", "c"], "size": 1234, "isOpen": True}
    count = megabytes * 1_000_000 // len(line(entry))
    entries = {f"entry {number:06}": dict(entry, size=number) for number in range(count)}
    ats = (CREATED + number * 10**9 for number in range(1, 21))
    return write(path, head(["count"], {"entries": entries, "count": 0}, app="big"), ticks(ats))


def write_rows(path):
    """Writes a recording of 400 rows, of which some come and go while others are changed, in the same actions."""
    rows = [{"name": f"row {number}", "size": number} for number in range(400)]
    new, names = [{"name": "new", "size": number} for number in (-1, -2)], ["changed", "again"]
    steps = [
        {"drop": [{"op": "splice", "path": "/rows", "at": 3, "remove": rows[3:5], "insert": []}],
         "put": [{"op": "splice", "path": "/rows", "at": 299, "remove": [], "insert": new}],
         "name": [replacement("/rows/349/name", "row 349", names[0])]},
        {"drop": [replacement("/rows/10/name", "row 12", names[0])],
         "put": [{"op": "splice", "path": "/rows", "at": 0, "remove": [], "insert": new[:1]}],
         "name": [{"op": "edit", "path": "/rows/11/name", "at": 7, "remove": "", "insert": "!"},
                  replacement("/rows/11/name", names[0] + "!", names[1])]},
    ]  # fmt: skip
    first = head(["drop", "put", "name"], {"rows": rows}, app="rows")
    ats = (CREATED + number * 10**9 for number in (1, 2))
    return write(path, first, [action("change", changes, at, [100] * 3) for changes, at in zip(steps, ats)])


def write_long(path):
    """Writes a recording of a list and an object of 200 members, of which one goes in each action."""
    state = {"list": list(range(200)), "members": {f"key {number}": number for number in range(200)}}
    steps = [
        {"op": "splice", "path": "/list", "at": 199, "remove": [199], "insert": []},
        {"op": "remove", "path": "/members/key 20", "old": 20, "at": 20},
        {"op": "remove", "path": "/members/key 199", "old": 199, "at": 198},
    ]
    rows = [action("drop", {"drop": [step]}, CREATED + number * 10**9) for number, step in enumerate(steps, 1)]
    return write(path, head(["drop"], state, app="long"), rows)


def write_numbers(path):
    """Writes a recording of numbers that are written in several ways, and of a name that a path writes in another way."""
    values = ["2e1", "12.5", "20.0", "125e-1"]
    rows = [
        action("set", {"set": [replacement("/number", "OLD", "NEW")]}, CREATED + number * 10**9)
        .replace('"OLD"', values[number - 1]).replace('"NEW"', values[number])
        for number in range(1, len(values))
    ]  # fmt: skip
    rows.append(action("set", {"set": [{"op": "add", "path": "/pages/https:~1~1example.com~1~0me", "value": True}]}, CREATED + 10**10))
    state = head(["set"], {"number": "START", "pages": {}}, app="numbers").replace('"START"', values[0])
    return write(path, state, rows)


def write_growing(path, kind, count):
    """Writes a recording in which a text or a list grows by one in each action."""
    rows = []
    for number in range(count):
        if kind == "text":
            change = {"op": "edit", "path": "/text", "at": number, "remove": "", "insert": "abc\n"[number % 4]}
        else:
            change = {"op": "splice", "path": "/list", "at": number, "remove": [], "insert": [number]}
        rows.append(action("grow", {"grow": [change]}, CREATED + number * 10**7))
    return write(path, head(["grow"], {kind: "" if kind == "text" else []}, app="growing"), rows)


def write_measured(path, notes=True):
    """Writes a recording whose figures are known: 100 actions, each of which takes its number in microseconds.

    A count rises by 1, a switch is on in the second half, and each tenth action has another type, and changes nothing.
    """
    count, rows = 0, []
    for number in range(1, 101):
        kind, changes = ("rest", {}) if number % 10 == 0 else ("work", {"count": [replacement("/count", count, count + 1)]})
        count += len(changes)
        if number == 51:
            changes["switch"] = [replacement("/isOn", False, True)]
        at = CREATED + number * 10**9
        rows.append(action(kind, changes, at, [number * 900, number * 100], {"number": number}))
        if notes and number in (20, 80):
            rows.append(line({"note": f"note {number}", "text": f"text of {number}", "at": at}))
    return write(path, head(["count", "switch"], {"count": 0, "isOn": False}, app="measured"), rows)


# Texts that would run or mislead if the page did not show them as text. Each sets `owned` if it runs.
HOSTILE = [
    "</script><script>window.owned = 1</script>",
    "<img src=x onerror='window.owned = 2'>",
    "<svg onload=\"window.owned = 3\"><animate onbegin='window.owned = 3' attributeName=x dur=1s>",
    "javascript:window.owned=4",
    "\"><iframe srcdoc=\"<script>parent.owned = 5</script>\"></iframe>",
    "' onmouseover='window.owned = 6' x='",
    "<style>body { display: none }</style>",
    "<a href=\"javascript:window.owned=7\">click</a>",
    "-->]]>--!><!--<script>window.owned = 8</script>",
    "<!--<script>",
    "{{CSP}} <!--script--> <!--recording--> {{title}} <!--style-->",
    "${window.owned = 9} `+(window.owned = 9)+`",
    "a\u2028b\u2029c",
    "\u202egnp.exe\u202c \u2066isolated\u2069 \u200fright",
    "\u0000\u0001\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f",
    "\ufeff\u200b\u00ad\u3164 invisible \U000e0041",
    "e\u0301\u0301\u0301" + "\u0489" * 200,
    "%3Cscript%3Ewindow.owned=10%3C/script%3E",
    "&lt;script&gt; &amp;lt; &#x3c;script&#x3e;",
    "data:text/html,<script>window.owned=11</script>",
    "=cmd|' /C calc'!A0",
    "x" * 20_000,
]
# Names that mean something to JavaScript.
KEYS = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then", "length", "1", "0", ""]


def write_hostile(path):
    """Writes a recording that has hostile texts wherever a recording has texts."""
    values = {f"{number}": text for number, text in enumerate(HOSTILE)}
    names = {text: number for number, text in enumerate(HOSTILE)}
    keys = {key: {"__proto__": {"owned": 12}, key: key} for key in KEYS}
    state = {"values": values, "names": names, "keys": keys, "list": HOSTILE[:5], "now": ""}
    reducers = [HOSTILE[0], HOSTILE[1], "__proto__", "#2", "plain"]
    before = ""
    with pathlib.Path(path).open("w", encoding="utf-8") as file:
        facts = {"stopped": HOSTILE[0] + HOSTILE[1]}
        file.write(head(reducers, state, app=HOSTILE[1], facts=facts))
        for number, text in enumerate(HOSTILE + KEYS):
            pointer = text.replace("~", "~0").replace("/", "~1")
            action = {
                "action": text or "empty",
                "payload": {text or "empty": {"value": text, "__proto__": text, text: [text]}},
                "changes": {
                    HOSTILE[0]: [replacement("/now", before, text)],
                    "__proto__": [{"op": "splice", "path": "/list", "at": 0, "remove": [], "insert": [text]}],
                    "plain": [{"op": "add", "path": f"/names/new {pointer}", "value": text}],
                },
                "problem": text,
                "origin": f"{text}.swift:{number}",
                "at": CREATED + (number + 1) * 10**8,
                "duration": 1000 * number,
                "times": [100, 200, 300, 400, 500],
            }
            if number % 4 == 3:
                del action["problem"]
            before = text
            file.write(line(action))
            file.write(line({"note": f"{number} {text}"[:200], "text": text, "at": CREATED + (number + 1) * 10**8}))
        file.write(line({"end": True}))
    return path
