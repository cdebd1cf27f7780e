#if os(Linux)
import Glibc

/// A search that finds the SQLite databases that processes have open or that a folder contains.
///
/// The search lists folders and `/proc` but does not open files. A helper process reads the first
/// bytes of each candidate and reads them again only if the file changes. Use each instance
/// from only one thread.
public final class DatabaseSearch {
    /// A database that a process has open.
    public struct OpenDatabase: Sendable, Equatable {
        /// The path of the database.
        ///
        /// In a container, it is `/proc/PID/root` and the path there.
        public var path: String
        /// The IDs of the visible processes that have the database open.
        public var processes: [Int32]

        /// Returns whether a text is the path of the database in its container, the name of the
        /// container, the start of its ID, or `pid:` and the ID of a process that has the database
        /// open.
        public func isNamed(_ text: String) -> Bool {
            if text.hasPrefix("pid:") {
                return Int32(text.dropFirst(4)).map(processes.contains) ?? false
            }
            guard let rooted = FilePath.Rooted(path) else { return false }
            return rooted.path == text
                || ProcessContainer(of: rooted.process)?.isNamed(text) ?? false
        }
    }

    /// The result of a search over all processes.
    public struct Result: Sendable, Equatable {
        /// The databases, sorted by number of processes in descending order.
        public var databases: [OpenDatabase] = []
        /// The limitations of the search, with remedies.
        public var notes: [String] = []
    }

    /// The values that change when a file is replaced or written.
    ///
    /// The search reads a file's first bytes only once for each combination of values.
    private struct FileState: Hashable {
        var identity: FileIdentity
        var size: Int64
        var modified: Int64
    }

    private let command: [String]
    private var helper: HelperProcess?
    /// Whether the file in each state is a database.
    private var known: [FileState: Bool] = [:]

    /// The maximum number of cached file states.
    private static let capacity = 16_384
    /// The smallest page size, in bytes.
    ///
    /// The size of each database file is a multiple of this size.
    private static let minimumPageSize: Int64 = 512

    /// Creates a search.
    ///
    /// - Parameter helper: The path and arguments of a program that calls ``WatchHelper/run()``.
    public init(helper: [String]) { command = helper }

    /// Returns the databases in a folder, sorted by name, or `nil` if the folder cannot be listed.
    ///
    /// The search does not include subfolders.
    public func databases(in folder: String) -> [String]? {
        guard let names = ProcFile.names(in: folder) else { return nil }
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        return names.sorted().map { prefix + $0 }.filter { path in
            state(of: path).map { isDatabase(path, state: $0) } ?? false
        }
    }

    /// Returns the databases that processes have open.
    ///
    /// A scan of 300 processes takes about 50 ms.
    public func openDatabases() -> Result {
        let ownProcess = getpid()
        var users: [FileIdentity: (path: String, processes: Set<Int32>)] = [:]
        var hiddenProcesses = 0
        var unreachableIndexes = 0
        var identities: Set<FileIdentity> = []
        let processes = (ProcFile.names(in: "/proc") ?? []).compactMap { Int32($0) }.sorted()
        var roots: [FilePath.Root: Int32] = [:]
        for process in processes {
            let root = FilePath.Root(of: process)
            if let root, roots[root] == nil { roots[root] = process }
            guard process != ownProcess,
                !ProcFile.isRunning(command, in: process)
            else {
                continue
            }
            let folder = "/proc/\(process)/fd"
            guard let descriptors = ProcFile.names(in: folder) else {
                if errno == EACCES { hiddenProcesses += 1 }
                continue
            }
            for descriptor in descriptors {
                let link = "\(folder)/\(descriptor)"
                // Sockets, pipes, and anonymous files have no path.
                guard let path = ProcFile.link(link), path.utf8.first == 0x2f,
                    let state = state(of: link)
                else { continue }
                guard users[state.identity] == nil else {
                    users[state.identity]?.processes.insert(process)
                    continue
                }
                // A file in another mount namespace has a path in the root directory of that
                // namespace's first process, which usually ends last. A deleted file has none.
                guard self.state(of: path)?.identity == state.identity else {
                    let first = root.flatMap { roots[$0] } ?? process
                    if let rooted = FilePath.Rooted(process: first, target: path)?.text,
                        self.state(of: rooted)?.identity == state.identity
                    {
                        if isDatabase(rooted, state: state) {
                            users[state.identity] = (rooted, [process])
                        }
                        continue
                    }
                    if !identities.contains(state.identity), path.hasSuffix("-shm") {
                        unreachableIndexes += 1
                    }
                    identities.insert(state.identity)
                    continue
                }
                guard isDatabase(path, state: state) else { continue }
                users[state.identity] = (path, [process])
            }
        }
        var result = Result()
        result.databases = users.values.map { user in
            OpenDatabase(path: user.path, processes: user.processes.sorted())
        }.sorted { ($1.processes.count, $0.path) < ($0.processes.count, $1.path) }
        result.notes = Self.notes(
            hiddenProcesses: hiddenProcesses,
            unreachableIndexes: unreachableIndexes
        )
        return result
    }

    private static func notes(hiddenProcesses: Int, unreachableIndexes: Int) -> [String] {
        var notes: [String] = []
        if hiddenProcesses > 0 {
            notes.append(
                "The open files of \(hiddenProcesses) process\(hiddenProcesses == 1 ? "" : "es") "
                    + "of other users are not visible, so their databases are not listed. "
                    + "Run as root to see them."
            )
        }
        if unreachableIndexes > 0 {
            let files =
                unreachableIndexes == 1
                ? "1 wal-index file belongs" : "\(unreachableIndexes) wal-index files belong"
            notes.append(
                "\(files) to deleted databases or to databases in other containers, which have no "
                    + "path here. Run in the container to see them."
            )
        }
        return notes
    }

    /// Returns the state of a file that may be a database, or `nil` for other files.
    private func state(of path: String) -> FileState? {
        guard let information = FilePath.status(path), information.st_mode & S_IFMT == S_IFREG,
            information.st_size >= Self.minimumPageSize
        else { return nil }
        return FileState(
            identity: FileIdentity(information),
            size: Int64(information.st_size),
            modified: Int64(information.st_mtim.tv_sec) &* 1_000_000_000
                &+ Int64(information.st_mtim.tv_nsec)
        )
    }

    /// Returns whether a file starts with a database header.
    ///
    /// This method assumes that a database remains a database when a program writes to it. A file
    /// of a different kind may become a database.
    private func isDatabase(_ path: String, state: FileState) -> Bool {
        guard state.size.isMultiple(of: Self.minimumPageSize) else { return false }
        var permanent = state
        (permanent.size, permanent.modified) = (0, 0)
        if known[permanent] == true { return true }
        if let known = known[state] { return known }
        guard let hasHeader = readHeader(of: path) else { return false }
        if known.count >= Self.capacity { known = [:] }
        known[hasHeader ? permanent : state] = hasHeader
        return hasHeader
    }

    /// Returns whether the helper finds a database header in a file, or `nil` if the helper fails.
    private func readHeader(of path: String) -> Bool? {
        do throws(HelperProcess.Failure) {
            if helper == nil { helper = try HelperProcess(command) }
            guard let helper else { return nil }
            _ = try helper.response(to: .watch(slot: 0, path: Array(path.utf8)))
            let response = try helper.response(to: .sample(slot: 0, probesReaders: false))
            // An empty path closes the file.
            _ = try helper.response(to: .watch(slot: 0, path: []))
            return FileSample(response).map { DatabaseHeader($0.database.bytes) != nil }
        } catch {
            helper = nil
            return nil
        }
    }
}
#endif
