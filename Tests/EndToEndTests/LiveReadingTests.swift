import Foundation
import Testing

/// Commands that read a live recording.
@Suite struct LiveReadingTests {
    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
    func `a position that is not written yet differs from one that will never exist`() throws {
        let result = try Workshop().shell(
            TailTests.prelude + """
                records; feeds 1
                for i in $(seq 2400); do hindsight jump c.hindsight 1 >/dev/null 2>&1 && break; sleep 0.05; done
                feeds_unwritten 2
                CounterTool verify c.hindsight 3>&-
                kill -9 $recorder; wait $recorder 2>/dev/null; exec 3>&-
                """
        )
        #expect(result.text.contains("those after action 2 were not recorded yet"), "\(result.text)\(result.errors)")
    }

    @Test func `a reader retries if SQLite's shared memory is being written`() throws {
        let result = try Workshop().shell(
            TailTests.prelude + """
                records; feeds 1
                for i in $(seq 2400); do hindsight log c.hindsight 2>/dev/null | grep -q 'amount: 1' && break; sleep 0.05; done
                # The second copy of the index's head, which is not the first while both are written.
                byte() { dd of=c.hindsight-shm bs=1 seek=56 count=1 conv=notrunc 2>/dev/null; }
                dd if=c.hindsight-shm of=was bs=1 skip=56 count=1 2>/dev/null
                # A reader retries for a moment. A busy machine may take longer for the byte.
                for i in $(seq 40); do
                    printf '\\xEE' | byte
                    hindsight info c.hindsight >out 2>err 3>&- & reader=$!
                    sleep 0.0$((8 - i % 4 * 2)); byte <was
                    wait $reader && break
                done; echo "code $?"; cat err
                printf '\\xEE' | byte
                hindsight info c.hindsight >/dev/null 2>&1 3>&-; echo "code $?"
                byte <was; closes
                hindsight info c.hindsight | grep -c closed
                """
        )
        #expect(result.text == "code 0\ncode 3\n1\n", "\(result.text)\(result.errors)")
    }

    @Test(.enabled(if: Workshop.hasSQLiteShell, "needs the sqlite3 shell"))
    func `a damaged head of the -wal makes no command wait`() throws {
        let result = try Workshop().shell(
            TailTests.prelude + """
                records; feeds 1 2 3
                for i in $(seq 2400); do hindsight log c.hindsight 2>/dev/null | grep -q 'amount: 3' && break; sleep 0.05; done
                kill -9 $recorder; wait $recorder 2>/dev/null; exec 3>&-
                # The size of a page, and the checksum of the head; not the salts, which the index has, too.
                printf '\\x77' | dd of=c.hindsight-wal bs=1 seek=9 count=1 conv=notrunc 2>/dev/null
                start=$(date +%s%N)
                hindsight info c.hindsight >/dev/null; echo "code $?"
                hindsight sql c.hindsight "select value('start', '/count') from history" >/dev/null 2>&1
                echo 'info' | hindsight debug c.hindsight >/dev/null 2>&1
                # SQLite would wait for ten seconds.
                [ $((($(date +%s%N) - start) / 1000000)) -lt 9000 ] && echo fast
                """
        )
        #expect(result.text.hasSuffix("fast\n"), "\(result.text)\(result.errors)")
    }
}
