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

    init(paths: [String]) { for path in paths { add(path: path) } }

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

    /// The number of the file that a process has at a path; nil for another one.
    func database(of process: Int32, path: String) -> Int? {
        // Through the process's root: it may run in a container.
        guard let identity = FileIdentity(path: "/proc/\(process)/root\(path)") else {
            return paths.firstIndex(of: path)
        }
        return paths.firstIndex { FileIdentity(path: $0) == identity }
    }
}
#endif
