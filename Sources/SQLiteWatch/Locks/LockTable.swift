/// A POSIX lock in `/proc/locks`.
struct FileLock: Hashable, Sendable {
    /// The ID of the process that holds the lock.
    var process: Int32
    /// Whether the lock is a write lock, which excludes all other locks.
    var isWrite: Bool
    var file: FileIdentity
    /// The locked bytes.
    ///
    /// Adjacent locks of the same process appear as one lock.
    var bytes: ClosedRange<UInt64>
}

/// A type that parses `/proc/locks`.
///
/// A line has the form `1: POSIX  ADVISORY  READ 4711 08:01:1234 123 123`. The device is
/// hexadecimal and the inode is decimal. The last two fields are the first and last byte, or `EOF`
/// for the end of the file. The parser works on bytes because the list is read up to 100 times per
/// second.
enum LockTable {
    /// Returns the locks on files with the given inodes, ignoring malformed lines.
    static func parse(_ text: [UInt8], inodes: Set<UInt64>) -> [FileLock] {
        text.withUnsafeBufferPointer { buffer in
            var found: [FileLock] = []
            var scanner = LineScanner(buffer[...])
            while scanner.nextLine() {
                if let lock = scanner.lock(inodes: inodes) { found.append(lock) }
            }
            return found
        }
    }

    private struct LineScanner {
        private var rest: Slice<UnsafeBufferPointer<UInt8>>
        private var line: Slice<UnsafeBufferPointer<UInt8>>

        init(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
            rest = text
            line = text[text.startIndex..<text.startIndex]
        }

        mutating func nextLine() -> Bool {
            guard !rest.isEmpty else { return false }
            let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
            line = rest[rest.startIndex..<end]
            rest = end < rest.endIndex ? rest[(end + 1)...] : rest[end...]
            return true
        }

        /// Returns the POSIX lock that the current line describes, or `nil` if the line is
        /// malformed, describes a different kind of lock, or refers to a file with a different
        /// inode.
        mutating func lock(inodes: Set<UInt64>) -> FileLock? {
            // A line for a waiting process has "->" in this position. SQLite never waits in a lock
            // call.
            guard word() != nil, let kind = word(), kind.elementsEqual("POSIX".utf8), word() != nil,
                let mode = word(), let process = decimal(word()).flatMap(Int32.init(exactly:)),
                let place = word()
            else { return nil }
            let parts = place.split(separator: 0x3a, omittingEmptySubsequences: false)
            guard parts.count == 3, let inode = decimal(parts[2]), inodes.contains(inode),
                let major = hexadecimal(parts[0]), let minor = hexadecimal(parts[1]),
                let first = decimal(word()), let end = word()
            else { return nil }
            guard let last = end.elementsEqual("EOF".utf8) ? UInt64.max : decimal(end),
                first <= last
            else { return nil }
            return FileLock(
                process: process,
                isWrite: mode.elementsEqual("WRITE".utf8),
                file: FileIdentity(
                    device: FileIdentity.Device(major: major, minor: minor),
                    inode: inode
                ),
                bytes: first...last
            )
        }

        private mutating func word() -> Slice<UnsafeBufferPointer<UInt8>>? {
            line = line.drop { $0 == 0x20 }
            guard !line.isEmpty else { return nil }
            let end = line.firstIndex(of: 0x20) ?? line.endIndex
            defer { line = line[end...] }
            return line[line.startIndex..<end]
        }

        private func decimal(_ word: Slice<UnsafeBufferPointer<UInt8>>?) -> UInt64? {
            guard let word, !word.isEmpty else { return nil }
            var value: UInt64 = 0
            for byte in word {
                guard (0x30...0x39).contains(byte) else { return nil }
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
                if overflow || carry { return nil }
                value = sum
            }
            return value
        }

        private func hexadecimal(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
            UInt32(String(decoding: word, as: UTF8.self), radix: 16)
        }
    }
}
