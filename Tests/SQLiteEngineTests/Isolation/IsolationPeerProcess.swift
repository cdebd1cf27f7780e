import Foundation
import Isolation
import Telemetry

/// Another process that runs transactions on the same database.
///
/// `@unchecked Sendable`: a test uses the object from one thread at a time.
final class IsolationPeerProcess: @unchecked Sendable {
    /// The way the process opens the database.
    enum Kind: String, Sendable {
        case sqlite
        case pool
        case queue
        case walQueue = "wal-queue"
    }

    /// The reason why no history exists.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let path: String = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        var folder = bundle.map { URL(fileURLWithPath: $0) } ?? Bundle.main.bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("IsolationPeer").path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return "IsolationPeer-is-not-built"
    }()

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let name: String
    private let lines = Lock(Data())
    /// Reads the process's output so that the process never blocks on a full pipe inside a
    /// transaction.
    private var reading: Background<Void>?

    /// Starts the process, and returns when it has opened the database.
    ///
    /// - Parameters:
    ///   - kind: The way the process opens the database.
    ///   - database: The path of the database.
    ///   - seed: The seed of the process's choices.
    ///   - transactions: The number of transactions to run.
    ///   - number: The process's number, which distinguishes its values from other processes'
    ///     values.
    /// - Throws: An error if it cannot be started.
    init(
        _ kind: Kind,
        on database: String,
        seed: UInt64,
        transactions: Int,
        number: Int = 1
    ) throws {
        name = "process-\(number)"
        process.executableURL = URL(fileURLWithPath: Self.path)
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
        reading = Background { [lines, output] in
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
    /// - Returns: Its history.
    func history() throws -> History {
        try reading?.value()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: failureDescription)
        }
        return try history(endingBy: .max)
    }

    /// Waits until the process has reported the end of some transactions, and kills it with
    /// SIGKILL.
    ///
    /// - Returns: Its history. A transaction whose commit had begun has an unknown outcome.
    func killedHistory(afterLines count: Int) throws -> History {
        try eventually {
            lines.withLock { $0.count { $0 == UInt8(ascii: "\n") } } >= count || !process.isRunning
        }
        guard process.isRunning else { throw Failure(description: failureDescription) }
        Foundation.kill(process.processIdentifier, SIGKILL)
        try reading?.value()
        process.waitUntilExit()
        return try history(endingBy: monotonicNanoseconds())
    }

    private var failureDescription: String {
        let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        return "the other process ended: \(text)"
    }

    /// Returns the transactions that the process has reported, with the last report of each.
    ///
    /// - Parameter end: The end of the process, after which nothing takes effect.
    /// - Returns: The history of the process's session.
    /// - Throws: An error if its output is invalid.
    private func history(endingBy end: UInt64) throws -> History {
        let lines = lines.withLock { $0 }
        var transactions: [Int: HistoryTransaction] = [:]
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            var transaction: HistoryTransaction
            do {
                transaction = try JSONDecoder().decode(HistoryTransaction.self, from: line)
            } catch  where line.endIndex == lines.endIndex {
                // The kill can truncate a line.
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
