import Foundation
import SQLTrace
import Testing

@testable import poolgauge

/// Tests the options of `--sql`, which also accepts the levels of earlier versions.
struct SQLArgumentsTests {
    private func options(_ arguments: String...) throws -> SQLTraceOptions? {
        let all = SQLArguments.expanded(["top", "app.sqlite"] + arguments)
        let command = try #require(try Poolgauge.parseAsRoot(all) as? TopSubcommand)
        return command.sql.options
    }

    @Test func aLevelIsReadBeforeOtherOptions() throws {
        #expect(try options("--once") == nil)
        #expect(try options("--sql", "--once") == SQLTraceOptions())
        #expect(try options("--sql=timed", "--once", "--for", "1s") == SQLTraceOptions())
        let full = try options("--once", "--sql=full", "--pid", "\(getpid())", "--for", "1s")
        #expect(full?.processes == [getpid()])
    }

    @Test func theLimitCanBeRemoved() throws {
        #expect(try options("--sql", "--sql-limit", "2%")?.shareLimit == 0.02)
        #expect(try options("--sql", "--sql-limit", "none")?.shareLimit == 0)
    }

    @Test func anUnknownLevelIsRejected() {
        #expect(throws: (any Error).self) { try options("--sql=bogus", "--once") }
        // Linux limits process IDs to 2²².
        #expect(throws: (any Error).self) { try options("--sql=full", "--pid", "5000000") }
    }

    @Test func aNegativeValueIsJoinedWithItsOption() {
        let arguments = ["report", "a.rec", "--from", "-5m", "--to=-1m", "--format", "json"]
        #expect(
            SQLArguments.expanded(arguments) == [
                "report", "a.rec", "--from=-5m", "--to=-1m", "--format", "json",
            ]
        )
        #expect(SQLArguments.expanded(["--", "-5m"]) == ["--", "-5m"])
    }

    @Test func argumentsAfterTwoHyphensAreFilesOrACommand() throws {
        #expect(SQLArguments.expanded(["--", "--sql=full"]) == ["--", "--sql=full"])
        let all = SQLArguments.expanded(["top", "a.db", "--", "php", "-r", "echo 1;", "--once", ""])
        let command = try #require(try Poolgauge.parseAsRoot(all) as? TopSubcommand)
        #expect(command.sql.command == ["php", "-r", "echo 1;", "--once", ""])
        #expect(command.files == ["a.db"])
        #expect(!command.once)
        #expect(throws: (any Error).self) {
            try Poolgauge.parseAsRoot(SQLArguments.expanded(["top", "--once", "--", "php"]))
        }
    }
}
