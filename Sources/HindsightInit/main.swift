import Foundation

// `swift package hindsight init`. The plugin passes the facts of the package, then the user's arguments.

do {
    let facts = try PackageFacts(Array(CommandLine.arguments.dropFirst()))
    if facts.isHelpRequested {
        print(PackageFacts.help)
        exit(0)
    }
    let declared = try facts.libraries.flatMap { library in
        try DeclaredApp.all(in: URL(filePath: library.directory), of: library.name)
    }
    let initialization = try Initialization(facts, declared: declared)
    for line in try initialization.write(facts) { print(line) }
} catch {
    let place = (error as? CocoaError)?.filePath.map { "\($0): " } ?? ""
    let failure = error as? InitFailure ?? InitFailure(.badFile, place + error.localizedDescription)
    let text = "error: " + failure.lines.joined(separator: "\n  ") + "\n"
    FileHandle.standardError.write(Data(text.utf8))
    exit(failure.code.rawValue)
}
