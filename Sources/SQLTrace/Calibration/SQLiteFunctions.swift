#if os(Linux)
import Glibc

/// The SQLite functions that calibration calls in a loaded library.
///
/// Only the calibration process creates an instance.
struct SQLiteFunctions {
    typealias Callback = @convention(c) (OpaquePointer?, Int32, UnsafeMutableRawPointer?) -> Void
    typealias BusyHandler = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32

    /// The initialization function, or `nil` if the library has no symbol for it.
    let initialize: (@convention(c) () -> Int32)?
    let open:
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32,
            UnsafePointer<CChar>?
        ) -> Int32
    let prepare:
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
            UnsafeMutableRawPointer?
        ) -> Int32
    let step: @convention(c) (OpaquePointer) -> Int32
    let reset: @convention(c) (OpaquePointer) -> Int32
    let sql: @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
    let connection: @convention(c) (OpaquePointer) -> OpaquePointer?
    let fileName: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
    let autocommit: @convention(c) (OpaquePointer) -> Int32
    let status: @convention(c) (OpaquePointer, Int32, Int32) -> Int32
    let createFunction:
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, Int32, UnsafeMutableRawPointer?,
            Callback?, Callback?, UnsafeMutableRawPointer?
        ) -> Int32
    let valueInteger: @convention(c) (OpaquePointer?) -> Int32
    let fail: @convention(c) (OpaquePointer?, Int32) -> Void
    let busyHandler: @convention(c) (OpaquePointer, BusyHandler?, UnsafeMutableRawPointer?) -> Int32
    let busyTimeout: @convention(c) (OpaquePointer, Int32) -> Int32
    let bindInteger: @convention(c) (OpaquePointer, Int32, Int64) -> Int32
    let bindText:
        @convention(c) (
            OpaquePointer, Int32, UnsafePointer<CChar>, Int32, UnsafeMutableRawPointer?
        ) -> Int32

    /// Finds the functions, or returns `nil` if one is missing.
    ///
    /// - Parameters:
    ///   - library: The handle of the loaded library.
    ///   - file: The library's file. Its symbols include functions that the library does not
    ///     export.
    init?(_ library: UnsafeMutableRawPointer, _ file: ELFFile) {
        // The handle is the address of a `link_map`, which starts with the library's load address
        // (dlinfo(3)).
        let start = library.load(as: UInt.self)
        func function<Function>(
            _ place: ELFFile.Function?,
            _ type: Function.Type = Function.self
        ) -> Function? {
            place.flatMap { UnsafeMutableRawPointer(bitPattern: start &+ UInt($0.address)) }
                .map { unsafeBitCast($0, to: type) }
        }
        func symbol<Function>(_ name: String, _ type: Function.Type) -> Function? {
            function(file.functions["sqlite3_" + name], type)
        }
        guard let open = symbol("open_v2", Self.typeOf(\.open)),
            let prepare = symbol("prepare_v2", Self.typeOf(\.prepare)),
            let step = symbol("step", Self.typeOf(\.step)),
            let reset = symbol("reset", Self.typeOf(\.reset)),
            let sql = symbol("sql", Self.typeOf(\.sql)),
            let connection = symbol("db_handle", Self.typeOf(\.connection)),
            let fileName = symbol("db_filename", Self.typeOf(\.fileName)),
            let autocommit = symbol("get_autocommit", Self.typeOf(\.autocommit)),
            let status = symbol("stmt_status", Self.typeOf(\.status)),
            let createFunction = symbol("create_function", Self.typeOf(\.createFunction)),
            let valueInteger = symbol("value_int", Self.typeOf(\.valueInteger)),
            let fail = symbol("result_error_code", Self.typeOf(\.fail)),
            let busyHandler = symbol("busy_handler", Self.typeOf(\.busyHandler)),
            let busyTimeout = symbol("busy_timeout", Self.typeOf(\.busyTimeout)),
            let bindInteger = symbol("bind_int64", Self.typeOf(\.bindInteger)),
            let bindText = symbol("bind_text", Self.typeOf(\.bindText))
        else { return nil }
        initialize = function(Self.initializer(file.functions))
        self.open = open
        self.prepare = prepare
        self.step = step
        self.reset = reset
        self.sql = sql
        self.connection = connection
        self.fileName = fileName
        self.autocommit = autocommit
        self.status = status
        self.createFunction = createFunction
        self.valueInteger = valueInteger
        self.fail = fail
        self.busyHandler = busyHandler
        self.busyTimeout = busyTimeout
        self.bindInteger = bindInteger
        self.bindText = bindText
    }

    /// Returns the function that prepares the library for its first use.
    ///
    /// If SQLite is compiled into another library as a single unit, the compiler may remove the
    /// public function and keep only the private function that it calls. In apsw 3.54, for example,
    /// the library does not initialize itself, so opening a connection before calling this function
    /// would crash.
    static func initializer(_ functions: [String: ELFFile.Function]) -> ELFFile.Function? {
        functions["sqlite3_initialize"] ?? functions["sqlite3Initialize"]
    }

    private static func typeOf<Function>(_: KeyPath<SQLiteFunctions, Function>) -> Function.Type {
        Function.self
    }
}
#endif
