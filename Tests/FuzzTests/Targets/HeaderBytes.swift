@testable import SQLiteWatch

/// Headers written by SQLite 3.40.1 on a little-endian machine, and a page of a schema.
enum HeaderBytes {
    static let all = [database, log, index, journal]

    static let database = bytes(
        "53514c69746520666f726d617420330004000202004020200000000700000034000000040000003100000001"
            + "00000004000000000000000300000001fffffff9000000011234567800000000000000000000000000"
            + "000000000000000000000000000007002e6301"
    )

    private static let log = bytes(
        "377f0682002de21800000400000000006e0ca32498cb103cf9720f81ed5eb2be"
    )

    private static let copy =
        "18e22d00000000000300000001000004080000003400000034f8b362af217abe6e0ca32498cb103ca8269dceb8"
        + "989f43"

    private static let index = bytes(
        copy + copy + "0200000000000000" + "02000000ffffffffffffffffffffffff" + "00000000"
            + "00000000" + "0200000000000000"
    )

    private static let journal = bytes("d9d505f920a163d700000002964e4560000000030000020000000400")

    /// A page of `sqlite_schema`, of 512 bytes, with the rows of a table and an index.
    static let schemaPage: [UInt8] = {
        var page = database + [UInt8](repeating: 0, count: 412)
        page[16] = 2
        var end = page.count
        let rows = [
            row("table", name: "t", root: 2, sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"),
            row("index", name: "i", root: 3, sql: "CREATE INDEX i ON t(b)"),
        ]
        page.replaceSubrange(100..<108, with: [13, 0, 0, 0, UInt8(rows.count), 0, 0, 0])
        for (number, row) in rows.enumerated() {
            let cell = [UInt8(row.count), UInt8(number + 1)] + row
            end -= cell.count
            page.replaceSubrange(end..<(end + cell.count), with: cell)
            page[108 + 2 * number] = UInt8(end >> 8)
            page[109 + 2 * number] = UInt8(end & 0xFF)
        }
        return page
    }()

    /// Returns a record of `sqlite_schema`.
    private static func row(_ kind: String, name: String, root: UInt8, sql: String) -> [UInt8] {
        let texts = [kind, name, "t"]
        let types =
            texts.map { UInt8(13 + 2 * $0.utf8.count) } + [1, UInt8(13 + 2 * sql.utf8.count)]
        return [UInt8(types.count + 1)] + types + texts.flatMap { Array($0.utf8) } + [root]
            + Array(sql.utf8)
    }

    /// Returns the header of a log with a correct checksum.
    static func withLogChecksum(_ header: [UInt8]) -> [UInt8] {
        guard header.count >= 32 else { return header }
        var header = header
        var checksum = WALChecksum()
        checksum.add(header, 0..<24, isBigEndian: header[3] & 1 == 1)
        for (offset, word) in [(24, checksum.first), (28, checksum.second)] {
            withUnsafeBytes(of: word.bigEndian) {
                header.replaceSubrange(offset..<(offset + 4), with: $0)
            }
        }
        return header
    }

    /// Returns the header of a wal-index, as two identical copies with correct checksums.
    static func withIndexChecksum(_ header: [UInt8]) -> [UInt8] {
        guard header.count >= 96 else { return header }
        var header = header
        var checksum = WALChecksum()
        checksum.add(header, 0..<40, isBigEndian: 1.bigEndian == 1)
        for (offset, word) in [(40, checksum.first), (44, checksum.second)] {
            withUnsafeBytes(of: word) { header.replaceSubrange(offset..<(offset + 4), with: $0) }
        }
        header.replaceSubrange(48..<96, with: header[0..<48])
        return header
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }
}
