/// A reason why one transaction must come before another.
struct Dependency: Sendable {
    /// The kinds of dependency.
    struct Kind: OptionSet, Sendable {
        let rawValue: UInt8

        /// The second transaction overwrites a write of the first (ww).
        static let overwrite = Kind(rawValue: 1)
        /// The second transaction reads a write of the first (wr).
        static let read = Kind(rawValue: 2)
        /// The second transaction overwrites what the first read (rw).
        static let antidependency = Kind(rawValue: 4)
        /// The second transaction follows the first in its session.
        static let session = Kind(rawValue: 8)
        /// The second transaction started after the first had ended.
        static let realTime = Kind(rawValue: 16)

        /// The dependencies that reads and writes show.
        static let data: Kind = [.overwrite, .read, .antidependency]
        /// The dependencies that reads and writes show, without antidependencies.
        static let information: Kind = [.overwrite, .read]
        /// All kinds of dependency.
        static let all: Kind = [.data, .session, .realTime]
    }

    /// The index of the transaction that comes first.
    var from: Int
    /// The index of the transaction that comes second.
    var to: Int
    var kind: Kind
    /// The object; nil for the order of sessions and of real time.
    var object: ObjectIndex?
    /// The value that the second transaction wrote (overwrite), that it read (read), or that the
    /// first transaction did not see (antidependency).
    var value: Int64 = 0
}
