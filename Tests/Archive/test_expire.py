"""Tests `archive expire`."""

import time

from simulated import SimulatedTest
from support import SEED, TORTURE, json_lines, tool


class ExpireTest(SimulatedTest):
    def expire(self, *rules, dry=False):
        words = [word for rule in rules for word in ("--keep", rule)] + (["--dry-run"] if dry else [])
        return json_lines(tool("archive", "expire", self.url, "--json", *words).stdout)

    def left(self):
        return {row[0] for row in self.sql("SELECT id FROM hindsight.recording")}

    def test_any_rules_leave_what_a_search_by_hand_leaves(self):
        print(f"HINDSIGHT_SEED={SEED}")
        for turn in range(12 if TORTURE else 4):
            self.sql("DELETE FROM hindsight.recording")
            self.simulate(600, start="2026-01-01Z", step="7 hours", apps=3)
            rows = self.sql(
                """SELECT id, app, ending, extract(epoch FROM now() - started), stored_bytes FROM hindsight.recording
                ORDER BY started DESC, id"""
            )
            rules = []
            for _ in range(self.random.randint(1, 4)):
                app = self.random.choice([None, "App0", "App1"])
                ending = self.random.choice([None, "crashed", "closed"])
                scope = (f"{app}/" if app else "") + (ending or "")
                kind = self.random.choice(["d", "", "KB"])
                number = {"d": self.random.randint(1, 400), "": self.random.randint(1, 300), "KB": self.random.randint(20, 9000)}
                rules.append((app, ending, kind, number[kind], (f"{scope}=" if scope else "") + f"{number[kind]}{kind}"))
            kept = set()
            for identity, app, ending, age, _ in rows:
                fitting = [r for r in rules if r[0] in (None, app) and r[1] in (None, ending)]
                rank = max((2 * (r[0] is not None) + (r[1] is not None) for r in fitting), default=None)
                stays = True
                for r in fitting:
                    if 2 * (r[0] is not None) + (r[1] is not None) != rank:
                        continue
                    alike = [x for x in rows if x[1] == app and r[1] in (None, x[2])]
                    # For a rule with an ending, only those with that ending count.
                    if r[2] == "d":
                        # A second passes between here and the tool.
                        stays &= float(age) <= r[3] * 86_400
                    elif r[2] == "":
                        stays &= identity in [x[0] for x in alike[: r[3]]]
                    else:
                        total, fit = 0, []
                        for x in alike:
                            total += int(x[4])
                            if fit and total > r[3] * 1024:
                                break
                            fit.append(x[0])
                        stays &= identity in fit
                if stays:
                    kept.add(identity)
            texts = [r[4] for r in rules]
            with self.subTest(texts):
                dry = self.expire(*texts, dry=True)
                self.assertEqual(len(self.left()), 600)
                done = self.expire(*texts)
                self.assertEqual(self.left(), kept)
                self.assertEqual(sum(month["recordings"] for month in done), 600 - len(kept))
                self.assertEqual([m["recordings"] for m in dry], [m["recordings"] for m in done])
                self.assertEqual(self.expire(*texts), [])

    def test_a_month_of_which_nothing_stays_is_dropped_with_all_its_tables(self):
        self.simulate(1500, start="2025-01-01Z", step="1 hour")
        answer = self.expire("200d")
        self.assertEqual([(month["month"], month["dropped"]) for month in answer], [
            ("2025-01", True), ("2025-02", True), ("2025-03", True),
        ])
        tables = self.sql("SELECT relname FROM pg_class WHERE relname ~ '_2025_0[123]$' AND relkind = 'r'")
        self.assertEqual(tables, [])
        # The month comes again with the next recording of it.
        self.simulate(5, start="2025-01-01Z")
        self.assertEqual(len(self.left()), 5)

    def test_recordings_for_which_there_is_no_rule_stay(self):
        self.simulate(400, start="2024-01-01Z")
        self.expire("crashed=1d", "App7/=1d")
        self.assertEqual(self.sql("SELECT count(*), count(*) FILTER (WHERE ending = 'crashed') FROM hindsight.recording"),
                         [["360", "0"]])

    def test_what_verify_found_goes_with_its_recording(self):
        self.simulate(100, start="2024-01-01Z", step="1 day")
        self.simulate_jobs()
        self.expire("crashed=1d")
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.job"), [["90"]])
        self.expire("1d")
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.job"), [["0"]])

    def test_a_role_expires_its_apps_only_and_others_nothing(self):
        self.simulate(200, start="2024-01-01Z")
        expirer = self.make_role("expirer_of_one", "hindsight_expire")
        self.sql("INSERT INTO hindsight.access VALUES ('expirer_of_one', 'App1')")
        tool("archive", "expire", expirer, "--keep", "1d")
        self.assertEqual(self.sql("SELECT app, count(*) FROM hindsight.recording GROUP BY app"), [["App0", "100"]])
        for group in ("hindsight_read", "hindsight_push", "hindsight_work"):
            url = self.make_role("no_expirer", group)
            self.assertNotEqual(tool("archive", "expire", url, "--keep", "1d", code=None).returncode, 0, group)
        self.assertEqual(len(self.left()), 100)

    def test_mistakes_in_rules_are_told(self):
        for rule in ("", "0", "5x", "dead=1d", "=1d", "/=1d", "-1d", "9999999999999999999d", "1d=crashed"):
            tool("archive", "expire", self.url, "--keep", rule, code=2)
        tool("archive", "expire", self.url, code=2)


class MillionTest(SimulatedTest):
    """In small unless HINDSIGHT_TORTURE is set."""

    def test_claims_expiry_and_plans_hold_with_a_million_recordings(self):
        count = 1_000_000 if TORTURE else 20_000
        self.simulate(count, start="2025-01-01Z", step=f"{58 * 1_000_000 // count} seconds")
        run = self.simulate_jobs()
        self.sql("ANALYZE hindsight.job")
        claims = 300
        timing = self.sql(
            f"""
            CREATE TEMP TABLE took (took interval);
            DO $$
            DECLARE
                start timestamptz;
                last bigint := 0;
            BEGIN
                FOR n IN 1..{claims} LOOP
                    start := clock_timestamp();
                    SELECT number INTO last FROM hindsight.claim({run}, 'w', last, n % 10 = 0);
                    INSERT INTO took VALUES (clock_timestamp() - start);
                END LOOP;
            END $$;
            SELECT extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY took)) * 1000 FROM took
            """
        )
        self.assertLess(float(timing[-1][0]), 5)
        plan = "\n".join(row[0] for row in self.sql(
            f"""EXPLAIN SELECT * FROM hindsight.job AS j WHERE j.run = {run} AND j.state = 'waiting' AND j.number > 500
            ORDER BY j.number LIMIT 1 FOR UPDATE SKIP LOCKED"""
        ))
        self.assertRegex(plan, "Index Scan using job_(waiting|pkey)")
        start = time.monotonic()
        self.sql(
            """SELECT json_agg(t) AS times FROM hindsight.expiry_times('[{"seconds": 1}]', '2025-02-01Z') AS t \\gset
            SELECT hindsight.drop_month('2025-01-01Z', :'times')"""
        )
        self.assertLess(time.monotonic() - start, 1)
        self.assertEqual(self.sql("SELECT min(started) >= '2025-02-01Z' FROM hindsight.recording"), [["t"]])
