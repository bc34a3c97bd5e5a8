#if os(Linux)
    import Foundation
    import Testing

    @testable import HindsightFormat
    @testable import HindsightRecorder
    @testable import HindsightRecording

    @Suite("The stack of a thread's signal handlers") struct AlternateStackTests {
        /// The observations of a thread.
        private final class Notes {
            var before = stack_t()
            var own = stack_t()
            var after: UnsafeMutableRawPointer?
            /// A stack that the thread sets after it has its own.
            var other: UnsafeMutableRawPointer?
        }

        private static let bytes = 1 << 16

        /// Runs on a new thread and waits for its end.
        private func onThread(
            _ notes: Notes,
            _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
        ) {
            var thread: pthread_t = 0
            #expect(pthread_create(&thread, nil, body, Unmanaged.passUnretained(notes).toOpaque()) == 0)
            #expect(pthread_join(thread, nil) == 0)
        }

        private static func notes(_ argument: UnsafeMutableRawPointer?) -> Notes? {
            argument.map { Unmanaged<Notes>.fromOpaque($0).takeUnretainedValue() }
        }

        private static func isMapped(_ memory: UnsafeMutableRawPointer?) -> Bool {
            var pages: UInt8 = 0
            return mincore(memory, 4096, &pages) == 0
        }

        @Test("A thread gets an alternate stack on request, and releases it when it ends")
        func ownStack() {
            var mapped = 0
            for _ in 0..<20 {
                let notes = Notes()
                onThread(notes) { argument in
                    guard let notes = AlternateStackTests.notes(argument) else { return nil }
                    sigaltstack(nil, &notes.before)
                    AlternateStack.ensure()
                    sigaltstack(nil, &notes.own)
                    return nil
                }
                #expect(Int(notes.before.ss_flags) & Int(SS_DISABLE) != 0)
                #expect(Int(notes.own.ss_flags) & Int(SS_DISABLE) == 0 && Int(notes.own.ss_size) == Self.bytes)
                mapped += Self.isMapped(notes.own.ss_sp) ? 1 : 0
            }
            // Another thread of this process may have mapped memory there meanwhile.
            #expect(mapped < 20)
        }

        @Test("A stack that replaced it stays when the thread ends")
        func otherStack() {
            let notes = Notes()
            notes.other = .allocate(byteCount: Self.bytes, alignment: 16)
            defer { notes.other?.deallocate() }
            onThread(notes) { argument in
                guard let notes = AlternateStackTests.notes(argument) else { return nil }
                AlternateStack.ensure()
                var stack = stack_t()
                stack.ss_sp = notes.other
                stack.ss_size = numericCast(AlternateStackTests.bytes)
                sigaltstack(&stack, nil)
                // Created after the thread's own stack, so its destructor runs later.
                var key = pthread_key_t()
                pthread_key_create(&key) { argument in
                    var present = stack_t()
                    sigaltstack(nil, &present)
                    AlternateStackTests.notes(argument)?.after = present.ss_sp
                }
                pthread_setspecific(key, argument)
                return nil
            }
            #expect(notes.after == notes.other)
        }

        @Test("An existing stack stays")
        func earlierStack() {
            let notes = Notes()
            notes.other = .allocate(byteCount: Self.bytes, alignment: 16)
            defer { notes.other?.deallocate() }
            onThread(notes) { argument in
                guard let notes = AlternateStackTests.notes(argument) else { return nil }
                var stack = stack_t()
                stack.ss_sp = notes.other
                stack.ss_size = numericCast(AlternateStackTests.bytes)
                sigaltstack(&stack, nil)
                AlternateStack.ensure()
                sigaltstack(nil, &notes.own)
                return nil
            }
            #expect(notes.own.ss_sp == notes.other)
        }
    }
#endif
