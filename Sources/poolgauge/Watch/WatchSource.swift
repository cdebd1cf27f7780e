import Foundation
import SQLiteWatch
import Text

/// The source of the databases that `poolgauge top` watches.
enum WatchSource: Sendable, Equatable {
    /// Files and folders that contain databases.
    case paths([String])
    /// The databases that processes on this machine have open.
    case machine

    /// Creates the source for the given paths, or for the whole machine if there are no paths.
    init(arguments: [String]) { self = arguments.isEmpty ? .machine : .paths(arguments) }

    /// The result of a search.
    struct Found: Equatable {
        var paths: [String] = []
        /// The limitations of the search, one sentence each.
        var notes: [String] = []
    }

    /// Whether databases can appear after the search.
    var canGrow: Bool {
        switch self {
        case .machine: true
        case .paths(let paths): paths.contains(where: Self.isFolder)
        }
    }

    /// Whether the source is a single file, in which case no list is shown.
    var isOneFile: Bool {
        guard case .paths(let paths) = self else { return false }
        return paths.count == 1 && !canGrow && !isSearch
    }

    /// Whether an argument is no file, but may name a process, a container, or a file in one.
    var isSearch: Bool {
        guard case .paths(let paths) = self else { return false }
        return paths.contains { !FilePath.exists($0) }
    }

    /// The text to show until a database is found.
    var placeholder: String {
        switch self {
        case .machine:
            "No process that is visible to this user has an SQLite database open. "
                + "Each database appears here as soon as a process opens it."
        case .paths(let paths):
            "There is no SQLite database in "
                + paths.map(Escaping.terminal).joined(separator: ", ")
                + ". Each database appears here as soon as a process creates it."
        }
    }

    /// The error message for a search that finds no database.
    var notFoundMessage: String {
        switch self {
        case .machine:
            "no process that is visible to this user has an SQLite database open"
        case .paths(let paths):
            "there is no SQLite database that this user can read in '"
                + paths.map(Escaping.terminal).joined(separator: "', '")
                + "'; subfolders are not searched"
        }
    }

    /// Searches for databases.
    ///
    /// - Throws: `CommandFailure` if a folder cannot be listed.
    func find(_ search: DatabaseSearch) throws -> Found {
        var found = Found()
        switch self {
        case .machine:
            let result = search.openDatabases()
            found.paths = result.databases.map(\.path)
            found.notes = result.notes
        case .paths(let paths):
            let open = isSearch ? search.openDatabases().databases : []
            for path in paths {
                guard Self.isFolder(path) else {
                    let exists = FilePath.exists(path)
                    let named = exists ? [] : open.filter { $0.isNamed(path) }.map(\.path)
                    guard !named.isEmpty || !path.hasPrefix("pid:") else {
                        throw CommandFailure(
                            "process \(Escaping.terminal(String(path.dropFirst(4)))) has no SQLite "
                                + "database open, or its open files are not visible to this user"
                        )
                    }
                    found.paths += named.isEmpty ? [path] : named
                    continue
                }
                guard let databases = search.databases(in: path) else {
                    throw CommandFailure(
                        "the folder '\(Escaping.terminal(path))' cannot be listed; run the "
                            + "command as a user with permission to read it"
                    )
                }
                found.paths += databases
            }
        }
        var knownPaths: Set<String> = []
        found.paths.removeAll { path in
            // The root directory of a process is a link, too.
            let isInRoot = path.hasPrefix("/proc/")
            let real =
                isInRoot ? path : URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            return !knownPaths.insert(real).inserted
        }
        let limit = WatchSession.databaseLimit
        if found.paths.count > limit {
            found.notes.append(
                "Of \(found.paths.count) databases, only the first \(limit) are watched. To watch "
                    + "other databases, specify their files."
            )
            found.paths = Array(found.paths.prefix(limit))
        }
        return found
    }

    private static func isFolder(_ path: String) -> Bool { FilePath.isFolder(path) }
}
