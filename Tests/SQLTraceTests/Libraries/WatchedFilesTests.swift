#if os(Linux)
import Foundation
import Testing

@testable import SQLTrace

struct WatchedFilesTests {
    private let folder: URL
    private let files: WatchedFiles

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = WatchedFiles(paths: ["/nowhere/app.db"], proc: folder.path)
    }

    private func setRoot(of process: Int32, to path: String) throws {
        let process = folder.appendingPathComponent("\(process)")
        try FileManager.default.createDirectory(at: process, withIntermediateDirectories: true)
        let link = process.appendingPathComponent("root").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    }

    @Test func aPathMatchesAWatchedFileOnlyInTheSameRoot() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try setRoot(of: 1, to: "/")
        try setRoot(of: 2, to: folder.path)
        #expect(files.database(of: 1, path: "/nowhere/app.db") == .watched(0))
        #expect(files.database(of: 1, path: "/nowhere/other.db") == .other)
        #expect(files.database(of: 2, path: "/nowhere/app.db") == .unknown)
        #expect(files.database(of: 3, path: "/nowhere/app.db") == .unknown)
    }

    @Test func anEndedProcessHasItsLastRoot() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (process, root) in [(Int32(10), "/"), (20, folder.path)] {
            try setRoot(of: process, to: root)
            files.noteRoot(of: process)
            try FileManager.default.removeItem(
                at: folder.appendingPathComponent(String(process))
            )
        }
        #expect(files.database(of: 10, path: "/nowhere/app.db") == .watched(0))
        #expect(files.database(of: 20, path: "/nowhere/app.db") == .unknown)
    }

    @Test func aProgramMayHaveADifferentRootThanItsPredecessor() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try setRoot(of: 10, to: "/")
        files.noteRoot(of: 10)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("10"))
        try setRoot(of: 10, to: folder.path)
        files.noteRoot(of: 10)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("10"))
        #expect(files.database(of: 10, path: "/nowhere/app.db") == .unknown)
    }
}
#endif
