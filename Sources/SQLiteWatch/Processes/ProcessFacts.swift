#if os(Linux)
import Glibc

/// What is known of a process that uses a watched database.
struct ProcessFacts: Equatable, Sendable {
    var process: Int32
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
        name = status.name
        startTicks = status.startTicks
        user = Self.owner(of: process).map(Self.userName)
        commandLine = ProcFile.read("/proc/\(process)/cmdline", limit: Self.commandLineLimit)
            .map { bytes in
                let words = bytes.prefix(Self.commandLineLimit).split(separator: 0)
                return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            }
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
