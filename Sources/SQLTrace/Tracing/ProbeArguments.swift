/// The registers and the memory that probes record
/// (Documentation/trace/uprobetracer.rst in the kernel's sources).
struct ProbeArguments {
    let layout: StatementLayout
    /// Whether the first values of statements are recorded.
    var recordsValues = false

    #if arch(arm64)
    private static let firstArgument = "%x0"
    private static let secondArgument = "%x1"
    #else
    private static let firstArgument = "%di"
    private static let secondArgument = "%si"
    #endif

    /// The number of values to record for each statement.
    static let valueCount = 8
    /// The number of 8-byte words to record for each string.
    static let valueWords = 8

    /// The arguments to record on entry to `sqlite3_reset`.
    var reset: [String] {
        let statement = Self.firstArgument
        let connection = "+\(layout.connection)(\(statement))"
        var arguments = [
            "st=\(statement):x64", "db=\(connection):x64", "sql=+\(layout.sql)(\(statement)):x64",
            "pc=+\(layout.programCounter)(\(statement)):u32",
            "rc=+\(layout.resultCode)(\(statement)):u32", "vm=+\(layout.steps)(\(statement)):u32",
            "ac=+\(layout.autocommit)(\(connection)):u8",
        ]
        if let calls = layout.busyCalls, let timeout = layout.busyTimeout {
            arguments += ["nb=+\(calls)(\(connection)):u32", "bt=+\(timeout)(\(connection)):u32"]
        }
        if recordsValues, let values = layout.values {
            let array = "+\(values.array)(\(statement))"
            arguments.append("nv=+\(values.count)(\(statement)):u16")
            for index in 0..<Self.valueCount {
                let offset = index * values.stride
                arguments += [
                    "v\(index)=+\(offset)(\(array)):x64",
                    "f\(index)=+\(offset + values.flags)(\(array)):u16",
                    "l\(index)=+\(offset + values.length)(\(array)):u32",
                    "t\(index)=+0(+\(offset + values.pointer)(\(array))):x64[\(Self.valueWords)]",
                ]
            }
        }
        return arguments
    }

    /// The arguments to record on entry to `sqlite3_finalize`, including the text, which cannot be
    /// read afterward.
    var finalize: [String] {
        reset + [
            "text=+0(+\(layout.sql)(\(Self.firstArgument))):string",
            "file=\(file(of: "+\(layout.connection)(\(Self.firstArgument))")):string",
        ]
    }

    /// The arguments to record on entry to `sqlite3_exec`.
    var exec: [String] {
        [
            "db=\(Self.firstArgument):x64", "sql=\(Self.secondArgument):x64",
            "ac=+\(layout.autocommit)(\(Self.firstArgument)):u8",
            "text=+0(\(Self.secondArgument)):string",
            "file=\(file(of: Self.firstArgument)):string",
        ]
    }

    /// The arguments to record on entry to `sqlite3_step`.
    var step: [String] {
        ["st=\(Self.firstArgument):x64", "pc=+\(layout.programCounter)(\(Self.firstArgument)):u32"]
    }

    /// The arguments to record on entry to `sqlite3_close` and `sqlite3_close_v2`.
    static let close = ["db=\(firstArgument):x64"]

    /// The arguments to record when a function returns.
    static let result = ["rc=$retval:u32"]

    private func file(of connection: String) -> String {
        "+0(" + layout.filePointers.reduce(connection) { "+\($1)(\($0))" } + ")"
    }
}
