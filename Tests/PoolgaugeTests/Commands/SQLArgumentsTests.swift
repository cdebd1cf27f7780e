import Foundation
import SQLTrace
import Testing

@testable import poolgauge

/// Tests that `--sql=LEVEL` is parsed at any position.
struct SQLArgumentsTests {
    private func options(_ arguments: String...) throws -> SQLTraceOptions? {
        let all = SQLArguments.expanded(["top", "app.sqlite"] + arguments)
        let command = try #require(try Poolgauge.parseAsRoot(all) as? TopSubcommand)
        return command.sql.options
    }

    @Test func aLevelIsReadBeforeOtherOptions() throws {
        #expect(try options("--once")?.level == nil)
        #expect(try options("--sql", "--once")?.level == .light)
        #expect(try options("--sql=timed", "--once", "--for", "1s")?.level == .timed)
        let full = try options("--once", "--sql=full", "--pid", "\(getpid())", "--for", "1s")
        #expect(full?.level == .full)
        #expect(full?.processes == [getpid()])
    }

    @Test func anUnknownLevelIsRejected() {
        #expect(throws: (any Error).self) { try options("--sql=bogus", "--once") }
        #expect(throws: (any Error).self) { try options("--sql=full", "--once") }
        // Linux limits process IDs to 2²².
        #expect(throws: (any Error).self) { try options("--sql=full", "--pid", "5000000") }
        #expect(throws: (any Error).self) { try options("--sql", "--pid", "7", "--once") }
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

    @Test func argumentsAfterTwoHyphensAreFiles() {
        #expect(SQLArguments.expanded(["--", "--sql=full"]) == ["--", "--sql=full"])
    }
}
