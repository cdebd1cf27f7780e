import Text

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
