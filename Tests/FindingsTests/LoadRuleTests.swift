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
}
