#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

@Suite(.timeLimit(.minutes(2)), .enabled(if: ForeignProgram.isAvailable))
struct DatabaseSearchTests {
    private let folder = TemporaryFolder()
    private let search = DatabaseSearch(helper: helperCommand)

    private func write(_ text: String, to name: String, length: Int) throws {
        var data = Data(text.utf8)
        data.append(Data(repeating: 0x20, count: max(0, length - data.count)))
        try data.write(to: URL(fileURLWithPath: folder.file(name)))
    }

    @Test func aFolderListsFilesWithADatabaseHeader() throws {
        let program = try ForeignProgram(folder.file("b.db"))
        try program.run("c = connect(path); c.execute('CREATE TABLE t(x)')")
        try program.run("d = connect(path[:-4] + 'a.sqlite'); d.execute('PRAGMA journal_mode=WAL')")
        try program.run("d.execute('CREATE TABLE t(x)')")
        try write("SQLite format 3", to: "truncated", length: 0)
        try write("plain text", to: "text.txt", length: 4096)
        try write("", to: "empty.db", length: 0)
        try FileManager.default.createDirectory(
            atPath: folder.file("folder.db"),
            withIntermediateDirectories: true
        )
        #expect(search.databases(in: folder.path) == ["a.sqlite", "b.db"].map { folder.file($0) })
        #expect(search.databases(in: folder.file("absent")) == nil)
    }

    @Test func aFileThatBecomesADatabaseIsFound() throws {
        try write("plain text", to: "db.sqlite", length: 4096)
        #expect(search.databases(in: folder.path) == [])
        try FileManager.default.removeItem(atPath: folder.file())
        let program = try ForeignProgram(folder.file())
        try program.run("c = connect(path); c.execute('CREATE TABLE t(x)')")
        #expect(search.databases(in: folder.path) == [folder.file()])
    }

    @Test(arguments: ["WAL", "DELETE"])
    func anOpenDatabaseIsFoundWithItsProcess(mode: String) throws {
        let program = try ForeignProgram(folder.file())
        try program.run("c = connect(path); c.execute('PRAGMA journal_mode=\(mode)')")
        try program.run("c.execute('CREATE TABLE t(x)')")
        let found = search.openDatabases().databases.first { $0.path == folder.file() }
        #expect(found?.processes == [program.pid])
        try program.run("c.close()")
        #expect(!search.openDatabases().databases.contains { $0.path == folder.file() })
    }

    @Test func helpersOfASessionAreNotListed() throws {
        let program = try ForeignProgram(folder.file())
        try program.run("c = connect(path); c.execute('PRAGMA journal_mode=WAL')")
        try program.run("c.execute('CREATE TABLE t(x)')")
        let session = try WatchSession.watching(folder.file())
        session.sample()
        let otherHelper = try otherHelper(in: folder)
        let other = try WatchSession(paths: [folder.file()], helper: otherHelper)
        other.sample()
        let found = search.openDatabases().databases.first { $0.path == folder.file() }
        #expect(found?.processes == [program.pid])
    }

    @Test func anOpenFileThatIsNotADatabaseIsNotListed() throws {
        try write("plain text", to: "log.txt", length: 8192)
        let program = try ForeignProgram(folder.file())
        try program.run("f = open(path.replace('db.sqlite', 'log.txt'))")
        let paths = search.openDatabases().databases.map(\.path)
        #expect(!paths.contains(folder.file("log.txt")))
    }

    @Test func aSessionWatchesDatabasesThatAreAdded() throws {
        let program = try ForeignProgram(folder.file("a.db"))
        try program.run("c = connect(path); c.execute('PRAGMA journal_mode=WAL')")
        try program.run("c.execute('CREATE TABLE t(x)')")
        let session = try WatchSession.watching(folder.file("a.db"))
        session.sample()
        let other = try ForeignProgram(folder.file("b.db"))
        try other.run("c = connect(path); c.execute('PRAGMA journal_mode=WAL')")
        try other.run("c.execute('CREATE TABLE t(x)'); c.execute('BEGIN IMMEDIATE')")
        #expect(session.add(path: folder.file("b.db")))
        #expect(!session.add(path: folder.file("b.db")))
        for _ in 0..<3 { session.sample() }
        let reports = session.reports()
        #expect(reports.map(\.file.path) == [folder.file("a.db"), folder.file("b.db")])
        #expect(reports[1].locks(other) == [.writer, .reader])
        #expect(session.states.map(\.state) == [.present, .present])
    }

    @Test func databasesBeyondTheLimitAreNotAdded() throws {
        let session = try WatchSession.watching(folder.file("0.db"))
        for number in 1..<WatchSession.databaseLimit {
            #expect(session.add(path: folder.file("\(number).db")))
        }
        #expect(!session.add(path: folder.file("more.db")))
        #expect(session.reports().count == WatchSession.databaseLimit)
    }

    @Test func theListIsSortedByActivityAndEscaped() throws {
        let program = try ForeignProgram(folder.file("quiet.db"), name: "a\u{1B}[2J")
        try program.run("c = connect(path); c.execute('CREATE TABLE t(x)')")
        try program.run("d = connect(path.replace('quiet', 'busy'))")
        try program.run("d.execute('PRAGMA journal_mode=WAL'); d.execute('CREATE TABLE t(x)')")
        let paths = [folder.file("quiet.db"), folder.file("busy.db")]
        let session = try WatchSession(paths: paths, helper: helperCommand)
        session.sample()
        for _ in 0..<5 { try program.run("d.execute('INSERT INTO t VALUES (1)')") }
        session.sample()
        let list = WatchedDatabaseList(reports: session.reports(), notes: ["a\u{1B}note"])
        #expect(list.databases.map(\.path) == paths.reversed())
        #expect(list.databases[0].commitsPerSecond ?? 0 > 0)
        #expect(list.databases[0].processes.map(\.pid) == [program.pid])
        for text in [list.text, try list.json()] {
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        }
        let decoded = try JSONDecoder().decode(
            WatchedDatabaseList.self,
            from: Data(try list.json().utf8)
        )
        #expect(decoded == list)
    }
}
#endif
