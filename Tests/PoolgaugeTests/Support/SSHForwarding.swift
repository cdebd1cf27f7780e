#if os(Linux)
import Foundation
import TestSupport

/// An OpenSSH client that forwards a Unix socket through an OpenSSH server on this machine.
final class SSHForwarding {
    /// Whether the server, the client, and the key generator are installed.
    static let isInstalled = [server, client, keygen].allSatisfy { $0 != nil }

    private static let server = path(of: "sshd")
    private static let client = path(of: "ssh")
    private static let keygen = path(of: "ssh-keygen")

    private let forwarding: RunningProgram

    /// Forwards connections from the socket `local` to the socket `remote`, and waits until clients
    /// can connect.
    init(from local: URL, to remote: String, in folder: URL) throws {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        for key in ["host", "user"] {
            let generator = Process()
            generator.executableURL = URL(fileURLWithPath: Self.keygen ?? "")
            generator.arguments = ["-q", "-t", "ed25519", "-N", "", "-f", path(key)]
            try generator.run()
            generator.waitUntilExit()
        }
        if geteuid() == 0 {
            // The server requires this folder, which the service in its package normally creates.
            let folder = "/run/sshd"
            let files = FileManager.default
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let server = [
            Self.server ?? "", "-i", "-f", "/dev/null", "-o", "HostKey=\(path("host"))",
            "-o", "AuthorizedKeysFile=\(path("user.pub"))", "-o", "UsePAM=no",
            "-o", "StrictModes=no", "-o", "PermitRootLogin=yes",
        ]
        // Foundation observes a process through a descriptor. OpenSSH closes this descriptor, but
        // the shell keeps it open.
        let forwarding = try RunningProgram(
            [
                "-c", "setpriv --pdeathsig KILL \"$@\"; exit $?", "sh", Self.client ?? "",
                "-F", "none", "-N", "-i", path("user"), "-o", "BatchMode=yes",
                "-o", "ExitOnForwardFailure=yes", "-o", "StrictHostKeyChecking=no",
                "-o", "UserKnownHostsFile=/dev/null",
                "-o", "ProxyCommand=\(server.joined(separator: " "))",
                "-L", "\(local.path):\(remote)", "localhost",
            ],
            in: folder,
            path: "/bin/sh"
        )
        self.forwarding = forwarding
        _ = try eventually("the socket is forwarded") {
            guard forwarding.isRunning else {
                throw ProgramEnded(description: forwarding.errorText)
            }
            return FileManager.default.fileExists(atPath: local.path) ? true : nil
        }
    }

    private static func path(of tool: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        // Debian installs the server in a folder that is not on the PATH of all users.
        return (folders.split(separator: ":").map(String.init) + ["/usr/sbin"])
            .map { "\($0)/\(tool)" }.first { access($0, X_OK) == 0 }
    }
}
#endif
