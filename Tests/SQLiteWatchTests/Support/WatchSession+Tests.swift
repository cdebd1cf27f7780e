import Findings
import Foundation
import TestSupport

@testable import SQLiteWatch

#if os(Linux)
/// The executable that tests use as the helper process.
let helperCommand: [String] = {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
    var folder = bundle.map { URL(fileURLWithPath: $0) } ?? Bundle.main.bundleURL
    while folder.path != "/" {
        let candidate = folder.appendingPathComponent("WatchHelper").path
        if FileManager.default.isExecutableFile(atPath: candidate) { return [candidate] }
        folder.deleteLastPathComponent()
    }
    return ["WatchHelper-is-not-built"]
}()

/// Returns the helper under a path in another folder.
func otherHelper(in folder: TemporaryFolder) throws -> [String] {
    let program = URL(fileURLWithPath: helperCommand[0])
    let link = folder.file(program.lastPathComponent)
    try FileManager.default.createSymbolicLink(
        atPath: link,
        withDestinationPath: program.path
    )
    return [link]
}

extension WatchSession {
    /// Returns a seeded session that watches one database.
    static func watching(_ path: String) throws -> WatchSession {
        var options = WatchOptions()
        options.seed = 1
        // Debug builds read frames slowly.
        options.tablesProcessorLimit = 1
        return try WatchSession(paths: [path], helper: helperCommand, options: options)
    }

    /// Takes samples and returns a report.
    func report(samples: Int = 3) -> WatchReport {
        for _ in 0..<samples { sample() }
        return reports()[0]
    }
}

extension WatchReport {
    /// Returns the locks that a program holds.
    func locks(_ program: ForeignProgram) -> [LockKind] {
        processes.first { $0.pid == program.pid }?.locks.map(\.kind) ?? []
    }

    /// Returns the listed process of a program.
    func process(_ program: ForeignProgram) -> WatchedProcess? {
        processes.first { $0.pid == program.pid }
    }
}
#endif
