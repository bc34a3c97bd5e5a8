import Foundation
import TestSupport

// Runs the commands on many mutants. See `make torture-mutants`.
//
//     Mutants COUNT SEED OUTPUT [TOOL]      all of them, in processes of their own
//     Mutants show NUMBER SEED DIRECTORY    writes one down
//     Mutants work FROM TO SEED OUTPUT      one such process

let arguments = CommandLine.arguments
do {
    switch arguments.dropFirst().first {
    case "work" where arguments.count == 6:
        try Worker(arguments).run()
    case "show" where arguments.count == 5:
        try Worker.show(arguments)
    default:
        guard arguments.count >= 4, let count = UInt64(arguments[1]), let seed = UInt64(arguments[2]) else {
            print("Mutants COUNT SEED OUTPUT [TOOL]")
            exit(2)
        }
        let supervisor = Supervisor(count: count, seed: seed, output: arguments[3], tool: arguments.dropFirst(4).first)
        exit(try supervisor.run() ? 0 : 1)
    }
} catch {
    print(error)
    exit(3)
}
