import ArgumentParser
import Foundation
import WorkloadEngine

/// `poolgauge doctor`.
struct DoctorSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at this machine: what will not work, what will mislead, and why.",
        discussion: "Exit status: 1 when something that a run needs is missing, otherwise 0."
    )

    @Option(help: "How the findings are written.")
    var format = DoctorFormat.text

    @Flag(help: "Remove the probes that killed runs of top --sql left behind, and end.")
    var clean = false

    func run() throws {
        if clean { return try TraceCleaning.run() }
        let doctor = Doctor()
        switch format {
        case .text: try StandardOutput.write(doctor.text)
        case .json: try StandardOutput.write(JSONReport.text(of: doctor.findings))
        }
        if doctor.hasProblem { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    /// How the findings are written.
    enum DoctorFormat: String, CaseIterable, ExpressibleByArgument {
        case text
        case json
    }
}
