"""Runs the commands of the page "From nothing to a fleet's first crash group", and compares what they print."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from support import FIXTURES, TOOL, TOP, ArchiveTest, tool
from test_receive import UPLOADING_APP, Receiver

PAGE = TOP / "Sources/HindsightArchive/HindsightArchive.docc/FirstCrashGroup.md"


def commands():
    """The commands of the page, and the lines that the page shows of their output."""
    found, inside = [], False
    for line in PAGE.read_text().splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((line[2:], []))
        elif inside:
            found[-1][1].append(line)
    return found


def swift_lines():
    """The lines of Swift that the page shows, without indentation."""
    blocks = re.findall(r"```swift\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


def squeezed(text):
    return " ".join(text.split())


def pattern(lines):
    """A pattern for an output: … stands for any text, and alone on a line for any lines."""
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append("(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in squeezed(line).split("…")) + "\n")
    return "".join(parts) + r"\Z"


class FirstCrashGroupTest(ArchiveTest):
    def make_crash(self, name, version, created):
        """A recording that ended in the second reducer of its third action."""
        lines = [{
            "hindsight": "recording", "text": 1, "app": "shop", "version": version, "platform": "Linux",
            "created": created, "facts": {"died": "3.2", "recovered": "1"}, "reducers": ["cart.lines", "cart.totals"],
            "state": {"total": 0},
        }]
        for number, action in enumerate(["AddLine", "ChangeQuantity", "ApplyCoupon"], 1):
            line = {"action": action, "payload": {}}
            if number < 3:
                change = {"op": "replace", "path": "/total", "old": number - 1, "value": number}
                line["changes"] = {"cart.totals": [change]}
            line["at"] = created + number * 1_000_000
            if number < 3:
                line |= {"duration": 1000, "times": [500, 500]}
            lines.append(line)
        text = self.folder / f"{name}.jsonl"
        text.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [*lines, {"end": True}]))
        tool("import", text, "-o", self.folder / "device" / f"{name}.hindsight")

    def test_the_app_of_the_page_compiles(self):
        app = (TOP / "Tests/UploadingApp/main.swift").read_text()
        lines = [line.strip() for line in app.splitlines()]
        self.assertGreaterEqual(len(swift_lines()), 4)
        self.assertEqual([line for line in swift_lines() if line not in lines], [])

    def test_each_command_prints_what_the_page_shows(self):
        (self.folder / "runs").mkdir()
        (self.folder / "device").mkdir()
        for number, version in enumerate(["3.1.0", "3.2.0", "3.2.0"]):
            self.make_crash(f"crash-{number}", version, 1_790_000_000_000_000_000 + number * 86_400 * 10**9)
        shutil.copy(FIXTURES / "todo.hindsight", self.folder / "runs" / "fine.hindsight")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "hindsight").symlink_to(pathlib.Path(TOOL).resolve())
        # The app of a device that crashed.
        app = self.folder / "bin" / "shop"
        app.write_text(
            f'#!/bin/sh\nexec "{pathlib.Path(UPLOADING_APP).resolve()}" device "$RECEIVER" "$(cat kiosk-7.token)" --background >&2\n'
        )
        app.chmod(0o755)
        environment = {
            **os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "ARCHIVE": self.server.url(self.make_database()),
        }
        found = commands()
        self.assertGreaterEqual(len(found), 10)
        for command, shown in found:
            with self.subTest(command):
                if command == "shop":
                    environment["RECEIVER"] = Receiver(self, url=environment["ARCHIVE"]).address
                answer = subprocess.run(
                    ["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300
                )
                self.assertEqual(answer.returncode, 0, answer.stderr)
                output = "".join(squeezed(line) + "\n" for line in answer.stdout.splitlines())
                self.assertRegex(output, r"\A" + pattern(shown))
        self.assertEqual(len(list((self.folder / "crashes").glob("*.hindsight"))), 3)
