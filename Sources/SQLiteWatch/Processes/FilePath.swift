#if os(Linux)
import Glibc

enum FilePath {
    /// Returns the absolute path with symbolic links resolved.
    ///
    /// SQLite derives the name of the log from the target of a link.
    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else {
            if path.hasPrefix("/") { return path }
            guard let folder = getcwd(nil, 0) else { return path }
            defer { free(folder) }
            return String(cString: folder) + "/" + path
        }
        defer { free(real) }
        return String(cString: real)
    }
}
#endif
