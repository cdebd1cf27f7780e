import FaultPaths
import Foundation

/// An attack that follows a path with 0, `stride`, 2 × `stride`, … free descriptors.
struct DescriptorAttack {
    private let path: FaultPath
    /// The difference between two successive numbers of free descriptors.
    private let stride: Int
    /// The number of free descriptors that suffices for all paths.
    private static let sufficientCount: Int64 = 48

    init(_ arguments: [String]) throws {
        path = try Report.path(arguments[1])
        stride = Int(arguments[2]) ?? 1
    }

    func run() throws {
        warmUp()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let original = limit
        let attackNumber = AttackNumber()
        let fault = Fault(name: "no descriptor left") { _, nth in
            attackNumber.number = nth
            // Descriptors below this one are in use.
            let next = dup(STDIN_FILENO)
            close(next)
            var reduced = original
            reduced.rlim_cur = rlim_t(next) + rlim_t(nth) - 1
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &reduced)
        } stop: {
            var original = original
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &original)
            return attackNumber.number < Self.sufficientCount ? 1 : 0
        }
        var findings: [String] = []
        var attacks = 0
        for subject in path.subjects {
            let attack = FaultAttack(path: path, subject: subject, fault: fault, stride: stride)
            let outcome = try attack.run { Report.write("\(subject) \($0)") }
            findings += outcome.findings
            attacks += outcome.attacks
        }
        Report.write(findings: findings, attacks: attacks)
    }

    /// Starts a timer, because libdispatch ends the process if it cannot open the descriptors for
    /// its first timer.
    private func warmUp() {
        let hasFired = DispatchSemaphore(value: 0)
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: .global())
        timer.setEventHandler { hasFired.signal() }
        timer.schedule(deadline: .now())
        timer.activate()
        hasFired.wait()
        timer.cancel()
    }

    /// The number of the attack, which exceeds the number of free descriptors by one.
    ///
    /// `@unchecked Sendable`: only the attacking thread uses the object.
    private final class AttackNumber: @unchecked Sendable {
        var number: Int64 = 0
    }
}
