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

    /// Returns a reader of a file that must remain open.
    static func bytes(of descriptor: Int32) -> FileBytes {
        FileBytes { read(descriptor, at: $0, count: $1) }
    }

    /// Opens a regular file for reading, or returns `nil`.
    ///
    /// The file may belong to another program: opening a terminal or a pipe must have no effect.
    static func open(_ path: String) -> (descriptor: Int32, information: stat)? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return (descriptor, information)
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
