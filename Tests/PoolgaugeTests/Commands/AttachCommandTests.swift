import Foundation
import PoolgaugeAgent
import Recording
import SQLiteEngine
import TestSupport
import Testing

@testable import poolgauge

/// Tests `poolgauge attach` on agents of this process.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AttachCommandTests {
    /// Calls `body` with a folder that has a short path, because a socket's path has at most about
    /// 100 bytes.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        var template = Array("/tmp/pgt-XXXXXX".utf8CString)
        let created = mkdtemp(&template).map { String(cString: $0) }
        let path = try #require(created)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(URL(fileURLWithPath: path))
    }

    /// Starts an agent in the folder that ``attach(_:in:)`` searches.
    private func start(_ name: String, in folder: URL) throws -> (DatabasePool, Agent) {
        let pool = try DatabasePool(path: folder.appendingPathComponent("\(name).sqlite").path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        let path = folder.appendingPathComponent("poolgauge").path
        return (pool, try Agent.start(pool, name: name, folder: AgentFolder(path: path)))
    }

    private func attach(_ arguments: [String], in folder: URL) throws -> HeadlessProgram.Outcome {
        try HeadlessProgram.run(
            ["attach"] + arguments,
            in: folder,
            variables: ["XDG_RUNTIME_DIR": folder.path]
        )
    }

    @Test func withoutAgentsAHintExplainsHowToStartOne() throws {
        try withFolder { folder in
            let outcome = try attach([], in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.output.hasPrefix("No agent is running. "))
            #expect(outcome.output.contains("POOLGAUGE_AGENT=1"))
            let missing = try attach(["app"], in: folder)
            #expect(missing.status == 1)
            #expect(missing.errors.contains("there is no agent with the name 'app'"))
        }
    }

    @Test func runningAgentsAreListed() throws {
        try withFolder { folder in
            let (_, first) = try start("one", in: folder)
            let (_, second) = try start("two", in: folder)
            defer {
                first.stop()
                second.stop()
            }
            let text = try attach([], in: folder).output
            let lines = text.split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines[0].hasPrefix("name"))
            #expect(lines[1].hasPrefix("one   \(getpid())  "))
            #expect(lines[1].hasSuffix("/one.sqlite"))
            let json = Data(try attach(["--format", "json"], in: folder).output.utf8)
            let list = try JSONSerialization.jsonObject(with: json) as? [String: Any]
            #expect(list?["schema"] as? String == "poolgauge.agents/1")
            #expect((list?["agents"] as? [[String: Any]])?.count == 2)
        }
    }

    #if os(Linux)
    @Test(.enabled(if: SSHForwarding.isInstalled, "requires sshd, ssh, and ssh-keygen"))
    func anAgentIsReadThroughSSH() throws {
        try withFolder { folder in
            let (_, agent) = try start("app", in: folder)
            defer { agent.stop() }
            let local = folder.appendingPathComponent("forwarded.sock")
            let forwarding = try SSHForwarding(from: local, to: agent.socketPath, in: folder)
            let outcome = try attach([local.path, "--once", "--format", "json"], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let status = try JSONDecoder().decode(AgentStatus.self, from: Data(outcome.output.utf8))
            #expect(status.name == "app")
            #expect(status.process == getpid())
            withExtendedLifetime(forwarding) {}
        }
    }
    #endif

    @Test func theStatusIsReportedOnce() throws {
        try withFolder { folder in
            let (pool, agent) = try start("app", in: folder)
            defer { agent.stop() }
            try pool.read { database in
                _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM t")
                let text = try attach(["app", "--once"], in: folder)
                #expect(text.status == 0, "\(text)")
                #expect(text.output.contains("1 of 5 in use, no access waits"))
                #expect(text.output.contains("SELECT count(*) FROM t"))
                for address in ["app", String(getpid()), agent.socketPath] {
                    let outcome = try attach([address, "--format", "json"], in: folder)
                    let status = try JSONDecoder().decode(
                        AgentStatus.self,
                        from: Data(outcome.output.utf8)
                    )
                    #expect(status.database.readers?.inUse == 1)
                }
            }
        }
    }

    @Test func theDashboardShowsAProgram() throws {
        try withFolder { folder in
            let (pool, agent) = try start("app", in: folder)
            defer { agent.stop() }
            try pool.read { database in
                _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM t")
                let arguments = ["app", "--screenshot", "app.txt", "--after", "1s"]
                let outcome = try attach(arguments, in: folder)
                #expect(outcome.status == 0, "\(outcome)")
                let file = folder.appendingPathComponent("app.txt")
                let picture = try String(contentsOf: file, encoding: .utf8)
                #expect(picture.contains("PID \(getpid())"))
                #expect(picture.contains("1 of 5 readers in use"))
                #expect(picture.contains("1 Overview  2 Connections  3 Waiters  4 Snapshots"))
            }
            let mixed = try attach(["app", "--once", "--screenshot", "app.txt"], in: folder)
            #expect(mixed.status == 64)
            #expect(mixed.errors.contains("cannot be combined with its options"))
        }
    }

    @Test func aFolderThatOtherUsersCanAccessIsRejected() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("poolgauge").path
            #expect(mkdir(path, 0o700) == 0)
            #expect(chmod(path, 0o777) == 0)
            let outcome = try attach([], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("has the mode 0777, expected 0700"))
        }
    }

    /// A Python program that uses the same protocol is killed and restarted while `attach` follows
    /// it.
    @Test func aFollowedProgramMayRestart() throws {
        try withFolder { folder in
            let program = try Publisher(in: folder)
            let follower = try Follower(in: folder)
            try follower.wait(for: "log ")
            program.kill()
            try follower.wait(for: "connection lost: ")
            let next = try Publisher(in: folder)
            defer { next.kill() }
            try follower.wait(
                for: "reconnected to PID \(next.process.processIdentifier) after a gap of "
            )
            follower.process.interrupt()
            follower.process.waitUntilExit()
            #expect(follower.process.terminationStatus == 130)
            let reader = try RecordingReader(path: folder.appendingPathComponent("beats.rec").path)
            let gap = try #require(reader.contents.gaps.first)
            #expect(gap.reason.hasPrefix("the program restarted as PID "))
            #expect(gap.end > gap.start)
            let processes = try reader.contents.rows.map { row -> Int32 in
                guard case .agent(let status) = try reader.value(of: row) else { return 0 }
                return status.process
            }
            #expect(Set(processes).count == 2)
        }
    }

    @Test func unreportedConnectionsAreUnknownAndAKeyStartsARecording() throws {
        try withTemporaryFolder { folder in
            let publisher = try Publisher(in: folder)
            defer { publisher.kill() }
            func attach(_ arguments: [String]) throws -> HeadlessProgram.Outcome {
                try HeadlessProgram.run(
                    ["attach", "beats"] + arguments,
                    in: folder,
                    variables: ["XDG_RUNTIME_DIR": folder.path]
                )
            }
            let text = try attach(["--once"]).output
            #expect(text.contains("The program does not report its connections."), "\(text)")
            #expect(!text.contains("0 of 1"), "\(text)")
            let outcome = try attach(
                ["--press", "R", "--screenshot", "a.txt", "--after", "1s", "--size", "120x40"]
            )
            #expect(outcome.status == 0, "\(outcome)")
            let picture = folder.appendingPathComponent("a.txt")
            let screen = try String(contentsOf: picture, encoding: .utf8)
            #expect(screen.contains("reports neither its connections nor its waits"))
            #expect(screen.contains("● REC"))
            let files = contents(of: folder).filter { $0.hasSuffix(".recording") }
            let file = try #require(files.first)
            #expect(screen.contains("recording to '\(file)'"))
            let recording = folder.appendingPathComponent(file).path
            #expect(try RecordingReader(path: recording).contents.sessions.map(\.kind) == [.agent])
        }
    }

    /// A running `Examples/Publisher/publisher.py` that has published its status.
    private struct Publisher {
        let process = Process()

        init(in folder: URL) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "python3",
                Documentation.root.appendingPathComponent("Examples/Publisher/publisher.py").path,
                folder.appendingPathComponent("beats.sqlite").path, "beats",
            ]
            process.environment = Program.environment(temporary: folder)
                .merging(["XDG_RUNTIME_DIR": folder.path]) { $1 }
            try process.run()
            let socket = "poolgauge/beats-\(process.processIdentifier).sock"
            let path = folder.appendingPathComponent(socket).path
            let reader = AgentReader(path: path)
            _ = try eventually("the publisher answers") { (try? reader.status())?.database.wal }
        }

        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// A running `poolgauge attach beats --follow`, whose output goes to a file.
    private struct Follower {
        let process = Process()
        private let output: URL

        init(in folder: URL) throws {
            output = folder.appendingPathComponent("output")
            try Data().write(to: output)
            process.executableURL = URL(fileURLWithPath: Program.path)
            process.arguments = [
                "attach", "beats", "--follow", "--interval", "50ms", "--record",
                folder.appendingPathComponent("beats.rec").path,
            ]
            process.environment = Program.environment(temporary: folder)
                .merging(["XDG_RUNTIME_DIR": folder.path]) { $1 }
            process.standardOutput = try FileHandle(forWritingTo: output)
            try HeadlessProgram.startWithoutBlockedSignals(process)
        }

        func wait(for text: String) throws {
            _ = try eventually("the output contains '\(text)'") {
                try String(contentsOf: output, encoding: .utf8).range(of: text)
            }
        }
    }
}
