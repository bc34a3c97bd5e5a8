#if Archive
    import HindsightTree

    /// What the summaries of a recording say of its actions and notes, from the lines of its text.
    struct TextStatistics {
        struct ActionType {
            var count: Int64 = 0
            var total: Int64 = 0
            var longest: Int64 = 0

            mutating func add(_ duration: Int64) {
                (count, total, longest) = (count + 1, total &+ duration, max(longest, duration))
            }
        }

        struct Note {
            var seq: Int
            var reducer: Int?
            var name: String?
            var text: String?
            var at: Int
        }

        /// By the text of the type in JSON, with its quotes.
        private var types: [[UInt8]: ActionType] = [:]
        private(set) var notes: [Note] = []
        /// When the last action ended, or began if that is not known, in nanoseconds since 1970.
        private(set) var ended: Int64?

        /// The largest number of different types and of notes that are kept.
        private static let most = 10_000

        /// The action types by name, in the order of the names.
        var actionTypes: [(name: String, ActionType)] {
            types.compactMap { json, type in
                guard case .string(let name)? = try? Node(json: String(decoding: json, as: UTF8.self)) else {
                    return nil
                }
                return (name, type)
            }.sorted { $0.name < $1.name }
        }

        mutating func addAction(_ line: UnsafeBufferPointer<UInt8>) {
            let rest = line.dropFirst(TextCutter.action.count)
            // A quote that no backslash escapes ends the type.
            var (end, isEscaped) = (rest.startIndex + 1, false)
            while end < rest.endIndex, isEscaped || rest[end] != UInt8(ascii: "\"") {
                isEscaped = !isEscaped && rest[end] == UInt8(ascii: "\\")
                end += 1
            }
            let times = Self.times(line)
            if let at = times.at { ended = at.addingReportingOverflow(times.duration ?? 0).partialValue }
            guard end < rest.endIndex else { return }
            let key = Array(rest[rest.startIndex...end])
            guard types[key] != nil || types.count < Self.most else { return }
            types[key, default: ActionType()].add(times.duration ?? 0)
        }

        /// The members `at` and `duration`, which stand at the end of the line, before `times`.
        private static func times(_ line: UnsafeBufferPointer<UInt8>) -> (at: Int64?, duration: Int64?) {
            var rest = line.dropLast(line.last == UInt8(ascii: "\n") ? 2 : 1)
            if rest.last == UInt8(ascii: "]") {
                guard let start = rest.lastIndex(of: UInt8(ascii: "[")) else { return (nil, nil) }
                rest = rest[..<start].dropLast(#","times":"#.utf8.count)
            }
            let duration = takeNumber(#","duration":"#, from: &rest)
            return (takeNumber(#","at":"#, from: &rest), duration)
        }

        private static func takeNumber(_ key: String, from rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
            let digits = rest.suffix(20).reversed().prefix { $0 != UInt8(ascii: ":") }.count
            let before = rest.dropLast(digits)
            guard before.suffix(key.utf8.count).elementsEqual(key.utf8) else { return nil }
            let number = Int64(String(decoding: rest.suffix(digits), as: UTF8.self))
            rest = before.dropLast(key.utf8.count)
            return number
        }

        mutating func addNote(_ line: UnsafeBufferPointer<UInt8>, at seq: Int) {
            guard notes.count < Self.most else { return }
            guard let node = try? Node(json: String(decoding: line.dropLast(), as: UTF8.self)) else { return }
            var note = Note(seq: seq, at: 0)
            if case .string(let name)? = node["note"] { note.name = name }
            if case .string(let text)? = node["text"] { note.text = text }
            if case .int(let reducer)? = node["reducer"] { note.reducer = reducer }
            if case .int(let at)? = node["at"] { note.at = at }
            notes.append(note)
        }
    }
#endif
