#if os(Linux)
import Findings
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

private let isRoot = getuid() == 0
private let setpriv = "/usr/bin/setpriv"
private let unshare = "/usr/bin/unshare"

private func canRun(_ command: [String]) -> Bool {
    guard isRoot, FileManager.default.isExecutableFile(atPath: command[0]) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}

private let otherUser = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
private let namespace = [unshare, "--pid", "--fork", "--mount-proc", "--kill-child"]

/// Whether the helper program can run as a different user, who may lack access to its folder.
private let canChangeUser = canRun(otherUser + ["/usr/bin/test", "-x", helperCommand[0]])
private let canChangeNamespace = canRun(namespace + ["/bin/true"])

/// Tests reports across users, PID namespaces, and overlays.
///
/// The reports must be correct and must describe what they omit.
@Suite(.enabled(if: ForeignProgram.isAvailable), .timeLimit(.minutes(1)))
struct VisibilityTruthTests {
    private let folder = TemporaryFolder()

    private static let setUp = """
        c = connect(path, timeout=0); c.execute("pragma journal_mode=wal")
        c.execute("create table if not exists t(x)")
        c.execute("begin immediate"); c.execute("insert into t values(1)")
        """

    /// Returns the report of the watching program, started through `command`.
    private func report(_ command: [String], on path: String? = nil) throws -> WatchReport {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments =
            Array(command.dropFirst()) + helperCommand + ["watch", path ?? folder.file(), "500"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode(WatchReport.self, from: data)
    }

    @Test(.enabled(if: canChangeUser, "needs root, and a build that other users can read"))
    func aProgramOfAnotherUserIsShownWithItsUser() throws {
        chmod(folder.path, 0o777)
        let program = try ForeignProgram(folder.file(), through: otherUser)
        try program.run(Self.setUp)
        let report = try WatchSession.watching(folder.file()).report()
        #expect(report.locks(program).contains(.writer))
        #expect(report.process(program)?.user == "nobody")
    }

    /// Another user can read the locks, the process IDs, and the names, but not the call stacks.
    @Test(.enabled(if: canChangeUser, "needs root, and a build that other users can read"))
    func aWatcherAsAnotherUserReportsItsLimitations() throws {
        chmod(folder.path, 0o755)
        let program = try ForeignProgram(folder.file())
        try program.run(Self.setUp)
        let report = try report(otherUser)
        #expect(report.locks(program).contains(.writer))
        #expect(report.process(program)?.share.writer.value == 1)
        #expect(report.process(program)?.name.hasPrefix("python3") == true)
        #expect(report.notes.contains { $0.contains("open files of") && $0.contains("as root") })
        #expect(report.hiddenProcesses ?? 0 > 0)
        #if arch(x86_64)
        #expect(report.process(program)?.waiting?.isWaiting != true)
        #expect(report.notes.contains { $0.contains("cannot be detected") })
        #endif
    }

    /// Locks are listed by inode, which requires no permission for the files.
    @Test(.enabled(if: canChangeUser, "needs root, and a build that other users can read"))
    func unreadableFilesStillShowTheirLocks() throws {
        chmod(folder.path, 0o755)
        let program = try ForeignProgram(folder.file())
        try program.run(Self.setUp)
        for suffix in ["", "-wal", "-shm"] { chmod(folder.file() + suffix, 0o600) }
        let report = try report(otherUser)
        #expect(report.file.state == .unreadable)
        #expect(report.file.problem?.contains("run as its owner") == true)
        #expect(report.locks(program).contains(.writer))
        #expect(report.process(program)?.share.writer.value == 1)
    }

    /// The kernel translates the process IDs of nested namespaces.
    @Test(.enabled(if: canChangeNamespace, "needs root and PID namespaces"))
    func aProgramInAContainerIsShownFromOutside() throws {
        let program = try ForeignProgram(folder.file(), through: namespace)
        try program.run(Self.setUp)
        let report = try WatchSession.watching(folder.file()).report()
        let found = try #require(report.processes.first)
        #expect(report.processes.count == 1)
        #expect(found.locks.map(\.kind).contains(.writer))
        #expect(found.name.hasPrefix("python3"))
        // The process ID inside the namespace is different.
        #expect(found.pid > 1)
        #expect(found.pid != program.pid)
        #expect(!report.notes.contains { $0.contains("An invisible process") })
    }

    @Test(.enabled(if: canChangeNamespace, "needs root and PID namespaces"))
    func aWatcherInAContainerReportsThatOthersAreHidden() throws {
        let program = try ForeignProgram(folder.file())
        try program.run(Self.setUp)
        let report = try report(namespace)
        #expect(report.processes.isEmpty)
        #expect(report.notes.contains { $0.contains("An invisible process") })
        #expect(report.notes.contains { $0.contains("PID namespace") && $0.contains("--pid=host") })
        #expect(report.wal != nil)
        #expect(report.verdict.kind != .leftoverWAL)
    }

    /// A journal whose writer is in another namespace is not hot.
    @Test(.enabled(if: canChangeNamespace, "needs root and PID namespaces"))
    func aHiddenWriterLeavesNoHotJournal() throws {
        let program = try ForeignProgram(folder.file())
        try program.run(
            """
            c = connect(path); c.execute("create table t(x)")
            c.execute("begin immediate"); c.execute("insert into t values(1)")
            """
        )
        let report = try report(namespace)
        #expect(report.rollback?.journalBytes != nil)
        #expect(report.rollback?.isHot == false)
        #expect(report.verdict.kind != .hotJournal)
    }

    /// For a file on an overlay, the list of locks contains a different device than `stat` returns.
    @Test(.enabled(if: canChangeNamespace, "needs root and mount namespaces"))
    func aDatabaseOnAnOverlayIsWatched() throws {
        for name in ["lower", "upper", "work", "merged"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name),
                withIntermediateDirectories: false
            )
        }
        // The database is first in the lower layer. The first write of the program copies it to the
        // upper layer.
        let first = try ForeignProgram(folder.file("lower/app.sqlite"))
        try first.run(
            """
            c = connect(path); c.execute("pragma journal_mode=wal")
            c.execute("create table t(x)"); c.close()
            """
        )
        let mount = """
            mount -t overlay overlay -o "lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work" \
            "$0/merged" || exit 77
            """
        let script = """
            \(mount)
            mkfifo "$0/ready"
            "$1" -c 'import sqlite3, sys, time
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute("begin immediate"); c.execute("insert into t values(1)")
            open(sys.argv[2], "w").write("ready")
            time.sleep(600)' "$0/merged/app.sqlite" "$0/ready" > /dev/null &
            writer=$!
            read line < "$0/ready"
            "$2" watch "$0/merged/app.sqlite" 500
            kill -9 $writer
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: unshare)
        process.arguments = [
            "--mount", "/bin/bash", "-c", script, folder.path, ForeignProgram.python ?? "",
            helperCommand[0],
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // This kernel or file system does not support overlays.
        guard process.terminationStatus != 77 else { return }
        let report = try JSONDecoder().decode(WatchReport.self, from: data)
        #expect(report.file.fileSystem?.type == "overlay")
        #expect(report.processes.count == 1)
        #expect(report.processes.first?.locks.map(\.kind).contains(.writer) == true)
        #expect(report.processes.first?.share.writer.value == 1)
        #expect(!report.notes.contains { $0.contains("An invisible process") })
    }
}
#endif
