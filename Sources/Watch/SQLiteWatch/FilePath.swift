#if os(Linux)
import CTrace
import Glibc
import Text

/// A type that opens files by their paths.
///
/// A path such as `/proc/77/root/data/app.db` refers to a file in the root directory of a process,
/// which may be that of a container. Symbolic links there belong to the container, so they must not
/// lead outside: the kernel resolves them within the root directory (openat2(2)).
package enum FilePath {
    /// A path in the root directory of a process.
    package struct Rooted: Equatable, Sendable {
        package var process: Int32
        /// The path in the root directory, which starts with a slash.
        package var path: String

        package init?(_ path: String) {
            guard path.hasPrefix("/proc/") else { return nil }
            let parts = path.split(separator: "/", maxSplits: 3)
            guard parts.count == 4, parts[2] == "root",
                let process = Int32(parts[1]), process > 0
            else { return nil }
            self.process = process
            self.path = "/" + parts[3]
        }

        /// Creates the path of an open file of a process.
        ///
        /// - Parameters:
        ///   - process: The process.
        ///   - target: The target of the file's link in `/proc/PID/fd`, which starts at this
        ///     process's root directory or, in another mount namespace, at that namespace's.
        init?(process: Int32, target: String) {
            guard let root = ProcFile.link("/proc/\(process)/root") else { return nil }
            let prefix = root == "/" ? "" : root
            guard target.hasPrefix(prefix + "/") else { return nil }
            self.process = process
            path = String(target.dropFirst(prefix.count))
        }

        package var text: String { "/proc/\(process)/root\(path)" }
    }

    /// The root directory and the mount namespace of a process.
    package struct Root: Hashable, Sendable {
        private var namespace: String
        private var folder: FileIdentity

        /// Reads the root directory, or returns `nil` if the process has ended or is hidden.
        package init?(of process: Int32, in proc: String = "/proc") {
            guard let namespace = ProcFile.link("\(proc)/\(process)/ns/mnt"),
                let folder = FileIdentity(path: "\(proc)/\(process)/root/")
            else { return nil }
            self.namespace = namespace
            self.folder = folder
        }
    }

    /// The value of `O_PATH`.
    package static let withoutContent: Int32 = 0o10_000_000

    /// Opens a file, or returns -1.
    package static func open(_ path: String, flags: Int32) -> Int32 {
        guard let rooted = Rooted(path) else {
            return PathText.withCString(path) { Glibc.open($0, flags | O_CLOEXEC) }
        }
        let folder = Glibc.open(
            "/proc/\(rooted.process)/root",
            withoutContent | O_DIRECTORY | O_CLOEXEC
        )
        guard folder >= 0 else { return -1 }
        defer {
            let code = errno
            close(folder)
            errno = code
        }
        return PathText.withCString(rooted.path) { path in
            poolgauge_open_in_root(folder, path, UInt64(flags | O_CLOEXEC))
        }
    }

    /// Returns the status of the file at a path, or `nil` with `errno` set.
    static func status(_ path: String) -> stat? {
        var information = stat()
        guard Rooted(path) != nil else {
            return PathText.withCString(path) { stat($0, &information) } == 0 ? information : nil
        }
        let descriptor = open(path, flags: withoutContent)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return fstat(descriptor, &information) == 0 ? information : nil
    }

    /// Returns the absolute path with symbolic links resolved.
    ///
    /// SQLite derives the name of the log from the target of a link.
    package static func resolved(_ path: String) -> String {
        if let rooted = Rooted(path) { return resolved(rooted) ?? path }
        guard let real = PathText.withCString(path, { realpath($0, nil) }) else {
            if path.hasPrefix("/") { return path }
            guard let folder = getcwd(nil, 0) else { return path }
            defer { free(folder) }
            return text(folder) + "/" + path
        }
        defer { free(real) }
        return text(real)
    }

    private static func text(_ path: UnsafePointer<CChar>) -> String {
        PathText.text(of: UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    private static func resolved(_ rooted: Rooted) -> String? {
        let descriptor = open(rooted.text, flags: withoutContent)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return ProcFile.link("/proc/self/fd/\(descriptor)")
            .flatMap { Rooted(process: rooted.process, target: $0) }?.text
    }

    /// Returns the text to show for a path: the path in the container, and the container.
    package static func shown(_ path: String) -> String {
        guard let rooted = Rooted(path) else { return PathText.shown(path) }
        let place =
            ProcessContainer(of: rooted.process)?.label
            ?? "the root directory of process \(rooted.process)"
        return "\(PathText.shown(rooted.path)) in \(place)"
    }

    /// Returns whether a file or folder exists.
    package static func exists(_ path: String) -> Bool { status(path) != nil }

    /// Returns whether a folder exists.
    package static func isFolder(_ path: String) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }
}
#else
import Foundation

package enum FilePath {
    package static func shown(_ path: String) -> String { path }

    package static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    package static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
#endif
