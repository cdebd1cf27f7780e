#if os(Linux)
import CTrace
import Glibc

/// A type that reads this process's memory without crashing on unmapped addresses.
enum OwnMemory {
    /// Returns the bytes at an address, or fewer at the end of a mapping.
    static func bytes(at address: UInt, count: Int) -> LittleEndian {
        LittleEndian(
            [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                func read(_ count: Int) -> Int {
                    poolgauge_read_memory(getpid(), address, buffer.baseAddress, count)
                }
                length = max(0, read(count))
                if length == 0, count > 8 {
                    // The range may extend beyond the mapping.
                    length = max(0, read(min(count, 4_096 - Int(address % 4_096))))
                }
            }
        )
    }

    /// Returns the pointer at an address, or `nil` if the pointer is null or the address is not
    /// mapped.
    static func pointer(at address: UInt) -> UInt? {
        guard address > 4_096, let value = bytes(at: address, count: 8).u64(0) else { return nil }
        return value == 0 ? nil : UInt(value)
    }
}
#endif
