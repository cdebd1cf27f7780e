import Foundation
import Synchronization

/// A number that two processes share through a file.
///
/// The number identifies the last commit that has returned. A process stores the number after its
/// commit has returned. Another process that loads the number and then begins a read must find that
/// commit. A message through a pipe would arrive later and could hide a short interval in which a
/// read is stale.
///
/// `@unchecked Sendable`, because the memory is accessed only through an atomic value.
package final class SharedCounter: @unchecked Sendable {
    /// An error for a file that cannot be opened or mapped.
    package struct Failure: Error {
        /// The path of the file.
        package var path: String
        /// The value of `errno`.
        package var code: Int32
    }

    private static let size = MemoryLayout<Atomic<Int>>.size

    private let memory: UnsafeMutableRawPointer
    private let value: UnsafeMutablePointer<Atomic<Int>>

    /// Opens the file, and creates it if necessary.
    ///
    /// A new file contains 0.
    package init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(Self.size)) == 0,
            let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { throw Failure(path: path, code: errno) }
        self.memory = memory
        value = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    }

    deinit { munmap(memory, Self.size) }

    /// Returns the number that was stored last.
    package func load() -> Int { value.pointee.load(ordering: .sequentiallyConsistent) }

    /// Stores a number.
    package func store(_ number: Int) {
        value.pointee.store(number, ordering: .sequentiallyConsistent)
    }
}
