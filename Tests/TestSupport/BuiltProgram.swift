import Foundation

/// The locations of the programs that are built for the tests.
package enum BuiltProgram {
    /// Returns the path of a program in the build folder.
    package static func path(of name: String) -> String {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        var folder = bundle.map { URL(fileURLWithPath: $0) } ?? Bundle.main.bundleURL
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return "\(name)-is-not-built"
    }
}
