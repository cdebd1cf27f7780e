import ArgumentParser
import Foundation
import SQLiteWatch
import WorkloadEngine

/// `poolgauge doctor`.
struct DoctorSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at this machine or a database: what will not work, what will mislead, why.",
        discussion: """
            With --database, it examines a database file that other programs may use: its journal, \
            pages and free pages, the processes that have it open, missing statistics, and foreign \
            keys without an index. The file is not opened through SQLite, and neither locked nor \
            written; the checks that need SQLite run on a copy in the folder for temporary files.

            Exit status: 1 when something that a run needs is missing, or a copy of the database \
            cannot be read; otherwise 0.
            """
    )

    @Option(help: "How the findings are written.")
    var format = DoctorFormat.text

    @Option(help: "The database file to examine, instead of this machine.", completion: .file())
    var database: String?

    @Option(
        help: "The largest copy of the database that is made; 1GiB by default.",
        transform: ByteArgument.parse
    )
    var copyLimit: ByteArgument?

    @Flag(help: "Remove the probes that killed runs of top --sql left behind, and end.")
    var clean = false

    func validate() throws {
        if copyLimit != nil, database == nil {
            throw ValidationError("--copy-limit applies to --database: give that too")
        }
        if clean, database != nil {
            throw ValidationError("give one of --clean and --database")
        }
    }

    func run() throws {
        if clean { return try TraceCleaning.run() }
        if let database { return try examine(database) }
        let doctor = Doctor()
        switch format {
        case .text: try StandardOutput.write(doctor.text)
        case .json: try StandardOutput.write(JSONReport.text(of: doctor.findings))
        }
        if doctor.hasProblem { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func examine(_ path: String) throws {
        var doctor = DatabaseDoctor(path: path)
        if let copyLimit { doctor.copyLimit = copyLimit.bytes }
        let examination = try doctor.examine()
        switch format {
        case .text: try StandardOutput.write(examination.text)
        case .json: try StandardOutput.write(WatchJSON.document(examination))
        }
        if examination.hasProblem { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    /// How the findings are written.
    enum DoctorFormat: String, CaseIterable, ExpressibleByArgument {
        case text
        case json
    }

    /// A size with its unit: `20GiB`.
    struct ByteArgument {
        var bytes: UInt64

        static func parse(_ text: String) throws -> ByteArgument {
            do { return ByteArgument(bytes: UInt64(try Quantity.bytes(text))) } catch {
                throw ValidationError(String(describing: error))
            }
        }
    }
}
