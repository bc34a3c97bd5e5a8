import Foundation
import Testing

/// Commands beside a recorder that is at work.
@Suite struct LiveReadingTests {
    @Test func `an index that is just being written is looked at again`() throws {
        let result = try Workshop().shell(
            TailTests.prelude + """
                records; feeds 1
                for i in $(seq 400); do hindsight log c.hindsight 2>/dev/null | grep -q 'amount: 1' && break; sleep 0.05; done
                # The second copy of the index's head, which is not the first while both are written.
                byte() { dd of=c.hindsight-shm bs=1 seek=56 count=1 conv=notrunc 2>/dev/null; }
                dd if=c.hindsight-shm of=was bs=1 skip=56 count=1 2>/dev/null
                printf '\\xEE' | byte
                hindsight info c.hindsight >out 2>err 3>&- & reader=$!
                sleep 0.08; byte <was
                wait $reader; echo "code $?"; cat err
                printf '\\xEE' | byte
                hindsight info c.hindsight >/dev/null 2>&1 3>&-; echo "code $?"
                byte <was; closes
                hindsight info c.hindsight | grep -c closed
                """
        )
        #expect(result.text == "code 0\ncode 3\n1\n", "\(result.text)\(result.errors)")
    }
}
