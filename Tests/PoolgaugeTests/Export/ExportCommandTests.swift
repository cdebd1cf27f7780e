import Foundation
import PoolgaugeAgent
import SQLiteEngine
import TestSupport
import Testing

/// Tests `poolgauge export` and `--listen`.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ExportCommandTests {
    /// Calls `body` with a folder that has a short path, because a socket's path has at most about
    /// 100 bytes.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        var template = Array("/tmp/pgt-XXXXXX".utf8CString)
        let path = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(URL(fileURLWithPath: path))
    }

    private func makePool(in folder: URL) throws -> DatabasePoolFixture {
        try DatabasePoolFixture(
            path: folder.appendingPathComponent("app.sqlite").path,
            agents: folder.appendingPathComponent("poolgauge").path
        )
    }

    private func start(_ arguments: [String], in folder: URL) throws -> RunningProgram {
        try RunningProgram(
            arguments + ["--listen", "127.0.0.1:0"],
            in: folder,
            variables: ["XDG_RUNTIME_DIR": folder.path]
        )
    }

    /// Waits until the metrics contain a string, and returns the metrics.
    private func metrics(of program: RunningProgram, containing text: String) throws -> String {
        let port = try program.metricsPort()
        return try eventually("the metrics contain \(text)") {
            let body = try HTTPGet.response("/metrics", port: port).body
            return body.contains(text) ? body : nil
        }
    }

    @Test func aRunExportsItsClients() throws {
        try withFolder { folder in
            let program = try start(
                ["run", "ycsb-c", "--arm", "pool", "--duration", "10m"],
                in: folder
            )
            let text = try metrics(of: program, containing: "poolgauge_client_completed_total")
            #expect(text.contains("arm=\"pool\""))
            _ = try metrics(of: program, containing: "db_client_connection_use_time_seconds_bucket")
            let port = try program.metricsPort()
            let refused = try HTTPGet.response("/metrics", port: port, host: "attacker.example")
            #expect(refused.status == 403)
            #expect(try HTTPGet.response("/", port: port).status == 404)
            #expect(program.interrupt() == 130)
        }
    }

    #if os(Linux)
    @Test func aWatchedFileIsExported() throws {
        try withFolder { folder in
            let fixture = try makePool(in: folder)
            let path = fixture.pool.path
            for command in [["export", "app.sqlite"], ["top", "app.sqlite", "--follow"]] {
                let program = try start(command, in: folder)
                let text = try metrics(of: program, containing: "sqlite_wal_frames")
                #expect(text.contains("sqlite_up{database=\"\(path)\"} 1\n"))
                let count = "sqlite_commits_total{database=\"\(path)\"} "
                _ = try eventually("a commit is counted") {
                    try fixture.work()
                    let text = try metrics(of: program, containing: count)
                    return text.contains(count + "0\n") ? nil : true
                }
                #expect(program.outputText.isEmpty == (command[0] == "export"))
                #expect(program.interrupt() == 130)
            }
        }
    }
    #endif

    @Test func anAgentIsExported() throws {
        try withFolder { folder in
            let fixture = try makePool(in: folder)
            try fixture.work()
            let label = fixture.pool.status().label
            let addresses = ["app", String(getpid()), fixture.agent.socketPath]
            for command in addresses.map({ ["export", $0] }) + [["attach", "app", "--follow"]] {
                let program = try start(command, in: folder)
                let up = "sqlite_up{database=\"\(label)\"} 1\n"
                let text = try metrics(of: program, containing: up)
                let checkpoints =
                    "sqlite_checkpoint_total{database=\"\(label)\",mode=\"passive\"} 1"
                #expect(text.contains(checkpoints))
                #expect(program.interrupt() == 130)
            }
        }
    }

    @Test func aRestartedAgentIsFoundAgain() throws {
        try withFolder { folder in
            let agentFolder = folder.appendingPathComponent("poolgauge").path
            let first = try makePool(in: folder)
            let program = try start(["export", "app"], in: folder)
            _ = try metrics(of: program, containing: "sqlite_up{database=")
            first.agent.stop()
            let text = try metrics(of: program, containing: "} 0\n")
            #expect(!text.contains("db_client"))
            let second = try Agent.start(
                first.pool,
                name: "app",
                folder: AgentFolder(path: agentFolder)
            )
            defer { second.stop() }
            _ = try metrics(of: program, containing: "db_client_connection_max")
        }
    }

    private static let mistakes: [([String], Int32, String)] = [
        (["export"], 64, "specify a database file or an agent"),
        (["export", "nobody"], 1, "there is no file 'nobody', and there is no agent"),
        (["export", "./absent.sqlite"], 64, "there is no file './absent.sqlite'"),
        (["export", "x", "--listen", "9719"], 64, "'9719' is not an address with a port"),
        (["export", "x", "--listen", "127.0.0.1:99999"], 64, "from 0 to 65535, not 99999"),
        (["export", "x", "--listen", "0.0.0.0:9719"], 64, "--listen-public"),
        (["run", "ycsb-c", "--listen", "[::]:0"], 64, "other machines can reach [::]:0"),
        (["run", "ycsb-c", "--listen-public"], 64, "--listen-public requires --listen"),
        (["top", "x", "--once", "--listen", "127.0.0.1:0"], 64, "--listen works only with"),
        (["attach", "x", "--once", "--listen", "127.0.0.1:0"], 64, "--listen works only with"),
        (
            ["run", "ycsb-c", "--listen", "192.0.2.1:0", "--listen-public"], 1,
            "this machine has no such address"
        ),
    ]

    @Test(arguments: mistakes)
    func mistakesAreExplained(arguments: [String], status: Int32, message: String) throws {
        try withFolder { folder in
            let outcome = try HeadlessProgram.run(
                arguments,
                in: folder,
                variables: ["XDG_RUNTIME_DIR": folder.path]
            )
            #expect(outcome.status == status, "\(outcome)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    @Test func aPortInUseIsReported() throws {
        try withFolder { folder in
            let fixture = try makePool(in: folder)
            let program = try start(["export", fixture.agent.socketPath], in: folder)
            let port = try program.metricsPort()
            let outcome = try HeadlessProgram.run(
                ["export", fixture.agent.socketPath, "--listen", "127.0.0.1:\(port)"],
                in: folder
            )
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("the port is in use; specify another port, or 0"))
        }
    }
}
