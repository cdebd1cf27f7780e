import ArgumentParser
import Foundation
import WorkloadEngine

/// A database of the user's that a command runs on, always as a copy.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A database of yours to run on, instead of the scenario's data: copies of it are used."
        ),
        completion: .file()
    )
    var database: String?

    // Declared so that the refusal states the reason.
    @Flag(help: .hidden)
    var inPlace = false

    func validate() throws {
        guard !inPlace else {
            throw ValidationError(
                "--in-place is for 'poolgauge run' alone: here each run would change what the next "
                    + "one finds; give --database, and each run uses a copy"
            )
        }
    }

    /// Copies the database once, so that all runs find the same data; nil without a database.
    ///
    /// - Parameters:
    ///   - scenario: The scenario's name or path, as the user named it.
    ///   - folder: The folder that receives the copy.
    ///   - report: Called with lines that state how the copy proceeds, its size first.
    /// - Returns: The copy.
    /// - Throws: ``CommandFailure`` for a preset, a file that does not exist or cannot be copied.
    func copy(
        for scenario: String,
        in folder: URL,
        reporting report: (String) -> Void = { _ in }
    ) throws -> UserDatabase? {
        guard let database else { return nil }
        let source = try DatabaseFile.url(database, for: scenario)
        return .copy(
            of: try DatabaseFile.copy(source, named: database, in: folder, reporting: report)
        )
    }

    /// Checks what can be checked before anything runs.
    func check(for scenario: String) throws {
        if let database { _ = try DatabaseFile.url(database, for: scenario) }
    }
}
