import Foundation
import Isolation
import Telemetry
import TestSupport

/// Another process that runs transactions on the same database.
///
/// `@unchecked Sendable`, because a test uses the object on one thread at a time.
final class IsolationPeerProcess: @unchecked Sendable {
    /// How the process opens the database.
    enum Kind: String, Sendable {
        case sqlite
        case pool
        case queue
        case walQueue = "wal-queue"
    }

    /// The reason for a missing history.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let name: String
    private let lines = Lock(Data())
    /// A thread that reads the output of the process.
    ///
    /// Without this thread, the process could block on a full pipe inside a transaction.
    private var outputReader: Background<Void>?

    /// Starts the process, and returns after the process has opened the database.
    ///
    /// - Parameters:
    ///   - kind: How the process opens the database.
    ///   - database: The path of the database.
    ///   - seed: The seed for the random choices of the process.
    ///   - transactions: The number of transactions to run.
    ///   - number: A number that distinguishes the values of the process from those of other
    ///     processes.
    /// - Throws: An error if the process cannot be started.
    init(
        _ kind: Kind,
        on database: String,
        seed: UInt64,
        transactions: Int,
        number: Int = 1
    ) throws {
        name = "process-\(number)"
        process.executableURL = URL(fileURLWithPath: BuiltProgram.path(of: "IsolationPeer"))
        process.arguments = [
            kind.rawValue, database, "\(seed)", "\(transactions)", "\(number * 1_000_000_000)",
        ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let ready = Array("ready\n".utf8)
        guard Array(output.fileHandleForReading.readData(ofLength: ready.count)) == ready else {
            throw Failure(description: failureDescription)
        }
        outputReader = Background { [lines, output] in
            while true {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { return }
                lines.withLock { $0.append(more) }
            }
        }
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// Starts the process's transactions.
    func start() throws { try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8)) }

    /// Waits until the process ends.
    ///
    /// - Returns: The history of the process.
    func history() throws -> History {
        try outputReader?.value()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: failureDescription)
        }
        return try history(endingBy: .max)
    }

    /// Waits until the process has written `count` lines, and kills it with SIGKILL.
    ///
    /// - Returns: The history of the process. A transaction that had begun to commit has an unknown
    ///   outcome.
    func killedHistory(afterLines count: Int) throws -> History {
        try eventually {
            lines.withLock { $0.count { $0 == UInt8(ascii: "\n") } } >= count || !process.isRunning
        }
        guard process.isRunning else { throw Failure(description: failureDescription) }
        Foundation.kill(process.processIdentifier, SIGKILL)
        try outputReader?.value()
        process.waitUntilExit()
        return try history(endingBy: monotonicNanoseconds())
    }

    private var failureDescription: String {
        let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        return "the other process ended: \(text)"
    }

    /// Returns the transactions that the process has reported, with the last report of each.
    ///
    /// - Parameter end: The time at which the process ended, after which nothing takes effect.
    /// - Returns: The history of the session in the process.
    /// - Throws: An error if the output is invalid.
    private func history(endingBy end: UInt64) throws -> History {
        let lines = lines.withLock { $0 }
        var transactions: [Int: HistoryTransaction] = [:]
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            var transaction: HistoryTransaction
            do {
                transaction = try JSONDecoder().decode(HistoryTransaction.self, from: line)
            } catch  where line.endIndex == lines.endIndex {
                // The kill may have truncated the line.
                continue
            }
            transaction.end = min(transaction.end, end)
            transactions[transaction.number] = transaction
        }
        return History(
            sessions: [name],
            transactions: transactions.values.sorted { $0.number < $1.number }
        )
    }
}
