import Foundation
import Testing

@testable import WorkloadEngine

@Suite(.serialized)
struct PrivateFolderTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-private-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test(arguments: [0, 0o022, 0o077] as [mode_t])
    func onlyTheOwnerCanUseTheFolder(mask: mode_t) throws {
        try withFolder { folder in
            let previous = umask(mask)
            defer { umask(previous) }
            let path = folder.appendingPathComponent("a/b")
            try PrivateFolder.create(at: path)
            var status = stat()
            #expect(lstat(path.path, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        }
    }

    @Test(arguments: ["folder", "link", "file"])
    func anExistingPathIsRejected(kind: String) throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("a")
            switch kind {
            case "folder":
                try FileManager.default.createDirectory(
                    at: path,
                    withIntermediateDirectories: false
                )
            case "link": #expect(symlink("/tmp", path.path) == 0)
            default: try Data().write(to: path)
            }
            let error = #expect(throws: PrivateFolder.Failure.self) {
                try PrivateFolder.create(at: path)
            }
            #expect(error?.description == "cannot create the folder \(path.path): File exists")
        }
    }
}
