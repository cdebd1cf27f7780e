/// The result of matching a file against the watched databases.
enum WatchedFileMatch: Sendable, Equatable {
    /// The watched database with this number.
    case watched(Int)
    /// A file that is not watched.
    case other
    /// A file with the path of a watched database, but possibly in a different root directory.
    case unknown
}

#if os(Linux)
import Glibc
import SQLiteWatch

/// The database files to trace.
///
/// This type is a class because the session adds files while the decoder uses it. Use it only
/// inside the session's lock.
final class WatchedFiles {
    /// The paths, with symbolic links resolved if the file exists.
    private(set) var paths: [String] = []
    /// For each path, the root directory and the path in it.
    private var places: [(root: FileIdentity?, path: String)] = []

    init(paths: [String], proc: String = "/proc") {
        self.proc = proc
        for path in paths { add(path: path) }
    }

    func add(path: String) {
        let path = FilePath.resolved(path)
        paths.append(path)
        let rooted = FilePath.Rooted(path)
        let root = rooted.map { "/proc/\($0.process)/root/" } ?? "/"
        places.append((FileIdentity(path: root), rooted?.path ?? path))
    }

    func database(of process: Int32, path: String) -> WatchedFileMatch {
        // Resolve the path in the process's root directory, because the process may run in a
        // container.
        if let identity = FileIdentity(path: "\(proc)/\(process)/root\(path)") {
            let number = paths.firstIndex { FileIdentity(path: $0) == identity }
            return number.map { .watched($0) } ?? .other
        }
        // The file was removed, or the process has ended.
        guard places.contains(where: { $0.path == path }) else { return .other }
        guard let root = root(of: process) else { return .unknown }
        let number = places.firstIndex { $0.path == path && $0.root == root }
        return number.map { .watched($0) } ?? .unknown
    }

    // MARK: Roots

    /// The folder that lists all processes.
    ///
    /// Tests use a different folder.
    private let proc: String
    /// The root directory of each process.
    ///
    /// Entries remain after a process ends.
    private var roots: [Int32: FileIdentity] = [:]
    private static let rootLimit = 1 << 14

    /// Records the root directory of a running process, which changes when the process enters a
    /// container.
    func noteRoot(of process: Int32) { _ = root(of: process) }

    private func root(of process: Int32) -> FileIdentity? {
        guard let root = FileIdentity(path: "\(proc)/\(process)/root/") else {
            return roots[process]
        }
        if roots.count >= Self.rootLimit { roots = [:] }
        roots[process] = root
        return root
    }
}
#endif
