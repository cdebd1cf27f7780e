#if os(Linux)
import CTrace
import Glibc

/// Reads this process's memory without a fault where nothing is mapped.
enum OwnMemory {
    /// Bytes at an address, or fewer where they are not mapped.
    static func bytes(at address: UInt, count: Int) -> LittleEndian {
        LittleEndian(
            [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                func read(_ count: Int) -> Int {
                    poolgauge_read_memory(getpid(), address, buffer.baseAddress, count)
                }
                length = max(0, read(count))
                if length == 0, count > 8 {
                    // The range may end behind the mapping.
                    length = max(0, read(min(count, 4_096 - Int(address % 4_096))))
                }
            }
        )
    }

    /// A pointer at an address; nil where it is not mapped, and for a null pointer.
    static func pointer(at address: UInt) -> UInt? {
        guard address > 4_096, let value = bytes(at: address, count: 8).u64(0) else { return nil }
        return value == 0 ? nil : UInt(value)
    }
}
#endif
