/// The files with executable code, the data, and the stacks that a process maps, from
/// `/proc/PID/maps`.
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
    /// The private memory that the process can write, sorted by address.
    var data: [Range<UInt64>] = []
    /// The data that may be stacks: that of the main thread, and those that follow a guard page.
    var stacks: [Range<UInt64>] = []

    /// Parses lines such as
    /// `7f00-7f80 r-xp 00001000 fe:00 1234    /usr/lib/libsqlite3.so.0`, and skips malformed lines.
    init(_ text: [UInt8]) {
        var guardEnd: UInt64?
        for line in text.split(separator: 0x0a) {
            let fields = line.split(separator: 0x20, maxSplits: 5)
            guard fields.count >= 5, fields[1].count == 4,
                let dash = fields[0].firstIndex(of: 0x2d),
                let start = Self.hexadecimal(fields[0][..<dash]),
                let end = Self.hexadecimal(fields[0][(dash + 1)...]), start < end,
                let offset = Self.hexadecimal(fields[2])
            else { continue }
            let access = fields[1].prefix(3)
            let path = fields.count == 6 ? fields[5].drop { $0 == 0x20 } : []
            if access.elementsEqual("rw-".utf8) || access.elementsEqual("rwx".utf8),
                fields[1].last == 0x70
            {
                data.append(start..<end)
                let isMain = path.elementsEqual("[stack]".utf8)
                if isMain || guardEnd == start && path.first != 0x2f { stacks.append(start..<end) }
            }
            guardEnd = access.elementsEqual("---".utf8) ? end : nil
            guard access.last == 0x78, path.first == 0x2f else { continue }
            let file = String(decoding: fields[3] + [0x20] + fields[4], as: UTF8.self)
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
