import Foundation
import TestSupport

/// A process of `Tests/FaultRunner`, which injects faults that affect a whole process.
enum FaultRunnerProcess {
    struct Result {
        var findings: [String]
        /// The number of attacks, or `nil` if the process did not complete.
        var attacks: Int?
        /// How the process ended and its last attack, or `nil` if it completed.
        var end: String?
    }

    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        let process = Process()
        // libfaketime hides the arguments of the first process that loads it.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [BuiltProgram.path(of: "FaultRunner")] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()
        let lines = text.split(separator: "\n").map(String.init)
        let prefix = "finding: "
        var result = Result(
            findings: lines.filter { $0.hasPrefix(prefix) }.map {
                String($0.dropFirst(prefix.count))
            }
        )
        if process.terminationReason == .exit, process.terminationStatus == 0,
            let last = lines.last,
            last.hasPrefix("attacks: ")
        {
            result.attacks = Int(last.dropFirst("attacks: ".count))
        } else {
            let isSignal = process.terminationReason == .uncaughtSignal
            result.end =
                "\(isSignal ? "signal" : "status") \(process.terminationStatus) in the attack "
                + (lines.last ?? "before the first one")
        }
        return result
    }
}
