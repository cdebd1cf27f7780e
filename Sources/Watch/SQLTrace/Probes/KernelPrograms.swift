#if os(Linux)
import CTrace
import Foundation
import Glibc
import SQLiteWatch

/// A file descriptor that is closed with its last reference.
final class KernelObject: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

/// The attributes of a call to bpf(2), a union of structures (`linux/bpf.h`).
///
/// The header may be older than the kernel, so the fields are set by their offsets.
struct KernelAttributes {
    private var bytes = [UInt8](repeating: 0, count: 144)

    mutating func set<Integer: FixedWidthInteger>(_ offset: Int, _ value: Integer) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: value, toByteOffset: offset, as: Integer.self)
        }
    }

    mutating func set(_ offset: Int, _ pointer: UnsafeRawPointer?) {
        set(offset, UInt64(UInt(bitPattern: pointer)))
    }

    func value(_ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    /// Calls bpf(2), and returns the result, or a negative error number.
    mutating func call(_ command: Int32) -> Int32 {
        let result = bytes.withUnsafeMutableBytes {
            poolgauge_bpf(command, $0.baseAddress, UInt32($0.count))
        }
        return result < 0 ? -errno : result
    }
}

/// A map that the programs in the kernel share with this process.
struct KernelMap: Sendable {
    /// The kinds in `enum bpf_map_type`.
    enum Kind: UInt32 {
        case hash = 1
        case array = 2
        /// A hash that discards the oldest entries when it is full.
        case recentHash = 9
        case ring = 27
    }

    let object: KernelObject
    let keySize: Int
    let valueSize: Int

    init(_ kind: Kind, key: Int = 0, value: Int = 0, count: Int) throws(TraceError) {
        var attributes = KernelAttributes()
        attributes.set(0, kind.rawValue)
        attributes.set(4, UInt32(key))
        attributes.set(8, UInt32(value))
        attributes.set(12, UInt32(count))
        let result = attributes.call(0)
        guard result >= 0 else { throw ProbeSupport.error("a map", code: -result) }
        object = KernelObject(result)
        keySize = key
        valueSize = value
    }

    private func call(
        _ command: Int32,
        key: [UInt8]?,
        other: UnsafeRawPointer?,
        flags: UInt64 = 0
    ) -> Int32 {
        precondition(key.map { $0.count == keySize } ?? true)
        var attributes = KernelAttributes()
        attributes.set(0, UInt32(object.descriptor))
        attributes.set(16, other)
        attributes.set(24, flags)
        guard let key else { return attributes.call(command) }
        return key.withUnsafeBytes {
            attributes.set(8, $0.baseAddress)
            return attributes.call(command)
        }
    }

    func value(of key: [UInt8]) -> LittleEndian? {
        var value = [UInt8](repeating: 0, count: valueSize)
        let result = value.withUnsafeMutableBytes { call(1, key: key, other: $0.baseAddress) }
        return result == 0 ? LittleEndian(value) : nil
    }

    /// What ``set(_:to:if:)`` requires.
    enum Condition: UInt64 {
        case none = 0
        case isNew = 1
        case exists = 2
    }

    /// Sets the value of a key, and returns whether the condition is met and the map has space.
    @discardableResult
    func set(_ key: [UInt8], to value: [UInt8], if condition: Condition = .none) -> Bool {
        precondition(value.count == valueSize)
        return value.withUnsafeBytes {
            call(2, key: key, other: $0.baseAddress, flags: condition.rawValue)
        } == 0
    }

    func remove(_ key: [UInt8]) { _ = call(3, key: key, other: nil) }

    /// The keys.
    ///
    /// Entries that change meanwhile may be missing or appear twice.
    var keys: [[UInt8]] {
        var keys: [[UInt8]] = []
        var key: [UInt8]?
        var next = [UInt8](repeating: 0, count: keySize)
        while keys.count < Self.keyLimit,
            next.withUnsafeMutableBytes({ call(4, key: key, other: $0.baseAddress) }) == 0
        {
            keys.append(next)
            key = next
        }
        return keys
    }

    /// The maximum number of keys to read, because a changing map could have no end.
    private static let keyLimit = 1 << 17
}

/// A program for the kernel.
struct ProbeProgram: Sendable {
    let name: String
    /// The instructions, each of 8 bytes, in Base64.
    let code: String
    /// The symbols that instructions load, such as `12:M_RING 40:K_SQL`.
    let symbols: String

    init(_ name: String, _ code: String, _ symbols: String) {
        self.name = name
        self.code = code
        self.symbols = symbols
    }

    enum Kind: UInt32 {
        case probe = 2
        case rawTracepoint = 17
    }

    /// Loads the program.
    ///
    /// - Parameters:
    ///   - kind: The kind of program.
    ///   - attachType: How the program will be attached, as in `enum bpf_attach_type`.
    ///   - maps: The maps by symbol.
    ///   - constants: The constants by symbol.
    /// - Returns: The program.
    /// - Throws: A ``TraceError`` if the kernel rejects the program.
    func load(
        _ kind: Kind,
        attachType: UInt32 = 0,
        maps: [String: KernelMap],
        constants: [String: UInt64] = [:]
    ) throws(TraceError) -> KernelObject {
        guard var code = Data(base64Encoded: code).map(Array.init) else {
            throw TraceError(.probe, "the program \(name) is damaged")
        }
        for symbol in symbols.split(separator: " ") {
            let parts = symbol.split(separator: ":")
            guard parts.count == 2, let number = Int(parts[0]), 8 * number + 16 <= code.count
            else { throw TraceError(.probe, "the program \(name) is damaged") }
            // A load of 64 bits has two instructions, whose last 4 bytes are the value's halves.
            let start = 8 * number
            var value = constants[String(parts[1])] ?? 0
            if let map = maps[String(parts[1])] {
                value = UInt64(map.object.descriptor)
                // The upper half of the second byte: BPF_PSEUDO_MAP_FD.
                code[start + 1] = code[start + 1] & 0xf | 0x10
            } else if constants[String(parts[1])] == nil {
                throw TraceError(.probe, "the program \(name) uses the unknown symbol \(parts[1])")
            }
            for byte in 0..<4 {
                code[start + 4 + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
                code[start + 12 + byte] = UInt8(truncatingIfNeeded: value >> (32 + 8 * byte))
            }
        }
        var attributes = KernelAttributes()
        attributes.set(0, kind.rawValue)
        attributes.set(4, UInt32(code.count / 8))
        attributes.set(68, attachType)
        let result = code.withUnsafeBytes { code in
            // Helpers such as bpf_probe_read_user require a licence that is compatible with the
            // kernel's.
            "Dual MIT/GPL".withCString { license in
                attributes.set(8, code.baseAddress)
                attributes.set(16, UnsafeRawPointer(license))
                return attributes.call(5)
            }
        }
        guard result >= 0 else { throw ProbeSupport.error("the program \(name)", code: -result) }
        return KernelObject(result)
    }
}

/// Whether this process can set probes, and how.
enum ProbeSupport {
    /// How probes are set in one process alone.
    enum Way: Sendable, Equatable {
        /// A BPF_TRACE_UPROBE_SESSION link, whose program runs at entries and returns (Linux 6.13).
        case session
        /// A BPF_TRACE_UPROBE_MULTI link for entries, and one for returns (Linux 6.6).
        case link
        /// An event of the PMU `uprobe` for each function.
        case event(type: UInt32)
    }

    #if arch(x86_64)
    static let programs = ProbePrograms.x86_64
    #elseif arch(arm64)
    static let programs = ProbePrograms.arm64
    #else
    static let programs: [ProbeProgram] = []
    #endif

    static func program(_ name: String) throws(TraceError) -> ProbeProgram {
        guard let program = programs.first(where: { $0.name == name }) else {
            throw TraceError(.unsupportedSystem, "SQL tracing supports only x86_64 and arm64")
        }
        return program
    }

    /// Returns the error for a call to the kernel that failed.
    static func error(_ subject: String, code: Int32) -> TraceError {
        let reason = String(cString: strerror(code))
        if code == EPERM || code == EACCES {
            return TraceError(
                .permission,
                "SQL tracing requires root; run with sudo (the kernel rejected \(subject): \(reason))"
            )
        }
        return TraceError(.probe, "the kernel rejected \(subject): \(reason)")
    }

    /// Returns how probes can be set, or the reason why they cannot be set.
    ///
    /// The parameter `allowsLinks` is `false` in tests of events.
    static func way(allowsLinks: Bool = true) -> Result<Way, TraceError> {
        guard ProcFile.link("/proc/self/ns/pid") == "pid:[4026531836]" else {
            return .failure(
                TraceError(
                    .permission,
                    "probes report the process IDs of the host; run outside the container"
                )
            )
        }
        do throws(TraceError) {
            // Before Linux 5.11, maps count as locked memory.
            var limit = rlimit(rlim_cur: .max, rlim_max: .max)
            setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
            let maps = [
                "M_RING": try KernelMap(.ring, count: 1 << 16),
                "M_FILES": try KernelMap(.hash, key: 16, value: 1, count: 1),
            ]
            let close = try program("close")
            for (way, type) in [(Way.session, session), (.link, multiple)] where allowsLinks {
                guard
                    let program = try? close.load(
                        .probe,
                        attachType: type,
                        maps: maps,
                        constants: ["K_LIBRARY": 0]
                    )
                else { continue }
                func result(_ process: Int32) -> Int32 {
                    createLink(program, type: type, path: "/", offsets: [0], process: process)
                }
                // A kernel without such links rejects the type, not the path, which is a folder.
                // Early kernels filter by thread, and report another error for the process.
                if result(0) == -EBADF, result(-1) == -EINVAL { return .success(way) }
            }
            let path = "/sys/bus/event_source/devices/uprobe/type"
            let text = ProcFile.text(path) ?? ""
            guard let type = UInt32(text.filter(\.isNumber)) else {
                return .failure(
                    TraceError(.uprobes, "the kernel has no uprobes: \(path) does not exist")
                )
            }
            return .success(.event(type: type))
        } catch {
            return .failure(error)
        }
    }

    /// BPF_TRACE_UPROBE_MULTI.
    static let multiple: UInt32 = 48
    /// BPF_TRACE_UPROBE_SESSION.
    static let session: UInt32 = 57

    /// Sets probes in one process.
    ///
    /// - Parameters:
    ///   - program: The program to run.
    ///   - type: How the program is attached.
    ///   - path: The path of the file.
    ///   - offsets: The offsets of the instructions in the file.
    ///   - cookies: The numbers that the program receives at each instruction.
    ///   - process: The process.
    ///   - isReturn: Whether to run the program when the functions return.
    /// - Returns: The descriptor of the link, or a negative error number.
    static func createLink(
        _ program: KernelObject,
        type: UInt32,
        path: String,
        offsets: [UInt64],
        cookies: [UInt64]? = nil,
        process: Int32,
        isReturn: Bool = false
    ) -> Int32 {
        var attributes = KernelAttributes()
        attributes.set(0, UInt32(program.descriptor))
        attributes.set(8, type)
        attributes.set(48, UInt32(offsets.count))
        attributes.set(52, UInt32(isReturn ? 1 : 0))
        attributes.set(56, process)
        return path.withCString { path in
            offsets.withUnsafeBytes { offsets in
                (cookies ?? offsets.map { _ in 0 }).withUnsafeBytes { cookies in
                    attributes.set(16, UnsafeRawPointer(path))
                    attributes.set(24, offsets.baseAddress)
                    attributes.set(40, cookies.baseAddress)
                    return attributes.call(28)
                }
            }
        }
    }

    /// Runs a program at a raw tracepoint of all processes.
    static func trace(
        _ tracepoint: String,
        program: KernelObject
    ) throws(TraceError) -> KernelObject {
        var attributes = KernelAttributes()
        attributes.set(8, UInt32(program.descriptor))
        let result = tracepoint.withCString {
            attributes.set(0, UnsafeRawPointer($0))
            return attributes.call(17)
        }
        guard result >= 0 else { throw error("the tracepoint \(tracepoint)", code: -result) }
        return KernelObject(result)
    }
}
#endif
