import Foundation
import TestSupport

/// A program that runs in the background and is killed when this object is released.
final class RunningProgram {
    private let process = Process()
    private let output: URL
    private let errors: URL

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - folder: The working folder, which also contains temporary files.
    ///   - path: The path of the program; by default, `poolgauge`.
    ///   - variables: Additional environment variables.
    /// - Throws: An error if the program cannot be started.
    init(
        _ arguments: [String],
        in folder: URL,
        path: String = Program.path,
        variables: [String: String] = [:]
    ) throws {
        let name = UUID().uuidString
        output = folder.appendingPathComponent(name + ".output")
        errors = folder.appendingPathComponent(name + ".errors")
        for file in [output, errors] { try Data().write(to: file) }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = Program.environment(temporary: folder).merging(variables) { $1 }
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try HeadlessProgram.startWithoutBlockedSignals(process)
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var isRunning: Bool { process.isRunning }

    var errorText: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    var outputText: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Waits for the URL of the metrics and returns the port in it.
    func metricsPort() throws -> UInt16 {
        try eventually("the program writes the URL of its metrics") {
            guard process.isRunning else { throw ProgramEnded(description: "ended: \(errorText)") }
            return errorText.firstMatch(of: /metrics: http:\/\/127\.0\.0\.1:(\d+)\/metrics\n/)
                .flatMap { UInt16($0.1) }
        }
    }

    /// Sends `SIGINT`, waits for the end, and returns the status.
    func interrupt() -> Int32 {
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        return process.terminationStatus
    }
}
