#if os(Linux)
import CTrace

/// A process in which calibration calls the functions of a copy of SQLite.
///
/// If the copy's code crashes, the calibration process ends without a response.
protocol SQLiteHost: AnyObject {
    /// The process ID.
    var process: Int32 { get }
    /// The address of the first byte of the loaded file.
    var start: UInt64 { get }
    /// The address of an SQL function that calls `sqlite3_result_error_code` with its argument.
    ///
    /// ``functions`` must be set before a call.
    var failingFunction: UInt64 { get }
    /// The functions that ``failingFunction`` calls.
    var functions: SQLiteFunctions? { get set }

    /// Calls a function with at most eight arguments.
    func call(_ function: UInt64, _ arguments: [UInt64]) -> UInt64
    /// Copies bytes to the process, and returns their address. They are never removed.
    func store(_ bytes: [UInt8]) -> UInt64
}

extension SQLiteHost {
    /// Returns the bytes at an address, or fewer at the end of a mapping.
    func bytes(at address: UInt64, count: Int) -> LittleEndian {
        LittleEndian(
            [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                func read(_ count: Int) -> Int {
                    poolgauge_read_memory(process, UInt(address), buffer.baseAddress, count)
                }
                length = max(0, read(count))
                if length == 0, count > 8 {
                    // The range may extend beyond the mapping.
                    length = max(0, read(min(count, 4_096 - Int(address % 4_096))))
                }
            }
        )
    }

    /// Returns the pointer at an address, or `nil` if the pointer is null or the address is not
    /// mapped.
    func pointer(at address: UInt64) -> UInt64? {
        guard address > 4_096, let value = bytes(at: address, count: 8).u64(0) else { return nil }
        return value == 0 ? nil : value
    }
}

/// The SQLite functions that calibration calls.
///
/// Only the calibration process creates an instance. Connections and statements are addresses.
struct SQLiteFunctions {
    let host: any SQLiteHost
    private let file: ELFFile
    private let addresses: [String: UInt64]

    private static let required = [
        "open_v2", "prepare_v2", "step", "reset", "sql", "db_handle", "db_filename",
        "get_autocommit", "stmt_status", "create_function", "value_int", "result_error_code",
        "busy_handler", "busy_timeout", "bind_int64", "bind_text",
    ]

    /// Finds the functions, or returns `nil` if one is missing.
    ///
    /// - Parameters:
    ///   - file: The file, whose functions include those that it does not export.
    ///   - host: The process that has loaded the file.
    init?(_ file: ELFFile, in host: any SQLiteHost) {
        self.host = host
        self.file = file
        var addresses: [String: UInt64] = [:]
        for name in Self.required {
            guard let function = file.functions["sqlite3_" + name] else { return nil }
            addresses[name] = host.start &+ function.address
        }
        for name in ["libversion_number", "sourceid"] {
            addresses[name] = file.functions["sqlite3_" + name].map { host.start &+ $0.address }
        }
        addresses["initialize"] = Self.initializer(file.functions)
            .map { host.start &+ $0.address }
        self.addresses = addresses
        host.functions = self
    }

    /// Returns the function that prepares the library for its first use, or `nil` if the file has
    /// no symbol for it.
    ///
    /// If SQLite is compiled into another library as a single unit, the compiler may remove the
    /// public function and keep only the private function that it calls. In apsw 3.54, for example,
    /// the library does not initialize itself, so opening a connection before calling this function
    /// would crash.
    static func initializer(_ functions: [String: ELFFile.Function]) -> ELFFile.Function? {
        functions["sqlite3_initialize"] ?? functions["sqlite3Initialize"]
    }

    /// Returns the address of a function, without its prefix.
    func address(_ name: String) -> UInt64 { addresses[name] ?? 0 }

    private func call(_ name: String, _ arguments: UInt64...) -> UInt64 {
        host.call(address(name), arguments)
    }

    private func code(_ result: UInt64) -> Int32 { Int32(truncatingIfNeeded: result) }

    private func text(_ text: String) -> UInt64 { host.store(Array(text.utf8) + [0]) }

    /// Initializes a copy that does not initialize itself (SQLITE_OMIT_AUTOINIT).
    func initialize() -> Int32 {
        addresses["initialize"] == nil ? 0 : code(call("initialize"))
    }

    /// Returns the number of the version, such as 3046001, or 0 if it is unknown.
    func versionNumber() -> Int {
        addresses["libversion_number"] == nil ? 0 : Int(code(call("libversion_number")))
    }

    func version() -> String? {
        let number = versionNumber()
        return number > 0 ? "3.\(number / 1_000 % 1_000).\(number % 1_000)" : nil
    }

    func sourceID() -> String? {
        guard addresses["sourceid"] != nil else { return nil }
        return host.bytes(at: call("sourceid"), count: 128).string(0).flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// Returns the offset of a function in the file, or `nil` if it is not in the file's code.
    func fileOffset(of function: UInt64) -> UInt64? {
        file.function(at: function &- host.start)?.fileOffset
    }

    /// Opens a file, by default for reading (SQLITE_OPEN_READONLY), or returns `nil`.
    func open(_ path: String, flags: UInt64 = 1) -> UInt64? {
        let connection = host.store([UInt8](repeating: 0, count: 8))
        guard code(call("open_v2", text(path), connection, flags, 0)) == 0 else { return nil }
        return host.pointer(at: connection)
    }

    func prepare(_ connection: UInt64, sql: String) -> (code: Int32, statement: UInt64?) {
        let statement = host.store([UInt8](repeating: 0, count: 8))
        let result = call("prepare_v2", connection, text(sql), UInt64.max, statement, 0)
        return (code(result), host.pointer(at: statement))
    }

    func step(_ statement: UInt64) -> Int32 { code(call("step", statement)) }
    func reset(_ statement: UInt64) { _ = call("reset", statement) }
    func sql(_ statement: UInt64) -> UInt64 { call("sql", statement) }
    func connection(_ statement: UInt64) -> UInt64 { call("db_handle", statement) }
    func autocommit(_ connection: UInt64) -> Int32 { code(call("get_autocommit", connection)) }

    func fileName(_ connection: UInt64) -> UInt64 {
        call("db_filename", connection, text("main"))
    }

    func status(_ statement: UInt64, _ counter: UInt64) -> Int32 {
        code(call("stmt_status", statement, counter, 0))
    }

    /// Adds the SQL function `poolgauge_fail`, which fails with the code in its argument.
    func addFailingFunction(_ connection: UInt64) {
        // 1 is SQLITE_UTF8.
        let name = text("poolgauge_fail")
        _ = call("create_function", connection, name, 1, 1, 0, host.failingFunction, 0, 0)
    }

    /// Sets the result of an SQL function to the error code in its first argument.
    ///
    /// - Parameters:
    ///   - context: The context of the function.
    ///   - values: The address of the pointers to the arguments.
    ///   - call: A closure that calls a function.
    func fail(
        _ context: UInt64,
        values: UInt64,
        through call: (_ function: UInt64, _ arguments: [UInt64]) -> UInt64
    ) {
        guard let value = host.pointer(at: values) else { return }
        let code = call(address("value_int"), [value])
        _ = call(address("result_error_code"), [context, code])
    }

    func setBusyHandler(_ connection: UInt64, handler: UInt64, argument: UInt64) {
        _ = call("busy_handler", connection, handler, argument)
    }

    func setBusyTimeout(_ connection: UInt64, milliseconds: Int32) {
        _ = call("busy_timeout", connection, UInt64(milliseconds))
    }

    func bind(_ statement: UInt64, _ parameter: UInt64, _ integer: UInt64) {
        _ = call("bind_int64", statement, parameter, integer)
    }

    /// Binds a text of bytes that remain valid.
    func bind(_ statement: UInt64, _ parameter: UInt64, text: UInt64, count: Int) {
        // A destructor of 0 means SQLITE_STATIC, so SQLite does not copy the text.
        _ = call("bind_text", statement, parameter, text, UInt64(count), 0)
    }
}
#endif
