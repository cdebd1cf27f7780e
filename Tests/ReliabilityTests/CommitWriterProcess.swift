import FaultPaths
import Foundation
import Telemetry
import TestSupport

/// A process that commits until it is killed, and acknowledges its commits.
final class CommitWriterProcess {
    /// The database that the process uses.
    enum Kind: String, CaseIterable, Sendable {
        case pool
        case walQueue = "wal-queue"
        case queue
        /// A pool and a queue on the same file, with snapshots.
        case mixed
    }

    /// An error for a process that ended before it was killed.
    struct UnexpectedEnd: Error {
        var status: Int32
        var errors: String
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var text: [UInt8] = []

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - kind: The kind of database to open.
    ///   - database: The path of the database.
    ///   - first: The number of the first commit.
    ///   - acknowledgesEarly: Whether the process acknowledges commits too early.
    /// - Throws: An error if the process cannot be started.
    init(_ kind: Kind, on database: String, first: Int, acknowledgesEarly: Bool = false) throws {
        process.executableURL = URL(fileURLWithPath: BuiltProgram.path(of: "CommitWriter"))
        process.arguments =
            [kind.rawValue, database, "\(first)"] + (acknowledgesEarly ? ["--early"] : [])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let descriptor = output.fileHandleForReading.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits until the process has acknowledged `count` commits.
    func awaitCommits(_ count: Int) throws {
        let deadline = monotonicNanoseconds() + 20_000_000_000
        while acknowledged.count < count {
            var wait = pollfd(
                fd: output.fileHandleForReading.fileDescriptor,
                events: Int16(POLLIN),
                revents: 0
            )
            poll(&wait, 1, 100)
            readOutput()
            guard process.isRunning else {
                throw UnexpectedEnd(status: process.terminationStatus, errors: errorOutput)
            }
            guard monotonicNanoseconds() < deadline else {
                throw Violation("the process acknowledged fewer than \(count) commits in 20 s")
            }
        }
    }

    /// Kills the process with SIGKILL and returns the numbers of its acknowledged commits.
    ///
    /// - Throws: ``UnexpectedEnd`` if the process was no longer running.
    func kill() throws -> Set<Int> {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL
        else { throw UnexpectedEnd(status: process.terminationStatus, errors: errorOutput) }
        readOutput()
        return acknowledged
    }

    /// Returns the numbers of the commits that the process has acknowledged so far.
    func acknowledgedSoFar() -> Set<Int> {
        readOutput()
        return acknowledged
    }

    private var acknowledged: Set<Int> {
        // Ignore an incomplete line.
        guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return Set(
            text[..<end].split(separator: UInt8(ascii: "\n")).compactMap {
                Int(String(decoding: $0, as: UTF8.self))
            }
        )
    }

    private var errorOutput: String {
        String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// Reads the available output without blocking.
    private func readOutput() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { return }
            text.append(contentsOf: buffer[..<count])
        }
    }
}
