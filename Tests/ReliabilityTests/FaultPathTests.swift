import FaultPaths
import FaultVFS
import Foundation
import Testing

/// Makes each file operation on each path through the engine fail.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct FaultPathTests {
    private static let kinds =
        FAULT_OPEN | FAULT_READ | FAULT_WRITE | FAULT_SYNC | FAULT_TRUNCATE | FAULT_SIZE
        | FAULT_LOCK | FAULT_DELETE | FAULT_SHM_MAP | FAULT_SHM_LOCK

    private static let faults: [Fault] = [
        .files("one failure", kinds: kinds, isPersistent: false),
        .files("failures from then on", kinds: kinds, isPersistent: true),
        // SQLITE_FULL
        .files("disk full", kinds: FAULT_WRITE, isPersistent: true, code: 13),
    ]

    @Test(arguments: FaultPath.all, faults)
    func failingOperationsViolateNoGuarantee(path: FaultPath, fault: Fault) throws {
        faults_install()
        for subject in path.subjects {
            let attack = FaultAttack(
                path: path,
                subject: subject,
                fault: fault,
                stride: Length.isFull ? 1 : 5
            )
            let outcome = try attack.run()
            for finding in outcome.findings { Issue.record("\(finding)") }
            // A path without operations would test nothing. Some paths write nothing.
            if fault.name != "disk full" { #expect(outcome.failures > 0) }
            Length.report("\(path.name), \(subject), \(fault.name): \(outcome.attacks) attacks")
        }
    }
}

extension FaultPath: CustomTestStringConvertible {
    /// The name in the test's output.
    public var testDescription: String { name }
}

extension Fault: CustomTestStringConvertible {
    /// The name in the test's output.
    public var testDescription: String { name }
}
