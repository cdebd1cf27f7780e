import ArgumentParser
import Foundation
import Reports
import SQLiteWatch
import Scenarios
import WorkloadEngine

struct DoctorSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this machine or a database for problems and unsuitable settings.",
        discussion: """
            With --database, checks a database file that other programs may be using: its journal, \
            pages, free pages, the processes that have it open, missing statistics, and foreign \
            keys without an index. The command does not open the file through SQLite, lock it, or \
            write to it; the checks that need SQLite run on a copy in the temporary folder.

            Exit status: 1 if a requirement for runs is missing or a copy of the database cannot \
            be read; 64 if the file is not a database; otherwise 0.
            """
    )

    @Argument(
        help: "The database file to check; the same as --database.",
        completion: .file()
    )
    var file: String?

    @Option(help: "The format of the findings.")
    var format = DoctorFormat.text

    @Option(help: "The database file to check, instead of this machine.", completion: .file())
    var database: String?

    @Option(
        help: "The size limit for the copy of the database; 1GiB by default.",
        transform: ByteArgument.parse
    )
    var copyLimit: ByteArgument?

    /// Earlier versions left probes behind.
    @Flag(help: .hidden)
    var clean = false

    func validate() throws {
        if file != nil, database != nil {
            throw ValidationError("specify the database once: as an argument, or with --database")
        }
        let database = database ?? file
        if copyLimit != nil, database == nil {
            throw ValidationError("--copy-limit requires --database")
        }
        if clean, database != nil {
            throw ValidationError("specify only one of --clean and --database")
        }
    }

    func run() throws {
        if clean {
            return try StandardOutput.write(
                "nothing to remove: the kernel removes all probes when 'top --sql' ends\n"
            )
        }
        if let database = database ?? file { return try examine(database) }
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

    enum DoctorFormat: String, CaseIterable, ExpressibleByArgument {
        case text
        case json
    }

    /// A size with its unit, such as `20GiB`.
    struct ByteArgument {
        var bytes: UInt64

        static func parse(_ text: String) throws -> ByteArgument {
            do { return ByteArgument(bytes: UInt64(try Quantity.bytes(text))) } catch {
                throw ValidationError(String(describing: error))
            }
        }
    }
}
