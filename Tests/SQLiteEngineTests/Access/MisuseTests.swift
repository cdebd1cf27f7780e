import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Tests that programming errors other than reentrancy stop the program with an explanation.
struct MisuseTests {
    /// A folder that only the parent process removes, not the child process of an exit test.
    private let folder = TemporaryFolder()
    private static let openTransactionMessage =
        "A transaction was left open at the end of a database access"

    private static func leaveTransactionOpen(inReadAt path: String?) throws {
        if let path {
            try DatabasePool(path: path).unsafeRead { db in try db.beginTransaction() }
        } else {
            try DatabaseQueue().writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN TRANSACTION")
            }
        }
    }

    @Test(arguments: ["unsafe read", "write", "async write"])
    func aTransactionThatAnAccessLeavesOpenStopsTheProgram(access: String) async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String, access] in
            endProcessAfterTimeout()
            switch access {
            case "unsafe read": try Self.leaveTransactionOpen(inReadAt: path)
            case "write": try Self.leaveTransactionOpen(inReadAt: nil)
            default:
                let pool = try DatabasePool(path: path)
                try await pool.writeWithoutTransaction { db in try db.beginTransaction() }
            }
        }
        #expect(result?.message.contains(Self.openTransactionMessage) == true)
    }

    @Test func aTransactionMayStayOpenIfAllowed() throws {
        let queue = try DatabaseQueue.withTable(
            configuration: .with { $0.allowsUnsafeTransactions = true }
        )
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.insert(1)
        }
        try queue.writeWithoutTransaction { db in
            #expect(db.isInsideTransaction)
            try db.rollback()
            try #expect(db.rowCount() == 0)
        }
    }

    @Test func creatingASnapshotInsideATransactionStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String] in
            endProcessAfterTimeout()
            let pool = try DatabasePool(path: path)
            try pool.write { _ in _ = try pool.makeSnapshot() }
        }
        #expect(
            result?.message.contains("must not be called from inside a transaction") == true
        )
    }

    @Test func aPoolWithoutReadersStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            var configuration = Configuration()
            configuration.maximumReaderCount = 0
        }
        #expect(result?.message.contains("maximumReaderCount must be at least 1") == true)
    }

    private static let wrongThreadMessage = "Database was not used on the correct thread."

    /// An object that is used outside its access.
    enum EscapedObject: String, CaseIterable, Codable, Sendable {
        case connectionOnAnotherThread
        case statementOnAnotherThread
        case connectionAfterItsAccess
    }

    @Test(arguments: EscapedObject.allCases)
    func usingAnObjectOutsideItsAccessStopsTheProgram(object: EscapedObject) async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = folder.file() as String, object] in
            endProcessAfterTimeout()
            let queue = try DatabaseQueue()
            switch object {
            case .connectionOnAnotherThread:
                try DatabasePool(path: path).read { db in
                    let escaped = UncheckedBox(db)
                    try Background { _ = try escaped.value?.makeStatement(sql: "SELECT 1") }.value()
                }
            case .statementOnAnotherThread:
                try queue.write { db in
                    let escaped = UncheckedBox(try db.makeStatement(sql: "SELECT 1"))
                    try Background { try escaped.value?.execute() }.value()
                }
            case .connectionAfterItsAccess:
                let escaped = queue.inDatabase { UncheckedBox($0) }
                _ = try Int.fetchOne(try #require(escaped.value), sql: "SELECT 1")
            }
        }
        #expect(result?.message.contains(Self.wrongThreadMessage) == true)
    }

    @Test func anInnerAccessOnAUserQueueCanUseTheOuterConnection() throws {
        let outer = try DatabaseQueue()
        let inner = try DatabaseQueue(
            configuration: .with { $0.targetQueue = DispatchQueue(label: "user") }
        )
        try outer.write { first in
            let first = UncheckedBox(first)
            try inner.write { second in
                let value = try Int.fetchOne(try #require(first.value), sql: "SELECT 1")
                try #expect(value == Int.fetchOne(second, sql: "SELECT 1"))
            }
        }
    }
}
