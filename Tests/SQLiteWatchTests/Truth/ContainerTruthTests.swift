#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

/// Tests databases in other mount namespaces, on an overlay file system, as in containers.
@Suite(
    .timeLimit(.minutes(2)),
    .enabled(if: OverlayRoot.isAvailable, "skipped: no overlay file system can be mounted")
)
struct ContainerTruthTests {
    private let folder = TemporaryFolder()
    private let search = DatabaseSearch(helper: helperCommand)

    /// Starts a program in a root directory of its own, with a database that exists only there.
    private func program(_ path: String = "/srv/app.db") throws -> ForeignProgram {
        let program = try ForeignProgram(path, through: OverlayRoot.command(folder.file("root")))
        try program.run("c = connect(path); c.execute('PRAGMA journal_mode=WAL')")
        try program.run("c.execute('CREATE TABLE t(x)')")
        return program
    }

    @Test func aDatabaseInAContainerIsListedAndWatched() throws {
        let program = try program()
        let path = "/proc/\(program.pid)/root/srv/app.db"
        let found = search.openDatabases().databases.first { $0.processes == [program.pid] }
        #expect(found?.path == path)
        #expect(found?.isNamed("pid:\(program.pid)") == true)
        #expect(found?.isNamed("/srv/app.db") == true)
        #expect(found?.isNamed("pid:1") == false)
        let session = try WatchSession.watching(path)
        try program.run("c.execute('BEGIN IMMEDIATE'); c.execute('INSERT INTO t VALUES(1)')")
        for _ in 0..<3 { session.sample() }
        let report = try #require(session.reports().first)
        #expect(report.locks(program) == [.writer, .reader])
        #expect(report.file.fileSystem?.type == "overlay")
        let text = WatchText.text(of: report)
        #expect(text.hasPrefix("/srv/app.db in the root directory of process \(program.pid)\n"))
    }

    @Test func aPathIsResolvedWithinTheRootDirectory() throws {
        let program = try program()
        let root = "/proc/\(program.pid)/root"
        // /dev is an empty folder on the overlay file system.
        let outside = "/dev/shm/poolgauge-test-\(program.pid)"
        #expect(FileManager.default.createFile(atPath: outside, contents: Data("secret".utf8)))
        defer { try? FileManager.default.removeItem(atPath: outside) }
        try program.run(
            """
            os.symlink("\(outside)", "/srv/absolute.db")
            os.symlink("../../../../../../../..\(outside)", "/srv/relative.db")
            os.symlink("/proc/self/root\(outside)", "/srv/magic.db")
            os.symlink("/srv/../srv/app.db", "/srv/inside.db")
            os.mkfifo("/srv/pipe.db")
            """
        )
        for name in ["absolute", "relative", "magic"] {
            #expect(FilePath.open("\(root)/srv/\(name).db", flags: O_RDONLY) == -1)
            #expect(FileIdentity(path: "\(root)/srv/\(name).db") == nil)
        }
        #expect(FilePath.resolved("\(root)/srv/inside.db") == root + "/srv/app.db")
        let session = try WatchSession.watching("\(root)/srv/pipe.db")
        session.sample()
        #expect(session.states.first?.state != .present)
    }
}

/// Tests the IDs and names of containers.
struct ProcessContainerTests {
    private static let id = String(repeating: "0123456789abcdef", count: 4)

    @Test(arguments: [
        "0::/system.slice/docker-\(id).scope", "0::/machine.slice/libpod-\(id).scope/container",
        "12:devices:/docker/\(id)\n0::/", "0::/kubepods.slice/pod1/cri-containerd-\(id).scope",
        "5:cpu:/libpod_parent/libpod-\(id)",
    ])
    func theIDIsFoundInTheControlGroup(text: String) {
        #expect(ProcessContainer(controlGroups: text)?.id == Self.id)
    }

    @Test(arguments: [
        "", "0::/", "0::/user.slice/user-0.slice", "0::/docker-0123456789ab.scope", "x",
        "0::/a\(id)", "0::/docker-\(id.uppercased()).scope",
    ])
    func otherControlGroupsAreNoContainers(text: String) {
        #expect(ProcessContainer(controlGroups: text) == nil)
    }

    @Test func aContainerIsNamedByItsNameOrByTheStartOfItsID() throws {
        var container = try #require(ProcessContainer(controlGroups: "0::/docker/\(Self.id)"))
        #expect(container.label == "container 0123456789ab")
        container.name = "web"
        #expect(container.label == "container web (0123456789ab)")
        #expect(container.isNamed("web") && container.isNamed("0123456789abc"))
        #expect(!container.isNamed("0123") && !container.isNamed("we"))
    }
}
#endif
