#if os(Linux)
import Foundation
import Glibc
import Testing
import Text

@testable import SQLiteWatch

/// Tests paths with bytes that are not UTF-8.
struct RawPathTests {
    @Test(
        arguments: [
            [0x63, 0x61, 0x66, 0xe9], [0xc3], [0xc3, 0xa9, 0xff], [0xed, 0xa0, 0x80],
            Array("a\u{10f8e9}b\u{e9}".utf8), [0xf0, 0x9f, 0x98, 0x80, 0x80], [],
        ] as [[UInt8]]
    )
    func eachPathHasOneText(bytes: [UInt8]) {
        let text = PathText.text(of: bytes)
        #expect(PathText.bytes(of: text) == bytes)
        #expect(PathText.shown(text).unicodeScalars.allSatisfy { $0.value < 0x10_f800 })
    }

    @Test func aNameIsShownWithItsBytes() {
        #expect(PathText.shown(PathText.text(of: [0x63, 0xe9, 0x2e])) == "c\\xE9.")
        #expect(PathText.text(of: Array("café".utf8)) == "café")
    }

    @Test func aFileIsFoundByItsName() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = PathText.text(of: Array(folder.utf8) + [0x2f, 0x63, 0xe9])
        #expect(!FilePath.exists(path))
        let descriptor = PathText.withCString(path) { creat($0, 0o600) }
        #expect(descriptor >= 0)
        #expect(FilePath.exists(path) && !FilePath.isFolder(path))
        #expect(ProcFile.names(in: folder)?.map { folder + "/" + $0 } == [path])
        #expect(ProcFile.link("/proc/self/fd/\(descriptor)") == FilePath.resolved(path))
        close(descriptor)
        // Foundation cannot remove it.
        #expect(PathText.withCString(path) { unlink($0) } == 0)
    }
}
#endif
