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
#endif
