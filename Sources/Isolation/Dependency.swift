/// A reason why one transaction must come before another.
struct Dependency: Sendable {
    /// The kinds of reasons.
    struct Kind: OptionSet, Sendable {
        let rawValue: UInt8

        /// The second transaction replaces what the first one wrote (ww).
        static let overwrite = Kind(rawValue: 1)
        /// The second transaction read what the first one wrote (wr).
        static let read = Kind(rawValue: 2)
        /// The second transaction replaces what the first one read (rw).
        static let antidependency = Kind(rawValue: 4)
        /// The second transaction follows the first one in its session.
        static let session = Kind(rawValue: 8)
        /// The second transaction started after the first one had ended.
        static let realTime = Kind(rawValue: 16)

        /// The dependencies that reads and writes show.
        static let data: Kind = [.overwrite, .read, .antidependency]
        /// The dependencies that reads and writes show, without antidependencies.
        static let information: Kind = [.overwrite, .read]
        /// All reasons.
        static let all: Kind = [.data, .session, .realTime]
    }

    /// The index of the transaction that comes first.
    var from: Int
    /// The index of the transaction that comes second.
    var to: Int
    var kind: Kind
    /// The object; nil for the order of sessions and of real time.
    var object: ObjectIndex?
    /// The value: of an overwrite, the value that the second transaction wrote; of a read, the
    /// value that was read; of an antidependency, the value that the first transaction did not see.
    var value: Int64 = 0
}
