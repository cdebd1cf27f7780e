import Testing

@testable import Capture

struct CapturedProgramsTests {
    @Test func theSettingOfMostConnectionsCounts() throws {
        var programs = CapturedPrograms()
        programs.set(["busy_timeout": "5000", "synchronous": "normal"], of: "1/a")
        programs.set(["busy_timeout": "5000"], of: "1/b")
        programs.set(["busy_timeout": "0"], of: "2/a")
        // Unknown settings remain as they were, for example when the program has ended.
        programs.set([:], of: "1/a")
        let timeout = try #require(programs.setting("busy_timeout"))
        #expect(timeout.value == "5000" && timeout.reason == "in force on 2 of 3 connections")
        #expect(programs.setting("synchronous")?.reason == "in force on its connection")
        #expect(programs.setting("cache_size") == nil)
    }

    /// Connections that only read keep SQLite's default of what affects only writes.
    @Test func theSettingOfTheConnectionsThatWriteCounts() throws {
        var programs = CapturedPrograms()
        programs.set(["synchronous": "normal"], of: "1/writer")
        programs.set(["synchronous": "full"], of: "1/a")
        programs.set(["synchronous": "full"], of: "1/b")
        let one = try #require(programs.setting("synchronous", writes: ["1/writer": 7]))
        #expect(one.value == "normal" && one.reason == "in force on the connection that writes")
        let two = try #require(programs.setting("synchronous", writes: ["1/writer": 7, "1/a": 2]))
        #expect(two.value == "normal" && two.reason == "in force on 1 of 2 connections that write")
        #expect(programs.setting("synchronous")?.value == "full")
    }

    @Test(arguments: [
        (["python3 svc.py web", "python3 svc.py jobs"], ["web", "jobs"]),
        (["python3 svc.py"], ["svc"]),
        (["node", "python3 a.b.py"], ["node", "a"]),
        (["poolgauge"], ["poolgauge"]),
        (["ruby x.rb", "ruby x.rb"], ["x", "x"]),
        (["a.b \u{1b}[31m: x", "a"], ["31m-x", "a"]),
        (["\u{1b}"], [nil]),
    ])
    func namesAreShortAndPlain(names: [String], short: [String?]) {
        var programs = CapturedPrograms()
        for (process, name) in names.enumerated() { programs.setName(name, of: process) }
        let found = programs.shortNames(of: Set(names.indices))
        #expect(names.indices.map { found[$0] } == short)
    }

    @Test func programsNameClientsAndOperations() throws {
        var programs = CapturedPrograms()
        programs.setName("python3 svc.py web", of: 1)
        programs.setName("python3 svc.py jobs", of: 2)
        var executions: [CapturedExecution] = []
        for number in 0..<40 {
            for (process, sql) in [
                (1, "SELECT age FROM users WHERE id = ?"),
                (1, "UPDATE users SET age = ? WHERE id = ?"),
                (2, "UPDATE users SET age = 0 WHERE mail = ?"),
            ] {
                executions.append(
                    CapturedExecution(
                        end: Double(number) * 0.1 + Double(executions.count % 3) * 0.01,
                        process: process,
                        sql: sql,
                        seconds: 0.001
                    )
                )
            }
        }
        let (scenario, captured) = try CaptureFixture.parsed(executions, programs: programs)
        #expect(Set(captured.operations.map(\.client)).isSuperset(of: ["web-reads", "web-writes"]))
        #expect(scenario.clients.contains { $0.name.hasPrefix("jobs") })
        let names = captured.operations.filter(\.writes).map(\.name).sorted()
        #expect(names == ["update-users", "update-users-jobs"])
    }

    @Test func settingsOfConnectionsPrecedePragmas() throws {
        var programs = CapturedPrograms()
        programs.set(
            [
                "busy_timeout": "250", "foreign_keys": "1", "cache_size": "-2000",
                "mmap_size": "65536",
            ],
            of: "0/1"
        )
        let statements = [
            "PRAGMA busy_timeout = 9000", "PRAGMA temp_store = 2",
            "SELECT age FROM users WHERE id = ?",
        ]
        let executions = statements.enumerated().map { number, sql in
            CapturedExecution(end: Double(number), sql: sql, seconds: 0.001)
        }
        let (scenario, captured) = try CaptureFixture.parsed(executions, programs: programs)
        let arm = scenario.arms[0]
        #expect(arm.busyTimeout == .milliseconds(250))
        #expect(
            arm.pragmas.map { "\($0.name)=\($0.value)" } == [
                "foreign_keys=1", "mmap_size=65536", "temp_store=2",
            ]
        )
        #expect(captured.yaml.contains("in force"))
    }
}
