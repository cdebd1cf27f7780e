import FaultPaths
import FaultVFS

/// An attack that makes each allocation by SQLite on a path fail in turn.
struct AllocationAttack {
    private let path: FaultPath
    private let isPersistent: Bool
    private let stride: Int

    init(_ arguments: [String]) throws {
        path = try Report.path(arguments[1])
        isPersistent = arguments[2] == "always"
        stride = Int(arguments[3]) ?? 1
    }

    func run() throws {
        let code = allocations_install()
        try Violation.check(code == 0, "the allocator cannot be replaced: \(code)")
        var findings: [String] = []
        var attacks = 0
        for subject in path.subjects {
            let attack = FaultAttack(
                path: path,
                subject: subject,
                fault: .allocations(isPersistent: isPersistent),
                stride: stride
            )
            let outcome = try attack.run { Report.write("\(subject) \($0)") }
            try Violation.check(outcome.failures > 0, "no allocation has failed")
            findings += outcome.findings
            attacks += outcome.attacks
        }
        Report.write(findings: findings, attacks: attacks)
    }
}
