#if os(Linux)
import CTrace
import Glibc

/// A copy of a file that shares its blocks if the file system supports that, and preserves holes.
package struct FileCopy {
    package enum Failure: Error, Equatable {
        /// A file cannot be read or written, with the `errno`.
        case reading(Int32)
        case writing(Int32)
        /// The progress function returned `false`.
        case stopped
    }

    /// The number of bytes between two calls of the progress function.
    private static let step = 8 << 20

    /// Whether `copy_file_range` is unsupported for the two files.
    private var copiesThroughMemory = false
    private var buffer: [UInt8] = []

    /// Copies the start of a file to an empty file.
    ///
    /// - Parameters:
    ///   - source: The descriptor of the file.
    ///   - target: The descriptor of an empty file, open for writing.
    ///   - limit: The number of bytes to copy, which may exceed the size of the file.
    ///   - progress: A function that receives the number of copied bytes, and returns whether to
    ///     continue.
    /// - Returns: The number of copied bytes, including holes.
    /// - Throws: The reason why the file cannot be copied.
    package static func copy(
        _ source: Int32,
        to target: Int32,
        limit: UInt64 = .max,
        progress: (UInt64) -> Bool = { _ in true }
    ) throws(Failure) -> UInt64 {
        var information = stat()
        guard fstat(source, &information) == 0 else { throw .reading(errno) }
        let size = UInt64(max(0, information.st_size))
        let end = min(size, limit)
        if end == size, poolgauge_clone_file(target, source) == 0 {
            guard progress(end) else { throw .stopped }
            return end
        }
        var copy = FileCopy()
        var offset: UInt64 = 0
        while offset < end {
            // Without support for holes, the whole file is data.
            let data = lseek(source, off_t(offset), Self.seekData)
            if data < 0, errno == ENXIO { break }
            offset = max(offset, data < 0 ? offset : UInt64(data))
            let hole = lseek(source, off_t(offset), Self.seekHole)
            let dataEnd = hole < 0 ? end : min(end, UInt64(hole))
            guard offset < dataEnd else { break }
            while offset < dataEnd {
                let length = Int(min(UInt64(Self.step), dataEnd - offset))
                let count = try copy.range(source, target, at: offset, length: length)
                // The file may have become shorter.
                if count == 0 { return offset }
                offset += UInt64(count)
                guard progress(offset) else { throw .stopped }
            }
        }
        guard ftruncate(target, off_t(end)) == 0 else { throw .writing(errno) }
        return end
    }

    /// Lets an empty file share the blocks of another one, and returns whether that is possible.
    package static func shares(_ source: Int32, _ target: Int32) -> Bool {
        poolgauge_clone_file(target, source) == 0
    }

    private mutating func range(
        _ source: Int32,
        _ target: Int32,
        at offset: UInt64,
        length: Int
    ) throws(Failure) -> Int {
        while !copiesThroughMemory {
            let count = poolgauge_copy_range(source, target, Int64(offset), length)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case ENOSPC, EDQUOT, EFBIG: throw .writing(errno)
            // Another error may mean that the file systems do not support the call.
            default: copiesThroughMemory = true
            }
        }
        if buffer.count < length { buffer = [UInt8](repeating: 0, count: length) }
        let count = pread(source, &buffer, length, off_t(offset))
        guard count >= 0 else {
            if errno == EINTR { return try range(source, target, at: offset, length: length) }
            throw .reading(errno)
        }
        var written = 0
        while written < count {
            let result = buffer.withUnsafeBytes { bytes in
                pwrite(
                    target,
                    bytes.baseAddress.map { $0 + written },
                    count - written,
                    off_t(offset) + off_t(written)
                )
            }
            guard result > 0 || result < 0 && errno == EINTR else {
                throw .writing(result == 0 ? ENOSPC : errno)
            }
            written += max(0, result)
        }
        return count
    }

    /// The values of `SEEK_DATA` and `SEEK_HOLE`.
    private static let seekData: Int32 = 3
    private static let seekHole: Int32 = 4
}
#endif
