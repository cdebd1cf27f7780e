/// The offsets of the fields that probes read, in bytes from the start of SQLite's structures.
///
/// The structures are private, and their layout may differ between builds of the same version.
/// Calibration therefore searches for the offsets. Unless stated otherwise, each property is the
/// offset of the field that its documentation describes.
struct StatementLayout: Sendable, Equatable {
    /// The pointer from a statement to its text.
    var sql: Int
    /// The pointer from a statement to its connection.
    var connection: Int
    /// A statement's program counter, which is negative before the first step.
    var programCounter: Int
    /// The result code of a statement's execution, which follows the program counter.
    var resultCode: Int
    /// The number of instructions that a statement has executed.
    var steps: Int
    /// The byte of a connection that is 0 inside an explicit transaction.
    var autocommit: Int
    /// The offsets of the pointers from a connection to the name of its main database file.
    var filePointers: [Int]
    /// The number of calls to a connection's busy handler in the last step, or `nil` if not found.
    var busyCalls: Int?
    /// A connection's busy timeout in milliseconds, or `nil` if not found.
    var busyTimeout: Int?
    /// The layout of a statement's bound values, or `nil` if not found.
    var values: ValueLayout?

    /// The number of bytes to search in each structure.
    static let limit = 1_024
    /// The number of pointers to follow from a connection to its file's name.
    static let filePointerCount = 5

    struct ValueLayout: Sendable, Equatable {
        /// The pointer from a statement to its values.
        var array: Int
        /// The number of a statement's values, stored in 2 bytes.
        var count: Int
        /// The size of a value, in bytes.
        var stride: Int
        /// A value's flags, stored in 2 bytes.
        var flags: Int
        /// The length of a string or blob, stored in 4 bytes.
        var length: Int
        /// The pointer from a value to a string or blob.
        var pointer: Int
    }
}

extension StatementLayout {
    /// The layout as text with lines such as `sql=248`.
    var text: String {
        var lines = [
            "sql=\(sql)", "connection=\(connection)", "programCounter=\(programCounter)",
            "resultCode=\(resultCode)", "steps=\(steps)",
            "autocommit=\(autocommit)",
        ]
        lines += filePointers.enumerated().map { "file\($0.offset)=\($0.element)" }
        if let busyCalls { lines.append("busyCalls=\(busyCalls)") }
        if let busyTimeout { lines.append("busyTimeout=\(busyTimeout)") }
        if let values {
            lines += [
                "array=\(values.array)", "count=\(values.count)", "stride=\(values.stride)",
                "flags=\(values.flags)", "length=\(values.length)", "pointer=\(values.pointer)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Parses the text, or returns `nil` if an offset is missing or invalid.
    ///
    /// The text is untrusted, because the process that writes it runs code from another program's
    /// library.
    init?(text: String) {
        var offsets: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let offset = Int(parts[1]),
                (0...Self.limit).contains(offset), offsets[String(parts[0])] == nil
            else { return nil }
            offsets[String(parts[0])] = offset
        }
        let filePointers = (0..<Self.filePointerCount).compactMap { offsets["file\($0)"] }
        guard let sql = offsets["sql"], let connection = offsets["connection"],
            let programCounter = offsets["programCounter"], let resultCode = offsets["resultCode"],
            let steps = offsets["steps"],
            let autocommit = offsets["autocommit"], filePointers.count == Self.filePointerCount,
            resultCode == programCounter + 4
        else { return nil }
        self.sql = sql
        self.connection = connection
        self.programCounter = programCounter
        self.resultCode = resultCode
        self.steps = steps
        self.autocommit = autocommit
        self.filePointers = filePointers
        busyCalls = offsets["busyCalls"]
        busyTimeout = offsets["busyTimeout"]
        if let array = offsets["array"], let count = offsets["count"],
            let stride = offsets["stride"], stride > 0, let flags = offsets["flags"],
            let length = offsets["length"], let pointer = offsets["pointer"]
        {
            values = ValueLayout(
                array: array,
                count: count,
                stride: stride,
                flags: flags,
                length: length,
                pointer: pointer
            )
        }
    }
}
