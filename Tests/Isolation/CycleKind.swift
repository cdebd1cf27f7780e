extension [Dependency] {
    /// The kind of anomaly that the cycle represents.
    var anomalyKind: AnomalyKind {
        let missedCount = count { $0.kind == .antidependency }
        if !contains(where: \.isTimed) {
            switch missedCount {
            case 0: return allSatisfy { $0.kind == .overwrite } ? .dirtyWrite : .circularInformation
            case 1: return isLostUpdate ? .lostUpdate : .readSkew
            default: return .writeSkew
            }
        }
        switch missedCount {
        case 0:
            // In a dirty read, the read ends before the writer starts to commit.
            let isDirty = count { !$0.isTimed } == 1 && contains { $0.kind == .read }
            return isDirty ? .dirtyRead : .realTimeViolation
        case 1:
            // The read started after the missed write had ended, or after another read had returned
            // the missed value.
            guard let start = firstIndex(where: { $0.kind == .antidependency }),
                self[(start + count - 1) % count].isTimed
            else { return .realTimeViolation }
            let isInSession = !contains { $0.kind == .realTime } && contains { $0.kind == .read }
            return isInSession ? .nonMonotonicRead : .staleRead
        default:
            return .realTimeViolation
        }
    }

    /// Whether the cycle, which has one antidependency, is a lost update.
    ///
    /// In a lost update, a transaction changes an object between another transaction's read and
    /// write of that object.
    private var isLostUpdate: Bool {
        allSatisfy { $0.object == self[0].object && $0.kind != .read }
    }
}

extension Dependency {
    /// Whether the dependency comes from the session order or the clock.
    fileprivate var isTimed: Bool { kind == .session || kind == .realTime }
}
