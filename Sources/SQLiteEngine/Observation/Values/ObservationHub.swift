import Synchronization
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Elsewhere `DispatchQueue` does not say that it is Sendable; it is.
@preconcurrency import Dispatch
#endif

/// A value that is observed, as the hub of its database sees it.
protocol ObservedMember: AnyObject, Sendable {
    /// Something was committed that may have changed the value; called on the writer.
    func databaseDidChange()
    /// Fetches the value at once, on the writer that has just committed.
    ///
    /// - Returns: Whether it did; otherwise `refetch` has to be called.
    func fetch(afterCommitOn db: Database) -> Bool
    /// The value has to be fetched again; called on no connection.
    func refetch()
}

/// Tells all observed values of one database what its writer commits.
///
/// One transaction observer for all of them: a hundred values that depend on the same tables cost
/// a commit as much as one does, and the fetches are started on another thread.
///
/// `@unchecked Sendable`: what is `var` is used by the writer's access alone, all else is in `state`.
final class ObservationHub: TransactionObserver, @unchecked Sendable {
    /// Values that depend on the same region.
    final class Watched: Sendable {
        let region: DatabaseRegion
        init(_ region: DatabaseRegion) { self.region = region }
    }

    private struct State {
        var watched: [(watched: Watched, members: [ObjectIdentifier: any ObservedMember])] = []
        /// Those who must look again after the next commit, whatever it brings.
        var uncertain: [ObjectIdentifier: any ObservedMember] = [:]
        /// Those whose fetches were not started yet.
        var changed: [any ObservedMember] = []
        var isInstalled = false
    }

    /// How many values a commit on a database without readers fetches itself.
    ///
    /// Few of them are told each commit, one by one. Many would hold up the next write: they are
    /// fetched later, and several commits may be told as one.
    private static let mostFetchesInACommit = 8

    /// Counts the commits of the writer while somebody observes.
    let commits = Atomic<UInt64>(0)
    /// What the observations cost.
    let counts = ObservationCounts()

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "SQLiteEngine.observation", qos: .userInitiated)
    /// By table, what the open transaction may change of it.
    private var concerned: [SQLName: [Watched]] = [:]
    /// What the open transaction has changed.
    private var touched: [Watched] = []

    /// What the observations cost; nil while there was none.
    var status: ObservationStatus? {
        let active = state.withLock { $0.watched.reduce(0) { $0 + $1.members.count } }
        let (onReaders, onWriter) = (counts[.onReaders], counts[.onWriter])
        guard active > 0 || onReaders > 0 || onWriter > 0 else { return nil }
        return ObservationStatus(
            active: active,
            fetchesOnReaders: onReaders,
            fetchesOnWriter: onWriter,
            coalesced: counts[.coalesced],
            duplicates: counts[.duplicates]
        )
    }

    // MARK: Members

    /// Makes sure that commits are told; to be called on the writer, outside of transactions.
    func install(on db: Database) {
        let mustInstall = state.withLock { state in
            defer { state.isInstalled = true }
            return !state.isInstalled
        }
        if mustInstall { db.add(transactionObserver: self, extent: .databaseLifetime) }
    }

    /// Tells a member of the changes of a region, and no more of the one before.
    ///
    /// - Parameters:
    ///   - region: What the value depends on.
    ///   - member: The value.
    ///   - isUncertain: Whether a transaction may be open whose changes were not looked at with
    ///     the new region in mind.
    func watch(
        _ region: DatabaseRegion,
        for member: any ObservedMember,
        isUncertain: Bool = false
    ) {
        let identity = ObjectIdentifier(member)
        state.withLock { state in
            Self.remove(identity, from: &state)
            if isUncertain { state.uncertain[identity] = member }
            if let index = state.watched.firstIndex(where: { $0.watched.region == region }) {
                state.watched[index].members[identity] = member
            } else {
                state.watched.append((Watched(region), [identity: member]))
            }
        }
    }

    /// Tells a member of nothing any more.
    func unwatch(_ member: any ObservedMember) {
        state.withLock { Self.remove(ObjectIdentifier(member), from: &$0) }
    }

    private static func remove(_ member: ObjectIdentifier, from state: inout State) {
        state.uncertain[member] = nil
        state.watched = state.watched.compactMap { entry in
            var entry = entry
            entry.members[member] = nil
            return entry.members.isEmpty ? nil : entry
        }
    }

    // MARK: Transactions

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        let matching = state.withLock { state in
            state.watched.map(\.watched).filter { $0.region.isModified(byEventsOfKind: eventKind) }
        }
        if matching.isEmpty { return false }
        let table = SQLName(eventKind.tableName)
        for watched in matching
        where concerned[table]?.contains(where: { $0 === watched }) != true {
            concerned[table, default: []].append(watched)
        }
        return true
    }

    func databaseDidChange() {
        for watched in concerned.values.joined() { touch(watched) }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        // A virtual table changes shadow tables of which the statement did not speak.
        let candidates = concerned[SQLName(event.tableName)] ?? Array(concerned.values.joined())
        for watched in candidates where watched.region.isModified(by: event) { touch(watched) }
    }

    private func touch(_ watched: Watched) {
        if !touched.contains(where: { $0 === watched }) { touched.append(watched) }
    }

    func databaseDidCommit(_ db: Database) {
        commits.wrappingAdd(1, ordering: .sequentiallyConsistent)
        let touched = touched
        forgetTransaction()
        let (members, isUnused) = state.withLock { state in
            var members: [any ObservedMember] = Array(state.uncertain.values)
            for entry in state.watched where touched.contains(where: { $0 === entry.watched }) {
                members += entry.members.filter { state.uncertain[$0.key] == nil }.values
            }
            state.uncertain = [:]
            let isUnused = state.watched.isEmpty
            if isUnused { state.isInstalled = false }
            return (members, isUnused)
        }
        for member in members { member.databaseDidChange() }
        let remaining =
            members.count > Self.mostFetchesInACommit
            ? members : members.filter { !$0.fetch(afterCommitOn: db) }
        startLater(remaining)
        if isUnused { db.remove(transactionObserver: self) }
    }

    func databaseDidRollback(_ db: Database) { forgetTransaction() }

    private func forgetTransaction() {
        if !concerned.isEmpty { concerned = [:] }
        if !touched.isEmpty { touched = [] }
    }

    /// Has values fetched on another thread, so that the writer can go on.
    private func startLater(_ members: [any ObservedMember]) {
        if members.isEmpty { return }
        let isFirst = state.withLock { state in
            defer { state.changed += members }
            return state.changed.isEmpty
        }
        if isFirst { queue.async { self.startFetches() } }
    }

    private func startFetches() {
        let members = state.withLock { state in
            defer { state.changed = [] }
            return state.changed
        }
        for member in members { member.refetch() }
    }
}

/// What the observations of a database cost.
final class ObservationCounts: Sendable {
    /// What is counted.
    enum Event: Int, CaseIterable {
        /// A value was fetched by a reader.
        case onReaders
        /// A value was fetched on the writer.
        case onWriter
        /// A change came while a fetch ran and another one was remembered already.
        case coalesced
        /// A value equalled the one before, and was not told.
        case duplicates
    }

    private let counts = Lock([UInt64](repeating: 0, count: Event.allCases.count))

    func add(_ event: Event) { counts.withLock { $0[event.rawValue] += 1 } }

    subscript(event: Event) -> UInt64 { counts.withLock { $0[event.rawValue] } }
}

/// A database whose writer tells what it commits.
protocol ObservedDatabase: DatabaseWriter {
    /// Tells observed values of commits.
    var observationHub: ObservationHub { get }
    /// Whether values are read beside the writer.
    var hasReaders: Bool { get }
    /// Whether somebody has the writer now.
    var isWriterTaken: Bool { get }
}

extension DatabaseQueue: ObservedDatabase {
    var hasReaders: Bool { false }
    var isWriterTaken: Bool { gate.slots[0].isTaken }
}

extension DatabasePool: ObservedDatabase {
    var hasReaders: Bool { true }
    var isWriterTaken: Bool { writer.slots[0].isTaken }
}

extension DatabaseReader {
    /// The database whose commits can change what is read here; nil where nothing changes.
    var observedDatabase: (any ObservedDatabase)? {
        if let wrapper = self as? any DatabaseWrapper {
            return wrapper.wrappedReader.observedDatabase
        }
        return configuration.readonly ? nil : self as? any ObservedDatabase
    }
}

/// A reader that passes everything on to another one.
protocol DatabaseWrapper {
    var wrappedReader: any DatabaseReader { get }
}

extension AnyDatabaseReader: DatabaseWrapper {
    var wrappedReader: any DatabaseReader { base }
}

extension AnyDatabaseWriter: DatabaseWrapper {
    var wrappedReader: any DatabaseReader { base }
}
