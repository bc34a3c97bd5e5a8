"""An archive behind PgBouncer, which gives each transaction any session of the server."""

import json
import os
import shutil
import signal
import subprocess
import unittest

from support import SEED, TOOL, ArchiveTest, json_lines, program, tool

ADD = '{"add":{"title":"%s"}}\n'
PORT = 6432
CREATED = 1_790_000_000_000_000_000
BOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@unittest.skipUnless(BOUNCER, "PgBouncer is missing")
class PoolerTest(ArchiveTest):
    def setUp(self):
        super().setUp()
        self.direct = self.url
        folder = self.server.make_folder()
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "users").write_text('"owner" ""\n"reader" ""\n')
        (folder / "ini").write_text(
            f"""[databases]
            * = host={self.server.folder}
            [pgbouncer]
            pool_mode = transaction
            default_pool_size = 2
            listen_port = {PORT}
            unix_socket_dir = {folder}
            auth_type = trust
            auth_file = {folder}/users
            pidfile = {folder}/pid
            """
        )
        (folder / "ini").chmod(0o644)
        log = open(folder / "log", "w")
        self.addCleanup(log.close)
        bouncer = subprocess.Popen(
            self.server.words(BOUNCER, str(folder / "ini")), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/"
        )

        def end():
            # The process that was started may only be the one that changes the user.
            if (folder / "pid").exists():
                os.kill(int((folder / "pid").read_text()), signal.SIGTERM)
            else:
                bouncer.kill()
            bouncer.wait()

        self.addCleanup(end)
        self.poll((folder / f".s.PGSQL.{PORT}").exists, "PgBouncer listens")
        self.url = self.through(folder)

    def through(self, folder, user="owner"):
        return f"postgresql://{user}@/{self.database}?host={folder}&port={PORT}"

    def test_six_pushes_readers_and_workers_share_two_sessions(self):
        files = [
            self.record(f"runs-{number}.hindsight", [ADD % f"{number}-{line}" for line in range(4)])
            for number in range(12)
        ]
        # Long ones have several chunks, each of which may go through another session.
        files += [self.make_text(f"long-{number}.jsonl", 3000, size=300, created=CREATED + number) for number in range(6)]
        pushers = [
            subprocess.Popen(
                [TOOL, "archive", "push", self.url, "--json", *map(str, files[number::6])],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for number in range(6)
        ]
        # Readers ask for a session that only reads. None of the pushers may get it so.
        while any(pusher.poll() is None for pusher in pushers):
            tool("archive", "list", self.url, "--json")
            tool("archive", "status", self.url, "--json")
        pushed = []
        for pusher in pushers:
            output, errors = pusher.communicate()
            self.assertEqual(pusher.returncode, 0, f"{errors} seed {SEED}")
            pushed += json_lines(output)
        self.assertEqual({answer["outcome"] for answer in pushed}, {"new"})
        self.assertEqual(len(json_lines(tool("archive", "list", self.url, "--json").stdout)), len(files))
        self.check_chunks()

        workers = [
            subprocess.Popen(
                [TOOL, "archive", "verify", self.url, "--app", "todo", "--json", "--wait"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(3)
        ]
        for worker in workers:
            output, errors = worker.communicate()
            self.assertEqual(worker.returncode, 0, f"{errors} seed {SEED}")
            self.assertEqual(json.loads(output)["verdicts"], {"equal": 12})

        for path, answer in zip(files[5::6], [row for row in pushed if row["id"]][-3:]):
            copy = self.folder / "copy.hindsight"
            tool("archive", "pull", self.url, answer["id"], "-o", copy, "--force")
            self.assertEqual(self.text(copy), self.text(self.folder / os.path.basename(answer["file"])))

        rows = tool("archive", "sql", self.url, "SELECT count(*) AS n FROM recording", "--json").stdout
        self.assertEqual(json.loads(rows), {"n": len(files)})
        # Nobody's session keeps that it only reads.
        write = "WITH made AS (INSERT INTO hindsight.version VALUES (99, '') RETURNING 1) SELECT * FROM made"
        refused = tool("archive", "sql", self.url, write, code=None)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("read-only", refused.stderr)
        # Nor another setting: the sessions go to other clients.
        names = ["search_path", "bytea_output", "synchronous_commit", "transaction_read_only"]
        show = [word for name in names for word in ("-c", f"SHOW {name}")]
        for _ in range(4):
            psql = [program("psql"), "-X", "-q", "-A", "-t", "-d", self.url, *show]
            settings = subprocess.run(psql, capture_output=True, text=True, check=True).stdout.splitlines()
            self.assertEqual(settings, ['"$user", public', "hex", "on", "off"])

    def test_pushes_of_one_recording_that_grows_do_not_get_in_each_others_way(self):
        lines = self.make_text("grows.jsonl", 3000, size=300, facts={}).read_text().splitlines(keepends=True)
        beginnings = []
        for count in (1000, 2000, 3000):
            beginnings.append(self.folder / f"{count}.jsonl")
            beginnings[-1].write_text("".join(lines[: count + 1] + lines[-1:]))
        # Whatever a database's default is, a push that waited for another one sees what that has done.
        self.sql(f"ALTER DATABASE {self.database} SET default_transaction_isolation = 'serializable'")
        pushers = [
            subprocess.Popen(
                [TOOL, "archive", "push", url, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            for url in (self.url, self.direct)
            for path in beginnings
        ]
        for pusher in pushers:
            _, errors = pusher.communicate()
            self.assertEqual(pusher.returncode, 0, f"{errors} seed {SEED}")
        (row,) = json_lines(tool("archive", "list", self.url, "--json").stdout)
        self.assertEqual(row["actions"], 3000)
        self.check_chunks()


if __name__ == "__main__":
    unittest.main()
