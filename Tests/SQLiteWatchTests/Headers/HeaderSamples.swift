/// Headers written by SQLite 3.40.1 on a little-endian machine.
enum HeaderSamples {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        hexadecimal.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    }

    /// A database of 1,024-byte pages in WAL mode, with incremental vacuum.
    static let database = bytes(
        """
        53 51 4c 69 74 65 20 66 6f 72 6d 61 74 20 33 00
        04 00 02 02 00 40 20 20 00 00 00 07 00 00 00 34
        00 00 00 04 00 00 00 31 00 00 00 01 00 00 00 04
        00 00 00 00 00 00 00 03 00 00 00 01 ff ff ff f9
        00 00 00 01 12 34 56 78 00 00 00 00 00 00 00 00
        00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 07
        00 2e 63 01
        """
    )

    /// The log of that database.
    static let log = bytes(
        """
        37 7f 06 82 00 2d e2 18 00 00 04 00 00 00 00 00
        6e 0c a3 24 98 cb 10 3c f9 72 0f 81 ed 5e b2 be
        """
    )

    /// The wal-index of that log, while a reader holds mark 1.
    static let index = bytes(
        """
        18 e2 2d 00 00 00 00 00 03 00 00 00 01 00 00 04
        08 00 00 00 34 00 00 00 34 f8 b3 62 af 21 7a be
        6e 0c a3 24 98 cb 10 3c a8 26 9d ce b8 98 9f 43
        18 e2 2d 00 00 00 00 00 03 00 00 00 01 00 00 04
        08 00 00 00 34 00 00 00 34 f8 b3 62 af 21 7a be
        6e 0c a3 24 98 cb 10 3c a8 26 9d ce b8 98 9f 43
        02 00 00 00 00 00 00 00 02 00 00 00 ff ff ff ff
        ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00
        02 00 00 00 00 00 00 00
        """
    )

    /// A journal that is in use.
    static let journal = bytes(
        """
        d9 d5 05 f9 20 a1 63 d7 00 00 00 02 96 4e 45 60
        00 00 00 03 00 00 02 00 00 00 04 00
        """
    )
}
