struct CycleExplanation {
    private let history: History
    private let objects: ObjectAccesses
    private let names: TransactionNames

    private static let maximumStepCount = 8

    init(_ history: History, _ objects: ObjectAccesses, _ names: TransactionNames) {
        self.history = history
        self.objects = objects
        self.names = names
    }

    func text(of cycle: [Dependency]) -> String {
        let steps = mergingSessions(cycle)
        var parts = steps.prefix(Self.maximumStepCount).map(text)
        if steps.count > Self.maximumStepCount {
            parts.append(
                "and so on, through \(steps.count - Self.maximumStepCount) more transactions"
            )
        }
        return parts.joined(separator: "; ")
    }

    /// Returns the cycle with consecutive session dependencies merged.
    private func mergingSessions(_ cycle: [Dependency]) -> [Dependency] {
        var steps: [Dependency] = []
        for dependency in cycle {
            if dependency.kind == .session, let last = steps.last, last.kind == .session {
                steps[steps.count - 1].to = dependency.to
            } else {
                steps.append(dependency)
            }
        }
        return steps
    }

    private func text(of dependency: Dependency) -> String {
        let (first, second) = (names[dependency.from], names[dependency.to])
        let object = dependency.object.map(objects.name) ?? ""
        let isList = if case .list? = dependency.object { true } else { false }
        let value = dependency.value
        switch dependency.kind {
        case .overwrite:
            return "\(second) appended \(value) to \(object) after elements that \(first) appended"
        case .read:
            let verb = isList ? "appended" : "wrote"
            return "\(second) read \(value) in \(object), which \(first) \(verb)"
        case .antidependency:
            return isList
                ? "\(first) did not find \(value), which \(second) appended, in \(object)"
                : "\(first) read an earlier value of \(object) than \(value), which \(second) wrote"
        case .session:
            return "\(first) came before \(second) in the same session"
        default:
            let begin = history.transactions[dependency.to].begin
            let end = history.transactions[dependency.from].end
            let beginning = isWriter(dependency.to) ? "began to commit" : "began"
            return "\(first) had ended \(Time.text(begin &- end)) before \(second) \(beginning)"
        }
    }

    private func isWriter(_ transaction: Int) -> Bool {
        history.transactions[transaction].operations.contains(where: \.isWrite)
    }
}
