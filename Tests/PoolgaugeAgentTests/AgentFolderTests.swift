import Foundation
import SQLiteEngine
import Testing

@testable import PoolgaugeAgent

final class AgentFolderTests {
    private let root: String

    init() throws { root = try TestAgent.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private var folder: AgentFolder { AgentFolder(path: root + "/agents") }

    @Test func theFolderIsCreatedForItsOwner() throws {
        try folder.create()
        try folder.check()
        // An existing folder is kept.
        try folder.create()
        try folder.check()
    }

    @Test func aLinkIsRefused() throws {
        let target = root + "/target"
        #expect(mkdir(target, 0o700) == 0)
        #expect(symlink(target, folder.path) == 0)
        try folder.create()
        #expect(throws: AgentError("\(folder.path) is not a folder; remove it")) {
            try folder.check()
        }
    }

    @Test func anotherOwnerIsRefused() throws {
        try folder.create()
        #expect(throws: AgentError.self) { try folder.check(owner: geteuid() + 1) }
    }

    @Test(.enabled(if: geteuid() == 0, "requires root"))
    func aPlantedFolderOfAnotherUserIsRefused() throws {
        try folder.create()
        #expect(chown(folder.path, 65_534, 65_534) == 0)
        let queue = try DatabaseQueue()
        let service = AgentService(queue, name: "app", allowsControl: false)
        let error = AgentError(
            "\(folder.path) belongs to user 65534, expected user 0; remove the folder"
        )
        #expect(throws: error) { _ = try Agent(service: service, folder: folder) }
        #expect(folder.sockets() == [])
    }

    @Test func aNameIsDerivedFromAnyText() {
        #expect(AgentSocket.validName(from: "WatchedPool") == "WatchedPool")
        #expect(AgentSocket.validName(from: "my app/2") == "my_app_2")
        #expect(AgentSocket.validName(from: ".a") == "_a")
        #expect(AgentSocket.validName(from: "") == "_")
        #expect(
            AgentSocket.isValid(
                name: AgentSocket.validName(from: "é" + String(repeating: "x", count: 50))
            )
        )
    }

    @Test(arguments: [0o777, 0o750, 0o1700] as [mode_t])
    func anotherModeIsRefused(mode: mode_t) throws {
        try folder.create()
        #expect(chmod(folder.path, mode) == 0)
        #expect(throws: AgentError.self) { try folder.check() }
    }

    @Test func onlySocketsOfEndedProcessesAreRemoved() throws {
        try folder.create()
        // Linux and macOS assign no process number this large.
        let ended = AgentSocket(name: "a", process: .max, folder: folder)
        let running = AgentSocket(name: "a", process: getpid(), folder: folder)
        for path in [ended.path, running.path, folder.path + "/other.sock"] {
            let socket = try UnixSocket.make()
            #expect(try UnixSocket.bind(socket, to: path) == 0)
            close(socket)
        }
        #expect(folder.sockets() == [ended, running].sorted { $0.path < $1.path })
        folder.removeStaleSockets()
        #expect(folder.sockets() == [running])
        #expect(FileManager.default.fileExists(atPath: folder.path + "/other.sock"))
    }

    @Test func aPathThatIsTooLongIsRefused() throws {
        let path = "/tmp/" + String(repeating: "a", count: 200)
        let socket = try UnixSocket.make()
        defer { close(socket) }
        #expect(throws: AgentError.self) { try UnixSocket.bind(socket, to: path) }
    }
}
