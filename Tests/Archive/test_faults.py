"""Tests what `archive push` and `archive pull` do when the server, the network or the archive is at fault."""

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
import zlib

from support import FIXTURES, PATIENCE, TOOL, ArchiveTest, json_lines, tool


class Proxy:
    """Stands between the tool and a server, and lets a fault happen after some bytes."""

    def __init__(self, server):
        self.server = server
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hindsight-proxy-"))
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / ".s.PGSQL.5432"))
        self.listener.listen()
        # After this number of bytes in a direction: "drop" or "stall".
        self.limits = {"up": None, "down": None}
        self.action = "drop"
        self.rewrite = None
        self.counts = {"up": 0, "down": 0}
        self.sockets = []
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, database):
        return f"postgresql://owner@/{database}?host={self.folder}"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            real = socket.socket(socket.AF_UNIX)
            real.connect(str(self.server.folder / ".s.PGSQL.5432"))
            self.sockets += [client, real]
            threading.Thread(target=self.forward, args=(client, real, "up"), daemon=True).start()
            threading.Thread(target=self.forward, args=(real, client, "down"), daemon=True).start()

    def forward(self, source, sink, direction):
        try:
            while data := source.recv(1 << 16):
                if self.rewrite:
                    data = data.replace(*self.rewrite)
                self.counts[direction] += len(data)
                limit = self.limits[direction]
                if limit is not None and self.counts[direction] > limit:
                    if self.action == "stall":
                        return
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
        for end in self.sockets:
            end.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class FaultTest(ArchiveTest):
    def make_proxy(self):
        proxy = Proxy(self.server)
        self.addCleanup(proxy.close)
        return proxy

    def recordings(self):
        return self.sql("SELECT id, hash FROM hindsight.recording")

    def check_archive(self, path, identity):
        """The archive has all of a recording of `make_text`, once."""
        self.assertEqual(len(self.recordings()), 1)
        output = self.folder / "checked.hindsight"
        self.pull(identity, output, "--force")
        self.assertEqual(self.text(output), path.read_text())
        self.check_chunks()


class ConnectionFaultTest(FaultTest):
    def test_no_server(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = tool("archive", "status", f"postgresql:///x?host={folder}", code=3)
            self.assertIn("address", answer.stderr)

    def test_no_such_database_and_no_archive_in_it(self):
        answer = tool("archive", "status", self.server.url("nothing_here"), code=3)
        self.assertIn("createdb", answer.stderr)
        empty = self.server.url(self.make_database())
        for words in (["status", empty], ["push", empty, FIXTURES / "todo.hindsight"], ["pull", empty, "abcd"]):
            self.assertIn("archive init", tool("archive", *words, code=3).stderr)

    def test_a_wrong_password(self):
        self.make_role("locked", "hindsight_read")
        self.server.sql("postgres", "ALTER ROLE locked PASSWORD 'right'")
        access = self.server.data / "pg_hba.conf"
        before = access.read_text()
        access.write_text("local all locked scram-sha-256\n" + before)
        self.server.control("reload")
        try:
            url = self.server.url(self.database, "locked")
            for environment in ({"PGPASSWORD": "wrong"}, {"PGPASSFILE": "/dev/null"}):
                answer = tool("archive", "status", url, code=3, env=environment)
                self.assertIn("password", answer.stderr)
            tool("archive", "status", url, env={"PGPASSWORD": "right"})
        finally:
            access.write_text(before)
            self.server.control("reload")

    def test_a_schema_of_a_newer_version_and_one_that_is_no_archive(self):
        self.sql("INSERT INTO hindsight.version (version, tool) VALUES (99, 'later')")
        for words in (["init", self.url], ["status", self.url], ["push", self.url, FIXTURES / "todo.hindsight"]):
            self.assertIn("newer", tool("archive", *words, code=3).stderr)
        other = self.make_database()
        self.server.sql(other, "CREATE SCHEMA hindsight; CREATE TABLE hindsight.cats (name text)")
        answer = tool("archive", "init", self.server.url(other), code=3)
        self.assertIn("no archive", answer.stderr)
        self.assertEqual(self.server.sql(other, "SELECT count(*) FROM hindsight.cats"), [["0"]])

    def test_a_schema_that_is_not_complete_and_a_database_of_another_encoding(self):
        self.sql("DELETE FROM hindsight.version")
        for command in ("init", "status"):
            self.assertIn("its version is missing", tool("archive", command, self.url, code=3).stderr)
        self.server.sql(
            "postgres", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
        )
        self.addCleanup(self.server.sql, "postgres", "DROP DATABASE latin")
        self.assertIn("an archive needs UTF8", tool("archive", "init", self.server.url("latin"), code=3).stderr)

    def test_a_password_in_the_address_is_not_printed(self):
        for url in (
            "mysql://u:geheim@h/x", "postgres://u:geheim@[bad/x", "host=/none password='gehe im' dbname=x",
            "postgres://u:gehe%im@/x", "postgres:///x?user=u&password=gehe%im",
        ):
            answer = tool("archive", "status", url, code=3)
            self.assertNotIn("gehe", answer.stdout + answer.stderr)
        # What else is called as the password is still named.
        url = self.server.url("nothing").replace("owner@", "owner:nothing@")
        self.assertIn('"nothing"', tool("archive", "status", url, code=3).stderr)
        self.push(FIXTURES / "todo.hindsight")
        self.sql("UPDATE hindsight.recording SET ending = 'crashed', crash_type = 'add'")
        url = self.url.replace("owner@", "owner:geheim@")
        answer = tool("archive", "crashes", url)
        self.assertIn("archive pull", answer.stdout)
        self.assertNotIn("geheim", answer.stdout + answer.stderr)
        words = f"host={self.server.folder} user=owner dbname={self.database}"
        for password in ("a&geheim", "a\\ geheim", "'a geheim'"):
            for name in ("password", "sslpassword"):
                answer = tool("archive", "crashes", f"{words} {name}={password} connect_timeout=9")
                self.assertIn(f"archive pull '{words} connect_timeout=9'", answer.stdout)
                self.assertNotIn("geheim", answer.stdout + answer.stderr)

    def test_a_server_that_is_too_old(self):
        proxy = self.make_proxy()
        version = self.server.sql("postgres", "SHOW server_version")[0][0].split(".")[0]
        proxy.rewrite = (f"server_version\0{version}.".encode(), b"server_version\x0012.")
        self.assertIn("14 or later", tool("archive", "status", proxy.url(self.database), code=3).stderr)

    def test_a_connection_that_drops_or_stalls_loses_nothing(self):
        path = self.make_text("large.jsonl", 100, size=4000)
        identity = None
        for action in ("drop", "stall"):
            for direction, limits in (("up", [2000, 30_000, 125_000]), ("down", [600, 1500])):
                for limit in limits:
                    with self.subTest(action=action, direction=direction, limit=limit):
                        proxy = self.make_proxy()
                        proxy.action, proxy.limits[direction] = action, limit
                        words = ["push", proxy.url(self.database), "--timeout", "1", path]
                        answer = tool("archive", *words, code=None, timeout=PATIENCE)
                        if answer.returncode:
                            self.assertEqual(answer.returncode, 3, answer.stderr)
                            self.assertRegex(answer.stderr, "again|address|continues")
                        pushed = self.push(path)[0]
                        identity = identity or pushed["id"]
                        self.check_archive(path, identity)
                        self.sql(f"SELECT hindsight.forget('{identity}')")

    def test_a_pull_whose_connection_stalls_writes_nothing(self):
        path = self.make_text("large.jsonl", 200, size=4000)
        identity = self.push(path)[0]["id"]
        for action in ("drop", "stall"):
            proxy = self.make_proxy()
            proxy.action, proxy.limits["down"] = action, 250_000
            words = ["pull", proxy.url(self.database), identity, "-o", self.folder / "out.hindsight", "--timeout", "1"]
            self.assertRegex(tool("archive", *words, code=3).stderr, "again|continues")
            self.assertEqual(list(self.folder.glob("*out*")), [])

    def test_a_full_disk_there(self):
        path = self.make_text("large.jsonl", 200, size=4000)
        self.sql(
            """CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.first > 75 THEN
                RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
            END IF;
            RETURN NEW; END $$;
            CREATE TRIGGER fill BEFORE INSERT ON hindsight.chunk FOR EACH ROW EXECUTE FUNCTION fill()"""
        )
        answer = tool("archive", "push", self.url, path, code=3)
        self.assertIn("space", answer.stderr)
        self.assertEqual(self.recordings(), [])
        self.sql("DROP TRIGGER fill ON hindsight.chunk")
        self.check_archive(path, self.push(path)[0]["id"])


class DamageTest(FaultTest):
    def test_a_damaged_missing_or_hostile_chunk_is_refused(self):
        path = self.make_text("large.jsonl", 75, size=4000)
        identity = self.push(path)[0]["id"]
        chosen = "hash = (SELECT hash FROM hindsight.chunk ORDER BY first OFFSET 1 LIMIT 1)"
        other = zlib.compress(b'{"action":"up","at":1}\n').hex()
        bomb = zlib.compress(bytes(300 << 20)).hex()
        for change in (
            f"UPDATE hindsight.chunk SET body = set_byte(body, 5000, 255 - get_byte(body, 5000)) WHERE {chosen}",
            f"UPDATE hindsight.chunk SET body = substr(body, 1, 5000) WHERE {chosen}",
            f"UPDATE hindsight.chunk SET body = body || '\\x00' WHERE {chosen}",
            f"UPDATE hindsight.chunk SET body = '\\x{other}' WHERE {chosen}",
            f"UPDATE hindsight.chunk SET body = '\\x{bomb}' WHERE {chosen}",
            f"UPDATE hindsight.chunk SET body = '' WHERE {chosen}",
            f"UPDATE hindsight.chunk SET last = last + 1 WHERE {chosen}",
            f"UPDATE hindsight.chunk SET first = 9223372036854775807 WHERE {chosen}",
            "UPDATE hindsight.chunk SET first = -9223372036854775808 WHERE first = 1",
            f"DELETE FROM hindsight.chunk WHERE {chosen}",
            "UPDATE hindsight.head SET body = set_byte(body, 30, 255 - get_byte(body, 30))",
            "UPDATE hindsight.head SET chunks = chunks[2:]",
            "UPDATE hindsight.head SET chunks = ARRAY[decode(repeat('80', 48), 'hex')]",
            "UPDATE hindsight.recording SET hash = sha256(hash)",
        ):
            with self.subTest(change[:80]):
                self.sql(change)
                output = self.folder / "out.hindsight"
                answer = tool("archive", "pull", self.url, identity, "-o", output, code=3)
                self.assertIn("hindsight.forget", answer.stderr)
                self.assertEqual(list(self.folder.glob("*out*")), [])
                self.sql(f"SELECT hindsight.forget('{identity}')")
                self.push(path)
                self.check_archive(path, identity)

    def test_numbers_beside_the_hashes_do_not_change_what_is_pulled(self):
        path = self.make_text("large.jsonl", 150, size=4000)
        identity = self.push(path)[0]["id"]
        self.sql(
            """UPDATE hindsight.recording SET dropped = 9223372036854775807, bytes = 9223372036854775807;
            INSERT INTO hindsight.chunk SELECT started, recording, 0, 0, hash, app, bytes, '\\x00' FROM hindsight.chunk"""
        )
        self.check_pulled(path, identity)
        self.push(FIXTURES / "todo.hindsight")
        self.sql("UPDATE hindsight.recording SET bytes = 9223372036854775807, app = 'x', app_version = '1'")
        self.assertIn("2 recordings", tool("archive", "status", self.url).stdout)

    def test_chunks_with_the_same_text_are_different_chunks(self):
        short, long = self.make_text("short.jsonl", 0), self.make_text("long.jsonl", 0)
        action = json.dumps({
            "action": "up", "payload": {"up": {"text": "0" * 3800}}, "changes": {"count": []},
            "at": 1_790_000_000_000_000_001, "duration": 7, "times": [7], "origin": "A/B.swift:1",
        })
        for path, count in ((short, 400), (long, 1200)):
            lines = path.read_text().splitlines(keepends=True)
            path.write_text(lines[0] + (action + "\n") * count + lines[-1])
            pushed = self.push(path)[0]
            self.check_pulled(path, pushed["id"])
        hashes = self.sql("SELECT count(DISTINCT hash), count(*) FROM hindsight.chunk")[0]
        self.assertLess(int(hashes[0]), int(hashes[1]))

    def test_a_push_mends_a_recording_whose_head_has_gone(self):
        path = self.make_text("small.jsonl", 10)
        identity = self.push(path)[0]["id"]
        self.sql("DROP TABLE hindsight.head_2026_09")
        self.push(path)
        self.check_pulled(path, identity)

    def check_pulled(self, path, identity):
        output = self.folder / "pulled.hindsight"
        self.pull(identity, output, "--force")
        self.assertEqual(self.text(output), self.text(path))

    def test_a_damaged_recording_is_refused_and_its_sound_part_is_sent_if_asked(self):
        for name in ("bad-steps", "overwritten-page", "patch-that-does-not-fit"):
            with self.subTest(name):
                self.check_damaged(name)

    def check_damaged(self, name):
        path = self.folder / f"{name}.hindsight"
        self.sql("TRUNCATE hindsight.recording, hindsight.head, hindsight.chunk, hindsight.action_type, hindsight.note")
        shutil.copy(FIXTURES / "damaged" / f"{name}.hindsight", path)
        good = self.folder / "good.hindsight"
        shutil.copy(FIXTURES / "todo.hindsight", good)
        answer = tool("archive", "push", self.url, "--json", path, good, code=3)
        lines = json_lines(answer.stdout)
        self.assertIn("error", lines[0])
        self.assertEqual(lines[1]["outcome"], "new")
        self.assertEqual(len(self.recordings()), 1)
        sent = json_lines(tool("archive", "push", self.url, "--json", "--salvage", path).stdout)[0]
        self.assertEqual(sent["outcome"], "new")
        self.pull(sent["id"], self.folder / f"{name}.sound.hindsight")

    def test_what_the_archive_says_reaches_the_terminal_escaped(self):
        self.push(FIXTURES / "todo.hindsight")
        self.sql("UPDATE hindsight.recording SET app = E'todo\\x1b]0;title\\x07\\u202e', app_version = E'1\\n2'")
        answer = tool("archive", "status", self.url)
        self.assertNotRegex(answer.stdout + answer.stderr, "[\x1b\x07\u202e]")
        self.assertEqual(len(answer.stdout.splitlines()), 2)
        answer = tool("archive", "pull", self.url, "1 / (SELECT 0) = 1 OR app = E'\\x1b[31m'", code=3)
        self.assertNotIn("\x1b", answer.stderr)


class RoleTest(FaultTest):
    def test_a_role_that_may_only_insert_cannot_read(self):
        url = self.make_role("gate", "hindsight_push")
        path = self.folder / "s.hindsight"
        shutil.copy(FIXTURES / "todo.hindsight", path)
        pushed = self.push(path, url=url)[0]
        self.assertEqual(pushed["outcome"], "new")
        self.assertEqual(self.push(path, url=url)[0]["outcome"], "same")
        for statement in (
            "SELECT * FROM hindsight.recording", "SELECT * FROM hindsight.chunk", "SELECT * FROM hindsight.head",
            "DELETE FROM hindsight.chunk", "UPDATE hindsight.recording SET app = 'x'", "TABLE hindsight.access",
            "INSERT INTO hindsight.access VALUES ('gate', 'todo')", f"SELECT hindsight.forget('{pushed['id']}')",
            "SELECT hindsight.make_month('2020-01-01Z')", "SELECT * FROM hindsight.chunk_2026_11",
        ):
            with self.assertRaisesRegex(RuntimeError, "permission denied|does not exist", msg=statement):
                self.sql(statement, user="gate")
        self.assertIn("permission", tool("archive", "pull", url, pushed["id"], code=3).stderr)

    def test_a_role_without_apps_fails_where_nothing_would_be_taken_for_good(self):
        self.push(FIXTURES / "todo.hindsight")
        worker = self.make_role("blind_worker", "hindsight_work", app=None)
        for words in (["verify", worker, "--wait"], ["find", worker, "/items is null", "--wait"]):
            self.assertIn("sees no app", tool("archive", *words, code=3).stderr)
        expirer = self.make_role("blind_expirer", "hindsight_expire", app=None)
        for words in (["expire", expirer, "--keep", "1d"], ["forget", expirer, "--app", "todo"]):
            self.assertIn("sees no app", tool("archive", *words, code=3).stderr)

    def test_an_app_without_a_name_is_nobodys(self):
        self.push(FIXTURES / "todo.hindsight")
        self.make_role("gate", "hindsight_push", app="made")
        before = self.sql("SELECT count(*) FROM hindsight.chunk")
        started, identity = self.sql("SELECT started, id FROM hindsight.recording")[0]
        row = json.dumps({"id": identity, "started": started, "app": None, "actions": 1, "complete": False})
        for statement in (
            f"SELECT hindsight.finish_push('{row}', '', '', '{{}}', '[]', '[]', false, '', false, true)",
            f"SELECT hindsight.begin_push('{started}', '{identity}', NULL)",
        ):
            with self.assertRaisesRegex(RuntimeError, "may not write"):
                self.sql(statement, user="gate")
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.chunk"), before)

    def test_long_names_are_cut_where_they_are_indexed(self):
        path = self.make_text("long.jsonl", 9, version="v" * 4000)
        long = "".join(self.random.choice("abcdefghij") for _ in range(5000))
        path.write_text(path.read_text().replace('"up"', json.dumps(long)))
        identity = self.push(path)[0]["id"]
        output = self.folder / "long.hindsight"
        self.pull(identity, output)
        self.assertEqual(self.text(output), path.read_text())
        sizes = self.sql("SELECT max(length(type)) FROM hindsight.action_types")
        self.assertLess(int(sizes[0][0]), 600)

    def test_a_role_sees_and_writes_the_apps_that_it_is_given(self):
        reader = self.make_role("reader", "hindsight_read", app=None)
        gate = self.make_role("gate", "hindsight_push", app=None)
        self.push(FIXTURES / "todo.hindsight", FIXTURES / "checkout.hindsight")
        # Without a row, nothing is open.
        self.assertEqual(self.sql("SELECT app FROM hindsight.recording", user="reader"), [])
        self.assertIn("sees no app", tool("archive", "list", reader).stderr)
        self.assertIn("may not write", tool("archive", "push", gate, FIXTURES / "checkout.hindsight", code=3).stderr)
        self.sql("INSERT INTO hindsight.access VALUES ('reader', '*')")
        self.assertEqual(len(self.sql("SELECT app FROM hindsight.recording", user="reader")), 2)
        self.assertNotIn("sees no app", tool("archive", "list", reader).stderr)
        self.sql("DELETE FROM hindsight.access")
        self.sql("INSERT INTO hindsight.access VALUES ('reader', 'todo'), ('gate', 'checkout')")
        for table in ("recording", "head", "chunk", "action_type"):
            apps = self.sql(f"SELECT DISTINCT app FROM hindsight.{table}", user="reader")
            self.assertEqual(apps, [["todo"]], table)
        identity = self.sql("SELECT id FROM hindsight.recording WHERE app = 'checkout'")[0][0]
        tool("archive", "pull", reader, identity, "-o", self.folder / "x.hindsight", code=3)
        answer = tool("archive", "push", gate, FIXTURES / "todo.hindsight", code=3)
        self.assertIn("may not write", answer.stderr)
        self.push(FIXTURES / "checkout.hindsight", url=gate)

    def test_a_clock_far_away_makes_no_partition_far_away(self):
        for name, created in (("old", 5), ("new", 9_000_000_000_000_000_000), ("before", -5_000_000_000_000_000_000)):
            path = self.make_text(f"{name}.jsonl", 10, created=created, facts={"closed": created + 1_000_000_000})
            self.check_archive_of_one(path)
        years = {row[0] for row in self.sql("SELECT DISTINCT extract(year FROM started) FROM hindsight.recording")}
        self.assertEqual(years, {"2000", "2099"})

    def check_archive_of_one(self, path):
        identity = self.push(path)[0]["id"]
        output = self.folder / f"{path.stem}.hindsight"
        self.pull(identity, output)
        self.assertEqual(self.text(output), path.read_text())


    def test_a_limit_for_a_role_that_does_not_exist_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "violates check constraint"):
            self.sql("INSERT INTO hindsight.access VALUES ('nobody such', 'todo')")


class ConcurrencyTest(FaultTest):
    def test_pushes_of_one_growing_file_at_the_same_time_agree(self):
        # Without an ID, a recording is known by a whole chunk of its beginning: 400 KB at most.
        path = self.make_text("large.jsonl", 300, size=2000)
        lines = path.read_text().splitlines(keepends=True)
        files = [path]
        for count in (100, 150, 200, 250):
            part = self.folder / f"part{count}.jsonl"
            part.write_text("".join(lines[: count + 1] + lines[-1:]))
            files.append(part)
        self.random.shuffle(files)
        pushes = [
            subprocess.Popen(
                [TOOL, "archive", "push", self.url, "--json", str(file)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for file in files + files
        ]
        identities = set()
        for push in pushes:
            output, errors = push.communicate(timeout=300)
            self.assertEqual(push.returncode, 0, errors)
            identities.add(json_lines(output)[0]["id"])
        self.assertEqual(len(identities), 1)
        self.check_archive(path, identities.pop())


if __name__ == "__main__":
    unittest.main()
