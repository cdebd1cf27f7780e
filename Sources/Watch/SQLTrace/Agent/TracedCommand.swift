#if os(Linux)
import CTrace
import Glibc
import Text

/// A command that is started with `libpoolgauge_trace.so`.
struct TracedCommand {
    private let arguments: [String]

    /// The maximum length of the first line of a script.
    private static let lineLimit = 256
    /// The maximum number of interpreters of interpreters, as in the kernel.
    private static let interpreterLimit = 5

    init(_ arguments: [String]) { self.arguments = arguments }

    /// Returns the reason why the library must not be loaded, or `nil` if it can be.
    ///
    /// The dynamic loader ignores or rejects the library in some programs.
    func obstacle(library: String?) -> String? {
        guard let library else {
            return "libpoolgauge_trace.so is not installed with this program"
        }
        // The dynamic loader separates the libraries in LD_PRELOAD by these characters.
        guard !library.contains(where: { $0 == " " || $0 == ":" }) else {
            return "the path \(Escaping.terminal(library)) contains a space or colon"
        }
        guard var path = Self.file(of: arguments.first ?? "") else { return nil }
        for _ in 0..<Self.interpreterLimit {
            guard let (descriptor, status) = DescriptorFile.open(path) else { return nil }
            defer { close(descriptor) }
            let name = Escaping.terminal(path)
            let start = DescriptorFile.read(descriptor, at: 0, count: Self.lineLimit)
            if start.starts(with: "#!".utf8) {
                let line = start.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
                let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                guard let word = words.first else { return nil }
                path = String(decoding: word, as: UTF8.self)
                continue
            }
            // The kernel changes the user of a program, not of a script.
            let isSet =
                status.st_mode & S_ISUID != 0 && status.st_uid != getuid()
                || status.st_mode & S_ISGID != 0 && status.st_gid != getgid()
            if isSet || poolgauge_has_capabilities(path) != 0 {
                return "\(name) runs with other privileges (setuid, setgid, or capabilities)"
            }
            let obstacle = Self.obstacle(DescriptorFile.bytes(of: descriptor), start: start)
            return obstacle.map { "\(name) \($0)" }
        }
        return nil
    }

    private static func obstacle(_ bytes: FileBytes, start: [UInt8]) -> String? {
        guard start.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { return nil }
        guard start.count > 4, start[4] == 2 else { return "is a 32-bit program" }
        guard let file = ELFFile(bytes, isIncluded: { _ in false }) else {
            return "is a program for another processor"
        }
        guard let interpreter = file.interpreter(bytes) else { return "is linked statically" }
        if interpreter.contains("musl") { return "uses musl instead of glibc" }
        if file.hasDynamicName("__asan_init", in: bytes) {
            return "is built with AddressSanitizer, which must be loaded first"
        }
        return nil
    }

    /// Returns the file that execvp(3) starts.
    private static func file(of program: String) -> String? {
        guard !program.contains("/") else { return program }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
        for folder in folders.split(separator: ":", omittingEmptySubsequences: false) {
            let path = (folder.isEmpty ? "." : folder) + "/" + program
            if access(path, X_OK) == 0 { return path }
        }
        return nil
    }

    /// Starts the command with the terminal, process group, and signals of this process.
    ///
    /// - Parameters:
    ///   - library: The library to load, or `nil` to load none.
    ///   - memory: The descriptor of the memory, under which the program inherits it.
    ///   - handled: The signals that this process already handles, and whose default action the
    ///     command receives.
    /// - Returns: The process ID.
    /// - Throws: ``TraceError`` if the command cannot be started.
    func start(
        library: String?,
        memory: Int32,
        handled: [Int32] = []
    ) throws(TraceError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var variables = Self.environment
        if let library {
            // Duplicating a descriptor to itself makes the program inherit it.
            posix_spawn_file_actions_adddup2(&actions, memory, memory)
            let others = variables.first { $0.hasPrefix("LD_PRELOAD=") }?.dropFirst(11) ?? ""
            variables.removeAll { $0.hasPrefix("LD_PRELOAD=") }
            variables.append("LD_PRELOAD=" + library + (others.isEmpty ? "" : ":" + others))
            variables.append("\(POOLGAUGE_RING_VARIABLE)=\(getpid()):\(memory)")
        }
        // This program ignores these signals or will handle them, and the command must not.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGPIPE] + handled { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words = arguments.map { strdup($0) } + [nil]
        let values = variables.map { strdup($0) } + [nil]
        defer { for text in words + values { free(text) } }
        var process: pid_t = 0
        let path = arguments.first ?? ""
        let status = posix_spawnp(&process, path, &actions, &attributes, words, values)
        guard status == 0 else {
            let reason = String(cString: strerror(status))
            let name = Escaping.terminal(path)
            throw TraceError(.command, "the command '\(name)' cannot be started: \(reason)")
        }
        return process
    }

    private static var environment: [String] {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables
    }
}
#endif
