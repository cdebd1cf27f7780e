import Text
import Yams

extension ScenarioDecoder {
    mutating func decodeVariables(_ top: MappingReader) {
        let entries = top.named("variables", each: "a variable")
        for entry in entries {
            let reader = VariableReader(
                what: "variable '\(entry.name)'",
                name: entry.name,
                builtIns: dataset.variables,
                log: log,
                isDatasetIncomplete: isDatasetIncomplete
            )
            let read = reader.read(entry.value, at: entry.key.mark)
            // Keep a variable with errors so that references to it do not cause more errors.
            variables[entry.name] = read?.variable ?? Variable(distribution: .uniform)
            inheritedRanges[entry.name] = read?.source
        }
        for entry in entries {
            checkFollowed(entry.name, at: entry.value.mapping?["of"]?.mark)
        }
    }

    /// Logs an error if a variable follows a variable that is missing or not sequential.
    private func checkFollowed(_ name: String, at mark: Mark?) {
        guard let followed = variables[name]?.followedVariable else { return }
        let all = dataset.variables.merging(variables) { _, declared in declared }
        let sequential = all.filter { $0.value.distribution == .sequential }.keys.sorted()
        guard !sequential.contains(followed) else { return }
        log.add(
            all[followed] == nil
                ? "variable '\(name)': 'of' must be a sequential variable, not the unknown "
                    + "variable '\(followed)'"
                    + NearestName.hint(followed, among: sequential)
                : "variable '\(name)': 'of' must be a sequential variable, but '\(followed)' is "
                    + "not sequential",
            at: mark
        )
    }
}
