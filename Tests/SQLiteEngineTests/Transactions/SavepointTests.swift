import Testing

@testable import SQLiteEngine

struct SavepointTests {
    private struct Mistake: Error {}

    private func values(_ queue: DatabaseQueue) throws -> [Int] {
        try queue.read { db in try Int.fetchAll(db, sql: "SELECT v FROM t ORDER BY v") }
    }

    @Test func onlyTheInnerChangesAreRolledBack() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try db.insert(1)
            try db.inSavepoint {
                try db.insert(2)
                return .rollback
            }
            try db.inSavepoint {
                try db.insert(3)
                return .commit
            }
        }
        #expect(try values(queue) == [1, 3])
    }

    /// If the changes of a savepoint cannot be rolled back, the access must not commit them.
    @Test(arguments: [true, false])
    func aFailedRollbackOfASavepointEndsTheTransaction(throwsError: Bool) throws {
        let queue = try DatabaseQueue.withTable()
        _ = try? queue.write { db in
            try db.insert(1)
            #expect(throws: (any Error).self) {
                try db.inSavepoint {
                    try db.insert(2)
                    // SQLite then finds no savepoint to roll back to.
                    try db.execute(sql: "RELEASE SAVEPOINT poolgauge")
                    if throwsError { throw Mistake() }
                    return .rollback
                }
            }
        }
        #expect(try values(queue) == [])
        try queue.write { db in try db.insert(3) }
        #expect(try values(queue) == [3])
    }

    /// A rollback can fail if SQLite cannot allocate memory.
    @Test func anAccessWhoseRollbackFailedIsNotCommitted() throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.insert(1)
                db.isTransactionAbandoned = true
            }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(try values(queue) == [])
        try queue.write { db in try db.insert(2) }
        #expect(try values(queue) == [2])
    }

    @Test func savepointsNest() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try db.inSavepoint {
                try db.insert(1)
                try db.inSavepoint {
                    try db.insert(2)
                    try db.inSavepoint {
                        try db.insert(3)
                        return .rollback
                    }
                    return .commit
                }
                #expect(throws: Mistake.self) {
                    try db.inSavepoint {
                        try db.insert(4)
                        throw Mistake()
                    }
                }
                return .commit
            }
        }
        #expect(try values(queue) == [1, 2])
    }

    @Test func anOuterRollbackRevertsAReleasedInnerSavepoint() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try db.inSavepoint {
                try db.inSavepoint {
                    try db.insert(1)
                    return .commit
                }
                return .rollback
            }
        }
        #expect(try values(queue) == [])
    }

    @Test(arguments: [Database.TransactionCompletion.commit, .rollback])
    func aTopLevelSavepointIsATransaction(
        completion: Database.TransactionCompletion
    ) throws {
        let queue = try DatabaseQueue.withTable()
        try queue.inDatabase { db in
            try db.inSavepoint {
                #expect(db.isInsideTransaction)
                try db.insert(1)
                return completion
            }
            #expect(!db.isInsideTransaction)
        }
        #expect(try values(queue) == (completion == .commit ? [1] : []))
    }

    @Test func anErrorRollsBackASavepointAndIsRethrown() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try db.insert(1)
            let error = #expect(throws: DatabaseError.self) {
                try db.inSavepoint {
                    try db.insert(2)
                    try db.insert(1)
                    return .commit
                }
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(db.isInsideTransaction)
        }
        #expect(try values(queue) == [1])
    }

    @Test func anAutomaticRollbackEndsTheSavepoints() throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.insert(1)
                let inner = databaseError {
                    try db.inSavepoint {
                        let conflict = databaseError {
                            try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                        }
                        #expect(conflict?.resultCode == .SQLITE_CONSTRAINT)
                        return .commit
                    }
                }
                #expect(inner?.resultCode == .SQLITE_ABORT)
                try db.insert(2)
            }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(try values(queue) == [])
    }

    @Test func afterAnAutomaticRollbackTheStatementsOfASavepointThrow() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.inDatabase { db in
            try db.beginTransaction()
            try db.insert(1)
            let error = databaseError {
                try db.inSavepoint {
                    let conflict = databaseError {
                        try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                    }
                    #expect(conflict?.resultCode == .SQLITE_CONSTRAINT)
                    let refused = databaseError { try db.insert(2) }
                    #expect(refused?.resultCode == .SQLITE_ABORT)
                    return .commit
                }
            }
            #expect(error?.resultCode == .SQLITE_ABORT)
            try db.insert(3)
        }
        #expect(try values(queue) == [3])
    }
}
