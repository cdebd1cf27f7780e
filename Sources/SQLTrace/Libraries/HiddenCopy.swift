/// A copy of SQLite whose functions cannot be found.
struct HiddenCopy: Sendable, Equatable {
    /// Whether the file is a Go program.
    var isGo: Bool
    /// SQLite's version, such as `3.46.1`, or `nil` if it is unknown.
    var version: String?

    /// The text at the start of each database, which each copy contains.
    private static let text = Array("SQLite format 3".utf8)

    init(isGo: Bool, version: String?) {
        self.isGo = isGo
        self.version = version
    }

    /// Searches a file, or returns `nil` if it contains no copy of SQLite.
    init?(in file: ELFFile, _ bytes: FileBytes) {
        guard file.contains(Self.text, in: bytes) else { return nil }
        isGo = file.isGo
        version = RoutineTable.version(in: file, bytes)
    }

    /// The reason why the statements of the copy are not visible.
    var reason: String {
        let version = version.map { " \($0)" } ?? ""
        return isGo
            ? "its port of SQLite\(version) to Go has no C functions"
            : "its copy of SQLite\(version) has neither symbols nor a table of functions for "
                + "extensions, as in Chromium"
    }
}
