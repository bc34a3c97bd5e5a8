"""Starts `hindsight dap` as editors start it: by the configurations in the article "Debugging in an editor", and by the
extension that `dap --install vscode` writes.

Each configuration is parsed in its language (JSON, Lua with a stand-in for Neovim, Lisp, TOML). Its command must be the
tool's, and a session with its launch arguments must stop at the entry.

HINDSIGHT_BUILD is the directory of the built programs (.build/release).
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib

import lupa
import sexpdata

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HINDSIGHT_BUILD", PACKAGE / ".build" / "release")).resolve()
TOOL = str(BUILD / "hindsight")
PAGE = PACKAGE / "Sources" / "HindsightCLI" / "HindsightCLI.docc" / "DebuggingInAnEditor.md"
PATIENCE = 60


def block(heading, language, number=0):
    """A block of code in a section of the article."""
    section = PAGE.read_text().split(f"### {heading}\n", 1)[1].split("\n### ", 1)[0]
    blocks = re.findall(rf"```{language}\n(.*?)\n```", section, re.S)
    return blocks[number]


def start(command, launch, folder):
    """Starts the adapter, opens a recording, and waits for the stop at the entry."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
    requests = [("initialize", {"adapterID": "test"}), ("launch", launch), ("configurationDone", {})]
    for seq, (name, arguments) in enumerate(requests, 1):
        body = json.dumps({"seq": seq, "type": "request", "command": name, "arguments": arguments}).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    process.stdin.close()
    rest = process.stdout.read()
    assert process.wait(PATIENCE) == 0
    messages = []
    while rest:
        header, rest = rest.split(b"\r\n\r\n", 1)
        length = int(header.split(b":")[1])
        messages.append(json.loads(rest[:length]))
        rest = rest[length:]
    for message in messages:
        assert message.get("success", True), message
    stops = [message["body"] for message in messages if message.get("event") == "stopped"]
    assert [stop["reason"] for stop in stops] == ["entry"], messages


def tool(command):
    assert command[0] == "hindsight" or pathlib.Path(command[0]).name == "hindsight", command
    return [TOOL, *command[1:]]


def expanded(launch, folder):
    """Launch arguments with the variables of an editor replaced, as the editor does."""
    text = json.dumps(launch)
    for name in ("${workspaceFolder}", "${workspaceRoot}", "$ZED_WORKTREE_ROOT"):
        text = text.replace(name, str(folder))
    return json.loads(text.replace("${Recording}", f"{folder}/session.hindsight"))


def vscode(folder):
    with tempfile.TemporaryDirectory() as extensions:
        words = [TOOL, "dap", "--install", "vscode", "--into", extensions]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        (extension,) = pathlib.Path(extensions).iterdir()
        manifest = json.loads((extension / "package.json").read_text())
        assert extension.name == f"{manifest['publisher']}.{manifest['name']}-{manifest['version']}"
        (debugger,) = manifest["contributes"]["debuggers"]
        assert os.path.samefile(debugger["program"], TOOL), debugger
        for launch in debugger["initialConfigurations"]:
            assert launch["type"] == debugger["type"]
            start([debugger["program"], *debugger["args"]], expanded(launch, folder), folder)
        (launch,) = json.loads(block("VS Code", "json"))["configurations"]
        assert launch["type"] == debugger["type"]
        known = debugger["configurationAttributes"]["launch"]["properties"]
        assert set(launch) - {"type", "request", "name"} <= set(known), launch
        start([debugger["program"], *debugger["args"]], expanded(launch, folder), folder)


def neovim(folder):
    lua = lupa.LuaRuntime(unpack_returned_tuples=True)
    lua.execute(
        """
        dap = { adapters = {}, configurations = {} }
        package.loaded['dap'] = dap
        vim = { fn = { input = function() return 'session.hindsight' end, getcwd = function() return '.' end } }
        """
    )
    lua.execute(block("Neovim", "lua"))
    dap = lua.globals().dap
    adapter = dap.adapters.hindsight
    assert adapter.type == "executable"
    launch = {}
    for key, value in dap.configurations.swift[1].items():
        launch[key] = value() if callable(value) else value
    assert launch["type"] == "hindsight"
    start(tool([adapter.command, *adapter.args.values()]), launch, folder)


def emacs(folder):
    def plain(value):
        if isinstance(value, sexpdata.Quoted):
            return plain(value.x)
        if isinstance(value, sexpdata.Symbol):
            return value.value()
        return [plain(one) for one in value] if isinstance(value, list) else value

    form = plain(sexpdata.loads(block("Emacs", "elisp")))
    name, *members = form[2][2]
    config = dict(zip(members[::2], members[1::2], strict=True))
    assert name == "hindsight" and config["ensure"] == "dape-ensure-command"
    launch = {key[1:]: value for key, value in config.items() if key.startswith(":")}
    start(tool([config["command"], *config["command-args"]]), launch, folder)


def helix(folder):
    (language,) = tomllib.loads(block("Helix", "toml"))["language"]
    debugger = language["debugger"]
    assert language["name"] == "swift" and debugger["transport"] == "stdio"
    (template,) = debugger["templates"]
    assert template["request"] == "launch" and template["completion"][0]["completion"] == "filename"
    launch = {key: value.replace("{0}", "session.hindsight") for key, value in template["args"].items()}
    start(tool([debugger["command"], *debugger["args"]]), launch, folder)


def zed(folder):
    settings = json.loads(block("Zed", "json"))
    (launch,) = json.loads(block("Zed", "json", 1))
    adapter = settings["dap"][launch["adapter"]]
    start(tool([adapter["binary"], *adapter["args"]]), expanded(launch, folder), folder)


def vim(folder):
    settings = json.loads(block("Vim", "json"))
    (profile,) = settings["configurations"].values()
    adapter = settings["adapters"][profile["adapter"]]
    start(tool(adapter["command"]), expanded(profile["configuration"], folder), folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(PACKAGE / "Fixtures" / "checkout.hindsight", pathlib.Path(folder) / "session.hindsight")
        for editor in (vscode, neovim, emacs, helix, zed, vim):
            editor(folder)
            print(f"{editor.__name__}: the session starts")


main()
