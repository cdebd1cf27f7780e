import Foundation
import TestSupport
import Testing

@testable import poolgauge

/// Tests the files and scripts that developers use: the changelog, the workflow, and `./package`.
@Suite(.timeLimit(.minutes(1)))
struct RepositoryTests {
    /// Runs a program in the root of the repository, and returns its status and all of its output.
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = Documentation.root
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private static func isInstalled(_ tool: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return folders.split(separator: ":").contains { access("\($0)/\(tool)", X_OK) == 0 }
    }

    /// Returns the latest version in the changelog, and the lines below its heading.
    private func latestRelease() throws -> (version: String, lines: [Substring]) {
        let lines = try Documentation.text(of: "CHANGELOG.md")
            .split(separator: "\n", omittingEmptySubsequences: false)
        let isVersion = { (line: Substring) in line.wholeMatch(of: /## \d.*/) != nil }
        let start = try #require(lines.firstIndex(where: isVersion))
        return (String(lines[start].dropFirst(3)), Array(lines[(start + 1)...]))
    }

    @Test func theChangelogDescribesTheVersion() throws {
        #expect(try latestRelease().version == Poolgauge.version)
    }

    @Test func releasedEntriesAreOneLine() throws {
        for line in try latestRelease().lines where !line.isEmpty && !line.hasPrefix("#") {
            #expect(line.hasPrefix("* ") && line.count <= 150, "\(line)")
        }
    }

    @Test(.enabled(if: isInstalled("check-jsonschema"), "check-jsonschema is missing"))
    func theWorkflowIsValid() throws {
        let schema = "vendor.github-workflows"
        let file = ".github/workflows/ci.yml"
        let check = try run(["check-jsonschema", "--builtin-schema", schema, file])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test(.enabled(if: isInstalled("python3"), "python3 is missing"))
    func theListsOfPlatformBranchesAreCurrent() throws {
        let check = try run([".ci/platforms", "--check"])
        #expect(check.status == 0, "\(check.output)")
    }

    #if os(Linux)
    @Test(arguments: [
        (["--outptu"], 64, "unknown argument '--outptu'"),
        (["--output"], 64, "--output requires a folder"),
        (["--output", "/proc/dist"], 73, "cannot create the folder '/proc/dist'"),
        (["--output", "/proc"], 73, "cannot write to the folder '/proc'"),
    ])
    func packageRejectsInvalidArguments(arguments: [String], status: Int32, message: String) throws
    {
        let outcome = try run(["./package"] + arguments)
        #expect(outcome.status == status)
        #expect(outcome.output.contains(message), "\(outcome.output)")
    }

    /// Without the tools on the `PATH`, the script names the first missing tool.
    @Test func packageNamesAMissingTool() throws {
        try withTemporaryFolder { folder in
            for tool in ["bash", "dirname", "readlink", "uname"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.appendingPathComponent(tool).path,
                    withDestinationPath: "/usr/bin/\(tool)"
                )
            }
            let outcome = try run(["PATH=\(folder.path)", "bash", "./package"])
            #expect(outcome.status == 69)
            #expect(outcome.output.contains("there is no 'swift' on the PATH"))
            #expect(outcome.output.contains("Install it from"))
        }
    }
    #endif
}
