import Scenarios
import Testing
import WorkloadEngine

/// Tests user-defined tables that are filled from distributions.
struct SchemaDatasetTests {
    @Test func tablesAreFilledFromTheScenario() throws {
        let scenario = try Scenario.parse(yaml: NotesScenario.yaml, file: "notes.yaml")
        let target = StatementRecorder()
        try DatasetBuilder.build(scenario.dataset, seed: 1, in: target)
        let statements = target.accesses.flatMap(\.statements)
        let sql = statements.map(\.sql)
        #expect(sql.prefix(2).allSatisfy { $0.hasPrefix("CREATE TABLE") })
        #expect(sql.last == "CREATE INDEX by_folder ON notes (folder)")
        let folders = statements.filter { $0.sql.contains("INTO \"folders\"") }
        #expect(folders.count == 40)
        let notes = statements.filter { $0.sql.contains("INTO \"notes\"") }.map(\.values)
        #expect(notes.count == 12_000)
        #expect(notes.map { $0[0] } == (1...12_000).map { .integer($0) })
        #expect(target.accesses.allSatisfy { $0.statements.count <= 5000 })
        var blobs = 0
        for note in notes {
            guard case .integer(let folder) = note[1], (1...20).contains(folder),
                case .text(let title) = note[2], (5...60).contains(title.count)
            else {
                Issue.record("unexpected note: \(note)")
                return
            }
            if case .blob(let photo) = note[3] {
                #expect(photo.count == 1024)
                blobs += 1
            }
        }
        #expect((1000...1400).contains(blobs))
        #expect(Set(notes.map { $0[4] }) == [.text("draft"), .integer(2), .null])
    }

    @Test func anAdditionalTableDoesNotChangeTheRowsOfOtherTables() throws {
        let whole = try Scenario.parse(yaml: NotesScenario.yaml, file: "notes.yaml").dataset
        guard case .schema(var part) = whole else {
            Issue.record("expected a schema")
            return
        }
        part.tables.removeFirst()
        func notes(_ dataset: Dataset) throws -> [[WorkloadValue]] {
            let target = StatementRecorder()
            try DatasetBuilder.build(dataset, seed: 1, in: target)
            return target.accesses.flatMap(\.statements)
                .filter { $0.sql.contains("INTO \"notes\"") }.map(\.values)
        }
        #expect(try notes(whole) == notes(.schema(part)))
    }

    @Test func rangesFollowTheScale() throws {
        let scenario = try Scenario.parse(yaml: NotesScenario.yaml, file: "notes.yaml")
        func bounds(_ scenario: Scenario, _ name: String) -> ClosedRange<Int64>? {
            scenario.allVariables[name].map { $0.minimum...$0.maximum }
        }
        #expect(bounds(scenario, "notes_id") == 1...12_000)
        #expect(bounds(scenario, "popular") == 1...12_000)
        #expect(bounds(scenario, "recent") == 1...12_000)
        #expect(bounds(scenario, "new_note") == 12_001...Variable.largest)
        let smaller = try scenario.with(scale: 1)
        #expect(bounds(smaller, "popular") == 1...6000)
        #expect(bounds(smaller, "new_note") == 6001...Variable.largest)
    }

    @Test func progressRisesToOne() throws {
        let dataset = try Scenario.parse(yaml: NotesScenario.yaml, file: "notes.yaml").dataset
        var shares: [Double] = []
        try DatasetBuilder.build(dataset, seed: 1, in: StatementRecorder()) { shares.append($0) }
        #expect(shares == shares.sorted())
        #expect(shares.last.map { abs($0 - 1) < 1e-9 } == true)
    }

    @Test func sysbenchCreatesItsIndexAfterTheRows() throws {
        let target = StatementRecorder()
        try DatasetBuilder.build(.sysbench(rows: 7000), seed: 1, in: target)
        let statements = target.accesses.flatMap(\.statements)
        #expect(statements.first?.sql.hasPrefix("CREATE TABLE sbtest") == true)
        #expect(statements.last?.sql == "CREATE INDEX k_1 ON sbtest (k)")
        let rows = statements.filter { $0.sql.hasPrefix("INSERT") }.map(\.values)
        #expect(rows.map { $0[0] } == (1...7000).map { .integer($0) })
        for row in rows {
            guard case .integer(let k) = row[1], (1...7000).contains(k),
                case .text(let c) = row[2], case .text(let pad) = row[3]
            else {
                Issue.record("unexpected row: \(row)")
                return
            }
            #expect(c.wholeMatch(of: /([0-9]{11}-){9}[0-9]{11}/) != nil)
            #expect(pad.wholeMatch(of: /([0-9]{11}-){4}[0-9]{11}/) != nil)
            #expect(c.count == 119)
            #expect(pad.count == 59)
        }
    }

    @Test func sysbenchTransactionsMatchThePublishedTransactions() throws {
        let transactions = Dataset.sysbench(rows: 100).transactions
        #expect(transactions["point-select"]?.count == 1)
        #expect(transactions["read-only"]?.count == 14)
        #expect(transactions["write-only"]?.count == 4)
        #expect(transactions["read-write"]?.count == 18)
    }
}
