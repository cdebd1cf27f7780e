import Testing

@testable import Capture

/// Tests that transactions that hold locks, and failures, are in the scenario.
struct CapturedHolderTests {
    private static func execution(
        _ sql: String,
        end: Double,
        seconds: Double = 0.001,
        code: Int = 0,
        autocommit: Bool? = nil,
        connection: String = "1"
    ) -> CapturedExecution {
        var execution = CapturedExecution(
            end: end,
            connection: connection,
            sql: sql,
            seconds: seconds
        )
        execution.code = code
        execution.autocommit = autocommit
        return execution
    }

    /// A transaction that waits for half a second before it repeats an UPDATE.
    private static func holder(_ count: Int, at start: Double) -> [CapturedExecution] {
        var executions = [
            execution("BEGIN IMMEDIATE", end: start, connection: "2"),
            execution("SELECT age FROM users WHERE id = 1", end: start + 0.001, connection: "2"),
        ]
        for index in 0..<count {
            executions.append(
                execution(
                    "UPDATE users SET age = 20 WHERE id = 10",
                    end: start + 0.502 + Double(index) * 0.001,
                    connection: "2"
                )
            )
        }
        executions.append(
            execution("COMMIT", end: start + 0.502 + Double(count) * 0.001, connection: "2")
        )
        return executions
    }

    @Test(arguments: [1, 20])
    func thePauseBeforeARepeatedStatementIsKept(count: Int) throws {
        let load = (0..<30).flatMap { Self.holder(count, at: Double($0)) }
        let scenario = try CaptureFixture.scenario(load)
        #expect(scenario.yaml.contains("pause: 500"), "\(scenario.yaml)")
        // The loop itself has no pause.
        #expect(scenario.yaml.components(separatedBy: "pause:").count == 2)
    }

    @Test func aRareHolderOfTheLockIsModeled() throws {
        var load: [CapturedExecution] = []
        for index in 0..<20_000 {
            let table = index % 12 == 0 ? "orders" : "users"
            let columns = ["id", "id, id", "id, id, id", "1, id", "2, id", "3, id"]
            load.append(
                Self.execution(
                    "SELECT \(columns[index % 6]) FROM \(table) WHERE id = 5",
                    end: Double(index) * 0.001,
                    seconds: 0.00001
                )
            )
        }
        load += (0..<4).flatMap { Self.holder(3, at: 2 + 4 * Double($0)) }
        let scenario = try CaptureFixture.scenario(load)
        #expect(scenario.operations.contains { $0.name.hasPrefix("update-users") })
        #expect(!scenario.omissions.contains { $0.contains("rare") })
    }

    /// A job that runs twice during the capture must not become a part of the client that it delays.
    @Test func aConnectionThatHoldsTheLockTwiceIsAClient() throws {
        var load = (0..<500).map { index in
            Self.execution("SELECT age FROM users WHERE id = 5", end: Double(index) * 0.02)
        }
        load += [1, 5].flatMap { Self.holder(3, at: $0) }
        let scenario = try CaptureFixture.scenario(load)
        let holder = try #require(
            scenario.operations.first { $0.name.hasPrefix("update-users") }
        )
        let reader = try #require(
            scenario.operations.first { $0.name.hasPrefix("select-users") }
        )
        #expect(holder.client != reader.client)
        #expect(abs(holder.rate - 0.2) < 0.02)
    }

    @Test func theTimeoutOfAFailedUpgradeIsUnknown() throws {
        var load: [CapturedExecution] = []
        for index in 0..<50 {
            let start = Double(index) * 0.1
            let fails = index % 2 == 0
            load.append(Self.execution("BEGIN", end: start, seconds: 0.00001))
            load.append(Self.execution("SELECT age FROM users WHERE id = 1", end: start + 0.01))
            load.append(
                Self.execution(
                    "UPDATE users SET age = 20 WHERE id = 10",
                    end: start + 0.02,
                    seconds: 0.00002,
                    code: fails ? 517 : 0
                )
            )
            load.append(Self.execution(fails ? "ROLLBACK" : "COMMIT", end: start + 0.03))
        }
        let scenario = try CaptureFixture.scenario(load)
        #expect(!scenario.yaml.contains("timeout: 0"), "\(scenario.yaml)")
        #expect(scenario.yaml.contains("no statement waited until it failed"))
    }

    @Test(arguments: [true, false])
    func aFailureStaysWithItsStatement(isImplicit: Bool) throws {
        var load: [CapturedExecution] = []
        for index in 0..<80 {
            let start = Double(index)
            let fails = index % 4 == 0
            load.append(
                Self.execution(
                    "SELECT age FROM users WHERE id = 1",
                    end: start,
                    autocommit: isImplicit ? true : nil
                )
            )
            load.append(
                Self.execution(
                    "UPDATE users SET age = 20 WHERE id = 10",
                    end: start + 0.5,
                    seconds: fails ? 0.3 : 0.001,
                    code: fails ? 5 : 0,
                    autocommit: isImplicit ? false : nil
                )
            )
            guard isImplicit else { continue }
            load.append(
                Self.execution(fails ? "ROLLBACK" : "COMMIT", end: start + 0.6, autocommit: true)
            )
        }
        let scenario = try CaptureFixture.scenario(load)
        let operations = scenario.operations
        let update = try #require(operations.first { $0.name.hasPrefix("update") })
        let select = try #require(operations.first { $0.name.hasPrefix("select") })
        #expect(update.busyShare == 0.25 && select.busyShare == 0)
        #expect(abs(update.rate / select.rate - 1) < 0.01)
    }

    @Test func aRetryIsOneTransaction() throws {
        var assembler = TransactionAssembler()
        let sql = "UPDATE users SET age = 20 WHERE id = 10"
        for (index, code) in [5, 5, 0].enumerated() {
            let execution = Self.execution(sql, end: Double(index), code: code)
            assembler.add(execution, try CaptureFixture.parse(sql))
        }
        assembler.finish()
        #expect(assembler.transactions.map(\.busyCount) == [2])
        #expect(assembler.transactions.map(\.outcome) == [.committed])
    }

    @Test func pathsAndCommandsStayInTheStatement() throws {
        let json = try CaptureFixture.parse(
            "SELECT state ->> '$.a', json_extract(state, '$.b[0]'), '$.c' FROM orders "
                + "WHERE state -> 'key' = 'value'"
        )
        #expect(json.slots.count == 2)
        #expect(json.key.contains("->> '$.a'") && json.key.contains("'$.b[0]'"))
        let command = try CaptureFixture.parse("INSERT INTO orders(orders) VALUES('optimize')")
        #expect(command.slots.isEmpty && command.key.contains("'optimize'"))
        #expect(
            try CaptureFixture.parse("INSERT INTO orders(state) VALUES('merge')").slots.count == 1
        )
    }
}
