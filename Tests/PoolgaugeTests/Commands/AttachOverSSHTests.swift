import Foundation
import PoolgaugeAgent
import SQLiteEngine
import Testing

@testable import poolgauge

/// Tests `poolgauge attach` through a socket that `ssh -L` forwards, with a server on this machine.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(
        if: access("/usr/sbin/sshd", X_OK) == 0 && access("/usr/bin/ssh", X_OK) == 0
            && (geteuid() != 0 || access("/run/sshd", X_OK) == 0),
        "requires ssh and sshd"
    )
)
struct AttachOverSSHTests {
    @Test func aForwardedSocketIsAttached() throws {
        var template = Array("/tmp/pgs-XXXXXX".utf8CString)
        let created = mkdtemp(&template).map { String(cString: $0) }
        let folder = URL(fileURLWithPath: try #require(created))
        defer { try? FileManager.default.removeItem(at: folder) }
        let pool = try DatabasePool(path: folder.appendingPathComponent("app.sqlite").path)
        let agents = AgentFolder(path: folder.appendingPathComponent("agents").path)
        let agent = try Agent.start(pool, name: "app", folder: agents)
        defer { agent.stop() }
        let port = try unusedPort()
        try createKeysAndConfiguration(in: folder, port: port)
        let server = try start(
            "/usr/sbin/sshd",
            ["-D", "-e", "-f", folder.appendingPathComponent("sshd_config").path],
            in: folder
        )
        defer { stop(server) }
        let forwarded = folder.appendingPathComponent("app.sock").path
        let client = try eventually("the socket is forwarded") { () -> Process? in
            let client = try start(
                "/usr/bin/ssh",
                arguments(folder, port, forwarded, agent),
                in: folder
            )
            while client.isRunning, access(forwarded, F_OK) != 0 { usleep(10_000) }
            return client.isRunning ? client : nil
        }
        defer { stop(client) }
        let outcome = try HeadlessProgram.run(["attach", forwarded, "--once"], in: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("app, PID \(getpid())"))
        #expect(outcome.output.contains("no access waits"))
    }

    private func arguments(
        _ folder: URL,
        _ port: UInt16,
        _ forwarded: String,
        _ agent: Agent
    ) -> [String] {
        [
            "-N", "-F", "none", "-p", String(port), "-i", folder.appendingPathComponent("key").path,
            "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
            "-o", "BatchMode=yes", "-o", "ExitOnForwardFailure=yes",
            "-L", "\(forwarded):\(agent.socketPath)", "\(NSUserName())@127.0.0.1",
        ]
    }

    private func createKeysAndConfiguration(in folder: URL, port: UInt16) throws {
        for name in ["key", "host"] {
            let path = folder.appendingPathComponent(name).path
            let generator = try start(
                "/usr/bin/ssh-keygen",
                ["-q", "-t", "ed25519", "-N", "", "-f", path],
                in: folder
            )
            generator.waitUntilExit()
        }
        let key = try String(
            contentsOf: folder.appendingPathComponent("key.pub"),
            encoding: .utf8
        )
        let authorized = folder.appendingPathComponent("authorized")
        try Data(key.utf8).write(to: authorized)
        let configuration = """
            ListenAddress 127.0.0.1:\(port)
            HostKey \(folder.appendingPathComponent("host").path)
            AuthorizedKeysFile \(authorized.path)
            StrictModes no
            UsePAM no
            PermitRootLogin yes
            PasswordAuthentication no
            PidFile none
            """
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("sshd_config"))
    }

    private func start(_ path: String, _ arguments: [String], in folder: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let log = folder.appendingPathComponent("log")
        if access(log.path, F_OK) != 0 { try Data().write(to: log) }
        let output = try FileHandle(forWritingTo: log)
        output.seekToEndOfFile()
        process.standardError = output
        process.standardOutput = output
        try HeadlessProgram.startWithoutBlockedSignals(process)
        return process
    }

    private func stop(_ process: Process) {
        process.terminate()
        process.waitUntilExit()
    }

    /// Returns a port of the loopback interface that was free at the time of the call.
    private func unusedPort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        try #require(status == 0)
        return UInt16(bigEndian: address.sin_port)
    }
}
