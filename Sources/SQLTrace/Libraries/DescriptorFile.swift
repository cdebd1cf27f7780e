#if os(Linux)
import Glibc

enum DescriptorFile {
    /// Returns the bytes at an offset, or fewer at the end of the file.
    static func read(_ descriptor: Int32, at offset: UInt64, count: Int) -> [UInt8] {
        guard let offset = off_t(exactly: offset), count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = 0
            while length < count {
                let result = pread(
                    descriptor,
                    buffer.baseAddress.map { $0 + length },
                    count - length,
                    offset &+ off_t(length)
                )
                guard result > 0 else { return }
                length += result
            }
        }
    }

    /// Writes all bytes, or returns `false` if a write fails.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
#endif
