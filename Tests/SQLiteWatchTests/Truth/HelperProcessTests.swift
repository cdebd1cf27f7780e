#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that the helper process ends with its session, and that it is replaced if it ends earlier.
@Suite(.timeLimit(.minutes(1)))
struct HelperProcessTests {
    private let folder = TemporaryFolder()

    private func connection() throws -> HelperConnection {
        try HelperConnection(command: helperCommand, paths: [folder.file()])
    }

    @Test func aHelperThatEndedIsReplacedAfterAPause() throws {
        try Data("not a database".utf8).write(to: URL(fileURLWithPath: folder.file()))
        var connection = try connection()
        let first = connection.process
        #expect(connection.sample(slot: 0, probesReaders: false, at: 0).database.size == 14)
        kill(first, SIGKILL)
        let failed = connection.sample(slot: 0, probesReaders: false, at: 1)
        #expect(ObservedFiles(failed).state == .unreadable)
        #expect(connection.problem?.contains("helper process ended") == true)
        #expect(ObservedFiles(failed).problem == "the helper process that reads it ended")
        // The session does not retry before the pause ends.
        #expect(!connection.sample(slot: 0, probesReaders: false, at: 2).database.exists)
        let later = connection.sample(slot: 0, probesReaders: false, at: 2_000_000_000)
        #expect(later.database.size == 14)
        #expect(connection.problem == nil)
        #expect(connection.process != first)
    }

    @Test func aBatchHasASampleForEachFutureMoment() throws {
        try Data("not a database".utf8).write(to: URL(fileURLWithPath: folder.file()))
        var connection = try connection()
        let now = SystemClock.monotonic
        // The first two moments are already late.
        let moments = [now - 2, now - 1, now + 20_000_000, now + 40_000_000].map { time in
            HelperRequest.Moment(time: time, readsList: time != now + 20_000_000)
        }
        connection.sendBatch(moments: moments, probesReaders: true, at: now)
        let batch = connection.receiveBatch(moments: moments.count, at: now)
        #expect(batch.entries.last?.moment == 3)
        #expect(!batch.entries.contains { $0.moment == 0 })
        for entry in batch.entries {
            #expect(entry.time >= moments[entry.moment].time)
            #expect(entry.samples.map(\.database.size) == [14])
        }
        // The second sample also represents the first one, which should have read the list.
        #expect(batch.entries.map { $0.locks != nil } == batch.entries.map { $0.moment != 2 })
        #expect(SampleBatch(batch.bytes) == batch)
        #expect(SampleBatch(Array(batch.bytes.dropLast())) == nil)
        #expect(connection.nanoseconds > 0)
    }

    @Test func aHelperThatEndsDuringABatchIsReplaced() throws {
        var connection = try connection()
        let now = SystemClock.monotonic
        connection.sendBatch(
            moments: [.init(time: now + 5_000_000_000, readsList: true)],
            probesReaders: false,
            at: now
        )
        kill(connection.process, SIGKILL)
        let failed = connection.receiveBatch(moments: 1, at: now)
        #expect(failed.entries.map(\.moment) == [0])
        #expect(failed.entries[0].samples.map { ObservedFiles($0).state } == [.unreadable])
        #expect(connection.problem?.contains("helper process ended") == true)
        #expect(!connection.isRunning)
        let later = now + 2_000_000_000
        connection.sendBatch(
            moments: [.init(time: now, readsList: false)],
            probesReaders: false,
            at: later
        )
        #expect(connection.isRunning)
        let batch = connection.receiveBatch(moments: 1, at: later)
        #expect(batch.entries.first?.samples.map { ObservedFiles($0).state } == [.missing])
        #expect(connection.problem == nil)
    }

    /// A helper that responds late must not be asked again, because its response would be taken for
    /// that of the next request.
    @Test(arguments: [SIGKILL, SIGSTOP])
    func aHelperThatFailsWhileADatabaseIsAddedIsReplaced(signal: Int32) throws {
        var connection = try connection()
        try Data("another file".utf8).write(to: URL(fileURLWithPath: folder.file("second.db")))
        kill(connection.process, signal)
        let now = SystemClock.monotonic
        let second = connection.add(path: folder.file("second.db"), at: now)
        #expect(second && !connection.isRunning && connection.problem != nil)
        // The next helper has not started yet.
        let third = connection.add(path: folder.file("third.db"), at: now)
        let sample = connection.sample(slot: 1, probesReaders: false, at: now + 1)
        #expect(third && !sample.database.exists && connection.problem != nil)
        let later = now + 4_000_000_000
        let moments = [HelperRequest.Moment(time: now, readsList: false)]
        connection.sendBatch(moments: moments, probesReaders: false, at: later)
        let batch = connection.receiveBatch(moments: 1, at: later)
        #expect(batch.entries.first?.samples.map(\.database.size) == [0, 12, 0])
        #expect(connection.problem == nil)
    }

    /// The session ends its batch so that the helper is immediately available again.
    @Test func aSessionRunsForItsDurationAndCountsItsSamples() throws {
        let session = try WatchSession.watching(folder.file())
        _ = session.reports()
        session.run(for: .milliseconds(500))
        let window = session.reports()[0].window
        #expect(window.seconds > 0)
        #expect(window.samples >= 1)
        #expect(window.listSamples <= window.samples)
        session.sample()
        #expect(session.reports()[0].window.samples == 1)
    }

    /// A terminal and `timeout` also send signals to the helper, which the session still needs.
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func aHelperIgnoresSignalsToItsGroup(signal: Int32) throws {
        var connection = try connection()
        let process = connection.process
        kill(process, signal)
        #expect(connection.sample(slot: 0, probesReaders: false, at: 0).database.error == ENOENT)
        #expect(connection.process == process)
        #expect(connection.problem == nil)
    }

    @Test(arguments: [false, true])
    func theHelperOfAnotherSessionIsNotListed(isAnotherCopy: Bool) throws {
        let program = try ForeignProgram(folder.file())
        try program.run("c = connect(path); c.execute('create table t(x)')")
        let helper = isAnotherCopy ? try otherHelper(in: folder) : helperCommand
        let other = try WatchSession(paths: [folder.file()], helper: helper)
        other.sample()
        let session = try WatchSession.watching(folder.file())
        #expect(session.report().processes.map(\.pid) == [program.pid])
    }

    @Test func aProcessThatReadsFilesForThisProgramIsNotListed() throws {
        let program = try ForeignProgram(folder.file())
        try program.run("c = connect(path); c.execute('create table t(x)')")
        let file = open(folder.file(), O_RDONLY)
        defer { close(file) }
        var ends: [Int32] = [-1, -1]
        try #require(ChildProcess.pipe(&ends))
        let reader = try #require(
            ChildProcess.start(["/bin/cat"], descriptors: [STDIN_FILENO: ends[0], 3: file])
        )
        defer {
            for end in ends { close(end) }
            waitpid(reader, nil, 0)
        }
        let session = try WatchSession.watching(folder.file())
        #expect(session.report().processes.map(\.pid) == [program.pid])
    }

    @Test func aHelperThatCannotBeStartedIsReported() {
        #expect(throws: WatchError.self) {
            try WatchSession(paths: [folder.file()], helper: ["/nonexistent/helper"])
        }
        do {
            _ = try HelperConnection(command: ["/bin/true"], paths: [folder.file()])
            Issue.record("a program that is not a helper was accepted")
        } catch {
            #expect(error.code == .helper)
        }
    }

    @Test func helpersEndWithTheirSession() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: helperCommand[0])
        process.arguments = ["watch", folder.file(), "60000"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let parent = process.processIdentifier
        func children() -> [Int32] {
            (ProcFile.names(in: "/proc") ?? []).compactMap { Int32($0) }.filter { child in
                ProcFile.text("/proc/\(child)/status")?.contains("\nPPid:\t\(parent)\n") == true
            }
        }
        try eventually(every: 20_000) { !children().isEmpty }
        let helpers = children()
        // The killed session cannot end its helpers.
        kill(parent, SIGKILL)
        process.waitUntilExit()
        try eventually(every: 20_000) { helpers.allSatisfy { kill($0, 0) != 0 } }
    }

    @Test func oneSessionWatchesSeveralDatabases() throws {
        try Data("text".utf8).write(to: URL(fileURLWithPath: folder.file("b")))
        let session = try WatchSession(
            paths: [folder.file("a"), folder.file("b")],
            helper: helperCommand
        )
        session.sample()
        #expect(session.states.map(\.state) == [.missing, .notADatabase])
        #expect(session.reports().map(\.file.path) == [folder.file("a"), folder.file("b")])
        #expect(throws: WatchError.self) { try WatchSession(paths: [], helper: helperCommand) }
    }
}
#endif
