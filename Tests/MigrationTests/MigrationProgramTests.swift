import EngineMigrations
import Foundation
import GRDBMigrations
import TestSupport
import Testing

/// Runs programs of migrations, and compares what they do with kept transcripts.
///
/// GRDB has written the transcripts: `POOLGAUGE_RECORD=1 ./test --traits` records them again. With
/// the package trait, GRDB runs the same programs, and each library continues with the files of the
/// other.
@Suite(.timeLimit(.minutes(5)))
struct MigrationProgramTests {
    /// The libraries that run the phases of a program in turn.
    enum Libraries: String, CaseIterable, CustomTestStringConvertible {
        case engine
        #if GRDB
        case grdb
        case engineFirst
        case grdbFirst
        #endif

        var testDescription: String { rawValue }

        func usesGRDB(inPhase phase: Int) -> Bool {
            switch self {
            case .engine: false
            #if GRDB
            case .grdb: true
            case .engineFirst: phase % 2 == 1
            case .grdbFirst: phase % 2 == 0
            #endif
            }
        }
    }

    private static let transcripts = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "Transcripts")

    private static func transcript(
        of index: Int,
        _ libraries: Libraries,
        usesPool: Bool
    ) -> String {
        let folder = TemporaryFolder()
        let peer = BuiltProgram.path(of: "MigrationPeer")
        let path = folder.file()
        let program = EngineMigrations.MigrationProgram.all[index]
        var lines: [String] = []
        for phase in 0..<program.phaseCount {
            #if GRDB
            if libraries.usesGRDB(inPhase: phase) {
                // The other process uses the other library, if the program mixes them.
                lines += GRDBMigrations.MigrationProgram.all[index].run(
                    phase,
                    path: path,
                    usesPool: usesPool,
                    peer: [peer, libraries == .grdb ? "grdb" : "engine"]
                )
                continue
            }
            #endif
            lines += program.run(
                phase,
                path: path,
                usesPool: usesPool,
                peer: [peer, libraries == .engine ? "engine" : "grdb"]
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test(arguments: Libraries.allCases, [false, true])
    func transcriptsAreEqual(libraries: Libraries, usesPool: Bool) throws {
        for (index, program) in EngineMigrations.MigrationProgram.all.enumerated() {
            let transcript = Self.transcript(of: index, libraries, usesPool: usesPool)
            let file = Self.transcripts.appending(path: "\(program.name).txt")
            #if GRDB
            if ProcessInfo.processInfo.environment["POOLGAUGE_RECORD"] != nil, libraries == .grdb,
                !usesPool
            {
                try transcript.write(to: file, atomically: true, encoding: .utf8)
            }
            #endif
            let kept = try String(contentsOf: file, encoding: .utf8)
            if transcript != kept {
                let difference = transcript.split(separator: "\n").difference(
                    from: kept.split(separator: "\n")
                )
                Issue.record("\(program.name): \(difference.map { "\($0)" })")
            }
        }
    }

    @Test func namesAreUnique() {
        let names = EngineMigrations.MigrationProgram.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 40)
    }
}
