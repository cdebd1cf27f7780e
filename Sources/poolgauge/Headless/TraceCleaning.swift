import SQLTrace

/// The removal of probes that killed runs left behind, for `poolgauge doctor --clean`.
enum TraceCleaning {
    static func run() throws {
        switch TraceGuardian.clean() {
        case .failure(let error):
            throw CommandFailure("the probes cannot be removed: \(error)", status: 1)
        case .success(let names):
            for name in names.removed { try StandardOutput.write("removed \(name)\n") }
            guard names.remaining.isEmpty else {
                throw CommandFailure(
                    "not removed, because they are still in use: "
                        + names.remaining.joined(separator: ", "),
                    status: 1
                )
            }
            if names.removed.isEmpty { try StandardOutput.write("nothing to remove\n") }
        }
    }
}
