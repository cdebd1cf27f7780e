import Foundation
import SQLiteEngine

/// A database in a new folder, shared by this process and a program without the engine.
package final class SharedDatabase {
    /// How this process opens the database.
    package enum Subject: String, CaseIterable, Sendable {
        case pool
        case readonlyPool
        case walQueue
        case rollbackQueue

        /// The subjects that use write-ahead logging.
        package static let withLog: [Subject] = [.pool, .readonlyPool, .walQueue]

        fileprivate var journalMode: String { self == .rollbackQueue ? "DELETE" : "WAL" }
    }

    /// The path of the file.
    package let path: String
    /// The value of the counter after the last commit that has returned.
    package let committed: SharedCounter
    /// The other process.
    package let peer: Peer
    private let subject: Subject
    private let folder: URL

    /// Creates the database in another process.
    ///
    /// - Parameters:
    ///   - subject: How ``open(keepsReadTransactions:readers:_:)`` opens the database.
    ///   - pageCount: The number of rows of one page each that commits can change.
    ///   - program: The path of the program that performs commands.
    ///   - timeout: The timeout for each command in seconds.
    /// - Throws: `Peer.Failure` if the process does not create the database.
    package init(
        for subject: Subject,
        pageCount: Int,
        program: String,
        timeout: Int32 = 60
    ) throws {
        self.subject = subject
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("db.sqlite").path
        let counter = folder.appendingPathComponent("committed").path
        committed = try SharedCounter(path: counter)
        peer = try Peer(
            executable: program,
            arguments: ["commands", path, counter],
            timeout: timeout
        )
        try peer.sql("PRAGMA journal_mode = \(subject.journalMode)")
        try peer.sql(ForeignConnection.schema(pageCount: pageCount))
        // Each measurement starts with an empty log.
        if subject != .rollbackQueue { try peer.sql("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The size of the write-ahead log in bytes, or 0 if there is no log.
    package var logBytes: Int {
        var information = stat()
        return stat(path + "-wal", &information) == 0 ? Int(information.st_size) : 0
    }

    /// Opens the database in this process.
    ///
    /// - Parameters:
    ///   - keepsReadTransactions: Whether connections keep their read transactions.
    ///   - readers: The number of readers in a pool.
    ///   - change: A closure that changes the configuration.
    /// - Returns: The database.
    /// - Throws: An error if the database cannot be opened.
    package func open(
        keepsReadTransactions: Bool = true,
        readers: Int = 2,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> any DatabaseReader {
        var configuration = Configuration()
        configuration.keepsReadTransactions = keepsReadTransactions
        configuration.maximumReaderCount = readers
        configuration.busyMode = .timeout(20)
        configuration.readonly = subject == .readonlyPool
        configuration.journalMode = subject == .walQueue ? .wal : .default
        change(&configuration)
        switch subject {
        case .pool, .readonlyPool:
            return try DatabasePool(path: path, configuration: configuration)
        case .walQueue, .rollbackQueue:
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// Commits repeatedly through a pool in this process.
    package func commit(_ count: Int, through pool: DatabasePool) throws -> CommitTimes {
        var times = CommitTimes()
        for _ in 0..<count {
            let start = DispatchTime.now().uptimeNanoseconds
            let value = try pool.write { db in
                let sql = "UPDATE counter SET value = value + 1 RETURNING value"
                return try Int.fetchOne(db.cachedStatement(sql: sql)) ?? -1
            }
            let end = DispatchTime.now().uptimeNanoseconds
            committed.store(value)
            times.append(nanoseconds: end - start, logBytes: logBytes)
        }
        return times
    }
}
