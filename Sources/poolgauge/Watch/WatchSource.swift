import Foundation
import SQLiteWatch

/// Where the databases come from that `poolgauge top` watches.
enum WatchSource: Sendable, Equatable {
    /// Files, and the databases of folders.
    case paths([String])
    /// The databases that processes of this machine have open.
    case machine

    /// The source that arguments name; without any, the whole machine.
    init(arguments: [String]) { self = arguments.isEmpty ? .machine : .paths(arguments) }

    /// What a search found.
    struct Found: Equatable {
        /// The paths of the databases.
        var paths: [String] = []
        /// What the search could not see.
        var notes: [String] = []
    }

    /// Whether databases may appear that are not watched yet.
    var canGrow: Bool {
        switch self {
        case .machine: true
        case .paths(let paths): paths.contains(where: Self.isFolder)
        }
    }

    /// Whether it names one file, so that no list is needed.
    var isOneFile: Bool {
        guard case .paths(let paths) = self else { return false }
        return paths.count == 1 && !canGrow
    }

    /// What to say as long as nothing was found.
    var placeholder: String {
        switch self {
        case .machine:
            "No process has a SQLite database open, as far as this user may see. "
                + "Databases are listed here as soon as one is opened."
        case .paths(let paths):
            "There is no SQLite database in "
                + paths.map(PrintableText.escaped).joined(separator: ", ")
                + ". Databases are listed here as soon as they appear."
        }
    }

    /// Why there is nothing to report on.
    var nothingFound: String {
        switch self {
        case .machine:
            "no process has a SQLite database open, as far as this user may see"
        case .paths(let paths):
            "there is no SQLite database in '"
                + paths.map(PrintableText.escaped).joined(separator: "', '") + "'"
        }
    }

    /// Searches.
    ///
    /// - Throws: `CommandFailure` for a folder that cannot be listed.
    func find(_ search: DatabaseSearch) throws -> Found {
        var found = Found()
        switch self {
        case .machine:
            let result = search.openDatabases()
            found.paths = result.databases.map(\.path)
            found.notes = result.notes
        case .paths(let paths):
            for path in paths {
                guard Self.isFolder(path) else {
                    found.paths.append(path)
                    continue
                }
                guard let databases = search.databases(in: path) else {
                    throw CommandFailure(
                        "the folder '\(PrintableText.escaped(path))' cannot be listed"
                    )
                }
                found.paths += databases
            }
        }
        let limit = WatchSession.databaseLimit
        if found.paths.count > limit {
            found.notes.append(
                "Of \(found.paths.count) databases, the first \(limit) are watched. Name the files "
                    + "of interest to watch others."
            )
            found.paths = Array(found.paths.prefix(limit))
        }
        return found
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
