/// The files with executable code that a process maps, from `/proc/PID/maps`.
struct ProcessMaps: Sendable, Equatable {
    struct Mapping: Sendable, Equatable {
        /// The address range, which is also the name of the link in `/proc/PID/map_files`.
        var range: Range<UInt64>
        var offset: UInt64
        /// The device and the inode, such as `fe:00 1234`.
        var file: String
        /// The path in the process's mount namespace, followed by ` (deleted)` if the file was
        /// removed.
        var path: String
    }

    /// The mappings with executable code, sorted by address.
    var code: [Mapping] = []

    /// Parses lines such as
    /// `7f00-7f80 r-xp 00001000 fe:00 1234    /usr/lib/libsqlite3.so.0`, and skips malformed lines.
    init(_ text: [UInt8]) {
        for line in text.split(separator: 0x0a) {
            let fields = line.split(separator: 0x20, maxSplits: 5)
            guard fields.count == 6, fields[1].count == 4, fields[1].dropFirst(2).first == 0x78,
                let dash = fields[0].firstIndex(of: 0x2d),
                let start = Self.hexadecimal(fields[0][..<dash]),
                let end = Self.hexadecimal(fields[0][(dash + 1)...]), start < end,
                let offset = Self.hexadecimal(fields[2])
            else { continue }
            let path = fields[5].drop { $0 == 0x20 }
            let file = String(decoding: fields[3] + [0x20] + fields[4], as: UTF8.self)
            guard path.first == 0x2f else { continue }
            code.append(
                Mapping(
                    range: start..<end,
                    offset: offset,
                    file: file,
                    path: String(decoding: path, as: UTF8.self)
                )
            )
        }
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 16 else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
