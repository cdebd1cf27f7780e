#if os(Linux)
import Glibc

package struct ProcessFacts: Equatable, Sendable {
    var process: Int32
    /// The name in `/proc`, which the program can change.
    var command: String
    /// The program's name, followed by the script's name for an interpreter: `python3 report.py`.
    var name: String
    /// The user's name, or the user ID if the name is unknown.
    var user: String?
    /// The program and its arguments, separated by spaces.
    var commandLine: String?
    /// The program's arguments.
    var arguments: [String]
    /// Whether the parent has ended, although the process belongs to a session of another one.
    var isOrphan: Bool
    var startTicks: UInt64

    /// The maximum length of a command line, in bytes.
    private static let commandLineLimit = 1_024

    /// Reads the facts about a process, or returns `nil` if it has ended or is hidden.
    init?(process: Int32) {
        guard let line = ProcFile.read("/proc/\(process)/stat"), let status = ProcessStat(line)
        else { return nil }
        self.process = process
        startTicks = status.startTicks
        command = status.name
        user = Self.owner(of: process).map(Self.userName)
        let words = Self.commandLine(of: process)
        commandLine = words?.joined(separator: " ")
        arguments = words ?? []
        isOrphan = status.parent == 1 && status.session != process
        name = Self.name(of: Self.program(process, status.name), arguments: words ?? [])
    }

    /// Returns the name of the program of a process whose main thread has a name of its own.
    ///
    /// Node.js names its main thread `MainThread`.
    private static func program(_ process: Int32, _ name: String) -> String {
        guard let path = ProcFile.link("/proc/\(process)/exe"),
            let file = path.split(separator: "/").last?.split(separator: " ").first.map(String.init)
        else { return name }
        // A script's interpreter, and a program that describes its work, keep their names.
        return name == "MainThread" || name == "main" ? String(file.prefix(15)) : name
    }

    /// Returns how often the threads of a process have run, or `nil` if it is not known.
    static func runs(of process: Int32) -> ProcessRuns? {
        guard let threads = ProcFile.names(in: "/proc/\(process)/task"),
            threads.count <= threadLimit
        else { return nil }
        var runs = ProcessRuns(total: UInt64(threads.count), sleeps: 0)
        for thread in threads {
            guard let status = ProcFile.text("/proc/\(process)/task/\(thread)/status") else {
                return nil
            }
            for line in status.split(separator: "\n") where line.contains("ctxt_switches:") {
                guard
                    let count = line.split(whereSeparator: \.isWhitespace).last.flatMap({
                        UInt64($0)
                    })
                else { return nil }
                runs.total &+= count
                if line.hasPrefix("voluntary") { runs.sleeps &+= count }
            }
        }
        return runs
    }

    /// The maximum number of threads whose runs are counted.
    private static let threadLimit = 64

    private static func commandLine(of process: Int32) -> [String]? {
        ProcFile.read("/proc/\(process)/cmdline", limit: commandLineLimit).map { bytes in
            bytes.prefix(commandLineLimit).split(separator: 0)
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Returns the name of a process, such as `python3 report.py`, or `nil` if it has ended or is
    /// hidden.
    package static func name(of process: Int32) -> String? {
        guard let command = ProcFile.text("/proc/\(process)/comm", limit: 64) else { return nil }
        return name(
            of: program(process, String(command.prefix { $0 != "\n" })),
            arguments: commandLine(of: process) ?? []
        )
    }

    /// The names of interpreters.
    ///
    /// The first argument that is not an option is the script.
    private static let interpreters = [
        "python", "pypy", "ruby", "perl", "node", "php", "lua", "bash", "sh", "dash",
    ]

    /// Returns the name of a process, including the script's name for an interpreter.
    ///
    /// - Parameters:
    ///   - name: The name in `/proc`, such as `python3.11`.
    ///   - arguments: The program and its arguments.
    /// - Returns: A name such as `python3 report.py`, or only `name` for other programs and for an
    ///   interpreter that receives the program text as an argument (`-c`).
    static func name(of name: String, arguments: [String]) -> String {
        let stem = name.prefix { $0.isLetter }
        guard interpreters.contains(String(stem)) else { return name }
        for argument in arguments.dropFirst() {
            if argument == "-c" || argument == "-e" || argument == "-r" { return name }
            if argument.hasPrefix("-") { continue }
            let script = argument.split(separator: "/").last.map(String.init) ?? argument
            return "\(name) \(script.prefix(30))"
        }
        return name
    }

    static func owner(of process: Int32) -> uid_t? {
        var information = stat()
        guard stat("/proc/\(process)", &information) == 0 else { return nil }
        return information.st_uid
    }

    private static func userName(_ user: uid_t) -> String {
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &result) == 0, result != nil,
            let name = entry.pw_name
        else { return String(user) }
        return String(cString: name)
    }
}
#endif
