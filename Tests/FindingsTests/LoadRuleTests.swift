import Testing

@testable import Findings

/// The rules about a load whose clients know the causes of their failures.
struct LoadRuleTests {
    private func busy(
        _ cause: BusyCause,
        _ count: UInt64,
        client: String = "ui",
        holder: String? = "import"
    ) -> LoadFacts.Busy {
        var busy = LoadFacts.Busy(cause: cause, client: client, count: count)
        busy.statement = "UPDATE item SET hits = \(count)"
        busy.timeout = 50_000_000
        busy.longestWait = 51_000_000
        busy.holder = holder
        return busy
    }

    private func facts(_ busy: [LoadFacts.Busy]) -> LoadFacts {
        var facts = LoadFacts()
        facts.busy = busy
        facts.clients = [
            "ui": .init(started: 400, errors: [:], longestAccess: 60_000_000),
            "import": .init(started: 10, errors: [:], longestAccess: 1_500_000_000),
        ]
        return facts
    }

    @Test func upgradesAreOneFindingWhateverTheNumberOfStatements() throws {
        let found = LoadRules.findings(
            in: facts([busy(.snapshotUpgrade, 30), busy(.snapshotUpgrade, 10)])
        )
        #expect(found.map(\.kind) == [.upgrade])
        #expect(found[0].text.hasPrefix("40 of 400 accesses of ui (10%) failed in `UPDATE item"))
        #expect(found[0].text.contains("1 other statement"))
        #expect(found[0].text.contains("A busy timeout cannot help"))
        #expect(found[0].remedy?.contains("`begin: immediate`") == true)
    }

    /// An access may succeed although some of its attempts failed.
    @Test func failuresOfRetriedAccessesAreAttempts() throws {
        var facts = facts([busy(.snapshotUpgrade, 40)])
        facts.clients["ui"]?.retried = 100
        let found = LoadRules.findings(in: facts)
        #expect(found[0].text.hasPrefix("40 of 400 attempts of ui (10%) failed in `UPDATE item"))
    }

    @Test func aTimeoutIsComparedWithTheHolder() throws {
        let found = LoadRules.findings(in: facts([busy(.timeout, 12)]))
        #expect(found.map(\.kind) == [.busy])
        #expect(
            found[0].text.contains(
                "after waiting up to 51.0 ms (the busy timeout is 50.0 ms) for import, whose "
                    + "longest access took 1.50 s."
            )
        )
        #expect(found[0].remedy?.contains("above 1.50 s") == true)
    }

    @Test func unknownIsNotInvented() throws {
        var group = busy(.timeout, 12, holder: nil)
        group.timeout = nil
        group.longestWait = nil
        group.statement = nil
        let text = try #require(LoadRules.findings(in: facts([group])).first?.text)
        #expect(
            text
                == "12 of 400 accesses of ui (3%) failed with SQLITE_BUSY; the holder of the lock "
                + "is not known."
        )
    }

    @Test(arguments: BusyCause.allCases)
    func eachCauseHasAFindingWithARemedy(cause: BusyCause) {
        let found = LoadRules.findings(in: facts([busy(cause, 3)]))
        #expect(found.count == 1 && found[0].remedy?.hasSuffix(".") == true)
    }

    @Test func failuresAndScansFollow() throws {
        var facts = facts([])
        facts.clients["ui"]?.errors = ["SQLITE_CONSTRAINT_UNIQUE": 4, "SQLITE_FULL": 1]
        facts.operations = [
            .init(
                client: "ui",
                name: "list",
                rate: 100,
                steps: 223_000,
                plans: [("SELECT * FROM t WHERE a = ?", ["SCAN t"])]
            ),
            // Rare or fast operations are not mentioned.
            .init(client: "ui", name: "rare", rate: 0.1, steps: 20_000, plans: [("x", ["SCAN t"])]),
        ]
        let found = LoadRules.findings(in: facts)
        #expect(found.map(\.kind) == [.failures, .slowStatement, .failures])
        #expect(found.map(\.level) == [.warning, .warning, .note])
        #expect(found[1].text.contains("223,000 instructions"))
        #expect(found[1].text.contains("`SELECT * FROM t WHERE a = ?` reads a whole table"))
    }

    @Test func anIdleHolderIsNamedWithThoseThatWait() throws {
        var facts = facts([])
        facts.holds = [
            .init(
                client: "sync",
                writes: true,
                idle: 1_500_000_000,
                rate: 0.25,
                waits: ["ui": 1_400_000_000, "sync": 5]
            ),
            // Short pauses and rare ones without waits are not findings.
            .init(client: "a", writes: true, idle: 5_000_000, rate: 100, waits: [:]),
            .init(client: "b", writes: true, idle: 100_000_000, rate: 0.1, waits: [:]),
            .init(client: "c", writes: false, idle: 500_000_000, rate: 1, waits: [:]),
        ]
        let found = LoadRules.findings(in: facts)
        #expect(found.map(\.kind) == [.idleTransaction])
        #expect(
            found[0].text
                == "sync holds the write lock idle for 1.50 s in each access (0.25/s, 38% of "
                + "the time): ui waited up to 1.40 s."
        )
        #expect(found[0].remedy?.hasPrefix(LoadRules.notASetting) == true)
    }

    @Test func smallTransactionsNeedARateAndTimeInCommits() throws {
        func found(_ rate: Double, mean: UInt64, steps: Int) -> [Finding] {
            var facts = facts([])
            facts.smallTransactions = [
                .init(client: "load", rate: rate, mean: mean, steps: steps, synchronous: "full")
            ]
            return LoadRules.findings(in: facts)
        }
        let text = try #require(found(7_000, mean: 130_000, steps: 34).first?.text)
        #expect(text.hasPrefix("load commits 7,000/s, which takes 91% of the time"))
        #expect(text.contains("only 34 instructions") && text.contains("(synchronous: full)"))
        #expect(found(7_000, mean: 130_000, steps: 5_000).isEmpty)
        #expect(found(50, mean: 130_000, steps: 34).isEmpty)
        #expect(found(7_000, mean: 3_000, steps: 34).isEmpty)
    }

    @Test(arguments: [
        ("delete", "full", true), ("persist", "extra", true), ("delete", "normal", false),
        ("wal", "full", false), (nil, "full", false),
    ])
    func aLogIsARemedyForTheCommitsOfARollbackJournal(
        journal: String?,
        synchronous: String,
        isRemedy: Bool
    ) throws {
        var facts = facts([])
        facts.smallTransactions = [
            .init(
                client: "load",
                rate: 1_000,
                mean: 700_000,
                steps: 34,
                synchronous: synchronous,
                journal: journal
            )
        ]
        let remedy = try #require(LoadRules.findings(in: facts).first?.remedy)
        #expect(remedy.hasPrefix("Put several writes into one transaction"))
        #expect(remedy.contains("write-ahead log") == isRemedy)
    }

    @Test func statementsForEachRowAreNamed() throws {
        var facts = facts([])
        facts.repetitions = [
            .init(client: "web", sql: "SELECT a", count: 40, rate: 20, cause: "SELECT list"),
            .init(client: "web", sql: "SELECT b", count: 80, rate: 20),
            .init(client: "web", sql: "SELECT c", count: 3, rate: 20),
        ]
        let found = LoadRules.findings(in: facts)
        #expect(found.map(\.kind) == [.repeated, .repeated])
        #expect(found[0].text == "web executes `SELECT b` 80 times in each access, 1,600/s.")
        #expect(
            found[1].text == "web executes `SELECT a` about 40 times for each `SELECT list`, which "
                + "returns as many rows, 800/s."
        )
    }

    /// One report must not propose an index that cannot be used.
    @Test func anObstacleReplacesTheRemedyOfItsStatement() throws {
        var facts = facts([])
        let sql = "SELECT * FROM t WHERE a = ?"
        facts.operations = [
            .init(client: "ui", name: "ui", rate: 100, steps: 223_000, plans: [(sql, ["SCAN t"])]),
            // The plan does not show the search for the rows of a foreign key.
            .init(
                client: "ui",
                name: "delete",
                rate: 100,
                steps: 100_000,
                plans: [("DELETE FROM p", ["SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"])]
            ),
        ]
        facts.obstacles = [
            .init(sql: sql, text: "a is compared with b.", remedy: "Use the same types."),
            .init(sql: "DELETE FROM p", text: "The key has no index.", remedy: "Create it."),
            .init(sql: "SELECT fast", text: "x", remedy: "y"),
        ]
        let found = LoadRules.findings(in: facts)
        #expect(found.map(\.level) == [.warning, .warning, .note])
        #expect(found.map(\.remedy) == ["Use the same types.", "Create it.", "y"])
        #expect(found[0].text.hasSuffix("(`SCAN t`). a is compared with b."))
        #expect(found[1].text.hasSuffix("`DELETE FROM p`. The key has no index."))
    }
}
