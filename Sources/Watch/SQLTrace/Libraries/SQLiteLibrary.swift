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

/// What a file that another program maps contains.
///
/// The file is untrusted, so a process without privileges reads it and states the result as text,
/// whose values are checked.
struct FileDescription: Equatable, Sendable {
    /// The positions of the probes, by function, or none if the file has no usable copy of SQLite.
    var points: [String: SQLiteLibrary.ProbePoint] = [:]
    /// Whether the file contains the symbols of the functions.
    var hasSymbols = false
    /// Whether the file is a program and not a library.
    var isProgram = false
    /// Whether the file is a Go program.
    var isGo = false
    /// The copy of SQLite whose functions cannot be found, if the process searched for it.
    var copy: HiddenCopy?

    private enum Word {
        static let symbols = "symbols"
        static let program = "program"
        static let go = "go"
        static let copy = "copy"
        static let version = "version="
    }

    /// Examines a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - searchesCopy: Whether to search for a copy of SQLite without known functions.
    init(of bytes: FileBytes, searchesCopy: Bool) {
        guard var file = ELFFile(bytes, isIncluded: SQLiteLibrary.functions.contains) else {
            return
        }
        isProgram = file.isProgram
        isGo = file.isGo
        hasSymbols = file.functions["sqlite3_step"] != nil
        if file.addFunctions(SQLiteLibrary.functions, from: bytes) {
            points = file.functions.mapValues { function in
                let code = bytes.bytes(at: function.fileOffset, count: 16)
                return SQLiteLibrary.point(of: function, code, machine: file.machine)
            }
        } else if searchesCopy {
            copy = HiddenCopy(in: file, bytes)
        }
    }

    /// Reads a line, or returns `nil` if it is malformed.
    init?(text: String) {
        for word in text.split(separator: " ").map(String.init) {
            switch word {
            case Word.symbols: hasSymbols = true
            case Word.program: isProgram = true
            case Word.go: isGo = true
            case Word.copy: copy = HiddenCopy(isGo: isGo, version: nil)
            default:
                if word.hasPrefix(Word.version) {
                    let version = word.dropFirst(Word.version.count)
                    guard copy != nil, version.utf8.count <= 16,
                        version.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e })
                    else { return nil }
                    copy?.version = String(version)
                } else if !addPoint(word) {
                    return nil
                }
            }
        }
    }

    /// Adds a point such as `sqlite3_step=4096,4100,1`.
    private mutating func addPoint(_ word: String) -> Bool {
        let parts = word.split(separator: "=")
        guard parts.count == 2, SQLiteLibrary.functions.contains(String(parts[0])) else {
            return false
        }
        let numbers = parts[1].split(separator: ",").compactMap { UInt64($0) }
        guard numbers.count == 3, numbers[0] < 1 << 48,
            numbers[1] >= numbers[0], numbers[1] - numbers[0] < 16
        else { return false }
        points[String(parts[0])] = SQLiteLibrary.ProbePoint(
            entry: numbers[0],
            offset: numbers[1],
            isEmulated: numbers[2] == 1
        )
        return true
    }

    /// The line that ``init(text:)`` reads.
    var text: String {
        var words: [String] = []
        if hasSymbols { words.append(Word.symbols) }
        if isProgram { words.append(Word.program) }
        if isGo { words.append(Word.go) }
        if let copy {
            words.append(Word.copy)
            if let version = copy.version { words.append(Word.version + version) }
        }
        words += points.sorted { $0.key < $1.key }.map { name, point in
            "\(name)=\(point.entry),\(point.offset),\(point.isEmulated ? 1 : 0)"
        }
        return words.joined(separator: " ")
    }
}

enum DescriptorFile {
    /// Returns the bytes at an offset, or fewer at the end of the file.
    static func read(_ descriptor: Int32, at offset: UInt64, count: Int) -> [UInt8] {
        guard let offset = off_t(exactly: offset), count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = 0
            while length < count {
                let result = pread(
                    descriptor,
                    buffer.baseAddress.map { $0 + length },
                    count - length,
                    offset &+ off_t(length)
                )
                guard result > 0 else { return }
                length += result
            }
        }
    }

    /// Returns a reader of a file that must remain open.
    static func bytes(of descriptor: Int32) -> FileBytes {
        FileBytes { read(descriptor, at: $0, count: $1) }
    }

    /// Opens a regular file for reading, or returns `nil`.
    ///
    /// The file may belong to another program: opening a terminal or a pipe must have no effect.
    static func open(_ path: String) -> (descriptor: Int32, information: stat)? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return (descriptor, information)
    }

    /// Writes all bytes, or returns `false` if a write fails.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
#endif
