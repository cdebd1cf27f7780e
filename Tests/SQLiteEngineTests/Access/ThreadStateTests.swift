import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct ThreadStateTests {
    private let folder = TemporaryFolder()

    @Test func eachThreadHasItsOwnState() throws {
        let state = UInt(bitPattern: ThreadState.current)
        #expect(UInt(bitPattern: ThreadState.current) == state)
        let other = Background { UInt(bitPattern: ThreadState.current) }
        #expect(try other.value() != state)
    }

    /// A destructor of a thread's values runs before or after the one that frees the engine's state,
    /// depending on the order of the keys.
    @Test func aThreadThatEndsCanStillRead() throws {
        /// The values of two keys, of which one is older than the engine's key or none is.
        final class Reader {
            let pool: DatabasePool
            let reads: Counter
            init(_ pool: DatabasePool, _ reads: Counter) { (self.pool, self.reads) = (pool, reads) }
        }
        final class Counter: Sendable { let value = Atomic<Int>(0) }
        let pool = try DatabasePool.withTable(in: folder)
        let reads = Counter()
        let thread = Thread {
            _ = try? pool.read { db in try db.rowCount() }
            for _ in 0..<2 {
                var key = pthread_key_t()
                pthread_key_create(&key) { value in
                    #if canImport(Darwin)
                    let pointer: UnsafeMutableRawPointer? = value
                    #else
                    let pointer = value
                    #endif
                    guard let pointer else { return }
                    let reader = Unmanaged<Reader>.fromOpaque(pointer).takeRetainedValue()
                    guard (try? reader.pool.read { db in try db.rowCount() }) != nil else { return }
                    reader.reads.value.wrappingAdd(1, ordering: .sequentiallyConsistent)
                }
                let reader = Unmanaged.passRetained(Reader(pool, reads))
                pthread_setspecific(key, reader.toOpaque())
            }
        }
        thread.start()
        try eventually { reads.value.load(ordering: .sequentiallyConsistent) == 2 }
    }
}
