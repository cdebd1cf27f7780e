#if os(Linux)
import CTrace
import Findings
import Glibc

/// A search for processes whose open files are not the files that a watched path names now.
///
/// The path was deleted or replaced while the process used it, or the process opened the database
/// under another name: a hard link, or a single file that is mounted into a container. SQLite
/// derives the name of the log from the name of the database, so such processes do not see each
/// other's commits.
struct StrayFileSearch {
    private struct Watched {
        var database: Int
        var part: WatchedStrayFile.Part
    }

    /// What was found in one process so far.
    struct Result {
        fileprivate var links: Set<String> = []
        fileprivate var uses: [Int: DescriptorUse] = [:]
        /// The paths under which the process has each database open.
        fileprivate var names: [Int: String] = [:]
    }

    private var watched: [String: Watched] = [:]
    private var paths: [Int: String] = [:]
    private var identities: [Int: FileIdentity] = [:]
    private let namespace = ProcFile.link("/proc/self/ns/mnt")

    /// The end of the path of a file without a name.
    private static let deletedSuffix = " (deleted)"
    /// The time after which a deleted wal-index is not one that SQLite is just closing, in
    /// milliseconds.
    private static let minimumAge: Int64 = 500

    /// Adds a database with its path, which contains no symbolic links.
    mutating func add(path: String, database: Int, identity: FileIdentity?) {
        paths[database] = path
        identities[database] = identity
        // A rollback journal is deleted at each commit.
        for part in WatchedStrayFile.Part.allCases where part != .journal {
            watched[path + part.suffix] = Watched(database: database, part: part)
        }
    }

    /// Examines one descriptor of a process.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - link: The path that the system shows.
    ///   - file: The identity of the file, or `nil` if it is unknown.
    ///   - database: The number of the database to which the file belongs, or `nil`.
    ///   - process: The process.
    ///   - result: What was found in the process.
    func examine(
        _ descriptor: Int32,
        link: String,
        file: FileIdentity?,
        database: Int?,
        process: Int32,
        result: inout Result
    ) {
        if let database, let file, file == identities[database] {
            result.uses[database, default: DescriptorUse()].descriptors.append(descriptor)
            if link != paths[database] { result.names[database] = link }
        } else if link.hasSuffix(Self.deletedSuffix), database == nil,
            let watched = watched[String(link.dropLast(Self.deletedSuffix.count))],
            isInSameNamespace(process)
        {
            var information = stat()
            guard stat("/proc/\(process)/fd/\(descriptor)", &information) == 0,
                information.st_nlink == 0
            else { return }
            guard watched.part != .wal else {
                // SQLite closes a log before it deletes it (sqlite3WalClose), and each write changes
                // the log's times.
                result.uses[watched.database, default: DescriptorUse()].strayFiles
                    .append(DescriptorUse.StrayFile(part: .wal, path: link, isDeleted: true))
                return
            }
            // The last change of a file without a name is its deletion.
            let deleted =
                Int64(information.st_ctim.tv_sec) * 1_000
                + Int64(information.st_ctim.tv_nsec) / 1_000_000
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let current = Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
            guard current - deleted >= Self.minimumAge else { return }
            let stray = DescriptorUse.StrayFile(
                part: watched.part,
                path: link,
                isDeleted: true,
                deleted: deleted
            )
            result.uses[watched.database, default: DescriptorUse()].strayFiles.append(stray)
        }
        if link.hasSuffix(WatchedStrayFile.Part.wal.suffix) { result.links.insert(link) }
    }

    private func isInSameNamespace(_ process: Int32) -> Bool {
        ProcFile.link("/proc/\(process)/ns/mnt") == namespace
    }

    /// Completes the examination of a process.
    func uses(_ result: Result, of process: Int32) -> [Int: DescriptorUse] {
        var uses = result.uses
        for (database, use) in uses {
            // The files were probably deleted at the same time.
            guard let deleted = use.strayFiles.compactMap(\.deleted).min() else { continue }
            for index in use.strayFiles.indices where use.strayFiles[index].isDeleted {
                uses[database]?.strayFiles[index].deleted = deleted
            }
        }
        for (database, name) in result.names
        where !isSamePlace(name, database: database, process: process) {
            let log = name + WatchedStrayFile.Part.wal.suffix
            let part: WatchedStrayFile.Part = result.links.contains(log) ? .wal : .database
            uses[database]?.strayFiles.append(
                DescriptorUse.StrayFile(
                    part: part,
                    path: name + part.suffix,
                    isDeleted: false
                )
            )
        }
        for (database, use) in uses where use.descriptors.count > 1 {
            uses[database]?.otherDescriptors = otherDescriptors(use.descriptors, process: process)
        }
        return uses
    }

    /// Returns whether a name in a process refers to the same entry of the same folder as the
    /// watched path, for instance through another mount.
    private func isSamePlace(_ name: String, database: Int, process: Int32) -> Bool {
        func parts(_ path: String) -> (folder: String, file: Substring) {
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            return (String(path[..<slash]) + "/", path[slash...].dropFirst())
        }
        guard let path = paths[database] else { return true }
        let (other, own) = (parts(name), parts(path))
        guard let folder = FileIdentity(path: "/proc/\(process)/root" + other.folder) else {
            // The folder is not visible here.
            return true
        }
        return other.file == own.file && folder == FileIdentity(path: own.folder)
    }

    /// The flag with which SQLite opens its files.
    private static let noFollow = UInt64(O_NOFOLLOW)

    private func otherDescriptors(_ descriptors: [Int32], process: Int32) -> Int {
        var own = 0
        var others = 0
        for descriptor in descriptors {
            guard let text = ProcFile.text("/proc/\(process)/fdinfo/\(descriptor)"),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("flags:") }),
                let word = line.split(whereSeparator: \.isWhitespace).last,
                let flags = UInt64(word, radix: 8)
            else { return 0 }
            if flags & Self.noFollow == 0 { others += 1 } else { own += 1 }
        }
        // Old versions of SQLite do not set the flag.
        return own > 0 ? others : 0
    }

    /// Returns, for each process, another one with the same open file of the database, which one of
    /// them has inherited.
    static func sharedConnections(_ uses: [Int32: DescriptorUse]) -> [Int32: Int32] {
        var shared: [Int32: Int32] = [:]
        let processes = uses.keys.sorted().prefix(processLimit)
        for (index, first) in processes.enumerated() {
            for second in processes.dropFirst(index + 1) where shared[second] == nil {
                // A child inherits a descriptor with its number.
                let common = Set(uses[first]?.descriptors ?? [])
                    .intersection(uses[second]?.descriptors ?? [])
                if common.contains(where: { poolgauge_compare_files(first, second, $0) == 0 }) {
                    shared[second] = first
                }
            }
        }
        return shared
    }

    /// The maximum number of processes to compare.
    private static let processLimit = 64
}
#endif
