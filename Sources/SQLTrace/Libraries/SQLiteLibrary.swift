#if os(Linux)
import Glibc
import SQLiteWatch

/// An open file that contains SQLite's code.
final class SQLiteLibrary {
    /// The position of a probe in a function.
    struct ProbePoint: Equatable {
        /// The offset of the function in the file, for return probes.
        var entry: UInt64
        /// The offset of the instruction in the file, for entry probes.
        var offset: UInt64
        /// Whether the first instruction pushes a register.
        ///
        /// The kernel emulates this instruction, which takes a tenth of the time of single-stepping
        /// it.
        var isEmulated: Bool
    }

    static let functions: Set<String> = [
        "sqlite3_step", "sqlite3_reset", "sqlite3_finalize", "sqlite3_exec",
        "sqlite3_close", "sqlite3_close_v2",
    ]

    let path: String
    let identity: FileIdentity
    /// Whether the file belongs to root and no other user can write to it.
    let isOwnedByRoot: Bool
    let machine: ELFFile.Machine
    let isGo: Bool
    let points: [String: ProbePoint]
    let descriptor: Int32

    /// Opens a file, or returns `nil` if it cannot be read or does not contain SQLite with symbols.
    ///
    /// - Parameters:
    ///   - path: The path to show in messages.
    ///   - link: The path to open.
    init?(path: String, link: String) {
        let descriptor = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
            let file = ELFFile(
                isIncluded: Self.functions.contains,
                read: { DescriptorFile.read(descriptor, at: $0, count: $1) }
            ),
            file.functions["sqlite3_reset"] != nil, file.functions["sqlite3_finalize"] != nil,
            file.functions["sqlite3_step"] != nil
        else {
            close(descriptor)
            return nil
        }
        self.path = path
        self.descriptor = descriptor
        identity = FileIdentity(information)
        isOwnedByRoot = information.st_uid == 0 && information.st_mode & 0o022 == 0
        machine = file.machine
        isGo = file.isGo
        points = file.functions.mapValues { function in
            let code = DescriptorFile.read(descriptor, at: function.fileOffset, count: 8)
            return Self.point(of: function, code, machine: file.machine)
        }
    }

    deinit { close(descriptor) }

    /// Returns the position of a probe in a function.
    ///
    /// A probe in the middle of an instruction would crash every process that uses the library.
    /// This method therefore skips only `endbr64`, an instruction of known length that the kernel
    /// would single-step.
    static func point(
        of function: ELFFile.Function,
        _ code: [UInt8],
        machine: ELFFile.Machine
    ) -> ProbePoint {
        var code = code[...]
        var offset = function.fileOffset
        let endbr64: [UInt8] = [0xf3, 0x0f, 0x1e, 0xfa]
        if machine == .x86_64, code.starts(with: endbr64), function.length != 4 {
            code = code.dropFirst(4)
            offset += 4
        }
        if code.first == 0x41 { code = code.dropFirst() }
        let isPush = code.first.map { (0x50...0x57).contains($0) } ?? false
        return ProbePoint(
            entry: function.fileOffset,
            offset: offset,
            isEmulated: machine == .x86_64 && isPush
        )
    }

    /// Returns the entire content, or `nil` if it exceeds a limit in bytes.
    func content(limit: Int) -> [UInt8]? {
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_size <= limit else {
            return nil
        }
        let bytes = DescriptorFile.read(descriptor, at: 0, count: Int(information.st_size))
        return bytes.count == information.st_size ? bytes : nil
    }
}
#endif
