#if os(Linux)
import Glibc
import SQLiteWatch

/// The database files whose users are traced.
///
/// A class, because the decoder asks it for files that were added later. It belongs to the
/// session's thread.
final class WatchedFiles {
    /// The paths, without symbolic links where the file exists.
    private(set) var paths: [String] = []

    init(paths: [String], proc: String = "/proc") {
        self.proc = proc
        for path in paths { add(path: path) }
    }

    /// Adds a file.
    func add(path: String) {
        guard let real = realpath(path, nil) else {
            if path.hasPrefix("/") { return paths.append(path) }
            guard let folder = getcwd(nil, 0) else { return paths.append(path) }
            defer { free(folder) }
            return paths.append(String(cString: folder) + "/" + path)
        }
        defer { free(real) }
        paths.append(String(cString: real))
    }

    /// The database that a process has at a path.
    func database(of process: Int32, path: String) -> WatchedFileMatch {
        // Through the process's root: it may run in a container.
        if let identity = FileIdentity(path: "\(proc)/\(process)/root\(path)") {
            let number = paths.firstIndex { FileIdentity(path: $0) == identity }
            return number.map { .watched($0) } ?? .other
        }
        // The file was removed, or the process has ended.
        guard let number = paths.firstIndex(of: path) else { return .other }
        return hasOwnRoot(process) ? .watched(number) : .unknown
    }

    // MARK: Roots

    /// The folder of processes; tests replace it.
    private let proc: String
    /// Whether processes have the root directory of this one, so that it is known after their end.
    private var roots: [Int32: Bool] = [:]
    private static let rootLimit = 1 << 14

    /// Notes that a process started, with the root directory of another one.
    func noteStart(of process: Int32, by parent: Int32) {
        remember(process, hasOwnRoot(process, orThatOf: parent))
    }

    /// Notes that a process runs another program: a container's first one has another root directory
    /// than before.
    func noteProgram(of process: Int32) { _ = hasOwnRoot(process) }

    private func hasOwnRoot(_ process: Int32, orThatOf parent: Int32? = nil) -> Bool {
        if let root = FileIdentity(path: "\(proc)/\(process)/root/") {
            let isOwn = root == FileIdentity(path: "/")
            remember(process, isOwn)
            return isOwn
        }
        return parent.map { hasOwnRoot($0) } ?? roots[process] ?? false
    }

    private func remember(_ process: Int32, _ isOwn: Bool) {
        if roots.count >= Self.rootLimit { roots = [:] }
        roots[process] = isOwn
    }
}
#endif
