"""What the page shows, read from its elements as a person would."""

import re

TREE = """
() => ({
    isWhole: document.querySelectorAll('#state-tree [role=treeitem]').length === hindsight.tree.rows.length,
    rows: [...document.querySelectorAll('#state-tree [role=treeitem]')].map((row) => ({
        level: Number(row.getAttribute('aria-level')),
        isOpen: row.getAttribute('aria-expanded'),
        isRemoved: row.classList.contains('is-removed'),
        isPart: row.querySelector('.key.part') !== null,
        key: row.querySelector('.key').textContent,
        value: row.querySelector('.value:not(.old)')?.firstChild?.textContent ?? null,
        size: row.querySelector('.size')?.textContent ?? null,
    })),
})
"""
CHANGES = """
() => [...document.querySelectorAll('#inspector-body .change')].map((line) =>
    [line.querySelector('.sign').getAttribute('aria-label'), line.querySelector('.path').textContent])
"""
MARKS = """
() => {
    const { marks } = hindsight.tree;
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((it) => !it.hidden).map((it) => it.textContent).join('');
    const places = [...marks.at].map(([path, { kind }]) => [kind, DOM.visible(path) || '(whole)']);
    return [[shown('#state .pill'), shown('.change-count')], places];
}
"""


def position(tab):
    """The position that the page says it is at."""
    return tab.evaluate("() => document.querySelector('.readout').textContent")


def go(tab, fragment):
    tab.evaluate("(fragment) => { location.hash = fragment; }", fragment)
    # The page follows after the event, and draws in the next frame.
    tab.wait_for_timeout(30)


def shown_tree(tab):
    """Compares nothing yet: the rows of the tree as nested lists of [key, row, children]."""
    tree = tab.evaluate(TREE)
    root = []
    open_levels = {0: root}
    for row in tree["rows"]:
        if row["isRemoved"]:
            continue
        children = []
        open_levels[row["level"] - 1].append((row["key"], row, children))
        open_levels[row["level"]] = children
    return root, tree["isWhole"]


def differences(value, shown, path=""):
    """What the tree shows otherwise than a value of JSON; a list of texts."""
    _, row, children = shown
    if row["isPart"]:
        return []
    if isinstance(value, (dict, list)):
        members = list(value.items()) if isinstance(value, dict) else [(str(index), it) for index, it in enumerate(value)]
        found = []
        if row["size"] is not None and members:
            number = int(re.sub(r"\D", "", row["size"]))
            if number != len(members):
                found.append(f"{path}: {row['size']} instead of {len(members)}")
        if row["isOpen"] == "true" and not any(child[1]["isPart"] for child in children):
            keys, names = [child[0] for child in children], [visible(name) for name, _ in members]
            if keys != names:
                found.append(f"{path}: {keys} instead of {names}")
            else:
                for (name, member), child in zip(members, children):
                    found += differences(member, child, f"{path}/{name}")
        return found
    expected = text(value)
    if expected is not None and row["value"] != expected:
        return [f"{path}: {row['value']!r} instead of {expected!r}"]
    return []


def text(value):
    """How the tree shows a single value; `None` if that is not simple."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str) and value == "[redacted]":
        return "redacted"
    if isinstance(value, str) and len(value) <= 40 and re.fullmatch(r'[^"\\\x00-\x1f\x7f-\x9f\u200b-\u2069\ufeff]*', value):
        return f'"{value}"'
    return None


HIDDEN = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U000e0000-\U000e03ff]"
)


def visible(name):
    """How the page shows a name: with escapes for what cannot be seen."""
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return HIDDEN.sub(lambda match: short.get(match[0]) or match[0].encode("utf-16-be").hex(" ", 2).replace(" ", "\\u").join(["\\u", ""]), name)


def lines(patch):
    """The signs and paths of the lines with which `diff` and the page show a patch."""
    found = []
    for operation in patch:
        path = operation["path"]
        match operation["op"]:
            case "splice":
                at = operation["at"]
                found += [["removed", f"{path}/{at + offset}"] for offset in range(len(operation["remove"]))]
                found += [["added", f"{path}/{at + offset}"] for offset in range(len(operation["insert"]))]
            case "add":
                found.append(["added", path])
            case "remove":
                found.append(["removed", path])
            case _:
                found.append(["changed", path])
    return [[kind, visible(path) or "(whole)"] for kind, path in found]
