import Scenarios
import Testing

@testable import WorkloadEngine

struct DatasetBuilderTests {
    @Test func pgbenchInsertsEveryAccountOnce() throws {
        let target = StatementRecorder()
        try DatasetBuilder.build(.pgbench(scale: 3), seed: 1, in: target)
        let inserts = target.accesses.flatMap(\.statements).filter {
            $0.sql.contains("INSERT INTO accounts")
        }
        var next: Int64 = 1
        for insert in inserts {
            #expect(StatementTemplate(sql: insert.sql).parameters == ["first", "last", "filler"])
            #expect(insert.values.count == 3)
            guard case .integer(let first) = insert.values[0],
                case .integer(let last) = insert.values[1],
                case .text(let filler) = insert.values[2]
            else {
                Issue.record("an insert of accounts needs a range and a filler")
                return
            }
            #expect(first == next)
            #expect(filler.count == 84)
            next = last + 1
        }
        #expect(next == 300_001)
        #expect(target.accesses.allSatisfy { $0.kind == .write })
    }

    @Test(arguments: [1, 50, 51, 12_345])
    func ycsbInsertsEveryRecordOnceUnderTheHashOfItsNumber(records: Int) throws {
        let target = StatementRecorder()
        try DatasetBuilder.build(.ycsb(records: records), seed: 1, in: target)
        var keys: [String] = []
        for statement in target.accesses.flatMap(\.statements)
        where statement.sql.hasPrefix("INSERT") {
            #expect(statement.values.count == statement.sql.count { $0 == "?" })
            for row in stride(from: 0, to: statement.values.count, by: 11) {
                guard case .text(let key) = statement.values[row] else {
                    Issue.record("a record must begin with its key")
                    return
                }
                keys.append(key)
                for value in statement.values[row + 1..<row + 11] {
                    guard case .text(let text) = value, text.utf8.count == 100 else {
                        Issue.record("a field must have 100 bytes")
                        return
                    }
                }
            }
        }
        #expect(keys == (0..<UInt64(records)).map { "user\(FNV1a.ycsbHash($0))" })
    }

    @Test func aSeedDeterminesTheFields() throws {
        func values(_ seed: UInt64) throws -> [WorkloadValue] {
            let target = StatementRecorder()
            try DatasetBuilder.build(.ycsb(records: 10), seed: seed, in: target)
            return target.accesses.flatMap(\.statements).flatMap(\.values)
        }
        #expect(try values(1) == values(1))
        #expect(try values(1) != values(2))
    }

    @Test func statementsNotAllowedInTransactionsRunOutsideThem() throws {
        let target = StatementRecorder()
        let sql = [
            "PRAGMA page_size = 512", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "VACUUM",
            "CREATE INDEX i ON t (a)",
        ]
        try DatasetBuilder.build(.sql(sql), seed: 1, in: target)
        #expect(
            target.accesses.map(\.kind) == [
                .writeWithoutTransaction, .write, .writeWithoutTransaction, .write,
            ]
        )
        #expect(target.accesses.flatMap(\.statements).map(\.sql) == sql)
    }

    @Test func aRejectedStatementIsReported() {
        let target = StatementRecorder(refusing: "CREATE TABL t (a)")
        let failure = #expect(throws: DatasetBuilder.Failure.self) {
            try DatasetBuilder.build(.sql(["CREATE TABL t (a)"]), seed: 1, in: target)
        }
        #expect(failure?.sql == "CREATE TABL t (a)")
        #expect(failure?.cause is StatementRecorder.Refusal)
    }

    @Test(arguments: [
        Dataset.pgbench(scale: 1), .ycsb(records: 12_000), .sql(["CREATE TABLE t (a)"]),
    ])
    func progressRisesToOne(dataset: Dataset) throws {
        var shares: [Double] = []
        try DatasetBuilder.build(dataset, seed: 1, in: StatementRecorder()) { shares.append($0) }
        #expect(shares == shares.sorted())
        #expect(shares.last == 1)
    }

    @Test func anErrorFromTheProgressClosureEndsTheBuild() {
        let target = StatementRecorder()
        #expect(throws: CancellationError.self) {
            try DatasetBuilder.build(.pgbench(scale: 50), seed: 1, in: target) { _ in
                throw CancellationError()
            }
        }
        #expect(target.accesses.count < 5)
    }

    @Test(arguments: [Dataset.pgbench(scale: 2), .ycsb(records: 100)])
    func builtInStatementsUseBuiltInVariables(dataset: Dataset) throws {
        let statements =
            dataset.transactions.values.flatMap { $0 }
            + [try #require(dataset.importStatement), try #require(dataset.snapshotQuery)]
        for sql in statements {
            let template = StatementTemplate(sql: sql)
            #expect(template.unsupportedParameters.isEmpty)
            for name in template.parameters { #expect(dataset.variables[name] != nil) }
        }
    }
}
