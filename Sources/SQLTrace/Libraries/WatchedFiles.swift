#if os(Linux)
import Glibc
import SQLiteWatch

/// The database files to trace.
///
/// This type is a class because the session adds files while the decoder uses it. Use it only on
/// the session's thread.
final class WatchedFiles {
    /// The paths, with symbolic links resolved if the file exists.
    private(set) var paths: [String] = []

    init(paths: [String], proc: String = "/proc") {
        self.proc = proc
        for path in paths { add(path: path) }
    }

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

    func database(of process: Int32, path: String) -> WatchedFileMatch {
        // Resolve the path in the process's root directory, because the process may run in a
        // container.
        if let identity = FileIdentity(path: "\(proc)/\(process)/root\(path)") {
            let number = paths.firstIndex { FileIdentity(path: $0) == identity }
            return number.map { .watched($0) } ?? .other
        }
        // The file was removed, or the process has ended.
        guard let number = paths.firstIndex(of: path) else { return .other }
        return sharesRoot(process) ? .watched(number) : .unknown
    }

    // MARK: Roots

    /// The folder that lists all processes.
    ///
    /// Tests use a different folder.
    private let proc: String
    /// Whether each process has the same root directory as this process.
    ///
    /// Entries remain after a process ends.
    private var hasSharedRoot: [Int32: Bool] = [:]
    private static let rootLimit = 1 << 14

    /// Records the root directory of a running process, which changes when the process enters a
    /// container.
    func noteRoot(of process: Int32) { _ = sharesRoot(process) }

    private func sharesRoot(_ process: Int32) -> Bool {
        guard let root = FileIdentity(path: "\(proc)/\(process)/root/") else {
            return hasSharedRoot[process] ?? false
        }
        let isShared = root == FileIdentity(path: "/")
        if hasSharedRoot.count >= Self.rootLimit { hasSharedRoot = [:] }
        hasSharedRoot[process] = isShared
        return isShared
    }
}
#endif
