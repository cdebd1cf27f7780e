/// A reason why one transaction must come before another.
struct Dependency: Sendable {
    struct Kind: OptionSet, Sendable {
        let rawValue: UInt8

        /// The second transaction overwrites a write of the first (ww).
        static let overwrite = Kind(rawValue: 1)
        /// The second transaction reads a write of the first (wr).
        static let read = Kind(rawValue: 2)
        /// The second transaction overwrites a value that the first transaction read (rw).
        static let antidependency = Kind(rawValue: 4)
        /// The second transaction follows the first in its session.
        static let session = Kind(rawValue: 8)
        /// The second transaction started after the first transaction had ended.
        static let realTime = Kind(rawValue: 16)

        /// The dependencies inferred from reads and writes.
        static let data: Kind = [.overwrite, .read, .antidependency]
        /// The dependencies inferred from reads and writes, except antidependencies.
        static let information: Kind = [.overwrite, .read]
        static let all: Kind = [.data, .session, .realTime]
    }

    /// The index of the transaction that comes first.
    var from: Int
    /// The index of the transaction that comes second.
    var to: Int
    var kind: Kind
    /// The object, or `nil` for session order and real-time order.
    var object: ObjectIndex?
    /// The value to which the dependency refers.
    ///
    /// For an overwrite, this is the value that the second transaction wrote. For a read, this is
    /// the value that the second transaction read. For an antidependency, this is the value that
    /// the first transaction did not read.
    var value: Int64 = 0
}
