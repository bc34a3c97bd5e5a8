import Foundation
import HindsightFormat
import HindsightRecording
import HindsightTree
import TestSupport

extension Scratch {
    /// A recording with one reducer, and an action for each patch.
    func recording(of patches: [Patch], after initial: Node) throws -> Recording {
        let url = file("\(UUID().uuidString).hindsight")
        try Data().write(to: url)
        let tables = try NewTables(in: url.path)
        try tables.begin(reducers: ["reducer"], initial.json, at: 0)
        for (index, patch) in patches.enumerated() {
            let action = DispatchedAction(seq: index + 1, type: "act", payload: "{\"act\":{}}", at: Int64(index + 1))
            let entry = TimedPatch(duration: 1, patch: patch)
            try tables.insert(action, duration: 1, steps: TimedPatches.write([entry]).text)
        }
        try tables.finish([
            "app": .text("x"), "version": .text("1"), "platform": .text("x"), "created": .number(1),
            "closed": .number(2),
        ])
        return try Recording(at: url)
    }

    /// The recording that lines of text are.
    func recording(ofLines lines: [String]) throws -> Recording {
        let url = file("\(UUID().uuidString).jsonl")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: url)
        return try Recording(at: url)
    }
}
