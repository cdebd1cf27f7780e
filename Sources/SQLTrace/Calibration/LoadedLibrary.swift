#if os(Linux)
import CTrace
import Glibc

/// A library that is loaded into this process.
final class LoadedLibrary: SQLiteHost {
    typealias Function =
        @convention(c) (
            UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
        ) -> UInt64

    let process = getpid()
    let start: UInt64
    var functions: SQLiteFunctions? {
        didSet { failingFunctions = functions }
    }

    /// Loads the library on a descriptor.
    init(_ descriptor: Int32) throws(LayoutSearch.Failure) {
        // The library's symbols must take precedence over the symbols of this program's SQLite.
        guard let handle = poolgauge_load("/proc/self/fd/\(descriptor)") else {
            let reason = dlerror().map { String(cString: $0) } ?? "unknown error"
            throw LayoutSearch.Failure(reason: "it cannot be loaded: \(reason)")
        }
        // The handle is the address of a `link_map`, which starts with the library's load address
        // (dlinfo(3)).
        start = UInt64(handle.load(as: UInt.self))
    }

    /// Functions ignore the arguments beyond their own.
    func call(_ function: UInt64, _ arguments: [UInt64]) -> UInt64 {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(function)) else { return 0 }
        let a = arguments + Array(repeating: 0, count: 8 - arguments.count)
        return unsafeBitCast(pointer, to: Function.self)(
            a[0],
            a[1],
            a[2],
            a[3],
            a[4],
            a[5],
            a[6],
            a[7]
        )
    }

    var failingFunction: UInt64 {
        let function: @convention(c) (UInt64, Int32, UInt64) -> Void = { context, _, values in
            guard let functions = failingFunctions else { return }
            functions.fail(context, values) { functions.host.call($0, $1) }
        }
        return UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
    }

    func store(_ bytes: [UInt8]) -> UInt64 {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        return UInt64(UInt(bitPattern: copy.baseAddress))
    }
}

/// The functions that the failing SQL function calls.
///
/// This is a global variable because a C function cannot capture context. `nonisolated(unsafe)`:
/// the calibration process has one thread.
private nonisolated(unsafe) var failingFunctions: SQLiteFunctions?
#endif
