"""Drives `hindsight mcp` with the official client of the Model Context Protocol (PyPI's `mcp`).

Ten sessions of the samples get one planted mistake each, at a random place. A strategy that knows what a user saw, and
the tools' descriptions, must name the action that made it, in at most five calls and 20 KB of answers. Then a redacted
recording is asked everything, and no answer may have its secrets. Calls at once get the answers of calls one by one,
and the history of a long text has few pages.

HINDSIGHT_BUILD is the directory of the built programs (.build/debug), HINDSIGHT_SEED the seed of the places.
"""

import asyncio
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HINDSIGHT_BUILD", PACKAGE / ".build" / "debug")).resolve()
TOOL, CHECKOUT = str(BUILD / "hindsight"), str(BUILD / "CheckoutTool")
SERVER = json.loads(os.environ.get("HINDSIGHT_MCP_SERVER", "null")) or [TOOL, "mcp"]
MOST_CALLS, MOST_BYTES = 5, 20_000
SECRET = "s3cr3t-7Qx"


def text_of(result):
    assert len(result.content) == 1 and result.content[0].type == "text", result
    return result.content[0].text


class Case:
    """What one strategy asks, and what it costs."""

    def __init__(self, session, file):
        self.session, self.file = session, file
        self.calls = self.bytes = 0

    async def ask(self, tool, **arguments):
        result = await self.session.call_tool(tool, {"file": self.file, **arguments})
        text = text_of(result)
        self.calls += 1
        self.bytes += len(text.encode())
        answer = json.loads(text)
        assert answer["hindsight"]["tool"] == tool, text
        return answer

    async def line(self, tool, **arguments):
        answer = await self.ask(tool, **arguments)
        assert answer.get("recorded"), answer
        return answer["recorded"][0]


# What users saw, and how one looks for the cause. Each returns the number of the action to blame.


def wrong_value(path, is_wrong):
    """A value is wrong at the end: ask who set it."""

    async def strategy(case):
        cursor = {}
        while cursor is not None:
            answer = await case.ask("blame", path=path, **cursor)
            for place in answer["recorded"]:
                if is_wrong(place["value"]):
                    return place["seq"]
            cursor = answer["hindsight"]["next"] and {"cursor": answer["hindsight"]["next"]}
        raise AssertionError("no such value")

    return strategy


def first_where(expression):
    """Something holds that must never hold: ask where it did first, and look at the action."""

    async def strategy(case):
        found = await case.line("find", expression=expression, only="first")
        shown = await case.line("show", position=found["position"])
        return shown["seq"]

    return strategy


def last_turn(expression):
    """Something holds at the end that was otherwise before: ask when it last became so."""

    async def strategy(case):
        found = await case.line("find", expression=expression, only="last", becomes=True)
        return (await case.line("show", position=found["position"]))["seq"]

    return strategy


def since_when(expression):
    """Something is so from some time on: bisect."""

    async def strategy(case):
        found = await case.line("bisect", expression=expression)
        assert found["found"] == "turns", found
        return (await case.line("show", position=found["position"]))["seq"]

    return strategy


def last_change(path):
    """A value was changed without reason: ask for its last change."""

    async def strategy(case):
        answer = await case.ask("history", path=path, last=1)
        return answer["recorded"][-1]["seq"]

    return strategy


async def behaves_differently(case):
    """The app does something else than its reducers should: verify with the right ones."""
    result = await case.line("verify")
    assert result["equal"] is False, result
    return result["divergence"]["seq"]


async def crashed(case):
    """The app crashed while it divided by a quantity: see where, and since when a quantity was 0."""
    info = await case.line("info")
    assert info["crash"]["name"] == "cart.totals", info
    await case.ask("show", position="crash")
    zero = "exists (select 1 from json_each(/cart/lines) where value ->> 'quantity' = 0)"
    found = await case.line("find", expression=zero, only="first")
    return int(found["position"])


def undone_by_skipping(type_name, path):
    """One of a few actions of a type broke a value: leave each out, and see whether it is right again."""

    async def strategy(case):
        log = (await case.ask("log", type=type_name))["recorded"]
        for action in reversed(log):
            result = await case.line("whatif", skip=[action["seq"]])
            if any(change["path"] == path for change in result["difference"] or []):
                return action["seq"]
        raise AssertionError("none of them")

    return strategy


# The recordings.


def lines(name):
    return (PACKAGE / "Fixtures" / f"{name}.jsonl").read_text().splitlines()


def record(directory, name, app, actions, *options):
    file = directory / f"{name}.hindsight"
    text = "\n".join(json.dumps(a, ensure_ascii=False) if isinstance(a, dict) else a for a in actions) + "\n"
    command = [TOOL, "record", "--app", app, "--input", "-", *options, str(file)]
    subprocess.run(command, input=text.encode(), check=True, stdout=subprocess.DEVNULL)
    return file


def planted(actions, at, action):
    """The actions with one more after the first `at`. The new one has the number at + 1."""
    return actions[:at] + [action] + actions[at:], at + 1


def make_cases(directory, rng):
    """(name, strategy, number of the planted action)"""
    cases = []

    def add(name, app, at, action, strategy, actions=None):
        changed, seq = planted(lines(app) if actions is None else actions, at, action)
        record(directory, name, app, changed)
        cases.append((name, strategy, seq))

    adds = [{"add": {"title": f"Item {i}", "tags": ["a" if i % 2 else "b"]}} for i in range(1, 41)]
    at = rng.randrange(25, 40)
    add("renamed", "todo", at, {"rename": {"id": 20, "title": "?!"}},
        wrong_value("/items/*/title", lambda value: value == "?!"), adds)
    gone = "seq > 20 and not exists (select 1 from json_each(/items) where value ->> 'id' = 7)"
    add("vanished", "todo", rng.randrange(22, 40), {"remove": {"id": 7}}, since_when(gone), adds)
    add("filtered", "todo", rng.randrange(5, 40), {"setFilter": {"to": "done"}}, last_change("/filter"), adds)
    add("completed", "todo", rng.randrange(21, 40), {"toggle": {"id": 13}}, first_where("/counts/done > 0"), adds)
    add("garbled", "notepad", rng.randrange(10, 90), {"edit": {"at": 0, "delete": 0, "insert": "☠"}},
        first_where("/text like '%☠%'"))
    teas = [{"AddLine": {"sku": "TEA-001", "quantity": 1}} for _ in range(20)]
    add("hoarded", "checkout", rng.randrange(2, 19), {"AddLine": {"sku": "CUP-014", "quantity": 9}},
        first_where("/stock/CUP-014/reserved > old(/stock/CUP-014/reserved) + 5"), teas)
    shopping = teas[:10] + [{"ApplyCoupon": {"code": "FIVER"}}] + teas[:5]
    add("discounted", "checkout", rng.randrange(11, 15), {"ApplyCoupon": {"code": None}},
        last_turn("/cart/totals/discount = 0 and seq > 11"), shopping)
    toggles = [{"AddLine": {"sku": "TEA-001", "quantity": 1}}] + [{"ChooseShipping": {"method": "express"}}]
    add("wrapped", "checkout", 1, {"WrapAsGift": {"sku": "TEA-001", "wrap": True}},
        undone_by_skipping("WrapAsGift", "/cart/giftWrapped"), toggles + teas[:8])

    # The reducers of CheckoutTool keep a line whose quantity is set to 0, and crash once there is a discount as well.
    bought = teas[:4] + [{"AddLine": {"sku": "BOOK-77", "quantity": 1}}] + teas[:4]
    zero = {"ChangeQuantity": {"sku": "BOOK-77", "quantity": 0}}
    for name, tail, strategy in [
        ("kept", teas[:2], behaves_differently),
        ("crash", teas[:2] + [{"ApplyCoupon": {"code": "WELCOME10"}}], crashed),
    ]:
        actions, seq = planted(bought, rng.randrange(5, 9), zero)
        record_slowly(directory / f"{name}.hindsight", actions + tail)
        cases.append((name, strategy, seq))
    return cases


def record_slowly(file, actions):
    """Records with CheckoutTool. The last action comes when the recorder has written the states of the others."""
    texts = [json.dumps(action) + "\n" for action in actions]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([CHECKOUT, "record", str(file)], stdin=subprocess.PIPE, **quiet)
    process.stdin.write("".join(texts[:-1]).encode())
    process.stdin.flush()
    written = [TOOL, "jump", str(file), str(len(actions) - 1), "--recorded"]
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and subprocess.run(written, **quiet).returncode:
        time.sleep(0.02)
    try:
        process.stdin.write(texts[-1].encode())
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.wait(timeout=60)
    subprocess.run([CHECKOUT, "recover", str(file)], **quiet)


# The test.


async def find_planted(session, cases):
    for name, strategy, expected in cases:
        case = Case(session, f"{name}.hindsight")
        found = await strategy(case)
        assert found == expected, f"{name}: blamed {found}, not {expected}"
        assert case.calls <= MOST_CALLS and case.bytes <= MOST_BYTES, (name, case.calls, case.bytes)
        print(f"  {name}: action {found}, {case.calls} calls, {case.bytes} bytes")


async def find_no_secret(session, file, tools):
    """Asks every tool about a redacted recording."""
    asked = {
        "info": [{}], "log": [{}], "notes": [{}], "verify": [{}, {"mode": "chained"}],
        "show": [{"position": p} for p in (1, 2, 3, 4, "crash", SECRET[:3])],
        "state": [{}, {"path": "/items"}, {"path": "/items/0/title"}, {"position": 2}],
        "diff": [{"from": "start", "to": "end"}],
        "blame": [{}, {"path": "/items/*/title"}],
        "history": [{"path": "/items"}, {"path": "/items/0/title"}],
        "find": [{"expression": "/items/0/title like '%s3c%'"}, {"expression": "payload like '%s3c%'"}],
        "bisect": [{"expression": "/items/0/title like '%s3c%'"}],
        "whatif": [{"skip": [2]}, {"when": ["type = 'rename'"]}],
        "cause": [{"path": "/items"}, {"path": "/items/0/title"}],
        "races": [{}, {"within": 1}],
        "shake": [{}],
        "test": [{"from": 0, "to": 2, "constant": "Todo.todoApp"}],
        "invariants": [{}, {"least": 1}],
        "shrink": [{}, {"until": "/items/0/title is not null"}],
        "search": [{"text": SECRET[:3]}, {"text": "toggle", "whole": True}],
        "stats": [{}],
        "part": [{"other": file}],
        "replay": [{}],
    }
    assert set(tools) == set(asked), tools
    for tool, calls in asked.items():
        for arguments in calls:
            cursor = {}
            for _ in range(200):
                place = {"files": [file]} if tool == "invariants" else {"file": file}
                text = text_of(await session.call_tool(tool, {**place, **arguments, **cursor}))
                assert SECRET not in text, (tool, arguments, text)
                following = json.loads(text)["hindsight"]["next"]
                if following is None:
                    break
                cursor = {"cursor": following}
            else:
                raise AssertionError(f"{tool} never ends")


async def find_same_log(session, directory, file):
    """The pages of a long log are the lines that the command prints."""
    printed = subprocess.run([TOOL, "log", "--json", str(directory / file)], capture_output=True, check=True)
    expected = [json.loads(line) for line in printed.stdout.decode().splitlines()]
    got, cursor = [], {}
    while cursor is not None:
        answer = json.loads(text_of(await session.call_tool("log", {"file": file, "whole": True, **cursor})))
        got += answer["recorded"]
        cursor = answer["hindsight"]["next"] and {"cursor": answer["hindsight"]["next"]}
    assert got == expected and len(got) > 50


async def find_long_texts(session, file, edits):
    """The history of a long text has few pages, on which the position comes first; the whole text can be had."""
    changes, pages, cursor = [], 0, {}
    while cursor is not None:
        answer = json.loads(text_of(await session.call_tool("history", {"file": file, "path": "/text", **cursor})))
        changes += answer["recorded"]
        pages += 1
        cursor = answer["hindsight"]["next"] and {"cursor": answer["hindsight"]["next"]}
    assert len(changes) == edits and pages < edits / 3, (len(changes), pages)
    for number, change in enumerate(changes[1:], 2):
        names = list(change)
        assert names.index("position") < names.index("old") and f"<{number}>" in change["new"]["part"], change
    text, cursor = "", {}
    while cursor is not None:
        asked = {"file": file, "path": "/text", **cursor}
        answer = json.loads(text_of(await session.call_tool("state", asked)))
        text += answer.get("fragment", "")
        cursor = answer["hindsight"]["next"] and {"cursor": answer["hindsight"]["next"]}
    assert len(json.loads(text)["value"].encode()) == changes[-1]["new"]["bytes"]
    print(f"  {edits} changes of a long text: {pages} pages")


async def call_at_once(session, files):
    """Calls at once have the answers of calls one by one, and a client that asks for progress gets it."""
    asked = [(tool, {"file": file}) for file in files for tool in ("info", "log", "blame", "stats", "verify")]
    expected = [text_of(await session.call_tool(tool, arguments)) for tool, arguments in asked]

    async def progress(amount, total, message):
        assert amount >= 1 and message.startswith(("info", "log", "blame", "stats", "verify")), message

    got = await asyncio.gather(
        *(session.call_tool(tool, arguments, progress_callback=progress) for tool, arguments in asked)
    )
    assert [text_of(result) for result in got] == expected
    print(f"  {len(asked)} calls at once")


async def write_and_compare(directory):
    """A server that may write makes a recording for others, and nothing outside its directory."""
    title = "Call 555-0199 about the lease"
    record(directory, "private", "todo", [{"add": {"title": title}}, {"toggle": {"id": 1}}])
    arguments = SERVER[1:] + ["--allow-writes", "--old", TOOL, str(directory)]
    server = StdioServerParameters(command=SERVER[0], args=arguments)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()

        async def ask(tool, **arguments):
            return json.loads(text_of(await session.call_tool(tool, arguments)))

        file = "private.hindsight"
        for outside in ["../x.hindsight", "/tmp/x.hindsight", file, "", "..", "no/such/x.hindsight"]:
            answer = await ask("scrub", file=file, output=outside)
            assert answer["hindsight"]["outcome"] == "unreadable", (outside, answer)
        assert [path.name for path in directory.iterdir()] == [file]
        answer = await ask("scrub", file=file, output="shared.hindsight")
        assert answer["hindsight"]["outcome"] == "ok", answer
        assert title.encode() not in (directory / "shared.hindsight").read_bytes()
        assert (await ask("verify", file="shared.hindsight"))["hindsight"]["outcome"] == "ok"
        answer = await ask("compare")
        assert answer["hindsight"]["outcome"] == "ok" and answer["recorded"][0]["files"] == 2, answer
        answer = await ask("invariants", least=1)
        assert answer["hindsight"]["outcome"] == "ok" and (answer.get("recorded") or answer["fragment"]), answer
    print("  scrub and compare")


async def main():
    seed = int(os.environ.get("HINDSIGHT_SEED", random.randrange(1 << 32)))
    print(f"HINDSIGHT_SEED={seed}")
    with tempfile.TemporaryDirectory(prefix="hindsight-mcp-") as name:
        top = pathlib.Path(name).resolve()
        directory = top / "recordings"
        directory.mkdir()
        cases = make_cases(directory, random.Random(seed))
        secrets = [{"add": {"title": SECRET}}, {"rename": {"id": 1, "title": SECRET + "!"}},
                   {"annotate": {"id": 1, "text": SECRET}}, {"toggle": {"id": 1}}]
        hide = ["--redact", "/**/title,/**/note,/**/text"]
        record(directory, "redacted", "todo", secrets, *hide)
        record(top, "elsewhere", "todo", secrets)
        edits = [{"edit": {"at": 15_000 if n > 1 else 0, "delete": 0, "insert": f"<{n}>" if n > 1 else "x" * 30_000}}
                 for n in range(1, 301)]
        record(directory, "long", "notepad", edits)
        (directory / "link.hindsight").symlink_to(top / "elsewhere.hindsight")
        before = {path.name: path.read_bytes() for path in directory.iterdir()}
        server = StdioServerParameters(command=SERVER[0], args=SERVER[1:] + [str(directory)])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            greeting = await session.initialize()
            assert "never an instruction" in (greeting.instructions or ""), greeting
            tools = (await session.list_tools()).tools
            names = [tool.name for tool in tools]
            assert "note" not in names and all(len(tool.description) > 60 for tool in tools), names
            assert len(cases) == 10
            await find_planted(session, cases)
            await find_no_secret(session, "redacted.hindsight", names)
            await find_same_log(session, directory, "garbled.hindsight")
            await find_long_texts(session, "long.hindsight", len(edits))
            await call_at_once(session, [f"{name}.hindsight" for name, _, _ in cases[:4]])
            for outside in ["link.hindsight", "../elsewhere.hindsight", str(top / "elsewhere.hindsight"), "/etc/passwd"]:
                result = await session.call_tool("info", {"file": outside})
                text = text_of(result)
                assert '"bad request"' in text or '"unreadable"' in text, text
                assert SECRET not in text and "todo" not in text, text
            listed = json.loads(text_of(await session.call_tool("info", {})))["recorded"]
            assert len(listed) == 12, listed
        after = {path.name: path.read_bytes() for path in directory.iterdir()}
        assert before == after, "a file was changed"
        (top / "private").mkdir()
        await write_and_compare(top / "private")
    print("ok")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
