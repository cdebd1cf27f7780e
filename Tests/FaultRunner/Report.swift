import FaultPaths
import Foundation

/// The lines that the process writes to its standard output.
enum Report {
    /// The time in seconds that an attack may take.
    ///
    /// A wait that depends on a clock that is set back would take a day.
    private static let limit: UInt32 = 120

    /// Writes a line immediately, because the next attack may end the process.
    ///
    /// From then on, the limit applies.
    static func write(_ line: String) {
        alarm(limit)
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    static func write(findings: [String], attacks: Int) {
        for finding in findings {
            write("finding: " + finding.replacingOccurrences(of: "\n", with: " "))
        }
        write("attacks: \(attacks)")
    }

    /// Returns the path with the given name.
    static func path(_ name: String) throws -> FaultPath {
        guard let path = FaultPath.all.first(where: { $0.name == name }) else {
            throw Violation("no path has the name \(name)")
        }
        return path
    }
}
