#if os(Linux)
import CTrace
import Glibc
import Testing

@testable import SQLTrace

/// The memory that programs can change at any time.
struct AgentRingTests {
    private static let slots = Int(POOLGAUGE_RING_SLOTS)

    /// Maps the memory of a ring, as a program does.
    private func memory(of ring: AgentRing) throws -> UnsafeMutableRawPointer {
        let memory = mmap(
            nil,
            AgentRing.size,
            PROT_READ | PROT_WRITE,
            MAP_SHARED,
            ring.descriptor,
            0
        )
        return try #require(memory == MAP_FAILED ? nil : memory)
    }

    /// Stores a record whose bytes are all equal, as a program does.
    private func store(_ byte: UInt8, at number: UInt64, in memory: UnsafeMutableRawPointer) {
        let slot =
            memory + Int(POOLGAUGE_RING_HEAD_SIZE)
            + Int(number % UInt64(Self.slots)) * Int(POOLGAUGE_RING_SLOT_SIZE)
        memset(slot + 16, Int32(byte), AgentRing.recordSize)
        let record = (slot + 16).assumingMemoryBound(to: UInt64.self)
        poolgauge_store64(slot + 8, poolgauge_record_sum(record))
        poolgauge_store64(slot, number + 1)
        if poolgauge_load64(memory) <= number { poolgauge_store64(memory, number + 1) }
    }

    @Test func returnsRecordsInTheirOrder() throws {
        let ring = try AgentRing.created()
        let memory = try memory(of: ring)
        for number in 0..<3 { store(UInt8(number + 1), at: UInt64(number), in: memory) }
        let batch = ring.take()
        #expect(batch.bytes.count == 3 * AgentRing.recordSize)
        #expect(Set(batch.bytes) == [1, 2, 3])
        #expect(batch.lost == 0)
        #expect(ring.take().bytes.isEmpty)
    }

    @Test func countsOverwrittenRecords() throws {
        let ring = try AgentRing.created()
        let memory = try memory(of: ring)
        for number in 0..<(Self.slots + 5) { store(7, at: UInt64(number), in: memory) }
        let batch = ring.take()
        #expect(batch.bytes.count == Self.slots * AgentRing.recordSize)
        #expect(batch.lost == 5)
    }

    @Test func waitsOnlyBrieflyForAnIncompleteRecord() throws {
        let ring = try AgentRing.created()
        let memory = try memory(of: ring)
        store(1, at: 1, in: memory)
        let now: UInt64 = 1 << 40
        #expect(ring.take(at: now).bytes.isEmpty)
        store(2, at: 0, in: memory)
        #expect(ring.take(at: now + 1).bytes.count == 2 * AgentRing.recordSize)
        // The program of this record has ended.
        store(3, at: 3, in: memory)
        #expect(ring.take(at: now + 2).bytes.isEmpty)
        let batch = ring.take(at: now + 1_000_000_000)
        #expect(batch.bytes.count == AgentRing.recordSize)
        #expect(batch.lost == 1)
    }

    @Test func readsRandomMemoryWithoutEnd() throws {
        let ring = try AgentRing.created()
        let memory = try memory(of: ring)
        var generator = SystemRandomNumberGenerator()
        for round in 0..<19 {
            for offset in stride(from: 0, to: AgentRing.size, by: 8) {
                let word: UInt64 = round % 2 == 0 ? generator.next() : .max
                memory.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            }
            let batch = ring.take(at: UInt64(round) << 40)
            #expect(batch.bytes.isEmpty)
        }
        // A program that is not damaged can be read again.
        let head = poolgauge_load64(memory)
        store(5, at: head, in: memory)
        _ = ring.take(at: 1 << 50)
        store(6, at: head &+ 1, in: memory)
        #expect(ring.take(at: 1 << 51).bytes.suffix(1) == [6])
    }

    @Test(.enabled(if: geteuid() == 0)) func aUserCannotStoreStatementsOfOtherUsers() throws {
        let ring = try AgentRing.created()
        #expect(ring.belongs(to: getpid()))
        #expect(!ring.belongs(to: 1 << 23))
        // The processes of root do not belong to this user.
        fchown(ring.descriptor, 65_534, 65_534)
        #expect(!ring.belongs(to: getpid()))
    }

    @Test func readsOnlySealedMemory() throws {
        let ring = try AgentRing.created()
        #expect(ftruncate(ring.descriptor, 1) != 0)
        #expect(AgentRing.opened(of: getpid(), ring.descriptor) != nil)
        let file = poolgauge_sealable_memfd(POOLGAUGE_RING_NAME)
        defer { close(file) }
        ftruncate(file, off_t(AgentRing.size))
        #expect(AgentRing.opened(of: getpid(), file) == nil)
        #expect(AgentRing.opened(of: getpid(), 9_999) == nil)
    }
}
#endif
