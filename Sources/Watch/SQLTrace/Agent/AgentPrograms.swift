#if os(Linux)
import Glibc
import SQLiteWatch

/// The databases that programs with the library use.
///
/// This type is a class because the decoder uses it, too. Use it only on the session's thread.
final class AgentFiles {
    private(set) var paths: [String] = []
    private(set) var isFull = false
    private let watched: WatchedFiles
    /// Whether to add each database that a program opens.
    private let canGrow: Bool
    /// For each watched file, its number among `paths`.
    private var numbers: [Int] = []

    /// The name that SQLite uses for a database in memory.
    static let memory = ":memory:"
    static let limit = WatchSession.databaseLimit

    init(paths: [String]) {
        watched = WatchedFiles(paths: [])
        canGrow = paths.isEmpty
        for path in paths { add(path: path) }
    }

    func add(path: String) {
        let count = watched.paths.count
        watched.add(path: path)
        guard watched.paths.count > count, let resolved = watched.paths.last else { return }
        if let known = paths.firstIndex(of: resolved) {
            numbers.append(known)
        } else {
            numbers.append(paths.count)
            paths.append(resolved)
        }
    }

    func noteRoot(of process: Int32) { watched.noteRoot(of: process) }

    func database(of process: Int32, path: String) -> WatchedFileMatch {
        guard path != Self.memory else {
            if let number = paths.firstIndex(of: Self.memory) { return .watched(number) }
            guard canGrow else { return .other }
            paths.append(Self.memory)
            return .watched(paths.count - 1)
        }
        let match = watched.database(of: process, path: path)
        if case .watched(let number) = match { return .watched(numbers[number]) }
        guard canGrow || match == .unknown, path.hasPrefix("/") else { return match }
        // The process may run in a container.
        let isHere = FileIdentity(path: "/proc/\(process)/root/") == FileIdentity(path: "/")
        let rooted = "/proc/\(process)/root\(path)"
        let file = isHere || FileIdentity(path: rooted) == nil ? path : rooted
        // The process may have ended.
        if let known = paths.firstIndex(of: FilePath.resolved(file)) { return .watched(known) }
        guard canGrow else { return match }
        guard paths.count < Self.limit else {
            isFull = true
            return .other
        }
        let count = watched.paths.count
        add(path: file)
        return watched.paths.count > count ? .watched(numbers[count]) : match
    }
}

/// The header of a database file.
enum DatabaseFileHeader {
    /// Returns whether a database is in WAL mode, or `nil` if it cannot be read.
    static func isWAL(_ path: String) -> Bool? {
        guard let (descriptor, _) = DescriptorFile.open(path) else { return nil }
        defer { close(descriptor) }
        let versions = DescriptorFile.read(descriptor, at: 18, count: 2)
        return versions.count == 2 ? versions == [2, 2] : nil
    }
}

/// A reader of the settings of connections in programs with Poolgauge's library.
///
/// The library cannot ask SQLite for the settings, because that would execute statements on the
/// program's connections. The memory of a program that this process has started is readable without
/// privileges.
struct AgentSettings {
    private struct Copy: Hashable {
        var process: Int32
        var path: String
    }

    private var libraries: TracedLibraries
    /// The readers of the examined copies of SQLite, with `nil` for those with an unknown layout.
    private var readers: [Copy: ConnectionReader?] = [:]
    private let memory = ProcMemory()

    private static let mapsLimit = 1 << 24
    /// The maximum number of copies to examine, each of which may take seconds.
    private static let copyLimit = 64

    /// Creates a reader.
    ///
    /// - Parameter command: The path and arguments of a program that calls
    ///   ``SQLCalibration/run(_:)``, or an empty array for unknown settings.
    init?(_ command: [String]) {
        guard !command.isEmpty else { return nil }
        libraries = TracedLibraries(
            calibration: Calibration(command: command),
            // Not even root may use the links in some containers.
            opensPaths: true
        )
    }

    /// Reads the settings of a connection.
    ///
    /// - Parameters:
    ///   - key: The connection.
    ///   - path: The path of its database in the process.
    ///   - copy: The path of its copy of SQLite in the process.
    /// - Returns: The settings, or ``ConnectionReader/Outcome/unknown`` if they cannot be read. The
    ///   library reports each end of a connection, so its absence is never concluded.
    mutating func read(
        _ key: ConnectionKey,
        path: String,
        in copy: String
    ) -> ConnectionReader.Outcome {
        let copy = Copy(process: key.process, path: copy)
        guard readers[copy] != nil || readers.count < Self.copyLimit else { return .unknown }
        let reader = readers[copy] ?? examine(copy)
        readers[copy] = .some(reader)
        let outcome = reader?.settings(of: key.connection, path: path) ?? .unknown
        return outcome == .noConnection ? .unknown : outcome
    }

    mutating func end(process: Int32) {
        readers = readers.filter { $0.key.process != process }
    }

    private mutating func examine(_ copy: Copy) -> ConnectionReader? {
        let process = copy.process
        // The code of a confined program must not run with the rights of the user.
        guard !ProcessSandbox.isOrdinary || Self.hasRightsOfThisProcess(process) else { return nil }
        let maps = ProcessMaps(ProcFile.read("/proc/\(process)/maps", limit: Self.mapsLimit) ?? [])
        // The program itself has the name with which it was started, and a path may be that of a link.
        let file = copy.path.hasPrefix("/") ? "root" + copy.path : "exe"
        guard let identity = FileIdentity(path: "/proc/\(process)/\(file)") else { return nil }
        let suffix = " \(identity.inode)"
        let mappings = maps.code.filter { $0.file.hasSuffix(suffix) }
        libraries.examine(mappings, of: process)
        for mapping in mappings {
            guard let entry = libraries.entry(mapping), entry.library.identity == identity else {
                continue
            }
            libraries.calibrate(entry)
            return (try? entry.state?.get()).map {
                ConnectionReader(memory: memory, process: process, layout: $0, code: mapping)
            }
        }
        return nil
    }

    /// Returns whether a program has the user, groups, confinement, and namespaces of this process.
    private static func hasRightsOfThisProcess(_ process: Int32) -> Bool {
        let links = ["root", "ns/user", "ns/mnt", "ns/net", "ns/pid", "ns/ipc"]
        let names = ["Uid:", "Gid:", "Groups:", "NoNewPrivs:", "Seccomp:", "CapBnd:"]
        func rights(_ process: String) -> [String]? {
            let found = links.map { ProcFile.link("/proc/\(process)/\($0)") ?? "" }
            let status = ProcFile.text("/proc/\(process)/status") ?? ""
            let lines = status.split(separator: "\n").filter { line in
                names.contains { line.hasPrefix($0) }
            }
            guard !found.contains(""), lines.count == names.count else { return nil }
            // The label of SELinux or AppArmor, if any.
            let label = ProcFile.text("/proc/\(process)/attr/current") ?? ""
            return found + lines.map { String($0) } + [label]
        }
        return rights("self").map { $0 == rights(String(process)) } ?? false
    }
}
#endif
