import Foundation

/// The socket file of an agent, `NAME-PID.sock`.
package struct AgentSocket: Sendable, Equatable {
    /// The name of the agent.
    package var name: String
    /// The identifier of the agent's process.
    package var process: pid_t
    /// The path of the socket.
    package var path: String

    init(name: String, process: pid_t, folder: AgentFolder) {
        self.name = name
        self.process = process
        path = "\(folder.path)/\(name)-\(process).sock"
    }

    /// Creates a value from a file's name, or returns `nil` if the name has another form.
    init?(folder: String, file: String) {
        guard file.hasSuffix(".sock"), let dash = file.lastIndex(of: "-"), dash > file.startIndex,
            let process = pid_t(file[file.index(after: dash)...].dropLast(5)), process > 0
        else { return nil }
        let name = String(file[..<dash])
        guard AgentSocket.isValid(name: name) else { return nil }
        self.init(name: name, process: process, folder: AgentFolder(path: folder))
        guard path == "\(folder)/\(file)" else { return nil }
    }

    /// The maximum length of a name, in bytes.
    static let maximumNameLength = 32

    /// Returns whether a name is valid in a file name and in a line of text.
    static func isValid(name: String) -> Bool {
        (1...maximumNameLength).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "._-".utf8.contains(byte)
                }
            }
    }

    /// Returns a valid name that resembles the given text.
    static func validName(from text: String) -> String {
        let characters = text.unicodeScalars.prefix(maximumNameLength).map { scalar in
            isValid(name: "a\(scalar)") ? Character(scalar) : "_"
        }
        var name = String(characters)
        if name.isEmpty || name.hasPrefix(".") { name = "_" + name.dropFirst() }
        return name
    }

    /// Whether a process with this identifier exists.
    package var isProcessRunning: Bool { kill(process, 0) == 0 || errno == EPERM }

    /// Whether no process accepts connections to the socket.
    var refusesConnections: Bool {
        guard let socket = try? UnixSocket.make() else { return false }
        defer { close(socket) }
        UnixSocket.prepare(socket, blocks: false)
        return (try? UnixSocket.connect(socket, to: path)) == ECONNREFUSED
    }
}
