// Every number is a median within one run, with a baseline beside it. `make bench` builds with optimization and runs it.

let wanted = CommandLine.arguments.dropFirst()
func isWanted(_ name: String) -> Bool { wanted.isEmpty || wanted.contains(name) }

printMachine()
// First, as it counts the most memory that the process ever had.
if isWanted("memory") { try benchmarkMemory() }
if isWanted("store") { benchmarkStore() }
if isWanted("lifts") { benchmarkLifts() }
if isWanted("changes") { try benchmarkChanges() }
if isWanted("recorder") { try benchmarkRecorder() }
if isWanted("dispatch") { try benchmarkDispatch() }
if isWanted("throughput") { try benchmarkThroughput() }
if isWanted("lists") { try benchmarkLists() }
if isWanted("tool") { try benchmarkTool() }
