// Every number is a median within one run, with a baseline beside it. `make bench` builds with optimization and runs
// it.

import Foundation

let wanted = CommandLine.arguments.dropFirst()
func isWanted(_ name: String) -> Bool { wanted.isEmpty || wanted.contains(name) }

if let place = wanted.firstIndex(of: "growth-run") {
    try runGrowth(wanted[place + 1], computed: wanted.contains("computed"))
    exit(0)
}

if let place = wanted.firstIndex(of: "memory-run") {
    try runMemory(wanted[place + 1] == "computed" ? .computed() : .captured)
    exit(0)
}

printMachine()
if isWanted("memory") { try benchmarkMemory() }
if isWanted("growth") { try benchmarkGrowth() }
if isWanted("store") { benchmarkStore() }
if isWanted("lifts") { benchmarkLifts() }
if isWanted("changes") { try benchmarkChanges() }
if isWanted("recorder") { try benchmarkRecorder() }
if isWanted("dispatch") { try benchmarkDispatch() }
if isWanted("states") { try benchmarkBigStates() }
if isWanted("external") {
    try benchmarkExternalStore()
    try benchmarkDescribedStates()
}
if isWanted("throughput") { try benchmarkThroughput() }
if isWanted("lists") { try benchmarkLists() }
if isWanted("replay") { try benchmarkReplay() }
if isWanted("tool") { try benchmarkTool() }
if isWanted("experiments") { try benchmarkExperiments() }
if isWanted("queries") { try benchmarkQueries() }
if isWanted("compile") { try benchmarkCompileTime() }
