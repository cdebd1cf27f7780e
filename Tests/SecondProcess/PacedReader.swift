import Foundation
import SQLiteEngine

/// A loop that reads through the engine's pool, with a pause after each read.
///
/// The loop runs until standard input ends.
struct PacedReader {
    /// The number of reads before the process reports that it is ready.
    private static let warmUpCount = 50

    private let pool: DatabasePool
    private let pause: UInt32

    /// Opens the pool.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - keepsReadTransactions: Whether readers keep their transactions.
    ///   - pause: The pause in microseconds.
    /// - Throws: An error if the pool cannot be opened.
    init(path: String, keepsReadTransactions: Bool, pause: UInt32) throws {
        var configuration = Configuration()
        configuration.keepsReadTransactions = keepsReadTransactions
        configuration.busyMode = .timeout(10)
        pool = try DatabasePool(path: path, configuration: configuration)
        self.pause = pause
    }

    /// Reads until the process is terminated or standard input ends.
    func run() throws -> Never {
        Thread.detachNewThread {
            while readLine() != nil {}
            exit(0)
        }
        var count = 0
        while true {
            _ = try pool.read { db in
                try Int.fetchOne(db.cachedStatement(sql: "SELECT value FROM counter"))
            }
            count += 1
            if count == Self.warmUpCount { try CommandLoop.write(.ready) }
            usleep(pause)
        }
    }
}
