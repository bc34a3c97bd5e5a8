"""Tests `archive list`, `sql`, `crashes` and `find`."""

import csv
import io
import json
import os
import platform
import subprocess
import time

from simulated import SimulatedTest
from support import CRASHING_APP, FIXTURES, TORTURE, ArchiveTest, json_lines, tool


class ListTest(SimulatedTest):
    def test_each_filter_gives_the_recordings_that_a_search_by_hand_gives(self):
        self.simulate(400)
        every = self.list()
        self.assertEqual(len(every), 400)
        self.assertEqual([row["started"] for row in every], sorted((row["started"] for row in every), reverse=True))
        by_hand = {
            ("--app", "App1"): lambda row: row["app"] == "App1",
            ("--app-version", "1.3"): lambda row: row["version"] == "1.3",
            ("--app-version", "1.*"): lambda row: True,
            ("--app-version", "1._"): lambda row: False,
            ("--device", "device7"): lambda row: row["device"] == "device7",
            ("--device", "device7*"): lambda row: row["device"].startswith("device7"),
            ("--ending", "crashed"): lambda row: row["ending"] == "crashed",
            ("--crash-type", "type3"): lambda row: row["crashType"] == "type3",
            ("--crash-reducer", "reducer0", "--app", "App0"): lambda row: row["crashReducer"] == "reducer0",
            ("--since", "2026-01-10"): lambda row: row["started"] >= "2026-01-10",
            ("--until", "2026-01-10T12:00Z"): lambda row: row["started"] < "2026-01-10T12:00",
            ("--since", "2026-01-05", "--until", "2026-01-06"): lambda row: "2026-01-05" <= row["started"] < "2026-01-06",
            ("actions BETWEEN 5 AND 9 -- and a comment",): lambda row: 5 <= row["actions"] <= 9,
        }
        for words, fits in by_hand.items():
            with self.subTest(words):
                self.assertEqual(self.list(*words), [row for row in every if fits(row)])
        self.assertEqual(tool("archive", "list", self.url, "--count", "--ending", "crashed").stdout, "40\n")
        for words in ("--count", "--all"), ("--count", "--limit", "3"), ("--all", "--limit", "3"):
            self.assertIn("cannot be combined", tool("archive", "list", self.url, *words, code=2).stderr)

    def test_a_table_has_the_newest_and_says_that_there_are_more(self):
        self.simulate(60)
        lines = tool("archive", "list", self.url).stdout.splitlines()
        self.assertEqual(len(lines), 51)
        self.assertTrue(lines[0].startswith("00000000-0000-8000-8000-00000000003c"))
        self.assertIn("--all", lines[-1])
        self.assertEqual(len(tool("archive", "list", self.url, "--all").stdout.splitlines()), 60)

    def test_a_status_says_that_there_may_be_more_versions(self):
        self.simulate(1001, apps=1)
        self.assertNotIn("first", tool("archive", "status", self.url).stderr)
        self.sql("UPDATE hindsight.recording SET app_version = id")
        for words in ([], ["--json"]):
            self.assertIn("the first 1,000 apps and versions", tool("archive", "status", self.url, *words).stderr)

    def test_a_time_reads_its_months_only(self):
        self.simulate(3000)
        plan = tool(
            "archive", "sql", self.url,
            "EXPLAIN SELECT * FROM recordings WHERE started >= '2026-02-03Z' AND started < '2026-02-05Z'",
        ).stdout
        self.assertIn("recording_2026_02", plan)
        self.assertNotIn("recording_2026_01", plan)
        self.assertNotIn("recording_2026_03", plan)

    def test_a_condition_cannot_write(self):
        self.simulate(5)
        for condition in ("hindsight.forget(id) > 0", "false) OR (hindsight.forget(id) > 0",
                          "set_config('transaction_read_only', 'off', true) = 'off' AND hindsight.forget(id) > 0"):
            for words in ([], ["--count"], ["--json"]):
                answer = tool("archive", "list", self.url, condition, *words, code=None)
                self.assertNotEqual(answer.returncode, 0, condition)
                self.assertRegex(answer.stderr, "read-only|read-write")
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.recording"), [["5"]])

    def test_a_statement_ends_when_its_client_has_given_up(self):
        self.simulate(5)
        start = time.monotonic()
        tool("archive", "list", self.url, "pg_sleep(100) IS NULL", "--timeout", "1", code=None)
        self.assertLess(time.monotonic() - start, 90)
        self.wait_for(
            "SELECT count(*) = 0 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(100)%' "
            "AND pid <> pg_backend_pid()"
        )

    def test_mistakes_are_told(self):
        for words in (["--since", "yesterday"], ["--ending", "dead"], ["--limit", "0"], ["--all", "--limit", "3"]):
            tool("archive", "list", self.url, *words, code=2)
        wrong = tool("archive", "list", self.url, "nothing = 1", code=None)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("nothing", wrong.stderr)

    def test_hostile_texts_reach_a_terminal_escaped(self):
        self.simulate(3)
        self.sql(r"UPDATE hindsight.recording SET app = E'\x1b[31mred', app_version = E'a\nb', device = E'\u202eevil'")
        for words in ([], ["--json"]):
            text = tool("archive", "list", self.url, *words).stdout
            self.assertEqual(len(text.splitlines()), 3)
            self.assertFalse({"\x1b", "\u202e"} & set(text), text)
        self.sql(r"UPDATE hindsight.recording SET ending = 'crashed', crash_type = E'\x1b[2J', crash_reducer = E'\x07'")
        text = tool("archive", "crashes", self.url).stdout
        self.assertFalse({"\x1b", "\x07"} & set(text), text)


class SQLTest(SimulatedTest):
    def test_rows_come_as_a_table_as_csv_and_as_json(self):
        self.simulate(20)
        select = "SELECT app, count(*) AS n, NULL AS nothing, 'a,\"b' AS text FROM recordings GROUP BY app ORDER BY app"
        rows = json_lines(tool("archive", "sql", self.url, "--json", select).stdout)
        self.assertEqual(rows, [{"app": f"App{n}", "n": 10, "nothing": None, "text": 'a,"b'} for n in (0, 1)])
        lines = list(csv.reader(io.StringIO(tool("archive", "sql", self.url, "--csv", select).stdout)))
        self.assertEqual(lines, [["app", "n", "nothing", "text"], ["App0", "10", "", 'a,"b'], ["App1", "10", "", 'a,"b']])
        self.assertEqual(len(tool("archive", "sql", self.url, select).stdout.splitlines()), 3)
        # The line of names does not depend on the rows.
        none = "SELECT app, count(*) AS n FROM recordings WHERE false GROUP BY app"
        self.assertEqual(tool("archive", "sql", self.url, "--csv", none).stdout, "app,n\n")

    def test_nothing_can_be_written(self):
        self.simulate(5)
        for statement in (
            "WITH x AS (DELETE FROM hindsight.recording RETURNING 1) SELECT * FROM x",
            "SELECT set_config('transaction_read_only', 'off', true); DELETE FROM hindsight.recording",
            "SELECT hindsight.make_month('2031-01-01Z')",
        ):
            self.assertNotEqual(tool("archive", "sql", self.url, statement, code=None).returncode, 0, statement)
        for statement in ("DELETE FROM hindsight.recording", "COPY hindsight.recording TO STDOUT", "COMMIT", ""):
            tool("archive", "sql", self.url, statement, code=2)
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.recording"), [["5"]])

    def test_a_statement_that_takes_too_long_ends(self):
        start = time.monotonic()
        self.assertNotEqual(tool("archive", "sql", self.url, "SELECT pg_sleep(100)", "--timeout", "1", code=None).returncode, 0)
        self.assertLess(time.monotonic() - start, 90)

    def test_the_columns_of_the_views_are_those_of_the_documentation(self):
        import pathlib
        import re

        page = pathlib.Path(__file__).parents[2] / "Sources/HindsightArchive/HindsightArchive.docc/QueryingAnArchive.md"
        documented = {}
        for line in page.read_text().splitlines():
            if match := re.match(r"\| `(\w+)` \| [^|]+ \| (`.*`) \|$", line):
                documented[match[1]] = re.findall(r"`(\w+)`", match[2])
        present = {}
        for view, column in self.sql(
            """SELECT c.relname, a.attname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'hindsight'::regnamespace AND c.relkind = 'v' AND a.attnum > 0 ORDER BY 1, a.attnum"""
        ):
            present.setdefault(view, []).append(column)
        self.assertEqual(documented, present)

    def test_the_comments_on_views_explain_the_words_that_are_there(self):
        def comment(view, column):
            return self.sql(
                f"""SELECT col_description(attrelid, attnum) FROM pg_attribute
                WHERE attrelid = 'hindsight.{view}'::regclass AND attname = '{column}'"""
            )[0][0]

        self.assertIn("stopped (the recorder had to stop", comment("recordings", "ending"))
        for verdict in ("equal", "diverged", "crash", "found", "none", "unknown", "empty", "failed", "poison"):
            self.assertIn(verdict, comment("results", "verdict"))

    def test_a_role_sees_its_apps_only_in_each_view(self):
        self.simulate(40, apps=3)
        run = self.simulate_jobs()
        self.sql(
            f"""SELECT hindsight.finish({run}, c.number, 'w', c.attempts, 'diverged',
                '{{"differences": [{{"type": "t", "path": "/a", "cause": "other", "count": 1}}]}}')
            FROM generate_series(1, 10), LATERAL hindsight.claim({run}, 'w', 0, generate_series > 0) AS c"""
        )
        reader = self.make_role("reader_of_one", "hindsight_read", "hindsight_work", app="App1")
        for view in ("recordings", "crashes", "divergences", "results"):
            every = self.sql(f"SELECT DISTINCT app FROM hindsight.{view} ORDER BY 1")
            self.assertEqual(every, [["App0"], ["App1"], ["App2"]], view)
            # Both roles count, and nothing is open to the group.
            for role, apps in (("", [["App1"]]), ("SET ROLE hindsight_read; ", [])):
                seen = self.sql(f"{role}SELECT DISTINCT app FROM hindsight.{view}", "reader_of_one")
                self.assertEqual(seen, apps, view)
        self.assertEqual({row["app"] for row in json_lines(tool("archive", "list", reader, "--json").stdout)}, {"App1"})


class CrashesTest(SimulatedTest):
    def test_groups_are_those_of_a_search_by_hand(self):
        self.simulate(2000)
        groups = json_lines(tool("archive", "crashes", self.url, "--json").stdout)
        by_hand = {}
        for row in self.list("--ending", "crashed"):
            by_hand.setdefault((row["app"], row["crashType"], row["crashReducer"]), []).append(row)
        self.assertEqual(len(groups), len(by_hand))
        self.assertEqual([group["recordings"] for group in groups], sorted((len(v) for v in by_hand.values()), reverse=True))
        for group in groups:
            rows = by_hand[group["app"], group["type"], group["reducer"]]
            self.assertEqual(group["recordings"], len(rows))
            self.assertEqual(group["example"], rows[0]["id"])
            self.assertEqual((group["firstSeen"], group["lastSeen"]), (rows[-1]["started"], rows[0]["started"]))
            self.assertEqual(group["devices"], len({row["device"] for row in rows}))
            versions = {version["version"]: version["recordings"] for version in group["versions"]}
            self.assertEqual(versions, {v: sum(r["version"] == v for r in rows) for v in {r["version"] for r in rows}})

    def test_a_path_that_is_not_known_is_not_the_whole_state(self):
        self.simulate(3)
        run = self.simulate_jobs()
        results = [
            '{"differences": [{"type": "t", "reducer": "r", "path": "", "cause": "date"}]}',
            '{"differences": [{"type": "t", "reducer": "r", "path": "/a", "cause": "date"}]}',
            '{"problem": {"isCrash": true, "type": "t", "reducer": "r", "seq": 2}}',
        ]
        for result in results:
            self.sql(
                f"""SELECT hindsight.finish({run}, c.number, 'w', c.attempts, 'diverged', '{result}')
                FROM hindsight.claim({run}, 'w', 0, false) AS c"""
            )
        rows = self.sql("SELECT cause, path IS NULL, path FROM hindsight.divergences")
        self.assertEqual(sorted(rows), [["crash", "t", ""], ["date", "f", ""], ["date", "f", "/a"]])
        groups = json_lines(tool("archive", "crashes", self.url, "--json").stdout)
        self.assertEqual({(group["cause"], group["path"]) for group in groups},
                         {("date", ""), ("date", "/a"), ("crash", None)})
        self.assertEqual(tool("archive", "crashes", self.url).stdout.count("the whole state"), 1)

    def finish(self, run, verdicts, **result):
        """Ends all jobs of a run: `verdicts` has that of each recording, by the number at the end of its id."""
        for number, verdict in verdicts.items():
            text = {"diverged": '{"differences": [{"type": "t", "path": "/a", "cause": "date"}]}',
                    "crash": '{"problem": {"isCrash": true, "type": "t", "reducer": "r", "seq": 2}}'}.get(verdict, "{}")
            self.sql(
                f"""UPDATE hindsight.job SET state = 'claimed', worker = 'w', attempts = 1, lease_until = now()
                WHERE run = {run} AND right(recording::text, 12) = lpad(to_hex({number}), 12, '0');
                SELECT hindsight.finish({run}, j.number, 'w', 1, '{verdict}', '{text}') FROM hindsight.job AS j
                WHERE j.run = {run} AND right(j.recording::text, 12) = lpad(to_hex({number}), 12, '0')"""
            )

    def groups(self, kind):
        groups = json_lines(tool("archive", "crashes", self.url, "--json").stdout)
        return [group for group in groups if group["kind"] == kind]

    def test_the_newest_verification_of_each_recording_says_what_is_fixed(self):
        self.simulate(30)
        crashed = (10, 20, 30)
        self.assertEqual([group["state"] for group in self.groups("crash")], ["new"] * 3)
        self.assertEqual([group["build"] for group in self.groups("crash")], [None] * 3)
        first = self.simulate_jobs("01", build="one")
        self.finish(first, {2: "diverged", 4: "diverged"} | {number: "crash" for number in crashed})
        self.assertEqual([(group["state"], group["build"]) for group in self.groups("crash")], [("seen", "one")] * 3)
        differences = {group["cause"]: group for group in self.groups("divergence")}
        self.assertEqual(differences["date"]["recordings"], 2)
        # A later run that is about other recordings changes nothing; a failure says nothing.
        second = self.simulate_jobs("02", build="two")
        self.finish(second, {2: "equal", 4: "failed", 10: "equal", 20: "failed"})
        by_type = {group["example"][-2:]: (group["state"], group["build"]) for group in self.groups("crash")}
        self.assertEqual(by_type, {"0a": ("fixed", "two"), "14": ("seen", "one"), "1e": ("seen", "one")})
        [date] = [group for group in self.groups("divergence") if group["cause"] == "date"]
        self.assertEqual((date["recordings"], date["state"], date["build"]), (1, "seen", "one"))
        third = self.simulate_jobs("03", build="three")
        self.finish(third, {2: "diverged", 4: "equal", 10: "crash", 20: "diverged"})
        by_type = {group["example"][-2:]: (group["state"], group["build"]) for group in self.groups("crash")}
        self.assertEqual(by_type, {"0a": ("regressed", "three"), "14": ("fixed", "three"), "1e": ("seen", "one")})
        [date] = [group for group in self.groups("divergence") if group["cause"] == "date"]
        self.assertEqual((date["state"], date["build"]), ("regressed", "three"))
        text = tool("archive", "crashes", self.url).stdout
        self.assertIn("crashes in build three, and did not when another build was verified before", text)
        self.assertIn("fixed in build three", text)
        self.assertIn("crashes in build one", text)

    def test_what_comes_after_a_verification_is_not_fixed_by_it(self):
        self.simulate(130, apps=1)
        # The types repeat after 13 crashes: 10 and 140 are not both here, so one group has two recordings.
        self.sql("UPDATE hindsight.recording SET crash_type = 'T', crash_reducer = 'R' WHERE ending = 'crashed'")
        run = self.simulate_jobs("01", build="one")
        self.finish(run, {number: "equal" for number in range(10, 130, 10)})
        [group] = self.groups("crash")
        # The last one came before the verification, and was not verified.
        self.assertEqual((group["state"], group["build"], group["verified"], group["recordings"]), ("fixed", "one", 12, 13))
        self.assertIn("fixed in build one; 1 recording not verified", tool("archive", "crashes", self.url).stdout)
        self.sql("UPDATE hindsight.recording SET pushed = now() + interval '1 s' WHERE right(id::text, 2) = '82'")
        [group] = self.groups("crash")
        self.assertEqual((group["state"], group["build"]), ("new", "one"))
        self.assertIn("fixed in build one, and came again since", tool("archive", "crashes", self.url).stdout)
        # Another one of them crashes still in another build: its build is named, though another was verified later.
        second, third = self.simulate_jobs("02", build="two"), self.simulate_jobs("03", build="three")
        self.finish(second, {130: "crash"})
        self.finish(third, {10: "equal"})
        [group] = self.groups("crash")
        self.assertEqual((group["state"], group["build"]), ("seen", "two"))

    def test_the_path_of_a_crash_is_not_known(self):
        self.simulate(20)
        groups = json_lines(tool("archive", "crashes", self.url, "--json").stdout)
        self.assertEqual({(group["kind"], group["path"]) for group in groups}, {("crash", None)})
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.crashes WHERE path IS NOT NULL"), [["0"]])

    def test_the_recordings_of_a_year_are_listed_and_grouped_quickly(self):
        self.simulate(100_000 if TORTURE else 10_000, step="5 minutes" if TORTURE else "50 minutes")
        # A debug build on a busy machine takes most of it to start.
        bar = 0.15 if TORTURE else 10

        def check(word, bar):
            best = 60
            for _ in range(5):
                start = time.monotonic()
                tool("archive", word, self.url)
                best = min(best, time.monotonic() - start)
            print(f"{word}: {best:.3f} s", flush=True)
            self.assertLess(best, bar, word)

        for word in ("list", "crashes", "status"):
            check(word, bar)
        # All of them verified: the crashes look for theirs among as many results.
        run = self.simulate_jobs()
        self.sql(f"UPDATE hindsight.job SET state = 'done', verdict = 'crash', finished = now() WHERE run = {run}; ANALYZE")
        check("crashes", 2 * bar)


class DashboardTest(SimulatedTest):
    def query(self, sql):
        """The rows of a panel's query, with the values that Grafana puts in."""
        for macro, value in {
            "$__timeGroup(started, '1d')": "date_trunc('day', started)",
            "$__timeFilter(started)": "started BETWEEN '2026-01-01Z' AND '2026-02-01Z'",
            "$__timeFrom()": "'2026-01-10Z'", "$app": "'App0', 'App1'",
        }.items():
            sql = sql.replace(macro, value)
        self.assertNotIn("$", sql)
        return json_lines(tool("archive", "sql", self.url, sql, "--json").stdout)

    def test_each_panel_shows_what_a_search_by_hand_gives(self):
        self.simulate(600, apps=3)
        self.sql(
            """UPDATE hindsight.recording SET crash_phase = 'reducer', crash_message = 'SIGILL' WHERE ending = 'crashed';
            INSERT INTO hindsight.action_type SELECT started, id, app, 'Tap', 2, 4000000, 3000000 FROM hindsight.recording"""
        )
        for key, build, verdict in (("01", "one", "equal"), ("02", "two", "crash")):
            run = self.simulate_jobs(key, build=build)
            self.sql(f"UPDATE hindsight.job SET state = 'done', verdict = '{verdict}', finished = now() WHERE run = {run}")
        board = json.loads(tool("archive", "dashboard").stdout)
        panels = {panel["title"]: self.query(panel["targets"][0]["rawSql"]) for panel in board["panels"]}
        rows = [row for row in self.list() if row["app"] != "App2"]
        month = [row for row in rows if row["started"] < "2026-02-01"]
        crashed = [row for row in month if row["ending"] == "crashed"]
        free = panels["Crash-free sessions by release"]
        self.assertEqual({line["metric"] for line in free}, {f"{row['app']} {row['version']}" for row in month})
        day = [row for row in month if row["started"].startswith("2026-01-10") and row["version"] == "1.3" and row["app"] == "App0"]
        [shown] = [line["value"] for line in free if line["metric"] == "App0 1.3" and str(line["time"]).startswith("2026-01-10")]
        self.assertAlmostEqual(float(shown), 100 * sum(row["ending"] != "crashed" for row in day) / len(day))
        self.assertEqual(sum(line["value"] for line in panels["Sessions by ending"]), len(month))
        self.assertEqual(sum(line["recordings"] for line in panels["Groups of crashes"]), len(crashed))
        firsts = {}
        for row in rows:
            if row["ending"] == "crashed":
                key = row["app"], row["crashType"], row["crashReducer"]
                firsts[key] = min(firsts.get(key, "9"), row["started"])
        new = {key for key, first in firsts.items() if first >= "2026-01-10"}
        self.assertEqual({(line["app"], line["type"], line["reducer"]) for line in panels["New groups"]}, new)
        again = panels["Fixed once, and crashing again"]
        self.assertEqual(sum(line["recordings"] for line in again), sum(row["ending"] == "crashed" for row in rows))
        self.assertEqual({line["build"] for line in again}, {"two"})
        self.assertEqual({(line["type"], line["dispatched"]) for line in panels["Slowest actions (ms)"]},
                         {("Tap", 2 * sum(row["app"] == app for row in month)) for app in ("App0", "App1")})
        self.assertEqual(sum(line["value"] for line in panels["Size of a day's recordings"]), sum(row["stored"] for row in month))
        self.assertEqual(len(panels), 7)
        variable = board["templating"]["list"][1]["query"]
        self.assertEqual([row["app"] for row in self.query(variable)], ["App0", "App1", "App2"])
        rule = json.loads(tool("archive", "dashboard", "--alert").stdout)["groups"][0]["rules"][0]
        alert = rule["data"][0]["model"]["rawSql"]
        # Nothing came: that is no crash.
        self.assertEqual(self.query(alert), [])
        self.sql("UPDATE hindsight.recording SET pushed = now()")
        [shown] = self.query(alert)
        self.assertAlmostEqual(float(shown["value"]), 90)


class EndingsTest(ArchiveTest):
    """Crash groups of an app that dies in many ways."""

    # The way, its group: the action is the third, whose type is its payload.
    TRAP = "SIGTRAP" if platform.machine() in ("aarch64", "arm64") else "SIGILL"
    MARKED = {
        "in a reducer": ("reducer", "second", TRAP),
        "in middleware before next": ("middleware before", None, TRAP),
        "in middleware after next": ("middleware after", None, TRAP),
        "in an observer": ("between reducers", None, TRAP),
        "in a subscriber": ("subscribers", None, TRAP),
        "in an effect": ("idle", None, TRAP),
        "on another thread": ("idle", None, "SIGABRT"),
        "on another thread while a reducer runs": ("another thread", None, "SIGABRT"),
        "by stack overflow": ("reducer", "second", "SIGSEGV: stack overflow"),
        "by a bad address": ("reducer", "second", "SIGSEGV"),
        "by exit in a reducer": ("reducer", "second", "exit"),
        "by SIGKILL in a reducer": ("reducer", "second", None),
    }
    # Without marks, only what ended in an action is a crash.
    UNMARKED = {
        "in a reducer": ("reducer", "second", None), "by stack overflow": ("reducer", "second", None),
        "in an observer": ("between reducers", None, None),
    }
    # These are no crashes.
    OTHERS = ["by exit", "by SIGKILL between actions", "by SIGKILL in a subscriber"]

    def die(self, name, way, *words):
        path = self.folder / f"{name}.hindsight"
        subprocess.run([CRASHING_APP, path, way, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"}, timeout=300)
        return path

    def test_each_way_of_ending_is_a_group_of_its_own(self):
        expected = {}
        for marks, ways in ((["marked"], self.MARKED), ([], self.UNMARKED), (["marked"], dict.fromkeys(self.OTHERS))):
            for number, (way, group) in enumerate(ways.items()):
                path = self.die(f"{len(marks)} {way}", way, *marks)
                pushed = self.push("--device", f"device {number}", path)[0]
                if group:
                    expected.setdefault(group, set()).add(pushed["id"])
        lines = json_lines(tool("archive", "crashes", self.url, "--json").stdout)
        groups = {(line["phase"], line["reducer"], line["message"]): line for line in lines}
        self.assertEqual(len(groups), len(lines))
        self.assertEqual({key: line["recordings"] for key, line in groups.items()},
                         {key: len(ids) for key, ids in expected.items()})
        for key, ids in expected.items():
            self.assertIn(groups[key]["example"], ids)
        # The same crash comes while any action is reduced, so the action is not a part of its group.
        self.assertIsNone(groups["another thread", None, "SIGABRT"]["type"])
        frames = self.sql("SELECT crash_frames[1] FROM hindsight.recordings WHERE crash_message LIKE 'SIG%'")
        for [frame] in frames:
            self.assertRegex(frame, r"^[^+]+\+0x[0-9a-f]+$")
        view = self.sql("SELECT coalesce(phase, ''), coalesce(reducer, ''), coalesce(message, ''), count FROM hindsight.crashes")
        self.assertEqual({(p, r, m): int(n) for p, r, m, n in view},
                         {tuple(part or "" for part in key): len(ids) for key, ids in expected.items()})
        text = tool("archive", "crashes", self.url).stdout
        for words in ("SIGSEGV: stack overflow", f"subscribers, {self.TRAP}", "between two actions, SIGABRT", "before its reduction"):
            self.assertIn(words, text)


class FindTest(ArchiveTest):
    def test_positions_are_those_that_find_gives_for_each_file(self):
        ids = {}
        for number in range(6):
            path = self.make_text(f"{number}.jsonl", 40 + number, created=1_790_000_000_000_000_000 + number * 10**9)
            ids[self.push(path)[0]["id"]] = path
        for expression, options in (("/count > 41", []), ("/count % 10 = 0", ["--becomes"]), ("type = 'reset'", [])):
            lines = json_lines(
                tool("archive", "find", self.url, expression, "--json", "--jobs", "2", "--wait", *options).stdout
            )
            found = {line["id"]: [(s["position"], s["to"], s["count"]) for s in line["stretches"]] for line in lines[:-1]}
            by_hand = {}
            for identity, path in ids.items():
                answer = json_lines(tool("find", path, expression, "--json", *options).stdout)
                if stretches := [(row["position"], row["to"], row["count"]) for row in answer[:-1]]:
                    by_hand[identity] = stretches
            self.assertEqual(found, by_hand, expression)
            self.assertEqual(sum(lines[-1]["verdicts"].values()), 6)

    def test_doubtful_states_are_told_as_find_tells_them(self):
        plain = self.record("plain.hindsight", ['{"add":{"title":"tea"}}\n'])
        files = {self.push(path)[0]["id"]: path for path in (FIXTURES / "doubtful.hindsight", plain)}
        words = ("/items IS NOT NULL", "--json")
        lines = json_lines(tool("archive", "find", self.url, *words, "--wait").stdout)
        told = {line["id"]: line.get("doubtful", False) for line in lines[:-1]}
        by_hand = {id: json_lines(tool("find", path, *words).stdout)[-1]["doubtful"] for id, path in files.items()}
        self.assertEqual(told, by_hand)
        self.assertEqual(sorted(told.values()), [False, True])
        self.assertIn("some of the states are doubtful", tool("archive", "find", self.url, words[0], "--wait").stdout)

    def test_a_mistake_in_the_expression_is_told_before_any_job_runs(self):
        self.push(FIXTURES / "todo.hindsight")
        tool("archive", "find", self.url, "/items =", code=2)
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.job"), [["0"]])

    def test_what_no_recording_has_is_told(self):
        self.push(FIXTURES / "todo.hindsight", FIXTURES / "checkout.hindsight")
        for expression, line, name in (
            ("/nowhere = 0", "None of these recordings has anything at /nowhere.", ("path", "/nowhere")),
            ("type = 'Nothing'", "None of these recordings has an action of type Nothing.", ("type", "Nothing")),
        ):
            answer = tool("archive", "find", self.url, expression, "--wait", code=2)
            self.assertIn("2 recordings: 2 none", answer.stdout)
            self.assertIn(line, answer.stderr)
            summary = json_lines(tool("archive", "find", self.url, expression, "--wait", "--json", code=2).stdout)[-1]
            self.assertEqual(summary["unknownNames"], [{"kind": name[0], "name": name[1]}])
        # What has not been searched may have it.
        tool("archive", "find", self.url, "/elsewhere = 0", "--wait", code=2)
        self.push(self.make_text("more.jsonl", 10))
        answer = tool("archive", "find", self.url, "/elsewhere = 0", "--jobs", "0")
        self.assertIn("1 waiting", answer.stdout)
        self.assertNotIn("None of these", answer.stderr)
        # One of them has it.
        answer = tool("archive", "find", self.url, "/items/0/title = 'no such title'", "--wait")
        self.assertNotIn("None of these", answer.stderr)

    def test_what_is_not_known_is_not_none(self):
        # Its titles are redacted.
        path = self.folder / "partial.hindsight"
        path.write_bytes((FIXTURES / "partial.hindsight").read_bytes())
        redacted, _ = [row["id"] for row in self.push(path, FIXTURES / "todo.hindsight")]
        words = ["archive", "find", self.url, "/items/0/title = 'no such title'", "--wait"]
        answer = tool(*words)
        self.assertIn("2 recordings: 1 none, 1 unknown", answer.stdout)
        self.assertIn("Not known: in 1 recording", answer.stderr)
        *lines, summary = json_lines(tool(*words, "--json").stdout)
        self.assertEqual([(line["id"], line["stretches"]) for line in lines], [(redacted, [])])
        self.assertGreater(lines[0]["unknownCount"], 0)
        self.assertEqual(summary["verdicts"], {"none": 1, "unknown": 1})

    def test_a_recording_without_a_state_is_empty_and_no_failure(self):
        import sqlite3

        path = self.folder / "killed.hindsight"
        path.write_bytes((FIXTURES / "todo.hindsight").read_bytes())
        connection = sqlite3.connect(path)
        connection.executescript("DELETE FROM keyframe; DELETE FROM action; DELETE FROM recording WHERE key = 'closed'")
        connection.close()
        self.push(path, FIXTURES / "checkout.hindsight")
        for words in (["verify"], ["find", "/nowhere is null"]):
            answer = tool("archive", words[0], self.url, *words[1:], "--wait", "--json")
            verdicts = json.loads(answer.stdout.splitlines()[-1])["verdicts"]
            self.assertEqual(verdicts["empty"], 1)
            self.assertNotIn("failed", verdicts)
        self.assertIn("1 empty", tool("archive", "verify", self.url, "--wait").stdout)

    def test_an_age_leaves_out_what_is_older_by_now(self):
        hour = 3600 * 10**9
        paths = [
            self.make_text(f"{age}.jsonl", 10, created=time.time_ns() - age * hour, facts={"closed": time.time_ns()})
            for age in (1, 20)
        ]
        ids = [row["id"] for row in self.push(*paths)]
        words = ["/count = 5", "--since", "2d", "--wait", "--json"]

        def found():
            *lines, summary = json_lines(tool("archive", "find", self.url, *words).stdout)
            return {line["id"] for line in lines}, summary["verdicts"]

        self.assertEqual(found(), (set(ids), {"found": 2}))
        # Some days later, the question is the same, and the run.
        self.sql(f"UPDATE hindsight.job SET started = started - interval '3 days' WHERE recording = '{ids[1]}'")
        self.assertEqual(found(), ({ids[0]}, {"found": 1}))
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.job"), [["2"]])

    def test_the_same_question_again_only_takes_new_recordings(self):
        self.push(FIXTURES / "todo.hindsight")
        first = tool("archive", "find", self.url, "type = 'add'", "--wait")
        self.assertIn("1 recording to do", first.stderr)
        self.push(FIXTURES / "checkout.hindsight")
        self.assertIn("1 recording to do", tool("archive", "find", self.url, "type = 'add'", "--wait").stderr)
        again = tool("archive", "find", self.url, "type = 'add'", "--wait", "--json")
        self.assertEqual(json.loads(again.stdout.splitlines()[-1])["verdicts"], {"found": 1, "none": 1})
