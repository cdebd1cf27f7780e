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
                guard let word = content.u64(offset), Self.contains(word, data),
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

    private static func contains(_ address: UInt64, _ data: [Range<UInt64>]) -> Bool {
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
            where Self.contains(address, data) && checked.insert(address).inserted {
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
            let status = ProcFile.read("/proc/\(process)/stat").flatMap(ProcessStat.init),
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
            return Self.used(start & ~7..<top & ~7, pages)
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
    private static func used(_ range: Range<UInt64>, _ pages: Int32) -> [Range<UInt64>] {
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
