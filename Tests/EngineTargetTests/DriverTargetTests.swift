import EngineTarget
import Foundation
import Scenarios
import TestSupport
import Testing
import WorkloadEngine

/// Tests runs whose accesses another program performs, and programs that violate the protocol.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct DriverTargetTests {
    struct Factory: WorkloadTargetFactory {
        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            let control = try EngineTargetFactory().open(arm, at: path)
            return arm.driver == nil ? control : DriverTarget(arm, at: path, control: control)
        }

        func failure(of error: any Error) -> WorkloadFailure {
            EngineTargetFactory().failure(of: error)
        }
    }

    static func run(
        _ driver: Arm.Driver,
        _ clients: String,
        lasting duration: String = "300ms",
        invariant: String = "integrity-check"
    ) async throws -> ArmResult {
        let yaml = """
            version: 1
            name: test
            dataset:
              schema: CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)
              rows: {t: {count: 100, columns: {id: sequence, n: {distribution: uniform, min: 1, max: 9}}}}
            arms: {a: {library: raw, busy-timeout: 1s}}
            phases: [{name: steady, duration: \(duration)}]
            drain: 100ms
            variables:
              id: {distribution: uniform, range: t_id}
              large: {distribution: uniform, min: 1000, max: 4000000000000}
            clients:
            \(clients)
            invariants: [\(invariant)]
            """
        let scenario = try Scenario.parse(yaml: yaml, file: "test.yaml")
        var arm = try #require(scenario.arms.first)
        arm.driver = driver
        return try await WorkloadRun(scenario: scenario, arm: arm, factory: Factory()).run()
    }

    private static let read =
        "  read: {access: read, sql: \"SELECT n FROM t WHERE id = :id\"}"
    static let all =
        read + "\n" + """
              paced: {access: read, arrival: {rate: 50/s}, sql: "SELECT n FROM t WHERE id = :id OR id = :id"}
              write: {access: write, think: 2ms, sql: "UPDATE t SET n = n + 1 WHERE id = :id"}
              wrong: {access: write, think: 20ms, sql: "INSERT INTO t VALUES (:id, 1)"}
              hold: {access: read, hold: 50ms}
            """

    static func check(_ driver: Arm.Driver) async throws {
        let result = try await run(driver, all)
        let found = try #require(result.driver)
        #expect(found.sqlite?.hasPrefix("3.") == true)
        #expect(found.roundTrip.low > 0 && found.perAccess.low > 0)
        #expect(found.elsewhere?.keys.sorted() == ["hold"])
        for name in ["read", "paced", "write", "hold"] {
            let client = try #require(result.clients[name])
            #expect(client.completed > 0 && client.errors.isEmpty && client.isBalanced, "\(name)")
        }
        let wrong = try #require(result.clients["wrong"])
        #expect(wrong.completed == 0)
        #expect(wrong.errors.keys.allSatisfy { $0.hasPrefix("SQLITE_CONSTRAINT") })
        #expect(wrong.errorMessages?.values.first?.contains("UNIQUE") == true)
        #expect(result.invariants.allSatisfy { $0.passed == true })
        #expect(result.clients["read"]?.response?.p50 ?? 0 > 0)
        #expect(found.throughput?["read"].map { $0.low <= $0.high } == true)
    }

    @Test(arguments: ["python", "c"])
    func aDriverPerformsAccesses(name: String) async throws {
        try await Self.check(Arm.Driver(builtIn: name))
    }

    @Test func eachRepetitionInADriverHasNewValues() async throws {
        let result = try await Self.run(
            Arm.Driver(builtIn: "python"),
            "  many: {access: write, think: 5ms, sql: [{repeat: 3, do: [INSERT INTO t (n) VALUES (:large)]}]}",
            invariant: "{name: thrice, sql: "
                + "\"SELECT count(*) = 3 * count(DISTINCT id / 3) AND count(*) = count(DISTINCT n) "
                + "AND count(*) > 0 FROM (SELECT id - 101 AS id, n FROM t WHERE n >= 1000)\"}"
        )
        #expect(try #require(result.driver).elsewhere == nil)
        #expect(result.clients["many"]?.errors.isEmpty == true)
        #expect(result.invariants.map(\.passed) == [true])
    }

    @Test func aDriverThatNoClientCanUseIsAnError() async throws {
        let error = await #expect(throws: RunError.self) {
            try await Self.run(
                Arm.Driver(builtIn: "python"),
                "  slow: {access: read, sql: [SELECT n FROM t, {pause: 1ms}]}"
            )
        }
        #expect("\(try #require(error))".contains("no client can use the driver; slow: drivers do"))
    }

    /// Returns a driver that behaves as the protocol requires until `fault` runs, instead of the
    /// answer to the tenth line of accesses.
    private func faulty(greeting: String? = nil, _ fault: String) -> Arm.Driver {
        let script = """
            import json, os, socket, subprocess, sys, threading, time
            setup = json.loads(sys.stdin.readline())
            print(\(greeting ?? "json.dumps({'ready': True})"), flush=True)
            request = json.loads(sys.stdin.readline())
            def lane(path):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(path)
                for number, line in enumerate(connection.makefile("rb")):
                    accesses = json.loads(line)
                    answer = [1, 1, 0] * len(accesses)
                    if accesses[0][0] >= 0 and number > 310:
                        \(fault)
                    connection.sendall((json.dumps(answer) + "\\n").encode())
            for _ in range(request["lanes"]): threading.Thread(target=lane, args=(request["socket"],), daemon=True).start()
            sys.stdin.read()
            """
        var driver = Arm.Driver(command: ["python3", "-c", script])
        driver.isAllowed = true
        return driver
    }

    @Test(arguments: [
        ("os._exit(3)", "ended with status 3"),
        ("sys.stderr.write('no \\033[31m memory'); os.abort()", "memory"),
        ("connection.sendall(b'hello\\n')", "it sent an invalid answer: byte 1 is not '['"),
        ("answer = answer[3:]", "invalid answer"),
        ("answer += [1, 1, 0]", "is not ']'"),
        ("answer[0] = -5", "does not start a time"),
        ("answer[1] = 10 ** 12", "it states times of"),
        ("answer[1] = 2 ** 59", "it states times of"),
        ("answer[2] = '- no name'", "does not start with the name of its code"),
        ("connection.sendall(b'[' + b'1' * (1 << 21))", "a line has more than"),
        ("connection.shutdown(socket.SHUT_RDWR)", "cannot continue"),
    ])
    func aFaultEndsTheRunWithItsReason(fault: String, expected: String) async throws {
        let result = try await Self.run(faulty(fault), Self.read, lasting: "10s")
        let failure = try #require(result.failures?.first)
        #expect(failure.contains("the driver of arm 'a' cannot continue"))
        #expect(failure.contains(expected), "\(failure)")
        #expect(!failure.contains("\u{1B}"))
        #expect(result.partial)
    }

    @Test(arguments: [
        ("'hello'", "its first line is not an answer of poolgauge.driver/1: 'hello'"),
        ("'{\"error\": \"no \\\\u001b disk\"}'", "no "), ("'{\"ready\": false}'", "neither"),
        ("(sys.stderr.write('cannot import'), os._exit(1))", "cannot import"),
    ])
    func aDriverThatCannotStartEndsTheRun(greeting: String, expected: String) async throws {
        do {
            _ = try await Self.run(faulty(greeting: greeting, "pass"), Self.read)
            Issue.record("the run did not fail")
        } catch let error as RunError {
            #expect(error.description.contains("arm 'a': "), "\(error)")
            #expect(error.description.contains(expected), "\(error)")
            #expect(!error.description.contains("\u{1B}"))
        }
    }

    /// The driver ignores the end of its input and starts another process.
    @Test func nothingRemainsOfADriverThatDoesNotEnd() async throws {
        let folder = TemporaryFolder()
        let file = folder.file("pids")
        let fault = """
            child = subprocess.Popen(['sleep', '600']); open('\(file)', 'w').write(f'{os.getpid()} {child.pid}'); time.sleep(600)
            """
        let result = try await Self.run(faulty(fault), Self.read)
        #expect(result.clients["read"]?.unfinished == 1)
        let identifiers = try String(contentsOfFile: file, encoding: .utf8).split(separator: " ")
            .compactMap { Int32($0) }
        #expect(identifiers.count == 2)
        for identifier in identifiers {
            // A child that another process must reap can remain as a zombie.
            let state = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            #expect(state.map { $0.contains(") Z ") } ?? true)
        }
    }

    @Test func aCommandRunsOnlyIfItIsAllowed() async throws {
        var driver = faulty("pass")
        driver.isAllowed = false
        await #expect(throws: RunError.self) { try await Self.run(driver, Self.read) }
    }

    @Test func aCommandOfAFileThatOthersCanWriteIsNotAllowed() throws {
        let folder = TemporaryFolder()
        let file = folder.file("s.yaml")
        let yaml = """
            version: 1
            name: test
            dataset: {preset: ycsb}
            arms: {a: {driver: {command: ./mine --fast, options: {size: 3}}}}
            phases: [{name: steady, duration: 1s}]
            clients: {read: {access: read, sql: SELECT 1}}
            """
        try yaml.write(toFile: file, atomically: false, encoding: .utf8)
        func isAllowed() throws -> Bool? {
            try Scenario.load(nameOrPath: file).arms.first?.driver?.isAllowed
        }
        for (fileMode, folderMode, expected) in [
            (0o644, 0o755, true), (0o664, 0o755, false), (0o646, 0o755, false),
            (0o644, 0o775, false), (0o600, 0o700, true),
        ] {
            chmod(file, mode_t(fileMode))
            chmod(folder.path, mode_t(folderMode))
            #expect(try isAllowed() == expected)
        }
        let scenario = try Scenario.load(nameOrPath: file)
        let expected = [folder.path + "/./mine", "--fast"]
        #expect(scenario.commands.first?.command == expected)
        #expect(scenario.arms.first?.driver?.options == ["size": "3"])
        let text = ScenarioEncoder.text(of: scenario)
        let read = try Scenario.parse(yaml: text, file: "x.yaml")
        #expect(read.arms.first?.driver?.command == expected)
        #expect(read.arms.first?.driver?.isAllowed == false)
        #expect(try scenario.with([.init("seed=3")]).arms.first?.driver?.isAllowed == true)
    }
}

/// Tests the drivers of other languages than C and Python.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct DriverLanguageTests {
    @Test(arguments: ["go", "java", "node", "php", "ruby"])
    func aDriverPerformsAccesses(name: String) async throws {
        try await DriverTargetTests.check(Arm.Driver(builtIn: name))
    }

    @Test func nodePassesAccessesToWorkers() async throws {
        var driver = Arm.Driver(builtIn: "node")
        driver.options["workers"] = "true"
        try await DriverTargetTests.check(driver)
    }

    @Test func rubyWaitsWithTheGlobalLock() async throws {
        var driver = Arm.Driver(builtIn: "ruby")
        driver.options["release"] = "false"
        try await DriverTargetTests.check(driver)
    }
}
