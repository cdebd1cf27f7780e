import ArgumentParser

/// The options that compared two programs before drivers existed.
struct ProgramOptions: ParsableArguments {
    @Option(help: .hidden)
    var against: String?

    @Option(name: .customLong("against-name"), help: .hidden)
    var againstName: String?

    @Option(help: .hidden)
    var binary: String?

    @Option(help: .hidden)
    var arm: String?

    func validate() throws {
        if arm != nil, against == nil {
            throw ValidationError("to choose the arms to compare, use --arms")
        }
        guard against != nil || againstName != nil || binary != nil else { return }
        let old = against ?? "old/poolgauge"
        throw ValidationError(
            "--against, --against-name, and --binary no longer exist; to compare programs, write an "
                + "arm for each, such as 'old: {driver: {command: [\(old), driver]}}' and 'new: "
                + "{driver: {command: [\(binary ?? "poolgauge"), driver]}}', and use --arms old,new"
        )
    }
}
