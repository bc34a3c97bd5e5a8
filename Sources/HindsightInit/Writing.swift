import Foundation

extension Initialization {
    /// Writes the new files, and lets SwiftPM add the targets to the manifest.
    ///
    /// - Returns: The lines to print. If SwiftPM cannot extend the manifest, they have the targets to paste.
    /// - Throws: ``InitFailure`` if a file exists, before anything is written, and Foundation's errors.
    func write(_ facts: PackageFacts) throws -> [String] {
        let package = URL(filePath: facts.directory)
        let paths = files.map(\.path) + targets.map(\.stub)
        if let path = paths.first(where: { FileManager.default.fileExists(atPath: package.appending(path: $0).path) }) {
            throw InitFailure(.badFile, "\(path) exists.", "Remove it, or choose other names: --app NAME.")
        }
        let manifest = package.appending(path: "Package.swift")
        let before = try Data(contentsOf: manifest)
        let isExtended = try extendManifest(facts)
        if !isExtended { try before.write(to: manifest, options: .atomic) }
        for target in targets {
            let stub = package.appending(path: target.stub)
            if FileManager.default.fileExists(atPath: stub.path) { try FileManager.default.removeItem(at: stub) }
        }
        for file in files {
            let url = package.appending(path: file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(file.text.utf8).write(to: url)
        }
        let created = files.map { "  \($0.path)" }
        let lines =
            isExtended
            ? ["Added \(targets.count) targets to Package.swift, and created:"] + created + [
                "", "SwiftPM warns of the recordings until you add to \(names.tests) in Package.swift:",
                "  exclude: [\"Fixtures\"],",
            ]
            : ["Created:"] + created + ["", "SwiftPM could not extend Package.swift. Add these to its targets:", ""]
                + targets.map { $0.entry(package: facts.dependency) }
        return lines + advice(hasPlatforms: before.range(of: Data("platforms:".utf8)) != nil)
    }

    /// Runs SwiftPM's commands, which print why they fail.
    ///
    /// They have a folder of their own to build in, since the SwiftPM that runs the plugin holds the lock of the package's.
    /// A sandbox cannot start another.
    private func extendManifest(_ facts: PackageFacts) throws -> Bool {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "hindsight-init-\(UUID().uuidString)")
        defer { removeScratch(scratch) }
        for command in targets.flatMap({ $0.commands(package: facts.dependency) }) {
            let process = Process()
            process.executableURL = URL(filePath: facts.swift)
            process.arguments =
                ["package", "--package-path", facts.directory, "--scratch-path", scratch.path]
                + ["--cache-path", scratch.path, "--disable-sandbox"] + command
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 { return false }
        }
        return true
    }

    private func removeScratch(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            // The system empties the folder for temporary files.
        }
    }

    /// A word for a POSIX shell, in quotes if it needs some.
    private static func quoted(_ word: String) -> String {
        if word.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil { return word }
        return "'" + word.replacingOccurrences(of: "'", with: "'\\''", options: .literal) + "'"
    }

    private func advice(hasPlatforms: Bool) -> [String] {
        let session = "Tests/\(names.tests)/Fixtures/first.hindsight"
        let actions = isSample ? "echo '{\"add\":{\"amount\":2}}' |" : "cat actions.jsonl |"
        var lines = [""]
        if !hasPlatforms {
            lines += [
                "On Apple's systems, Hindsight needs, in Package.swift:", "  platforms: [.macOS(.v15), .iOS(.v18)],",
                "",
            ]
        }
        if isSample {
            lines += ["No library declared an app, so the tool runs a sample: replace it in \(files[0].path).", ""]
        }
        return lines + [
            "Record a first session, and test that it replays:",
            "  \(actions) swift run \(names.tool) record --app \(app.name.map(Self.quoted) ?? "NAME") \(session)",
            "  swift package hindsight verify Tests/\(names.tests)/Fixtures",
            "  swift test",
        ]
    }
}
