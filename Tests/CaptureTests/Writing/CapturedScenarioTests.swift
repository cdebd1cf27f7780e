import Telemetry
import TestSupport
import Testing

@testable import Capture

/// Tests the scenario that is written for a captured load.
struct CapturedScenarioTests {
    /// The executions of a reader and a writer during ten seconds.
    private static var load: [CapturedExecution] {
        var executions: [CapturedExecution] = []
        for index in 0..<500 {
            let mail = "hidden\(index % 7)@example.org"
            executions += CaptureFixture.executions(
                ["SELECT id FROM users WHERE mail = '\(mail)' AND age > 4711"],
                from: Double(index) * 0.02,
                connection: "reader"
            )
        }
        for index in 0..<100 {
            let id = 5001 + index
            executions += CaptureFixture.executions(
                [
                    "BEGIN IMMEDIATE", "SELECT age FROM users WHERE id = \(index * 7 % 900 + 1)",
                    "INSERT INTO orders VALUES (\(id), \(index * 7 % 900 + 1), 'secret state')",
                    "INSERT INTO \"odd \"\"table\"\"\" VALUES ('a', 'b')",
                    "INSERT INTO \"odd \"\"table\"\"\" VALUES ('c', 'd')", "COMMIT",
                ],
                from: Double(index) * 0.1,
                pause: 0.002,
                connection: "writer"
            )
        }
        return executions
    }

    @Test func theScenarioIsValid() throws {
        let (scenario, captured) = try CaptureFixture.parsed(Self.load)
        #expect(scenario.arms.map(\.name) == ["present", "queue", "queue-wal", "pool"])
        #expect(!scenario.arms.map(\.isGuarded).contains(false))
        #expect(scenario.arms[0].library == .raw && scenario.arms[0].begin == .immediate)
        #expect(scenario.clients.map(\.name) == ["client-1-reads", "client-2-writes"])
        #expect(try #require(captured.operations.map(\.rate).min()) > 9)
        #expect(captured.writeShare > 0.1)
    }

    @Test(arguments: ["1", "2"])
    func readsAndWritesOfOneConnectionTakeTurns(writer: String) throws {
        let load = (0..<200).flatMap { number in
            let time = Double(number) * 0.05
            let read = ["SELECT age FROM users WHERE id = \(number % 900 + 1)"]
            let write = ["UPDATE users SET age = 1 WHERE id = \(number % 900 + 1)"]
            // A third connection sets up the database.
            let reader = number == 0 && writer == "1" ? "0" : "1"
            return CaptureFixture.executions(read, from: time, connection: reader)
                + CaptureFixture.executions(write, from: time + 0.01, connection: writer)
        }
        let (scenario, captured) = try CaptureFixture.parsed(load)
        let isShared = writer == "1"
        #expect(scenario.clients.map(\.workersOf) == [nil, isShared ? "app-reads" : nil])
        #expect(!isShared || scenario.clients.allSatisfy { $0.workers == 1 })
        #expect(
            captured.yaml.contains("the program reads and writes on one connection") == isShared
        )
        // One may wait for the other.
        #expect(captured.yaml.contains("p(90) < \(isShared ? 5 : 2)ms"))
    }

    /// Accesses that follow each other closely can be one transaction by chance.
    @Test(arguments: [
        (every: 25, pause: 0.001, connection: "1", isDivided: true),
        (every: 25, pause: 0, connection: "1", isDivided: true),
        (every: 5, pause: 0.001, connection: "1", isDivided: false),
        (every: 25, pause: 0.02, connection: "1", isDivided: false),
        (every: 25, pause: 0.001, connection: "2", isDivided: false),
    ])
    func rareTransactionsOfReadsThatOtherwiseRunAloneAreDivided(
        every: Int,
        pause: Double,
        connection: String,
        isDivided: Bool
    ) throws {
        let load = (0..<200).flatMap { number in
            let read = "SELECT age FROM users WHERE id = \(number % 900 + 1)"
            let repeats = number % every == 0
            return CaptureFixture.executions(
                ["BEGIN"] + Array(repeating: read, count: repeats ? 2 : 1) + ["COMMIT"],
                from: Double(number) * 0.1,
                pause: pause,
                connection: repeats ? connection : "1"
            )
        }
        let (_, captured) = try CaptureFixture.parsed(load)
        #expect((captured.operations.count == 1) == isDivided)
        #expect(captured.yaml.contains("8 transactions of several reads") == isDivided)
        if isDivided {
            #expect(captured.operations.first?.count == 208)
            #expect(try #require(captured.operations.first?.meanSeconds) < 0.006)
            let analysis = try CaptureAnalysis(load, schema: CaptureFixture.schema)
            #expect(analysis.clients.map(\.concurrency) == [1])
        }
    }

    @Test func ratesPausesAndLoopsMatchTheLoad() throws {
        let (scenario, _) = try CaptureFixture.parsed(Self.load)
        guard case .open(let arrival) = scenario.clients[0].pace,
            case .operations(_, let mix) = scenario.clients[1].activity
        else {
            Issue.record("the clients do not have the expected kinds")
            return
        }
        #expect(abs(arrival.rate - 50) < 1 && arrival.process == .even)
        let steps = mix[0].steps
        #expect(steps.contains(.pause(.constant(.milliseconds(2)))))
        #expect(
            steps.contains {
                if case .times(2, let body) = $0 { body.count == 2 } else { false }
            }
        )
    }

    /// Statements on the same row share a variable, and each new row gets a new key.
    @Test func equalValuesShareAVariable() throws {
        let (_, captured) = try CaptureFixture.parsed(Self.load)
        #expect(captured.yaml.contains("SELECT age FROM users WHERE id = :users_id"))
        #expect(captured.yaml.contains("VALUES (:new_orders_id, :users_id, :orders_state)"))
        #expect(
            captured.yaml.contains(
                "new_orders_id: {distribution: sequential, table: orders, column: id}"
            )
        )
    }

    private static let secrets = ["hidden", "4711", "secret", "example.org"]

    @Test func withoutFlagsNoValueIsShown() throws {
        let (_, captured) = try CaptureFixture.parsed(Self.load)
        for secret in Self.secrets {
            #expect(!captured.yaml.contains(secret), "\(secret)")
        }
        for operation in captured.operations {
            for secret in Self.secrets { #expect(!operation.summary.contains(secret)) }
        }
    }

    @Test func withFlagsOnlyFrequentValuesAreShown() throws {
        var load = Self.load
        load += CaptureFixture.executions(
            ["SELECT id FROM users WHERE mail = 'once@example.net' AND age > 4711"],
            from: 11,
            connection: "reader"
        )
        let (_, values) = try CaptureFixture.parsed(load) { $0.showsValues = true }
        #expect(values.yaml.contains("'hidden3@example.org'"))
        #expect(!values.yaml.contains("once@example.net"))
        let (_, literals) = try CaptureFixture.parsed(load) { $0.showsLiterals = true }
        #expect(literals.yaml.contains("age > 4711"))
        #expect(literals.yaml.contains("'secret state'"))
        #expect(!literals.yaml.contains("example.org"))
    }

    @Test(arguments: [
        "PRAGMA key = 'planted'", "PRAGMA rekey('planted')", "PRAGMA main.key = \"planted\"",
        "ATTACH 'other.sqlite' AS o KEY 'planted'", "SELECT 1 -- planted\n FROM users",
        "SELECT id FROM users WHERE mail = \"planted\"", "SELECT x'706c616e746564' FROM users",
        "SELECT id /* planted */ FROM users", "CREATE TABLE t (a DEFAULT 'planted')",
        "PRAGMA busy_timeout = 'planted'",
    ])
    func aPlantedSecretNeverAppears(sql: String) throws {
        var load = Self.load
        for index in 0..<20 {
            load += CaptureFixture.executions([sql], from: 20 + Double(index), connection: "x")
        }
        for flags in [false, true] {
            let isKey = sql.contains("key") || sql.contains("KEY")
            // With the flags, only keys stay hidden.
            guard !flags || isKey else { continue }
            let (_, captured) = try CaptureFixture.parsed(load) {
                $0.showsValues = flags
                $0.showsLiterals = flags
            }
            #expect(!captured.yaml.lowercased().contains("planted"))
            #expect(!captured.yaml.lowercased().contains("706c616e746564"))
        }
    }

    /// Tests that no literal or name in SQL changes the structure of the scenario.
    @Test(arguments: HostileStrings.withoutNUL)
    func hostileTextRemainsData(text: String) throws {
        let sql = "SELECT id FROM users WHERE mail = \(text.quoted(by: "'"))"
        let executions = (0..<30).flatMap { index in
            CaptureFixture.executions([sql], from: Double(index))
        }
        let (scenario, _) = try CaptureFixture.parsed(executions) {
            $0.showsLiterals = true
            $0.name = text.contains { !$0.isWhitespace } ? text : "blank"
            $0.origin = text
        }
        guard case .operations(_, let mix) = scenario.clients[0].activity else {
            Issue.record("no operations")
            return
        }
        #expect(mix.map(\.statements) == [[sql]])
        #expect(scenario.arms.count == 4 && scenario.clients.count == 1)
        let (masked, captured) = try CaptureFixture.parsed(executions)
        #expect(masked.clients[0].name == "app-reads")
        if text.count > 8 { #expect(!captured.yaml.contains(text)) }
    }

    @Test func countedCommitsAreComparedWithCapturedCommits() throws {
        let (_, all) = try CaptureFixture.parsed(Self.load) { $0.observedCommits = 101 }
        #expect(!all.omissions.contains { $0.contains("the database counted") })
        let (_, few) = try CaptureFixture.parsed(Self.load) { $0.observedCommits = 400 }
        #expect(few.omissions.contains { $0.contains("the database counted 400 commits") })
    }

    @Test func pragmasBecomeSettingsOfTheArms() throws {
        let settings = CaptureFixture.executions(
            [
                "PRAGMA journal_mode = WAL", "PRAGMA synchronous(1)", "PRAGMA busy_timeout = 1500",
                "PRAGMA cache_size = -4000", "PRAGMA foreign_keys = on",
            ],
            connection: "writer"
        )
        let (scenario, _) = try CaptureFixture.parsed(
            settings
                + Self.load.map {
                    var later = $0
                    later.end += 1
                    return later
                }
        )
        let arm = scenario.arms[0]
        #expect(arm.journal == .wal && arm.synchronous == "normal")
        #expect(arm.busyTimeout == .milliseconds(1500))
        #expect(
            arm.pragmas == [
                .init(name: "cache_size", value: "-4000"), .init(name: "foreign_keys", value: "on"),
            ]
        )
        #expect(!scenario.arms.map(\.name).contains("queue-wal"))
    }

    /// If a trace times only some statements, row counts and durations are means of those
    /// statements.
    @Test func aSampleOfTimesAppliesToAllExecutions() throws {
        var load = Self.load
        for index in load.indices {
            load[index].rows = index % 5 == 0 ? 3 : nil
            if index % 5 != 0 { load[index].seconds = nil }
        }
        let (_, captured) = try CaptureFixture.parsed(load) { $0.journal = "wal" }
        let read = try #require(captured.operations.first { !$0.writes })
        #expect(try abs(#require(read.rows) - 3) < 1e-9)
        #expect(try abs(#require(read.meanSeconds) - 0.001) < 1e-9)
    }

    @Test func aSampleOfTimesDeterminesTheShareOfSingleWrites() throws {
        var load = CaptureFixture.executions(
            (1...1_000).map { "UPDATE users SET age = 7 WHERE id = \($0)" }
        )
        for index in load.indices where index % 10 != 0 { load[index].seconds = nil }
        let (_, captured) = try CaptureFixture.parsed(load)
        #expect(abs(captured.writeShare - 0.5) < 0.01)
    }

    /// If few statements are timed, the gap before a `COMMIT` includes the time of the `COMMIT`
    /// itself.
    @Test func theTimeOfACommitIsNotAPause() throws {
        var load = Self.load.filter { $0.connection == "writer" }
        for index in load.indices {
            guard load[index].sql == "COMMIT" else { continue }
            load[index].end += 0.004
            let isTimed = load[index].end < 3
            load[index].seconds = isTimed ? 0.005 : nil
        }
        for index in load.indices where load[index].sql != "COMMIT" && load[index].end > 3 {
            load[index].seconds = nil
        }
        let (scenario, _) = try CaptureFixture.parsed(load)
        guard case .operations(_, let mix) = scenario.clients[0].activity else {
            Issue.record("the client does not have the expected kind")
            return
        }
        #expect(mix[0].steps.last == .pause(.constant(.milliseconds(2))), "\(mix[0].steps)")
    }

    /// In WAL mode, a commit that takes less time than a sync was not synced.
    @Test(arguments: [(0.01, "normal"), (0.000_5, "full"), (nil, "full")])
    func commitDurationsShowWhetherCommitsAreSynced(
        syncSeconds: Double?,
        synchronous: String
    ) throws {
        let (scenario, _) = try CaptureFixture.parsed(Self.load) {
            $0.journal = "wal"
            $0.syncSeconds = syncSeconds
        }
        #expect(scenario.arms[0].synchronous == synchronous)
    }

    @Test(arguments: [
        (["BEGIN", "SELECT * FROM users", "BEGIN", "SELECT * FROM users"], "have no end"),
        (["SELECT * FROM nothing WHERE a = 1"], "the database does not have, such as 'nothing'"),
        (["PRAGMA user_version"], "no statement reads or writes a table"),
        (["SELECT 'open"], "not an SQLite statement"),
        (["CREATE TABLE t (a)"], "it changes the schema"),
    ])
    func anUnrepeatableLoadThrowsAnError(statements: [String], message: String) {
        let error = #expect(throws: CaptureError.self) {
            try CaptureFixture.scenario(CaptureFixture.executions(statements), file: "log.jsonl")
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func unmodeledFeaturesAreListed() throws {
        var load = Self.load
        load += CaptureFixture.executions(
            ["VACUUM", "BEGIN", "UPDATE users SET age = age + 12 WHERE id = 17", "ROLLBACK"],
            from: 20,
            connection: "x"
        )
        load += CaptureFixture.executions(["BEGIN", "SELECT * FROM users"], from: 21)
        let (_, captured) = try CaptureFixture.parsed(load)
        let text = captured.omissions.joined(separator: "\n")
        for part in [
            "it maintains the database", "were rolled back",
            "the amount by which users.age changes",
            "transaction whose end is not captured",
        ] { #expect(text.contains(part), "\(part) in \(text)") }
    }
}
