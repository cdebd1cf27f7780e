import Foundation

/// Standard output, or the file that an option such as `--output` specifies.
///
/// An existing file is replaced only by a complete report. The report is written to a new file in
/// the same folder, and that file is then renamed. Other destinations, such as a FIFO or a
/// terminal, are opened immediately and written to directly.
struct ReportDestination {
    private enum Target {
        /// A descriptor that remains open until the process ends.
        case descriptor(Int32, destination: String)
        /// A regular file, which may not exist yet.
        ///
        /// Symbolic links in the path are resolved.
        case file(path: String, isReplaceable: Bool)
    }

    private let target: Target

    static var standardError: Self {
        Self(.descriptor(STDERR_FILENO, destination: "standard error"))
    }

    private init(_ target: Target) { self.target = target }

    var isFile: Bool {
        if case .file = target { true } else { false }
    }

    /// Creates a destination, after checking that a report can be written to it.
    ///
    /// The check does not change an existing file.
    ///
    /// - Parameters:
    ///   - path: The path, or `nil` for standard output.
    ///   - option: The option that specifies the path.
    /// - Throws: ``CommandFailure`` if a report cannot be written to the path.
    init(path: String?, option: String = "--output") throws {
        guard let path else {
            target = .descriptor(STDOUT_FILENO, destination: "standard output")
            return
        }
        guard !Self.isPlanted(path) else {
            throw CommandFailure(
                "\(option): cannot write to '\(path)': it belongs to another user in a shared "
                    + "folder; specify another file"
            )
        }
        guard let file = try Self.regularFile(at: path, option) else {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.refusal(of: path, errno, option: option) }
            target = .descriptor(descriptor, destination: path)
            return
        }
        let exists = access(file, F_OK) == 0
        if exists, access(file, W_OK) != 0 { throw Self.refusal(of: path, errno, option: option) }
        let isReplaceable = access(Self.folder(of: file), W_OK | X_OK) == 0
        // An existing file can be overwritten even if the folder is not writable.
        guard exists || isReplaceable else { throw Self.refusal(of: path, errno, option: option) }
        target = .file(path: file, isReplaceable: isReplaceable)
    }

    /// Creates a destination for a file that a user may edit, such as a scenario.
    ///
    /// - Throws: ``CommandFailure`` if the file exists and `replacesFile` is `false`, or if the
    ///   file cannot be written.
    init(newFile path: String, replacesFile: Bool) throws {
        try self.init(path: path)
        guard isFile, !replacesFile, access(path, F_OK) == 0 else { return }
        throw CommandFailure(
            "'\(path)' already exists; choose another --output, or replace the file with --force"
        )
    }

    func write(_ text: String) throws {
        switch target {
        case .descriptor(let descriptor, let destination):
            try StandardOutput.write(text, to: descriptor, destination: destination)
        case .file(let path, isReplaceable: true):
            try replace(path, with: text)
        case .file(let path, isReplaceable: false):
            let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw StandardOutput.Failure(destination: path, code: errno)
            }
            defer { close(descriptor) }
            try StandardOutput.write(text, to: descriptor, destination: path)
        }
    }

    /// Writes the report to a temporary file, and renames the temporary file to the path.
    private func replace(_ path: String, with text: String) throws {
        let temporary = Self.folder(of: path) + "/.poolgauge-\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw StandardOutput.Failure(destination: path, code: errno) }
        do {
            defer { close(descriptor) }
            var previous = stat()
            if stat(path, &previous) == 0 { fchmod(descriptor, previous.st_mode & 0o7777) }
            try StandardOutput.write(text, to: descriptor, destination: path)
            guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
                throw StandardOutput.Failure(destination: path, code: errno)
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Returns whether the path may be a link or a FIFO that another user created to redirect the
    /// report.
    ///
    /// In a folder such as `/tmp`, another user can create a link to one of this user's files, or a
    /// FIFO. Linux can reject such links and FIFOs, but only when a program opens or creates a file
    /// (`fs.protected_symlinks` in proc_sys_fs(5)).
    private static func isPlanted(_ path: String) -> Bool {
        var status = stat()
        var parent = stat()
        guard lstat(path, &status) == 0, stat(folder(of: path), &parent) == 0,
            [S_IFLNK, S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        else { return false }
        let isShared = parent.st_mode & S_ISVTX != 0 && parent.st_mode & S_IWOTH != 0
        return isShared && status.st_uid != geteuid() && status.st_uid != parent.st_uid
    }

    /// Returns the path of the regular file to replace or create, or `nil` for a destination that
    /// must be written to directly.
    private static func regularFile(at path: String, _ option: String) throws -> String? {
        // `/dev/stdout` may refer to a file that the shell has opened. `/dev/shm` is a folder for files.
        let isDevice = path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")
        if isDevice || path.hasPrefix("/proc/") { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw refusal(of: path, errno, option: option) }
            // The path may be a symbolic link to a file that does not exist yet.
            return try target(ofDanglingLink: path) ?? path
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard let resolved = realpath(path, nil) else {
            throw refusal(of: path, errno, option: option)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the missing target of a symbolic link, or `nil` if the path is not a link.
    private static func target(ofDanglingLink path: String) throws -> String? {
        let files = FileManager.default
        guard let target = try? files.destinationOfSymbolicLink(atPath: path) else { return nil }
        guard !target.hasPrefix("/") else { return target }
        return folder(of: path) + "/" + target
    }

    private static func folder(of path: String) -> String {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return folder.isEmpty ? "/" : folder
    }

    private static func refusal(
        of path: String,
        _ code: Int32,
        option: String
    ) -> CommandFailure {
        let reason = String(cString: strerror(code))
        return CommandFailure(
            "\(option): cannot write to '\(path)': \(reason); specify a file in an existing, "
                + "writable folder"
        )
    }
}
