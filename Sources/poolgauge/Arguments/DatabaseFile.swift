import ArgumentParser
import Foundation
import GRDBTarget
import Scenarios
import WorkloadEngine

/// Functions that check and copy the database that `--database` specifies.
enum DatabaseFile {
    /// Returns the URL of an existing file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - option: The option that specifies the path, for error messages, or `nil` for an unnamed
    ///     argument.
    /// - Returns: The URL.
    /// - Throws: ``CommandFailure`` if the file does not exist, is a folder, or is not a database.
    static func url(_ path: String, option: String? = "--database") throws -> URL {
        let prefix = option.map { $0 + ": " } ?? ""
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure("\(prefix)there is no file '\(path)'; check the path")
        }
        guard !isFolder.boolValue else {
            throw CommandFailure("\(prefix)'\(path)' is a folder; specify a database file in it")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandFailure("\(prefix)'\(path)' cannot be read: permission denied")
        }
        if let problem = DatabaseFileProblem.headerProblem(of: path) {
            throw CommandFailure("\(prefix)'\(path)' \(problem)")
        }
        return URL(fileURLWithPath: path)
    }

    /// Returns the URL of an existing file for use with a scenario.
    ///
    /// - Throws: ``CommandFailure`` if the file does not exist or the scenario is a preset.
    static func url(_ path: String, for scenario: String) throws -> URL {
        let file = try url(path)
        guard Presets.named(scenario) == nil else {
            throw CommandFailure(
                "--database: '\(scenario)' is a preset, which works only with its own data; "
                    + "write a scenario with statements for '\(path)'"
            )
        }
        return file
    }

    /// Copies a database into a folder.
    ///
    /// - Parameters:
    ///   - source: The database, which is not modified.
    ///   - name: The database's path, as entered by the user.
    ///   - folder: The folder for the copy.
    ///   - report: A closure that receives progress messages, starting with the database's size.
    /// - Returns: The URL of the copy.
    /// - Throws: ``CommandFailure`` if the database cannot be copied.
    static func copy(
        _ source: URL,
        named name: String,
        in folder: URL,
        reporting report: (String) -> Void
    ) throws -> URL {
        let copy = folder.appendingPathComponent("user-database.sqlite")
        let description = FreeSpace.copyText(of: source.path)
        report(description)
        do {
            try LibraryTargetFactory().copyDatabase(at: source.path, to: copy.path) { share in
                report("\(description): \(Int(share * 10) * 10)%")
            }
        } catch {
            let problem = DatabaseProblem.text(
                for: error,
                at: source.path,
                named: name,
                "cannot be copied",
                classifiedBy: LibraryTargetFactory()
            )
            throw CommandFailure(
                "--database: \(problem ?? "'\(name)' cannot be copied: \(error)")"
            )
        }
        return copy
    }
}

/// The user's database, which commands copy before use.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A database to use instead of the scenario's data; runs use copies of it."
        ),
        completion: .file()
    )
    var database: String?

    // This option exists only to produce a helpful error message.
    @Flag(help: .hidden)
    var inPlace = false

    func validate() throws {
        guard !inPlace else {
            throw ValidationError(
                "--in-place works only with 'poolgauge run', because each run would change the "
                    + "data of the next run; omit --in-place, so that each run uses a copy"
            )
        }
    }

    /// Copies the database once so that all runs start with the same data.
    ///
    /// - Parameters:
    ///   - scenario: The scenario's name or path, as entered by the user.
    ///   - folder: The folder for the copy.
    ///   - report: A closure that receives the database's size, and then the progress of the copy.
    /// - Returns: The copy, or `nil` if no database was specified.
    /// - Throws: ``CommandFailure`` for a preset, or if the file is missing or cannot be copied.
    func copy(
        for scenario: String,
        in folder: URL,
        reporting report: (String) -> Void
    ) throws -> UserDatabase? {
        guard let database else { return nil }
        let source = try DatabaseFile.url(database, for: scenario)
        return .copy(
            of: try DatabaseFile.copy(source, named: database, in: folder, reporting: report)
        )
    }

    /// Checks the database's path before any work starts.
    func check(for scenario: String) throws {
        if let database { _ = try DatabaseFile.url(database, for: scenario) }
    }
}
