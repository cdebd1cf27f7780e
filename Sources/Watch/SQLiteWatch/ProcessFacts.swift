import Foundation

/// The relevant fields of a `/proc/PID/stat` file.
package struct ProcessStat: Equatable, Sendable {
    /// The name of the program, truncated to 15 bytes.
    package var name: String
    /// The state: `R` running, `S` sleeping, `D` waiting for a disk, `T` stopped, `Z` ended.
    package var state: Character
    /// The ID of the parent process.
    package var parent: Int32
    /// The ID of the session, which is the ID of the process that started it.
    package var session: Int32
    /// The user and system time of all threads, in clock ticks.
    package var ticks: UInt64
    /// The start time of the process, in clock ticks since the system booted.
    ///
    /// If a new process reuses the ID, its start time differs.
    package var startTicks: UInt64
    /// The address of the program's stack, or 0 if it is hidden from this user.
    ///
    /// It is random, so it identifies the program that a process executes.
    package var stack: UInt64

    /// What identifies the program that a process executes, also if the ID is reused.
    package struct Image: Equatable, Sendable {
        var startTicks: UInt64
        var stack: UInt64
    }

    package var image: Image { Image(startTicks: startTicks, stack: stack) }

    #if os(Linux)
    /// Reads the facts of a process, or returns `nil` if the process has ended.
    package init?(of process: Int32) {
        guard let line = ProcFile.read("/proc/\(process)/stat") else { return nil }
        self.init(line)
    }

    /// Reads the program that a process executes, or returns `nil` if it has ended.
    package static func image(of process: Int32) -> Image? { ProcessStat(of: process)?.image }
    #endif

    /// Parses the content of the file, or returns `nil` if it is malformed.
    ///
    /// The program name is in parentheses and may contain spaces and parentheses.
    package init?(_ line: [UInt8]) {
        guard let open = line.firstIndex(of: 0x28), let close = line.lastIndex(of: 0x29),
            open < close
        else { return nil }
        name = String(decoding: line[(open + 1)..<close], as: UTF8.self)
        let fields = line[(close + 1)...].split(maxSplits: 26) { $0 == 0x20 || $0 == 0x0a }
        // The first element is field 3 of proc(5).
        guard fields.count > 19, let state = fields[0].first,
            let parent = Self.number(fields[1]), let session = Self.number(fields[3]),
            let user = Self.number(fields[11]),
            let system = Self.number(fields[12]), let start = Self.number(fields[19])
        else { return nil }
        self.state = Character(Unicode.Scalar(state))
        self.parent = Int32(truncatingIfNeeded: parent)
        self.session = Int32(truncatingIfNeeded: session)
        ticks = user &+ system
        startTicks = start
        stack = fields.count > 25 ? Self.number(fields[25]) ?? 0 : 0
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count < 20 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value &* 10 &+ UInt64(digit - 0x30)
        }
        return value
    }
}

/// The container that a process runs in.
public struct ProcessContainer: Sendable, Codable, Equatable {
    /// The ID, which has 64 hexadecimal digits.
    public var id: String
    /// The name, or `nil` if neither Docker nor Podman knows the container.
    public var name: String?

    private static let idLength = 64
    /// The number of digits with which containers are usually displayed.
    static let shortLength = 12

    /// Finds the ID in the content of `/proc/PID/cgroup`, or returns `nil` for a process in no
    /// container.
    ///
    /// The path contains a component such as `docker-ID.scope`, `libpod-ID`, or `ID`.
    init?(controlGroups text: String) {
        for line in text.split(separator: "\n") {
            for component in line.split(separator: "/").reversed() {
                var name = component
                if name.hasSuffix(".scope") { name = name.dropLast(6) }
                let id = name.suffix(Self.idLength)
                let isComplete = id.count == name.count || name.dropLast(id.count).last == "-"
                if id.count == Self.idLength, isComplete, id.allSatisfy(Self.isDigit) {
                    self.id = String(id)
                    return
                }
            }
        }
        return nil
    }

    private static func isDigit(_ character: Character) -> Bool {
        "0123456789abcdef".contains(character)
    }

    /// The name, if known, and the first digits of the ID.
    public var label: String {
        let short = id.prefix(Self.shortLength)
        return name.map { "container \($0) (\(short))" } ?? "container \(short)"
    }

    /// Returns whether a text is the name or the start of the ID.
    func isNamed(_ text: String) -> Bool {
        text == name || text.count >= Self.shortLength && id.hasPrefix(text)
    }

    #if os(Linux)
    /// The ID of the container that this program runs in.
    private static let ownID = ProcFile.text("/proc/self/cgroup").flatMap(Self.init)?.id

    /// Reads the container of a process, or returns `nil` if the process runs in none, or in the
    /// same container as this program.
    public init?(of process: Int32) {
        let path = "/proc/\(process)/cgroup"
        guard let text = ProcFile.text(path), var found = Self(controlGroups: text),
            found.id != Self.ownID
        else { return nil }
        found.name = Self.dockerName(found.id) ?? Self.podmanName(found.id)
        self = found
    }

    private struct DockerConfiguration: Decodable {
        var Name: String
    }

    private struct PodmanContainer: Decodable {
        var id: String
        var names: [String]?
    }

    private static func dockerName(_ id: String) -> String? {
        let path = "/var/lib/docker/containers/\(id)/config.v2.json"
        guard let content = ProcFile.read(path, limit: 1 << 22) else { return nil }
        let name = try? JSONDecoder().decode(DockerConfiguration.self, from: Data(content)).Name
        return name.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
    }

    private static func podmanName(_ id: String) -> String? {
        for driver in ["overlay", "vfs", "btrfs", "zfs"] {
            let path = "/var/lib/containers/storage/\(driver)-containers/containers.json"
            guard let content = ProcFile.read(path, limit: 1 << 22),
                let all = try? JSONDecoder().decode([PodmanContainer].self, from: Data(content)),
                let found = all.first(where: { $0.id == id })
            else { continue }
            return found.names?.first
        }
        return nil
    }
    #endif
}

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
        guard let status = ProcessStat(of: process) else { return nil }
        self.process = process
        startTicks = status.startTicks
        command = status.name
        user = Self.owner(of: process).map(Self.userName)
        let words = Self.commandLine(of: process)
        commandLine = words?.joined(separator: " ")
        arguments = words ?? []
        isOrphan = status.parent == 1 && status.session != process
        name = Self.name(of: Self.program(process, name: status.name), arguments: words ?? [])
    }

    /// Returns the name of the program of a process whose main thread has a name of its own.
    ///
    /// Node.js names its main thread `MainThread`.
    private static func program(_ process: Int32, name: String) -> String {
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
            of: program(process, name: String(command.prefix { $0 != "\n" })),
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
