import FaultPaths
import Foundation
import Recording
import SQLiteEngine
import Telemetry

/// An attack that sets the clock back by a day while a pool is in use.
///
/// libfaketime provides the clock and reads the offset from a file. Only the wall clock is set
/// back. The monotonic clock never moves backward.
struct ClockAttack {
    private let file: String

    init(file: String) { self.file = file }

    func run() throws {
        var findings: [String] = []
        var attacks = 0
        for path in FaultPath.all {
            for subject in path.subjects {
                Report.write("\(path.name) \(subject)")
                // While the path runs, the clock is set back by a day.
                let fault = Fault(name: "the clock was set back") { [file] _, _ in
                    try? Self.setClock(to: "-1d", file)
                } stop: { [file] in
                    try? Self.setClock(to: "+0d", file)
                    return 0
                }
                let attack = FaultAttack(path: path, subject: subject, fault: fault, stride: 1)
                findings += try attack.run().findings
                attacks += 1
            }
        }
        do { try waitForLock() } catch { findings.append("\(error)") }
        Report.write(findings: findings, attacks: attacks + 1)
    }

    /// Sets the clock back during a busy timeout, and checks that the timeout ends on time and that
    /// all reported durations are correct.
    private func waitForLock() throws {
        let folder = try FaultFolder()
        var configuration = Configuration()
        configuration.busyMode = .timeout(0.5)
        let pool = try DatabasePool(path: folder.database, configuration: configuration)
        try WrittenRows.create(in: pool)
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: folder.database, configuration: configuration)
        try other.inDatabase { db in try db.beginTransaction(.immediate) }
        let before = Date()
        let start = monotonicNanoseconds()
        Thread.detachNewThread { [file] in
            usleep(200_000)
            try? Self.setClock(to: "-1d", file)
        }
        do {
            try pool.write { _ in }
            throw Violation("a write did not wait for the lock")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
        let waited = Double(monotonicNanoseconds() - start) / 1e9
        try Violation.check(
            before.timeIntervalSinceNow > 80_000,
            "the clock was not set back: \(before), \(Date())"
        )
        try Violation.check((0.4..<5).contains(waited), "the busy timeout took \(waited) s")
        try other.inDatabase { db in try db.rollback() }
        try pool.write { db in
            let age = abs(try db.transactionDate.timeIntervalSinceNow)
            try Violation.check(age < 60, "the date of a transaction is \(age) s old")
            let held = pool.status().connections.compactMap(\.heldNanoseconds).max() ?? .max
            try Violation.check(held < 60_000_000_000, "a connection was held for \(held) ns")
        }
        try pool.close()
        try other.close()
    }

    private static func setClock(to offset: String, _ file: String) throws {
        try Data("\(offset)\n".utf8).write(to: URL(fileURLWithPath: file))
    }
}
