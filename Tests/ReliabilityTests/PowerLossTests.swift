import FaultPaths
import FaultVFS
import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Cuts the power before randomly selected syncs and at other random operations, and opens the
/// database again.
///
/// SQLite guarantees the tested properties (<https://sqlite.org/pragma.html#pragma_synchronous>).
/// In all modes, the database is intact and contains a prefix of the transactions in commit order.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct PowerLossTests {
    struct Mode: Sendable, CustomTestStringConvertible {
        var subject: Subject
        var synchronous: String
        /// The number of acknowledged transactions that a power loss can undo, or `nil` if it is
        /// unlimited.
        var maximumLoss: Int?
        var testDescription: String { "\(subject), synchronous=\(synchronous)" }

        static let all = [
            Mode(subject: .pool, synchronous: "FULL", maximumLoss: 0),
            // The default of a pool.
            Mode(subject: .pool, synchronous: "NORMAL", maximumLoss: nil),
            Mode(subject: .queue, synchronous: "EXTRA", maximumLoss: 0),
            // The deletion of the last journal is not synced.
            Mode(subject: .queue, synchronous: "FULL", maximumLoss: 1),
        ]
    }

    /// The number of cuts for each mode and kind of loss.
    ///
    /// `./test --power` cuts the power 100 times as often.
    private static let cutCount = Length.isFull ? 6_400 : 64
    private typealias Loss = RecordedDisk.Loss
    private static let transactionCount = 60
    private static let seed: UInt64 = 21

    // Two functions, because `./test --power` runs them at the same time.
    @Test(arguments: Mode.all.filter { $0.subject == .pool })
    func acknowledgedCommitsOfAPoolSurvive(mode: Mode) throws { try attack(mode) }

    @Test(arguments: Mode.all.filter { $0.subject == .queue })
    func acknowledgedCommitsOfAQueueSurvive(mode: Mode) throws { try attack(mode) }

    private func attack(_ mode: Mode) throws {
        faults_install()
        let folder = try FaultFolder()
        recording_start(folder.url.path)
        try runLoad(mode, folder)
        let count = Int(recording_stop())
        var random = SeededRandom(seed: Self.seed)
        let syncs = (0..<count).filter { recording_operation(Int64($0)).kind == Int32(RECORD_SYNC) }
        try #require(syncs.count >= (mode.synchronous == "NORMAL" ? 4 : Self.transactionCount))
        var undone = 0
        for loss in Loss.allCases {
            for index in 0..<Self.cutCount {
                // Half of the cuts are just before a sync.
                let operations =
                    index % 2 == 0
                    ? syncs[Int.random(in: 0..<syncs.count, using: &random)]
                    : Int.random(in: 0...count, using: &random)
                let disk = RecordedDisk(operations: operations, loss: loss, random: &random)
                let location: Comment =
                    "\(mode.testDescription), \(loss), after \(operations) of \(count) operations"
                undone = max(undone, try check(disk, mode, location))
            }
        }
        Length.report("\(mode.testDescription): \(Loss.allCases.count * Self.cutCount) cuts")
        // With NORMAL, some of the cuts must undo commits.
        if mode.maximumLoss == nil { #expect(undone > 0) }
    }

    private func runLoad(_ mode: Mode, _ folder: FaultFolder) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            if mode.synchronous != "NORMAL" {
                try db.execute(sql: "PRAGMA synchronous = \(mode.synchronous)")
            }
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 25")
        }
        let writer: any DatabaseWriter =
            switch mode.subject {
            case .queue: try DatabaseQueue(path: folder.database, configuration: configuration)
            case .pool: try DatabasePool(path: folder.database, configuration: configuration)
            }
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(number INTEGER, text TEXT)")
        }
        recording_mark(0)
        for number in 1...Self.transactionCount {
            try writer.write { db in
                for _ in 0..<2 {
                    try db.execute(
                        sql: "INSERT INTO t VALUES (?, hex(randomblob(400)))",
                        arguments: [number]
                    )
                }
                // Change older pages, too.
                try db.execute(
                    sql: "UPDATE t SET text = hex(randomblob(400)) WHERE number = ?",
                    arguments: [number / 2]
                )
            }
            recording_mark(Int64(number))
        }
        try writer.close()
    }

    /// Opens the database of a disk, and returns the number of undone transactions.
    private func check(_ disk: RecordedDisk, _ mode: Mode, _ location: Comment) throws -> Int {
        let folder = try FaultFolder()
        try disk.write(to: folder.url)
        guard FileManager.default.fileExists(atPath: folder.database) else {
            #expect(disk.marks.count <= (mode.maximumLoss ?? .max), location)
            return disk.marks.count
        }
        let writer = try mode.subject.open(folder.database)
        let numbers: [Int]? = try writer.read { db in
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"], location)
            guard try db.tableExists("t") else { return nil }
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT number, count(*) FROM t GROUP BY number ORDER BY number"
            )
            for row in rows { #expect(row[1] == 2, location) }
            return rows.map { $0[0] }
        }
        try writer.close()
        // The first transaction creates the table.
        let found = numbers.map { $0.count + 1 } ?? 0
        #expect(
            numbers ?? [] == Array(1..<max(found, 1)),
            "expected a prefix of the transactions: \(location)"
        )
        let undone = max(0, disk.marks.count - found)
        if let maximumLoss = mode.maximumLoss { #expect(undone <= maximumLoss, location) }
        return undone
    }
}
