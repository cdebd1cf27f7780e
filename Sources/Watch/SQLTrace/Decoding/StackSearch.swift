import Text

/// A search for the statements that a process executes, which starts at pointers on its stacks.
///
/// Stacks also contain old pointers and other programs' data. A pointer therefore counts only if it
/// leads to a connection whose structures refer back to it, and a statement only if it is in the
/// connection's list and its first step has not returned.
struct StackSearch {
    /// A running statement and the path of its connection's file.
    struct Found: Equatable {
        var step: ConnectionReader.FirstStep
        var path: String
    }

    /// The pointers, each with the highest address of a stack that contains it.
    let pointers: [UInt64: UInt64]
    /// The memory that may contain connections and statements, sorted by address.
    let data: [Range<UInt64>]

    /// The maximum number of connections to read.
    private static let limit = 1_024

    /// Collects the pointers on stacks.
    ///
    /// - Parameters:
    ///   - stacks: The contents of stacks and their addresses.
    ///   - data: The memory that may contain connections and statements, sorted by address.
    init(_ stacks: [(address: UInt64, content: LittleEndian)], data: [Range<UInt64>]) {
        self.data = data
        var pointers: [UInt64: UInt64] = [:]
        for (address, content) in stacks {
            for offset in stride(from: 0, to: content.count - 7, by: 8) {
                guard let word = content.u64(offset), Self.contains(word, in: data),
                    pointers[word] != nil || pointers.count < Self.pointerLimit
                else { continue }
                let place = address &+ UInt64(offset)
                pointers[word] = max(pointers[word] ?? 0, place)
            }
        }
        self.pointers = pointers
    }

    /// The maximum number of pointers to follow.
    private static let pointerLimit = 1 << 16

    private static func contains(_ address: UInt64, in data: [Range<UInt64>]) -> Bool {
        guard address % 8 == 0 else { return false }
        var (low, high) = (0, data.count)
        while low < high {
            let middle = (low + high) / 2
            if data[middle].upperBound <= address { low = middle + 1 } else { high = middle }
        }
        return low < data.count && data[low].contains(address)
    }

    /// Returns the running statement of each connection to a copy of SQLite.
    func statements(_ reader: ConnectionReader) -> [Found] {
        var checked: Set<UInt64> = []
        var found: [Found] = []
        for pointer in pointers.keys {
            // Statements and other structures refer to their connection.
            let owner = reader.memory.pointer(
                ofProcess: reader.process,
                at: pointer &+ UInt64(reader.layout.connection)
            )
            for address in [pointer, owner].compactMap({ $0 })
            where Self.contains(address, in: data) && checked.insert(address).inserted {
                guard reader.lastStatement(of: address) != nil,
                    let path = reader.path(of: address)
                else { continue }
                if let step = outermost(reader.firstSteps(of: address)) {
                    found.append(Found(step: step, path: path))
                }
                if found.count >= Self.limit { return found }
            }
        }
        return found
    }

    /// Returns the statement that contains all others, which are nested, or `nil` if it is unknown.
    ///
    /// The stack of a function is below that of its caller.
    private func outermost(
        _ steps: [ConnectionReader.FirstStep]
    ) -> ConnectionReader.FirstStep? {
        guard steps.count > 1 else { return steps.first }
        return steps.filter { pointers[$0.statement] != nil }
            .max { pointers[$0.statement] ?? 0 < pointers[$1.statement] ?? 0 }
    }
}

#if os(Linux)
import Glibc
import SQLiteWatch

extension StackSearch {
    /// The number of bytes to read of each stack, from its oldest frames.
    private static let stackSize: UInt64 = 256 << 10
    /// The number of mappings to read besides those of the threads, because other data can also
    /// follow a guard page.
    private static let spareStacks = 64

    /// Reads the stacks of a process, or returns `nil` if it has ended.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - memory: Its memory.
    init?(process: Int32, _ memory: any ProcessMemory) {
        guard let text = ProcFile.read("/proc/\(process)/maps", limit: 1 << 24),
            let status = ProcessStat(of: process),
            let threads = ProcFile.names(in: "/proc/\(process)/task")?.count
        else { return nil }
        let maps = ProcessMaps(text)
        let pages = open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC)
        defer { if pages >= 0 { close(pages) } }
        // The kernel places the stacks of later threads at lower addresses.
        let stacks = maps.stacks.reversed().prefix(min(threads, 1_024) + Self.spareStacks)
        let contents = stacks.flatMap { stack in
            // Above the oldest frame of the main thread are the program's arguments.
            let top = stack.contains(status.stack) ? status.stack : stack.upperBound
            let start = max(stack.lowerBound, top - min(top, Self.stackSize))
            return Self.used(start & ~7..<top & ~7, pages: pages)
                .map { range in
                    let count = Int(range.upperBound - range.lowerBound)
                    let bytes = memory.bytes(
                        ofProcess: process,
                        at: range.lowerBound,
                        count: count
                    )
                    return (address: range.lowerBound, content: bytes)
                }
        }
        self.init(contents, data: maps.data)
    }

    /// Returns the parts of a range that are in memory, so that reading it does not add pages to the
    /// process.
    private static func used(_ range: Range<UInt64>, pages: Int32) -> [Range<UInt64>] {
        let size = UInt64(max(4_096, sysconf(Int32(_SC_PAGESIZE))))
        let first = range.lowerBound / size
        let count = (range.upperBound + size - 1) / size - first
        let entries = LittleEndian(
            DescriptorFile.read(pages, at: first * 8, count: Int(count) * 8)
        )
        var used: [Range<UInt64>] = []
        for number in 0..<count {
            // Bit 63 states that the page is present.
            guard entries.u64(Int(number) * 8).map({ $0 >> 63 == 1 }) ?? false else { continue }
            let page = (first + number) * size
            let part = max(page, range.lowerBound)..<min(page + size, range.upperBound)
            if let last = used.last, last.upperBound == part.lowerBound {
                used[used.count - 1] = last.lowerBound..<part.upperBound
            } else {
                used.append(part)
            }
        }
        return used
    }
}
#endif

/// A type that reads the memory of traced processes.
protocol ProcessMemory: AnyObject {
    /// Returns bytes from a process's memory, or no bytes if the process has ended.
    ///
    /// The result has fewer bytes at the end of a mapping.
    func bytes(ofProcess process: Int32, at address: UInt64, count: Int) -> LittleEndian
    /// Returns the process of a thread, or `nil` if the thread has ended.
    func process(ofThread thread: Int32) -> Int32?
    /// Discards the cached state of a process that has ended or executed a new program.
    func forget(_ process: Int32)
}

extension ProcessMemory {
    /// Returns the pointer at an address, or `nil` if the pointer is null or the address is not
    /// mapped.
    func pointer(ofProcess process: Int32, at address: UInt64) -> UInt64? {
        let value = bytes(ofProcess: process, at: address, count: 8).u64(0)
        guard let value, value > 4_096 else { return nil }
        return value
    }

    /// Returns the zero-terminated text at an address, truncated to a limit in bytes, or `nil` if
    /// the text cannot be read.
    func text(ofProcess process: Int32, at address: UInt64, limit: Int) -> String? {
        string(ofProcess: process, at: address, limit: limit).map { text, isWhole in
            String(decoding: text, as: UTF8.self) + (isWhole ? "" : "…")
        }
    }

    /// Returns the path at an address, or `nil` if it is longer than a limit in bytes or cannot be
    /// read.
    func path(ofProcess process: Int32, at address: UInt64, limit: Int) -> String? {
        string(ofProcess: process, at: address, limit: limit).flatMap { bytes, isWhole in
            isWhole ? PathText.text(of: bytes) : nil
        }
    }

    private func string(
        ofProcess process: Int32,
        at address: UInt64,
        limit: Int
    ) -> (bytes: [UInt8], isWhole: Bool)? {
        var text: [UInt8] = []
        var current = address
        while text.count < limit {
            // Read up to the end of the page, because the next page may not be mapped.
            let count = 4_096 - Int(current % 4_096)
            let part = bytes(ofProcess: process, at: current, count: count).bytes
            guard !part.isEmpty else { return nil }
            if let end = part.firstIndex(of: 0) {
                text += part[..<end]
                return (text, true)
            }
            text += part
            guard part.count == count else { return nil }
            current &+= UInt64(count)
        }
        return (Array(text.prefix(limit)), false)
    }

    /// Follows a chain of pointers and returns the last pointer.
    ///
    /// - Parameters:
    ///   - offsets: The offset of each pointer from the address to which the previous pointer
    ///     refers.
    ///   - address: The address at which the chain starts.
    ///   - process: The process ID.
    /// - Returns: The last pointer, or `nil` if a pointer cannot be read.
    func follow(_ offsets: [Int], from address: UInt64, ofProcess process: Int32) -> UInt64? {
        offsets.reduce(address) { address, offset in
            address.flatMap { pointer(ofProcess: process, at: $0 &+ UInt64(offset)) }
        }
    }
}

#if os(Linux)
import Glibc
import SQLiteWatch

/// An object that reads memory through `/proc/PID/mem`.
final class ProcMemory: ProcessMemory {
    private var descriptors: [Int32: Int32] = [:]

    /// The maximum number of open `mem` files.
    private static let capacity = 256

    deinit { for descriptor in descriptors.values { close(descriptor) } }

    func bytes(ofProcess process: Int32, at address: UInt64, count: Int) -> LittleEndian {
        if descriptors[process] == nil {
            if descriptors.count >= Self.capacity { for old in descriptors.keys { forget(old) } }
            descriptors[process] = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        }
        guard let descriptor = descriptors[process], descriptor >= 0 else {
            descriptors[process] = nil
            return LittleEndian([])
        }
        return LittleEndian(DescriptorFile.read(descriptor, at: address, count: count))
    }

    func process(ofThread thread: Int32) -> Int32? {
        guard let status = ProcFile.text("/proc/\(thread)/status", limit: 4_096) else { return nil }
        for line in status.split(separator: "\n") where line.hasPrefix("Tgid:") {
            return Int32(line.dropFirst(5).drop { $0 == "\t" || $0 == " " })
        }
        return nil
    }

    func forget(_ process: Int32) {
        if let descriptor = descriptors.removeValue(forKey: process), descriptor >= 0 {
            close(descriptor)
        }
    }
}
#endif
