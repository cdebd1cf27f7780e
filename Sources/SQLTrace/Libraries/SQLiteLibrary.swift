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
        /// Whether the kernel emulates the instruction, which takes a tenth of the time of
        /// single-stepping it.
        var isEmulated: Bool
    }

    static let functions: Set<String> = [
        "sqlite3_step", "sqlite3_reset", "sqlite3_finalize", "sqlite3_exec",
        "sqlite3_close", "sqlite3_close_v2",
    ]

    let path: String
    let identity: FileIdentity
    let description: FileDescription
    let descriptor: Int32
    /// The descriptor of the root directory in which the file is a program, or `nil` if the file is
    /// a library or the directory is that of this process.
    let root: Int32?

    var points: [String: ProbePoint] { description.points }

    /// Creates a library, which closes the descriptor at its end.
    ///
    /// - Parameters:
    ///   - path: The path to show in messages.
    ///   - file: The open file.
    ///   - description: What the file contains.
    ///   - root: The root directory of a process that uses the file.
    init(
        path: String,
        _ file: (descriptor: Int32, information: stat),
        _ description: FileDescription,
        root: String = "/"
    ) {
        self.path = path
        self.description = description
        descriptor = file.descriptor
        identity = FileIdentity(file.information)
        if description.isProgram, FileIdentity(path: root + "/") != FileIdentity(path: "/") {
            let folder = Glibc.open(root + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            self.root = folder < 0 ? nil : folder
        } else {
            self.root = nil
        }
    }

    deinit {
        close(descriptor)
        if let root { close(root) }
    }

    /// Returns the position of a probe in a function.
    ///
    /// A probe in the middle of an instruction would crash every process that uses the library.
    /// This method therefore skips only exact instructions that change neither the arguments nor
    /// the stack, and only if the instruction after them is emulated. In Debian's `libsqlite3.a`,
    /// for example, `sqlite3_reset` starts with `test rdi, rdi; je`.
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
        var isFast = machine == .x86_64 && isEmulated(code)
        // test rdi, rdi
        if machine == .x86_64, code.starts(with: [0x48, 0x85, 0xff]),
            isEmulated(code.dropFirst(3)), function.length == 0 || function.length > 12
        {
            offset += 3
            isFast = true
        }
        return ProbePoint(entry: function.fileOffset, offset: offset, isEmulated: isFast)
    }

    /// Returns whether the kernel emulates an x86-64 instruction: `push`, a conditional jump, or a
    /// jump to a fixed distance (arch/x86/kernel/uprobes.c).
    private static func isEmulated(_ code: ArraySlice<UInt8>) -> Bool {
        let second = code.dropFirst().first ?? 0
        return switch code.first ?? 0 {
        case 0x41: (0x50...0x57).contains(second)
        case 0x0f: (0x80...0x8f).contains(second)
        case 0x50...0x57, 0x70...0x7f, 0xe9, 0xeb: true
        default: false
        }
    }

    /// Copies the file to a descriptor, or returns `false` if it exceeds a limit in bytes.
    func copy(to target: Int32, limit: Int) -> Bool {
        var offset: UInt64 = 0
        while offset <= limit {
            let part = DescriptorFile.read(descriptor, at: offset, count: 1 << 20)
            if part.isEmpty { return offset > 0 }
            guard DescriptorFile.write(part, to: target) else { return false }
            offset += UInt64(part.count)
        }
        return false
    }
}
#endif
