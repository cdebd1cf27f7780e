#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The bytes of an untrusted file.
///
/// The file may be truncated or replaced at any time, so it is read, not mapped. Reading past the
/// end returns fewer bytes.
final class FileBytes {
    private let read: (_ offset: UInt64, _ count: Int) -> [UInt8]
    /// The last block that a small read has used.
    private var block = LittleEndian([])
    private var blockStart: UInt64 = 0

    private static let blockLength = 1 << 16
    /// The number of bytes that a scan reads at a time.
    private static let chunkLength = 1 << 20

    /// Creates a reader.
    ///
    /// - Parameter read: A closure that returns the bytes at an offset, or fewer at the end of the
    ///   file.
    init(read: @escaping (_ offset: UInt64, _ count: Int) -> [UInt8]) { self.read = read }

    /// Creates a reader of bytes in memory.
    convenience init(_ bytes: [UInt8]) {
        self.init { offset, count in
            guard offset < UInt64(bytes.count) else { return [] }
            return Array(bytes[Int(offset)...].prefix(count))
        }
    }

    /// Returns the bytes of a table, or no bytes if the table is larger than a limit.
    func table(at offset: UInt64, size: UInt64, limit: UInt64) -> LittleEndian {
        guard size <= limit, offset < 1 << 48 else { return LittleEndian([]) }
        return LittleEndian(read(offset, Int(size)))
    }

    /// Returns at most 256 bytes, or fewer at the end of the file.
    ///
    /// Nearby reads cost little, because they use the same block.
    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        guard offset < 1 << 48, (1...256).contains(count) else { return [] }
        if offset < blockStart || offset - blockStart > UInt64(max(0, block.count - count)) {
            block = LittleEndian(read(offset, Self.blockLength))
            blockStart = offset
        }
        let start = Int(offset - blockStart)
        guard start <= block.count else { return [] }
        return Array(block.bytes[start...].prefix(count))
    }

    func u64(at offset: UInt64) -> UInt64? { LittleEndian(bytes(at: offset, count: 8)).u64(0) }

    /// Reads a range in chunks.
    ///
    /// - Parameters:
    ///   - range: The offsets in the file.
    ///   - overlap: The number of bytes before and after a chunk to include.
    ///   - body: A closure that receives the bytes and their offset in the file, and returns `false`
    ///     to end the scan.
    func scan(
        _ range: Range<UInt64>,
        overlap: UInt64 = 0,
        _ body: (_ bytes: UnsafeRawBufferPointer, _ offset: UInt64) -> Bool
    ) {
        var position = range.lowerBound
        while position < range.upperBound {
            let start = max(range.lowerBound, position - min(position, overlap))
            let next = min(range.upperBound, position + UInt64(Self.chunkLength))
            let end = min(range.upperBound, next + overlap)
            let chunk = read(start, Int(end - start))
            guard !chunk.isEmpty, chunk.withUnsafeBytes({ body($0, start) }) else { return }
            guard chunk.count == Int(end - start) else { return }
            position = next
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the index of the next byte with a value at or after an index.
    func index(of byte: UInt8, from index: Int) -> Int? {
        guard index < count, let start = baseAddress,
            let found = memchr(start + index, Int32(byte), count - index)
        else { return nil }
        return start.distance(to: UnsafeRawPointer(found))
    }

    /// Returns whether the buffer contains a text, which must not be empty.
    func contains(_ text: [UInt8]) -> Bool {
        var index = 0
        while let start = self.index(of: text[0], from: index), start <= count - text.count {
            if self[start..<(start + text.count)].elementsEqual(text) { return true }
            index = start + 1
        }
        return false
    }

    /// Returns the unaligned integer at an index, which must be within the buffer.
    func integer<Integer: FixedWidthInteger>(_ index: Int, _: Integer.Type) -> Integer {
        Integer(littleEndian: loadUnaligned(fromByteOffset: index, as: Integer.self))
    }
}
