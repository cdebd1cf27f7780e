#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests that the frame counts by table match SQLite's `dbstat`.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct TablesTruthTests {
    private let folder = TemporaryFolder()

    /// Starts a program with two tables and an index.
    ///
    /// The `truth()` function of the program writes the counts to a file.
    private func program(_ pragmas: String = "") throws -> ForeignProgram {
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            import struct, random
            random.seed(14)
            c = connect(path)
            \(pragmas)
            c.execute("pragma journal_mode=wal"); c.execute("pragma wal_autocheckpoint=0")
            c.execute("create table orders(id integer primary key, day, note)")
            c.execute("create index orders_by_day on orders(day)")
            c.execute("create table log(x)")
            def order(n):
                c.execute("begin")
                for i in range(n):
                    c.execute("insert into orders(day, note) values(?, ?)",
                              (random.random(), "n" * random.randrange(300)))
                c.execute("commit")
            def note(size): c.execute("insert into log values(zeroblob(?))", (size,))
            def salts():
                with open(path + "-wal", "rb") as f: return f.read(32)[16:24]
            def truth(first):
                names = dict(c.execute("select pageno, name from dbstat").fetchall())
                size = c.execute("pragma page_size").fetchone()[0]
                counts = {}
                with open(path + "-wal", "rb") as f:
                    content = f.read()
                offset, frame = 32, 0
                while offset + 24 + size <= len(content):
                    if content[offset + 8:offset + 16] != content[16:24]: break
                    frame += 1
                    page = struct.unpack(">I", content[offset:offset + 4])[0]
                    if frame > first:
                        name = names.get(page, "")
                        counts[name] = counts.get(name, 0) + 1
                    offset += 24 + size
                json.dump(counts, open(path + ".json", "w"))
            """
        )
        return program
    }

    private func truth(_ program: ForeignProgram, after frames: UInt64?) throws -> [String: Int] {
        try program.run("truth(\(frames ?? 0))")
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.file() + ".json"))
        return try JSONDecoder().decode([String: Int].self, from: data)
    }

    private func compare(_ report: WatchReport, _ truth: [String: Int]) throws {
        let total = truth.values.reduce(0, +)
        let coverage = try #require(report.tablesCoverage)
        #expect(Int(coverage.framesRead) == total)
        #expect(coverage.readShare == 1)
        for (name, frames) in truth where !name.isEmpty {
            let shown =
                report.tables.first { table in
                    table.name == name || (table.kind == .schema && name == "sqlite_schema")
                }?.frames ?? 0
            // The tolerance is 5% of all frames.
            #expect(abs(Int(shown) - frames) * 20 <= total, "\(name): \(shown) of \(frames)")
        }
        #expect(coverage.unknownShare < 0.05)
    }

    @Test(arguments: [
        "", "c.execute('pragma page_size=1024')", "c.execute('pragma auto_vacuum=full')",
    ])
    func framesAreCountedByTable(pragmas: String) throws {
        let program = try program(pragmas)
        try program.run("for i in range(50): order(20); note(100)")
        let session = try WatchSession.watching(folder.file())
        let first = session.report().wal?.frames
        for _ in 0..<5 {
            try program.run("for i in range(30): order(20); note(300)")
            session.sample()
        }
        // These values continue on overflow pages.
        try program.run("for i in range(10): note(50_000)")
        try compare(session.report(), truth(program, after: first))
    }

    @Test func aNewTableIsFound() throws {
        let program = try program()
        let session = try WatchSession.watching(folder.file())
        let first = session.report().wal?.frames
        try program.run(
            """
            c.execute("create table later(x)")
            for i in range(200): c.execute("insert into later values(zeroblob(500))")
            """
        )
        let report = session.report()
        #expect(report.tablesCoverage?.framesRead == (report.wal?.frames ?? 0) - (first ?? 0))
        try program.run(
            "for i in range(400): c.execute('insert into later values(zeroblob(500))')"
        )
        let later = session.report()
        #expect(later.tables.first?.name == "later")
        #expect((later.tables.first?.share ?? 0) > 0.8)
    }

    @Test func aRestartedLogIsReadFromItsStart() throws {
        let program = try program()
        let session = try WatchSession.watching(folder.file())
        _ = session.report()
        try program.run(
            """
            for i in range(20): order(20)
            c.execute("pragma wal_checkpoint(truncate)").fetchall()
            for i in range(30): order(20)
            """
        )
        let report = session.report()
        let frames = try #require(report.wal?.frames)
        #expect(report.wal?.resets == 1)
        #expect(report.tablesCoverage?.framesRead == frames)
        #expect(Set(report.tables.prefix(2).map(\.name)) == ["orders", "orders_by_day"])
    }
}
#endif
