/// A type that detects a hot rollback journal, which remains if a process ends during a transaction
/// (https://sqlite.org/lockingv3.html, section 4).
struct HotJournal: Sendable {
    /// Whether the journal had no owner at two consecutive samples.
    private(set) var isHot = false
    private var unownedJournal: (identity: FileIdentity?, modified: Int64)?

    /// Adds a sample.
    ///
    /// One sample is insufficient, because a transaction may end while the helper reads the files.
    mutating func update(_ observation: Observation) {
        guard observation.hasWriteLocks else { return }
        let hasOwner =
            observation.hasHiddenHolder
            || observation.locks.values.contains { locks in
                locks.held.contains {
                    $0.kind == .reserved || $0.kind == .pending || $0.kind == .exclusive
                }
            }
        guard observation.files.hasValidJournal, !hasOwner, let journal = observation.files.journal
        else {
            unownedJournal = nil
            isHot = false
            return
        }
        let identity = (journal.identity, journal.modified)
        if let unownedJournal, unownedJournal == identity { isHot = true }
        unownedJournal = identity
    }
}
