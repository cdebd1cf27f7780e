#if os(Linux)
import Glibc

/// What is known of a process that uses a watched database.
struct ProcessFacts: Equatable, Sendable {
    var process: Int32
    /// The name of the program; for an interpreter, with that of the script: `python3 report.py`.
    var name: String
    /// Its user's name, or number.
    var user: String?
    /// The program and its arguments, separated by spaces.
    var commandLine: String?
    var startTicks: UInt64

    /// The longest command line that is kept, in bytes.
    private static let commandLineLimit = 1_024

    /// Reads what the system knows; nil when the process ended, or is hidden.
    init?(process: Int32) {
        guard let line = ProcFile.read("/proc/\(process)/stat"), let status = ProcessStat(line)
        else { return nil }
        self.process = process
        startTicks = status.startTicks
        user = Self.owner(of: process).map(Self.userName)
        let words = ProcFile.read("/proc/\(process)/cmdline", limit: Self.commandLineLimit)
            .map { bytes in
                bytes.prefix(Self.commandLineLimit).split(separator: 0)
                    .map { String(decoding: $0, as: UTF8.self) }
            }
        commandLine = words?.joined(separator: " ")
        name = Self.name(of: status.name, arguments: words ?? [])
    }

    /// Programs whose first argument that is not an option names the program that they run.
    private static let interpreters = [
        "python", "pypy", "ruby", "perl", "node", "php", "lua", "bash", "sh", "dash",
    ]

    /// The name of a process, with its script where an interpreter runs one.
    ///
    /// - Parameters:
    ///   - name: The name that the system knows, such as `python3.11`.
    ///   - arguments: The program and its arguments.
    /// - Returns: `python3 report.py`; the name alone for other programs, and where the program text
    ///   is an argument (`-c`).
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

    /// The user of a process, by number.
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
