#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import SQLiteWatch

struct FileCopyTests {
    /// Copies a file, and returns the content of the copy and the size of its blocks, in bytes.
    private func copy(
        _ content: [(offset: off_t, bytes: [UInt8])],
        size: off_t,
        limit: UInt64 = .max,
        progress: (UInt64) -> Bool = { _ in true }
    ) throws -> (data: Data, blocks: Int, reported: UInt64) {
        var result: (Data, Int, UInt64) = (Data(), 0, 0)
        try withTemporaryFolder { folder in
            let paths = ["a", "b"].map { folder.appendingPathComponent($0).path }
            let source = open(paths[0], O_RDWR | O_CREAT, 0o600)
            let target = open(paths[1], O_WRONLY | O_CREAT, 0o600)
            defer {
                close(source)
                close(target)
            }
            for (offset, bytes) in content {
                #expect(pwrite(source, bytes, bytes.count, offset) == bytes.count)
            }
            #expect(ftruncate(source, size) == 0)
            let count = try FileCopy.copy(source, to: target, limit: limit, progress: progress)
            var information = stat()
            #expect(fstat(target, &information) == 0)
            let data = try Data(contentsOf: URL(fileURLWithPath: paths[1]))
            result = (data, Int(information.st_blocks) * 512, count)
        }
        return result
    }

    @Test func holesArePreserved() throws {
        let size = 64 << 20
        let copy = try copy([(0, [1, 2, 3]), (off_t(32 << 20), [4])], size: off_t(size))
        #expect(copy.data.count == size && copy.reported == UInt64(size))
        #expect(copy.data.prefix(4) == Data([1, 2, 3, 0]))
        #expect(copy.data[32 << 20] == 4)
        #expect(copy.blocks < 1 << 20)
    }

    @Test func aLimitEndsTheCopy() throws {
        let copy = try copy([(0, [UInt8](repeating: 7, count: 10_000))], size: 10_000, limit: 5000)
        #expect(copy.data == Data(repeating: 7, count: 5000))
        #expect(try self.copy([], size: 0).data.isEmpty)
        #expect(try self.copy([], size: 4096, limit: 100).data == Data(count: 100))
    }

    @Test func aCopyCanBeStopped() {
        #expect(throws: FileCopy.Failure.stopped) {
            try copy([(0, [UInt8](repeating: 7, count: 10_000))], size: 10_000) { _ in false }
        }
    }
}
#endif
