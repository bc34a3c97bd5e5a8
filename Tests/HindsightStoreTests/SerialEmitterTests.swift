import HindsightSupport
import Testing

@testable import HindsightStore

@Suite struct SerialEmitterTests {
    @Test func `a value that arrives while another is passed on comes after it, and not inside of it`() {
        let log = Locked<[String]>([])
        let emitter = Locked<SerialEmitter<Int>?>(nil)
        let own = SerialEmitter<Int> { value in
            log.withLock { $0.append("begin \(value)") }
            if value == 1, let emitter = emitter.withLock({ $0 }) {
                emitter.post(2)
                emitter.post(3)
                emitter.drain()
            }
            log.withLock { $0.append("end \(value)") }
        }
        emitter.withLock { $0 = own }
        own.post(1)
        own.drain()
        // A waiting value is replaced by a later one of the same source.
        #expect(log.withLock { $0 } == ["begin 1", "end 1", "begin 3", "end 3"])
        own.close()
        own.post(4)
        own.drain()
        #expect(log.withLock { $0.count } == 4)
        emitter.withLock { $0 = nil }
    }
}
