"""A PostgreSQL server for tests, and the tool that is tested against it.

The server belongs to the process that starts it: it listens on a socket below build/archive only, and ends with the
process, however that ends. The server refuses to run as root, so root runs it as another user.
"""

import atexit
import fcntl
import hashlib
import json
import os
import pathlib
import pwd
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = TOP / "build" / "archive"
TOOL = os.environ["HINDSIGHT_TOOL"]
CRASHING_APP = os.environ.get("HINDSIGHT_CRASHING_APP")
PLAIN_TOOL = os.environ.get("HINDSIGHT_PLAIN_TOOL")
TORTURE = "HINDSIGHT_TORTURE" in os.environ
# How many seconds a test waits for what should come at once, and does not on a busy machine.
PATIENCE = 120
SEED = int(os.environ.get("HINDSIGHT_SEED", random.randrange(1 << 32)))
FIXTURES = TOP / "Fixtures"

# Ends the server when the pipe on standard input closes, which it does when the tests' process ends.
WATCH = """
import os, shutil, signal, sys, time
sys.stdin.buffer.read()
folder = sys.argv[1]
try:
    number = int(open(folder + "/data/postmaster.pid").readline())
    os.kill(number, signal.SIGQUIT)
    for _ in range(100):
        time.sleep(0.05)
        os.kill(number, 0)
except (OSError, ValueError):
    pass
shutil.rmtree(folder, ignore_errors=True)
"""


def program(name):
    """The path of one of PostgreSQL's programs, the newest."""
    found = shutil.which(name)
    versions = sorted(
        pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3])
    )
    if not versions and not found:
        raise RuntimeError(f"{name} of PostgreSQL is missing")
    return str(versions[-1]) if versions else found


class Server:
    """A server with a cluster of its own."""

    def __init__(self, **settings):
        self.user = None
        self.has_archive = False
        if os.geteuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.user = "postgres" if "postgres" in names else "nobody"
        self.folder = self.make_folder()
        self.data = self.folder / "data"
        self.settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "max_connections": 60}
        # Whatever the machine has. What ends here is a process, so nothing needs to reach the disk; the measurements do.
        self.settings |= {"timezone": "UTC", "lc_messages": "C"} | ({} if TORTURE else {"fsync": "off"})
        self.settings |= settings
        self.make_cluster()
        with open(self.data / "postgresql.conf", "a") as file:
            file.writelines(f"{key} = '{value}'\n" for key, value in self.settings.items())
        # It inherits no end of the pipe but its own.
        self.watch = subprocess.Popen(
            [sys.executable, "-c", WATCH, str(self.folder)], stdin=subprocess.PIPE, start_new_session=True
        )
        atexit.register(self.end)
        self.start()

    def make_cluster(self):
        """Makes the server's files. Below build/archive, these are a copy of those that the first server has made."""
        words = ["-A", "trust", "-U", "owner", "--no-sync", "-E", "UTF8", "--locale", "C"]
        if self.folder.parent != ARCHIVE:
            return self.run(program("initdb"), "-D", str(self.data), *words)
        version = subprocess.run([program("initdb"), "--version"], check=True, capture_output=True).stdout
        made = ARCHIVE / f"cluster-{self.user}-{hashlib.sha256(version).hexdigest()[:16]}"
        with open(ARCHIVE / "cluster.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                self.run(program("initdb"), "-D", str(self.data), *words)
                self.data.rename(made)
        self.run("cp", "-a", str(made), str(self.data))

    def make_folder(self):
        parent = ARCHIVE
        parent.mkdir(parents=True, exist_ok=True)
        reachable = self.user is None or not subprocess.run(self.words("test", "-x", str(parent)), cwd="/").returncode
        # The name of a socket has at most 107 bytes.
        if not reachable or len(str(parent)) > 70:
            parent = None
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pg-", dir=parent))
        if self.user:
            shutil.chown(folder, self.user)
        folder.chmod(0o755)
        return folder

    def words(self, *words):
        return ["runuser", "-u", self.user, "--", *words] if self.user else list(words)

    def run(self, *words):
        subprocess.run(self.words(*words), check=True, cwd="/", stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def control(self, *words):
        self.run(program("pg_ctl"), "-D", str(self.data), "-l", str(self.folder / "log"), "-w", "-t", "60", *words)

    def start(self):
        self.control("start")

    def stop(self, mode="fast"):
        self.control("stop", "-m", mode)

    def restart(self, mode="immediate"):
        self.stop(mode)
        self.start()

    def end(self):
        if self.watch.poll() is None:
            self.watch.stdin.close()
            self.watch.wait()

    def url(self, database, user="owner"):
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def sql(self, database, text, user="owner"):
        """The rows that psql prints, as lists of texts."""
        answer = subprocess.run(
            [program("psql"), "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-d", self.url(database, user)],
            input=text,
            capture_output=True,
            text=True,
        )
        if answer.returncode:
            raise RuntimeError(answer.stderr)
        return [line.split("\x1f") for line in answer.stdout.splitlines()]


# The tool's lists of what was pushed.
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="hindsight-cache-")
atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)

_server = None


def server():
    """The server that all tests of a process share."""
    global _server
    if _server is None:
        _server = Server()
    return _server


def tool(*words, stdin=None, code=0, env=None, timeout=300, path=TOOL):
    """Runs the tool, and returns its result after checking its exit code (`None` for any)."""
    answer = subprocess.run(
        [path, *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
    )
    if code is not None and answer.returncode != code:
        raise AssertionError(
            f"{' '.join(map(str, words))} ended with {answer.returncode}, not {code}\n{answer.stdout}{answer.stderr}"
        )
    return answer


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


class ArchiveTest(unittest.TestCase):
    """A test with a folder and an archive of its own."""

    databases = 0

    def setUp(self):
        self.random = random.Random(SEED)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hindsight-archive-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = server()
        # A copy of an archive that has been made once.
        if not self.server.has_archive:
            self.server.sql("postgres", "CREATE DATABASE archive")
            tool("archive", "init", self.server.url("archive"))
            self.server.has_archive = True
        self.database = self.make_database("archive")
        self.url = self.server.url(self.database)

    def make_database(self, template="template1"):
        ArchiveTest.databases += 1
        name = f"test_{os.getpid()}_{ArchiveTest.databases}"
        self.server.sql("postgres", f"CREATE DATABASE {name} TEMPLATE {template}")
        self.addCleanup(self.server.sql, "postgres", f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        return name

    def make_role(self, name, *groups, app="*"):
        """A role that can log in, is a member of other roles, and sees an app; with `*` all, and with `None` none."""
        self.server.sql("postgres", f"DROP ROLE IF EXISTS {name}; CREATE ROLE {name} LOGIN")
        for group in groups:
            self.server.sql("postgres", f"GRANT {group} TO {name}")
        self.addCleanup(self.server.sql, "postgres", f"DROP ROLE IF EXISTS {name}")
        if app:
            self.sql(f"INSERT INTO hindsight.access VALUES ('{name}', '{app}') ON CONFLICT DO NOTHING")
        return self.server.url(self.database, name)

    def sql(self, text, user="owner"):
        return self.server.sql(self.database, text, user)

    def start_session(self, text):
        """A session of psql that has run statements, and stays."""
        session = subprocess.Popen(
            [program("psql"), "-X", "-q", "-A", "-t", "-d", self.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

        def end():
            session.kill()
            session.communicate()

        self.addCleanup(end)
        session.stdin.write(text + "\n;\\echo ready\n")
        session.stdin.flush()
        while session.stdout.readline() not in ("ready\n", ""):
            pass
        return session

    def wait_for(self, condition):
        """Waits until a statement's answer is true."""
        self.poll(lambda: self.sql(condition) == [["t"]], condition)

    def poll(self, condition, what):
        """Waits until a function returns something true, and returns that."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if answer := condition():
                return answer
            time.sleep(0.05)
        self.fail(f"not in {PATIENCE} s: {what}")

    def push(self, *words, url=None, **options):
        """The objects that push prints, one a file."""
        return json_lines(tool("archive", "push", url or self.url, "--json", *words, **options).stdout)

    def pull(self, identity, output, *words):
        return json_lines(tool("archive", "pull", self.url, identity, "-o", output, "--json", *words).stdout)

    def record(self, name, lines, app="todo"):
        """A recording of the actions in some lines of JSON."""
        path = self.folder / name
        tool("record", "--app", app, "--input", "-", path, stdin="".join(lines))
        return path

    def start_recorder(self, name, app="todo"):
        """A recorder that dispatches what is written to its standard input."""
        recorder = subprocess.Popen(
            [TOOL, "record", "--app", app, "--input", "-", str(self.folder / name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def end():
            recorder.kill()
            recorder.wait()
            recorder.stdin.close()

        self.addCleanup(end)
        return recorder

    def wait_for_recorded(self, path, count):
        """Waits until a live recording has a number of actions."""

        def recorded():
            answer = tool("info", path, "--json", code=None)
            return answer.returncode == 0 and json.loads(answer.stdout)["actions"] == count

        self.poll(recorded, f"{count} actions in {path}")

    def make_text(self, name, actions, size=0, **header):
        """A recording in text with many actions, without running an app: a counter, and a text of random digits."""
        first = {
            "hindsight": "recording", "text": 1, "app": "made", "version": "1", "platform": "Linux",
            "created": 1_790_000_000_000_000_000, "facts": {"closed": 1_790_000_900_000_000_000},
            "reducers": ["count"], "state": {"count": 0, "text": ""},
        } | header
        digits = [f"{self.random.getrandbits(4 * size):0{size}x}" if size else "" for _ in range(actions)]
        path = self.folder / name
        with open(path, "w") as file:
            def line(value):
                file.write(json.dumps(value, separators=(",", ":")) + "\n")

            line(first)
            last = ""
            for number in range(1, actions + 1):
                text = digits[number - 1]
                changes = [{"op": "replace", "path": "/count", "old": number - 1, "value": number}]
                if text != last:
                    changes.append({"op": "replace", "path": "/text", "old": last, "value": text})
                last = text
                action = ["up", "down", "reset"][number % 3]
                line({
                    "action": action, "payload": {action: {}}, "changes": {"count": changes},
                    "at": first["created"] + number * 1_000_000, "duration": 1000 + number % 7, "times": [1000],
                })
            line({"end": True})
        return path

    def check_chunks(self):
        """Each chunk belongs to a recording."""
        spare = self.sql(
            "SELECT count(*) FROM hindsight.chunk AS c WHERE NOT EXISTS "
            "(SELECT FROM hindsight.head AS h WHERE h.recording = c.recording "
            "AND hindsight.chunk_key(c.first, c.last, c.hash) = ANY (h.chunks))"
        )
        self.assertEqual(spare, [["0"]])

    def text(self, path):
        """The recording as text."""
        return tool("export", path).stdout

    def views(self, path):
        """What sqlite3 sees in the two views of a recording that stand as a promise."""
        import sqlite3

        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return [connection.execute(f"SELECT * FROM {view}").fetchall() for view in ("history", "changes")]
        finally:
            connection.close()
