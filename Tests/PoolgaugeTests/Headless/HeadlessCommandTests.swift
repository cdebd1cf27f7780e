import Foundation
import TestSupport
import Testing

@testable import poolgauge

/// Tests commands that run without a terminal, and their results.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct HeadlessCommandTests {
    private let quick = ["run", "ycsb-c", "--arm", "pool", "--duration", "1s"]

    @Test func anInvalidTemporaryFolderIsReported() throws {
        try withTemporaryFolder { folder in
            for (name, reason) in [("absent", "no such folder"), ("file", "not a folder")] {
                let temporary = folder.appendingPathComponent(name)
                if name == "file" { try Data().write(to: temporary) }
                let outcome = try HeadlessProgram.run(quick, in: folder, temporary: temporary)
                #expect(outcome.status == 1)
                #expect(
                    outcome.errors.contains(
                        "cannot write to the temporary folder '\(temporary.path)' (TMPDIR): "
                    )
                )
                #expect(outcome.errors.contains(reason), "\(outcome)")
                #expect(!outcome.errors.contains("NSCocoa"))
            }
            #expect(contents(of: folder) == ["file"])
        }
    }

    /// Arguments, and strings that the error message must contain.
    private static let mistakes: [([String], String)] = [
        (["run", "ycsb-c", "--seed=-1"], "0 to 18446744073709551615"),
        (["runn"], "unknown command 'runn'; did you mean 'run'?"),
        (["help", "foo"], "unknown command 'foo'"),
        (["config", "foo"], "expected one of: defaults, check"),
        (["run", "ycsb-c", "--seed", "-1"], "0 to 18446744073709551615"),
        (["run", "ycsb-c", "--duration", "-5s"], "'-5s' is negative"),
        (["capacity", "ycsb-c", "--sweep", "write-share=1,2"], "accepts only readers"),
        (["run", "ycsb-c", "--seed", "1.5"], "0 to 18446744073709551615"),
        (["run", "ycsb-c", "--duration", "721h"], "720h"),
        (["run", "ycsb-c", "--duration", "99999999999999999s"], "8784h"),
        (["run", "ycsb-c", "--scale", "0"], "greater than 0"),
        (["run", "ycsb-c", "--set", "clients.ui"], "path=value"),
        (["run", "ycsb-c", "--set", "arms.pol.readers=3"], "did you mean 'pool'?"),
        (
            ["run", "ycsb-c", "--set", "nonsense=1"],
            "--set 'nonsense=1': unknown key 'nonsense' in the scenario"
        ),
        (["run", "ycsb-c", "--in-place"], "--database"),
        (["run", "ycsb-c", "--database", "absent.sqlite"], "absent.sqlite"),
        (["run", "ycsb-c", "--database", "."], "folder"),
        (["run", "ycsb-c", "--format", "xml"], "markdown"),
        (["doctor", "--format", "xml"], "json"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreReportedWithTheLimits(arguments: [String], expected: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }

    @Test func aPartOfTheScenarioCanBeSet() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                quick + ["--set", "arms.pool.readers=7", "--set", "seed=5", "--format", "json"],
                in: folder
            )
            let root = try object(outcome.output)
            #expect(root["seed"] as? Int == 5)
            let run = try #require((root["runs"] as? [[String: Any]])?.first)
            #expect((run["pool"] as? [String: Any])?["maximumReaderCount"] as? Int == 7)
            let environment = try #require(root["environment"] as? [String: Any])
            let text = try #require(environment["scenarioText"] as? String)
            #expect(text.contains("# --set arms.pool.readers=7"))
        }
    }

    @Test func theJSONHasItsDocumentedKeys() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(quick + ["--format", "json"], in: folder)
            let run = try #require((try object(outcome.output)["runs"] as? [[String: Any]])?.first)
            for key in [
                "arm", "valid", "partial", "duration", "environment", "clients", "pool", "wal",
                "snapshots", "interrupts", "generator", "thresholds", "invariants", "intervals",
                "blame",
            ] {
                #expect(run[key] != nil, "\(key)")
            }
            let clients = try #require(run["clients"] as? [String: [String: Any]])
            let client = try #require(clients.values.first)
            for key in [
                "offered", "started", "completed", "skipped", "late", "retried", "interrupted",
                "unfinished", "errors", "throughput", "response", "wait", "service", "operations",
                "phases", "loop",
            ] {
                #expect(client[key] != nil, "\(key)")
            }
            let operations = try #require(client["operations"] as? [String: [String: Any]])
            let profile = try #require(operations.values.first?["profile"] as? [String: Any])
            let plans = try #require(profile["plans"] as? [[String: Any]])
            #expect((plans.first?["lines"] as? [String])?.first?.contains("usertable") == true)
            let counters = try #require(profile["counters"] as? [String: Any])
            #expect(counters["vmSteps"] as? Int ?? 0 > 0)
        }
    }

    @Test func csvHasAStableHeader() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(quick + ["--format", "csv"], in: folder)
            let lines = outcome.output.split(separator: "\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false)
            }
            let columns = outcome.output.prefix { $0 != "\n" }
            #expect(
                columns.hasPrefix(
                    "scenario,seed,arm,valid,partial,client,operation,phase,loop,offered,started,"
                        + "completed,skipped,late,retried,interrupted,unfinished,errors,"
                        + "throughput_per_s,response_count,response_mean_ns,response_p50_ns,"
                )
            )
            #expect(columns.contains("lag_max_ns,row,versions,response_p99.99_ns,"))
            #expect(columns.contains("journal_mode,synchronous,fairness,longest_wait_ns"))
            // Each row contains its subject and the settings of its arm.
            let row = try #require(columns.split(separator: ",").firstIndex(of: "row"))
            let settings = try #require(columns.split(separator: ",").firstIndex(of: "synchronous"))
            for line in lines.dropFirst() {
                let kinds = ["client", "operation", "phase", "phase-operation"]
                #expect(kinds.contains(String(line[row])))
                #expect(line[row + 1].contains("poolgauge "))
                #expect(line[row + 1].contains("sqlite "))
                #expect(line[...settings].suffix(2) == ["wal", "normal"])
            }
            #expect(lines.count > 3)
            let count = columns.filter { $0 == "," }.count
            for line in outcome.output.split(separator: "\n") {
                #expect(line.filter { $0 == "," }.count == count)
            }
        }
    }

    /// Returns the rows of a CSV report without quoted cells, as cells by column name.
    private func rows(_ text: String) -> [[String: String]] {
        let lines = text.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard let header = lines.first else { return [] }
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
    }

    @Test func theRowsOfAKindCountEachAccessOnce() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                ["run", "ycsb-a", "--scale", "1", "--arm", "pool", "--duration", "500ms"]
                    + ["--format", "csv"],
                in: folder
            )
            var sums: [String: Int] = [:]
            for row in rows(outcome.output)
            where row["row"] == "client" || row["row"] == "operation" {
                sums[row["row"] ?? "", default: 0] += Int(row["completed"] ?? "") ?? 0
            }
            #expect(sums["client"] ?? 0 > 0)
            #expect(sums["client"] == sums["operation"])
        }
    }

    @Test func markdownIsATable() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(quick + ["--format", "markdown"], in: folder)
            #expect(outcome.output.hasPrefix("## ycsb-c\n\n* **PASSED**  ycsb-c on pool"))
            #expect(outcome.output.contains("\n| pool | "))
            let rows = outcome.output.split(separator: "\n").filter { $0.hasPrefix("| arm |") }
            #expect(rows.count >= 1)
        }
    }

    @Test func aUserDatabaseRemainsUnchanged() throws {
        try withTemporaryFolder { folder in
            let database = try makeDatabase(in: folder)
            let before = try Data(contentsOf: database)
            let arguments = [
                "run", "writing.yaml", "--database", "mine.sqlite", "--arm", "pool",
            ]
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try Data(contentsOf: database) == before)
            #expect(Set(contents(of: folder)) == ["mine.sqlite", "writing.yaml"])
            let refused = try HeadlessProgram.run(
                ["run", "writing.yaml", "--database", "mine.sqlite", "--in-place"],
                in: folder
            )
            #expect(refused.status == 64)
            #expect(refused.errors.contains("--in-place requires a single --arm"))
            #expect(try Data(contentsOf: database) == before)
            let changed = try HeadlessProgram.run(arguments + ["--in-place"], in: folder)
            #expect(changed.status == 0, "\(changed)")
            #expect(try Data(contentsOf: database) != before)
        }
    }

    /// Creates a user's database, and a scenario that writes to it.
    private func makeDatabase(in folder: URL) throws -> URL {
        let yaml = """
            version: 1
            name: writing
            dataset: {sql: ["CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)",
              "INSERT INTO item (n) VALUES (1), (2), (3)"]}
            arms: {pool: {type: pool}, queue: {type: queue}}
            phases: [{name: steady, duration: 300ms}]
            clients:
              pay:
                access: write
                arrival: {rate: 100/s, process: even}
                sql: "UPDATE item SET n = n + 1 WHERE id = 2"
            """
        let file = folder.appendingPathComponent("writing.yaml")
        try yaml.write(to: file, atomically: true, encoding: .utf8)
        let outcome = try HeadlessProgram.run(
            ["run", "writing.yaml", "--arm", "queue", "--keep"],
            in: folder
        )
        let kept = try #require(
            contents(of: folder).first { $0.hasPrefix("poolgauge-") },
            "\(outcome)"
        )
        let database = folder.appendingPathComponent("mine.sqlite")
        let keptFolder = folder.appendingPathComponent(kept)
        try FileManager.default.moveItem(
            at: keptFolder.appendingPathComponent("database.sqlite"),
            to: database
        )
        try FileManager.default.removeItem(at: keptFolder)
        return database
    }

    @Test func theDoctorReportsItsFindings() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(["doctor"], in: folder)
            #expect(outcome.status == 0, "\(outcome)")
            for part in ["terminal", "sqlite", "files", "limits", "processor"] {
                #expect(outcome.output.contains("\(part)\n  "), "\(part)")
            }
            #expect(outcome.output.contains("a sync takes"))
            let json = try HeadlessProgram.run(["doctor", "--format", "json"], in: folder)
            let findings = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
            #expect((findings as? [[String: String]])?.isEmpty == false)
            let absent = folder.appendingPathComponent("absent")
            let failing = try HeadlessProgram.run(["doctor"], in: folder, temporary: absent)
            #expect(failing.status == 1)
            #expect(
                failing.output.contains(
                    "problem  cannot write to the temporary folder '\(absent.path)' (TMPDIR): there is "
                        + "no such folder"
                )
            )
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsAreGeneratedForEachShell(shell: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                ["--generate-completion-script", shell],
                in: folder
            )
            #expect(outcome.status == 0)
            for word in ["doctor", "reader-storm", "in-place"] {
                #expect(outcome.output.contains(word), "\(word)")
            }
        }
    }

    /// `POOLGAUGE_RECORD=1` overwrites the manual page.
    @Test func theManualPageIsCurrent() throws {
        try withTemporaryFolder { folder in
            let page = try HeadlessProgram.run(["manual"], in: folder).output
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../man/poolgauge.1").standardizedFileURL
            if ProcessInfo.processInfo.environment["POOLGAUGE_RECORD"] != nil {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(page.utf8).write(to: file)
            }
            #expect(page == (try String(contentsOf: file, encoding: .utf8)))
            let help = try HeadlessProgram.run(["help", "run"], in: folder).output
            for word in help.split(whereSeparator: \.isWhitespace) where word.hasPrefix("--") {
                let option = word.dropFirst(2).prefix { $0.isLetter || $0 == "-" }
                guard !["help", "version"].contains(option) else { continue }
                #expect(page.contains("\\-\\-" + option.replacing("-", with: "\\-")), "\(option)")
            }
        }
    }

    @Test func theVersionIsOneLine() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(["--version"], in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.output == Poolgauge.version + "\n")
        }
    }

    @Test func aReportCanBeWrittenToAClosedPipe() throws {
        try withTemporaryFolder { folder in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            // The exit status of the shell identifies the signal.
            process.arguments = [
                "-c", #""$0" run ycsb-c --arm pool --duration 300ms; exit"#, Program.path,
            ]
            process.environment = Program.environment(temporary: folder)
            process.standardInput = FileHandle.nullDevice
            let errors = Pipe()
            process.standardError = errors
            // The pipe never has a reader.
            let output = Pipe()
            try output.fileHandleForReading.close()
            process.standardOutput = output
            try process.run()
            let messages = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationStatus == 141)
            #expect(messages.isEmpty)
            #expect(contents(of: folder).isEmpty)
        }
    }

    #if os(Linux)
    /// Nobody reads what `poolgauge` says about the command.
    @Test func aCommandKeepsItsStatusIfNobodyReadsTheReport() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = ["top", "--", "sh", "-c", "exit 7"]
        process.standardInput = FileHandle.nullDevice
        let errors = Pipe()
        try errors.fileHandleForReading.close()
        process.standardError = errors
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 7)
    }
    #endif

    private func object(_ json: String) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        return try #require(object as? [String: Any])
    }
}
