import Foundation
import HindsightRecording
import HindsightSupport

/// Arguments of the commands that run experiments on a recording.
enum ExperimentArguments {
    private static let usualBudget = 60.0
    static let budget = Option<Double>(
        seconds: "budget",
        help: "Stop after this time with what was found so far; \(Int(usualBudget)) by default."
    )
    static let timeout = Option<Double>(
        seconds: "timeout",
        help: "End an attempt in which one reducer takes longer than this; 5 by default. It then counts as a crash."
    )

    /// The processes in which experiments run. Their time begins now.
    ///
    /// - Throws: ``Failure`` if this build does not have the recording's app, or is a part of another program.
    static func process(_ arguments: Arguments, for recording: Recording, _ tool: Tool) throws -> ExperimentProcess {
        try requireProcess(arguments, tool)
        _ = try tool.app(of: recording)
        let executable = try Isolation.executable(of: tool.name)
        return try process(arguments, by: executable, named: tool.shown(recording), tool)
    }

    /// The processes of a build of the tool. Their time begins now.
    ///
    /// - Parameter name: What runs, for messages; `nil` for the path of the build.
    /// - Throws: ``Failure`` if this build is a part of another program.
    static func process(
        _ arguments: Arguments,
        by executable: URL,
        named name: String? = nil,
        _ tool: Tool
    ) throws -> ExperimentProcess {
        try requireProcess(arguments, tool)
        return ExperimentProcess(
            name ?? escape(executable.relativePath),
            by: executable,
            actionLimit: try arguments[timeout] ?? StateComputation.maxStepSeconds,
            budget: try arguments[budget] ?? usualBudget,
            tool
        )
    }

    private static func requireProcess(_ arguments: Arguments, _ tool: Tool) throws(Failure) {
        guard !tool.isProcess else { return }
        throw Failure(
            .usage,
            "\(arguments.syntax.name) runs reducers in other processes, which only the tool itself can."
        )
    }
}
