import Foundation

extension ComparisonResult {
    /// Adds the compared programs, and warnings about identical programs and different versions of
    /// SQLite.
    mutating func add(_ programs: [ComparedProgram]) {
        self.programs = programs
        if let first = programs.first, let last = programs.last,
            Self.file(at: first.path) == Self.file(at: last.path)
        {
            warnings =
                (warnings ?? []) + [
                    "\(first.name) and \(last.name) are the same program, so a difference between "
                        + "them is noise"
                ]
        }
        let versions = programs.map { $0.versions["sqlite"] ?? "an unknown version" }
        guard let version = versions.first, versions.contains(where: { $0 != version }) else {
            return
        }
        let list = zip(programs, versions).map { "\($0.name): \($1)" }.joined(separator: ", ")
        warnings =
            (warnings ?? []) + ["the programs use different versions of SQLite (\(list))"]
    }

    private static func file(at path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}
