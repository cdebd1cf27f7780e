import Foundation

/// A program that a comparison runs instead of an arm.
public struct ComparedProgram: Sendable, Codable, Equatable {
    /// The name in reports, such as `baseline`.
    public var name: String
    /// The absolute path of the program.
    public var path: String
    /// The versions in the program's result, keyed by names such as `poolgauge` and `sqlite`.
    ///
    /// The dictionary is empty before the first run.
    public var versions: [String: String] = [:]

    /// Creates a description of a program.
    public init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    /// The error for an invalid program path.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problem and a remedy.
        public var description: String
    }

    /// Finds a program by its path, or by its name in the current folder or the given folders.
    ///
    /// - Parameters:
    ///   - name: The path or the name.
    ///   - folders: Folders separated by colons, as in the environment variable `PATH`.
    /// - Returns: The absolute path.
    /// - Throws: ``Failure`` if the file does not exist or is not executable.
    public static func locate(
        _ name: String,
        searching folders: String = ""
    ) throws(Failure) -> String {
        let files = FileManager.default
        var path = name
        if !name.contains("/"), !files.fileExists(atPath: name) {
            let found = folders.split(separator: ":").map { "\($0)/\(name)" }
                .first { files.isExecutableFile(atPath: $0) }
            guard let found else {
                throw Failure(
                    description:
                        "there is no file '\(name)' in this folder, and no program "
                        + "with this name in PATH; specify the path of the program"
                )
            }
            path = found
        }
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure(description: "there is no file '\(path)'; check the path")
        }
        guard !isFolder.boolValue else {
            throw Failure(
                description: "'\(path)' is a folder; specify the path of a program, such as "
                    + "'\(URL(fileURLWithPath: path).appendingPathComponent("poolgauge").path)'"
            )
        }
        guard files.isExecutableFile(atPath: path) else {
            throw Failure(
                description: "'\(path)' is not executable; if it is the program, run chmod +x on it"
            )
        }
        return URL(fileURLWithPath: path).path
    }

    /// A description in one line, such as `this: /usr/bin/poolgauge (sqlite 3.40.1)`.
    var line: String {
        let versions = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(name): \(path)"
            + (versions.isEmpty ? "" : " (\(versions.joined(separator: ", ")))")
    }
}

/// The programs of a comparison and their common arm.
public struct ComparedPrograms: Sendable {
    /// The programs, with the baseline first.
    public var programs: [ComparedProgram]
    /// The name of the scenario's arm that all programs run.
    public var arm: String
    /// The command options that change the scenario for each program, such as `--scale 2`.
    public var arguments: [String] = []
    /// Whether a program has its own target, which may support accesses that Poolgauge's targets do
    /// not.
    public var hasOwnTarget = false
    /// The environment variables of the programs.
    public var environment: [String: String] = ProcessInfo.processInfo.environment
    /// The time that a run may take in addition to three times the length of its phases.
    package var extraTime: Duration = .seconds(60)

    /// Creates a comparison of programs, with the baseline first.
    public init(_ programs: [ComparedProgram], arm: String) {
        self.programs = programs
        self.arm = arm
    }
}
