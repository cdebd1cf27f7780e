import ArgumentParser
import Foundation
import WorkloadEngine

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
