#if os(Linux)
import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import poolgauge

/// Tests `poolgauge doctor --database` on databases that this process creates and uses.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DatabaseDoctorTests {
    private struct Examination: Decodable {
        struct Finding: Decodable, Equatable {
            var part: String
            var mark: String
            var text: String
            var remedy: String?
        }
        struct Copy: Decodable {
            var bytes: UInt64?
            var skipped: String?
        }
        var schema: String
        var copy: Copy
        var findings: [Finding]

        func findings(_ part: String) -> [Finding] { findings.filter { $0.part == part } }
    }

    private func examine(
        _ folder: URL,
        arguments: [String] = [],
        name: String = "app.sqlite"
    ) throws -> Examination {
        // Copies are created in a separate folder, which must be empty after the run.
        let temporary = folder.appendingPathComponent("temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let outcome = try HeadlessProgram.run(
            ["doctor", "--database", name, "--format", "json"] + arguments,
            in: folder,
            temporary: temporary
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
        return try JSONDecoder().decode(Examination.self, from: Data(outcome.output.utf8))
    }

    private func withQueue(_ sql: String, _ body: (DatabaseQueue, URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let queue = try Self.queue(folder)
            try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
            try body(queue, folder)
        }
    }

    /// Returns a queue whose transactions may remain open while the program runs.
    private static func queue(_ folder: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(
            path: folder.appendingPathComponent("app.sqlite").path,
            configuration: configuration
        )
    }

    /// Returns the SQL for a table `name` with an index and a number of rows.
    private static func table(_ name: String, rows: Int) -> String {
        """
        CREATE TABLE \(name)(id INTEGER PRIMARY KEY, x);
        CREATE INDEX \(name)_x ON \(name)(x);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO \(name)(x) SELECT i FROM n;
        """
    }

    @Test func aHealthyDatabaseHasNoWarnings() throws {
        try withQueue("PRAGMA journal_mode = WAL;" + Self.table("t", rows: 10)) { queue, folder in
            try queue.close()
            let found = try examine(folder)
            #expect(found.schema == "poolgauge.database/1")
            #expect(found.findings.allSatisfy { $0.mark == "ok" }, "\(found.findings)")
            #expect((found.copy.bytes ?? 0) > 0)
            let text = try HeadlessProgram.run(["doctor", "--database", "app.sqlite"], in: folder)
            #expect(
                text.output.contains("foreign keys\n  ok       The schema has no foreign keys.")
            )
        }
    }

    @Test func largeTablesWithoutStatisticsAreReported() throws {
        let sql = Self.table("large", rows: 10_001) + Self.table("small", rows: 10_000)
        try withQueue(sql + Self.table("other", rows: 10_001)) { queue, folder in
            let before = try examine(folder).findings("statistics")
            #expect(before.map(\.mark) == ["warning"])
            #expect(before.first?.text.contains("ANALYZE has never run") == true)
            #expect(before.first?.text.contains("large, other.") == true)
            try queue.writeWithoutTransaction { try $0.execute(sql: "ANALYZE large") }
            let partly = try examine(folder).findings("statistics")
            #expect(partly.first?.text.contains("rows: other.") == true)
            try queue.writeWithoutTransaction { try $0.execute(sql: "ANALYZE") }
            #expect(try examine(folder).findings("statistics").map(\.mark) == ["ok"])
        }
    }

    @Test func foreignKeysWithoutAnIndexAreReportedWithARemedy() throws {
        let sql = """
            CREATE TABLE parent(id INTEGER PRIMARY KEY, a, b, UNIQUE(a, b));
            CREATE TABLE indexed(p REFERENCES parent, q);
            CREATE INDEX indexed_p ON indexed(p, q);
            CREATE TABLE second(q, p REFERENCES parent);
            CREATE INDEX second_q ON second(q, p);
            CREATE TABLE partial(p REFERENCES parent, q);
            CREATE INDEX partial_p ON partial(p) WHERE q > 0;
            CREATE TABLE composite(a, b, FOREIGN KEY(a, b) REFERENCES parent(a, b));
            CREATE INDEX composite_b ON composite(b, a);
            CREATE TABLE rowid(id INTEGER PRIMARY KEY REFERENCES parent);
            CREATE TABLE withoutRowid(p REFERENCES parent, q, PRIMARY KEY(p, q)) WITHOUT ROWID;
            CREATE TABLE "od""d name"("my p" REFERENCES parent);
            CREATE VIRTUAL TABLE search USING fts5(x);
            """
        try withQueue(sql) { queue, folder in
            let found = try examine(folder).findings("foreignKeys")
            #expect(found.allSatisfy { $0.mark == "note" })
            let children = found.map { $0.text.prefix { $0 != "(" } }
            #expect(Set(children) == ["second", "partial", "od\"d name"])
            // The remedy must be valid SQL.
            try queue.writeWithoutTransaction { database in
                for finding in found { try database.execute(sql: finding.remedy ?? "") }
            }
            let after = try examine(folder).findings("foreignKeys")
            #expect(after.map(\.text) == ["All 7 foreign keys have an index."])
        }
    }

    @Test func freePagesSmallPagesAndAutoVacuumAreReported() throws {
        let sql =
            "PRAGMA page_size = 1024; PRAGMA auto_vacuum = FULL;" + Self.table("t", rows: 20_000)
        try withQueue(sql) { queue, folder in
            let found = try examine(folder)
            #expect(found.findings("file").contains { $0.text.contains("1024 bytes") })
            #expect(found.findings("space").contains { $0.text.contains("Each commit") })
        }
        try withQueue(Self.table("t", rows: 50_000) + "DELETE FROM t;") { queue, folder in
            let space = try #require(try examine(folder).findings("space").first)
            #expect(space.mark == "warning")
            let pages = try queue.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
            #expect(space.text.contains("\(try #require(pages)) free pages"))
            #expect(space.remedy?.contains("VACUUM") == true)
        }
    }

    @Test func aLogLargerThanTheDatabaseIsReportedWithItsReader() throws {
        try withQueue("PRAGMA journal_mode = WAL; CREATE TABLE t(x)") { queue, folder in
            let reader = try Self.queue(folder)
            try reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT * FROM t") }
            try queue.writeWithoutTransaction { database in
                for _ in 0..<30 {
                    try database.execute(sql: "INSERT INTO t VALUES (zeroblob(300000))")
                }
            }
            let found = try examine(folder)
            let journal = found.findings("journal")
            #expect(journal.contains { $0.text.contains("larger than the database") })
            #expect(journal.contains { $0.text.contains("pins the log") })
            #expect(found.findings("processes").first?.text.contains("\(getpid())") == true)
            #expect((found.copy.bytes ?? 0) > 0)
            try reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        }
    }

    @Test func aDatabaseThatCannotBeCopiedIsStillDescribed() throws {
        try withQueue(Self.table("t", rows: 1_000)) { queue, folder in
            let small = try examine(folder, arguments: ["--copy-limit", "10KiB"])
            #expect(small.copy.bytes == nil)
            #expect(small.copy.skipped?.contains("the limit is 10.0 KiB") == true)
            #expect(
                small.findings("copy").first?.remedy == "Raise the limit with --copy-limit 1GiB."
            )
            #expect(small.findings("statistics").isEmpty)
            try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
            let locked = try examine(folder)
            #expect(locked.copy.skipped?.contains("a transaction is writing to it") == true)
            #expect(locked.findings("processes").contains { $0.text.contains("exclusive") })
            try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        }
    }

    /// Tests a database in which every page except the first is overwritten with zeros.
    @Test func aDamagedDatabaseIsAProblem() throws {
        try withQueue(Self.table("t", rows: 10_000)) { queue, folder in
            try queue.close()
            let file = folder.appendingPathComponent("app.sqlite")
            var bytes = try Data(contentsOf: file)
            bytes.replaceSubrange(4_096..<bytes.count, with: Data(count: bytes.count - 4_096))
            try bytes.write(to: file)
            let outcome = try HeadlessProgram.run(
                ["doctor", "--database", "app.sqlite"],
                in: folder
            )
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("problem  The database is truncated or damaged"))
        }
    }

    private static let random: Data = {
        var random = SystemRandomNumberGenerator()
        return Data((0..<8_192).map { _ in UInt8.random(in: 0...255, using: &random) })
    }()

    private static let otherFiles: [(String, Data, String)] = [
        ("text", Data("Not a database.".utf8), "is a text file"),
        ("empty", Data(), "is empty"),
        ("encrypted", random, "appears to be encrypted"),
        ("zeros", Data(count: 4_096), "starts with zeros"),
        ("gzip", Data([0x1f, 0x8b, 8, 0]), "is compressed with gzip"),
        ("damaged", Data("SQLite format 3\0".utf8) + Data(count: 500), "has a damaged SQLite"),
        ("binary", Data([0, 1, 2, 3, 0xff]), "is not an SQLite database"),
    ]

    @Test(arguments: otherFiles)
    func otherFilesAreIdentified(name: String, content: Data, words: String) throws {
        try withTemporaryFolder { folder in
            try content.write(to: folder.appendingPathComponent(name))
            let outcome = try HeadlessProgram.run(["doctor", "--database", name], in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("'\(name)' \(words)"), "\(outcome.errors)")
        }
    }

    @Test func pathsWithoutARegularFileAreReported() throws {
        try withTemporaryFolder { folder in
            #expect(mkfifo(folder.appendingPathComponent("fifo").path, 0o600) == 0)
            for (name, words) in [
                ("absent", "there is no file 'absent'"), (".", "'.' is a folder"),
                ("fifo", "'fifo' is not a regular file"),
            ] {
                let outcome = try HeadlessProgram.run(["doctor", "--database", name], in: folder)
                #expect(outcome.status == 64)
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
            }
            let limit = try HeadlessProgram.run(["doctor", "--copy-limit", "1GiB"], in: folder)
            #expect(limit.status == 64)
            #expect(limit.errors.contains("--database"))
        }
    }

    private static let strace = "/usr/bin/strace"

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: strace), "strace is missing"),
        arguments: ["WAL", "DELETE"]
    )
    func theFilesAreNeitherWrittenNorLocked(mode: String) throws {
        try withQueue("PRAGMA journal_mode = \(mode);" + Self.table("t", rows: 100)) {
            queue,
            folder in
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t(x) VALUES (1)")
            }
            let path = folder.appendingPathComponent("app.sqlite").path
            let before = FileStates(path)
            let trace = folder.appendingPathComponent("trace").path
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Self.strace)
            process.arguments = [
                "-f", "-y", "-o", trace, "-e",
                "trace=file,desc,mmap,ftruncate,fallocate,flock", Program.path, "doctor",
                "--database", path,
            ]
            process.environment = Program.environment(temporary: folder)
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            // A sandbox may forbid tracing.
            guard process.terminationStatus == 0 else { return }
            #expect(String(decoding: text, as: UTF8.self).contains("statistics"))
            #expect(FileStates(path) == before)

            let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            let databaseLines = lines.filter { line in
                ["", "-wal", "-shm", "-journal"].contains { suffix in
                    line.contains("\"\(path)\(suffix)\"") || line.contains("<\(path)\(suffix)>")
                } && !line.contains("execve(") && !line.contains(" resumed>")
            }
            func call(_ line: Substring) -> Substring {
                line.drop { $0 != " " }.drop { $0 == " " }.prefix { $0 != "(" }
            }
            let opens = databaseLines.filter { call($0) == "openat" }
            #expect(!opens.isEmpty)
            #expect(opens.allSatisfy { $0.contains("O_RDONLY") && !$0.contains("O_CREAT") })
            let calls = Set(databaseLines.map(call))
            #expect(
                calls.isSubset(of: [
                    "openat", "newfstatat", "stat", "lstat", "readlink", "readlinkat", "pread64",
                    "fcntl", "close", "lseek", "access", "faccessat", "copy_file_range",
                ]),
                "\(calls)"
            )
            // Data is copied from the files, and not to them.
            for line in databaseLines where call(line) == "copy_file_range" {
                let source = line.prefix { $0 != "," }
                #expect(source.contains("<\(path)"), "\(line)")
                #expect(!line.dropFirst(source.count).contains("<\(path)"), "\(line)")
            }
            #expect(!databaseLines.contains { call($0) == "fcntl" && $0.contains("SETLK") })
            try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        }
    }

    /// The sizes, times, and contents of a database's files.
    private struct FileStates: Equatable {
        private var states: [[Int]] = []
        private var contents: [Data?] = []

        init(_ path: String) {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                var information = stat()
                let exists = stat(path + suffix, &information) == 0
                states.append(
                    exists
                        ? [
                            Int(information.st_size), information.st_mtim.tv_sec,
                            information.st_mtim.tv_nsec, information.st_ctim.tv_sec,
                            information.st_ctim.tv_nsec,
                        ] : []
                )
                // Reads the files in another process. Closing a descriptor in this process would
                // release its locks.
                contents.append(exists ? Self.content(path + suffix) : nil)
            }
        }

        private static func content(_ path: String) -> Data? {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/cat")
            process.arguments = [path]
            let output = Pipe()
            process.standardOutput = output
            guard (try? process.run()) != nil else { return nil }
            defer { process.waitUntilExit() }
            return try? output.fileHandleForReading.readToEnd()
        }
    }
}
#endif
