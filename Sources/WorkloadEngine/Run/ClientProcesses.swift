import Foundation
import Telemetry

/// The processes of clients with `style: process`, one per worker.
final class ClientProcesses: Sendable {
    private struct Key: Hashable {
        var client: String
        var worker: Int
    }

    private let command: RemoteTarget.Command
    private let arm: Arm
    private let path: String
    private let targets = Lock<[Key: RemoteTarget]>([:])

    init(_ command: RemoteTarget.Command, arm: Arm, path: String) {
        self.command = command
        self.arm = arm
        self.path = path
    }

    /// Returns the target in a worker's process, starting the process if necessary.
    func target(of client: String, worker: Int) throws -> any WorkloadTarget {
        let key = Key(client: client, worker: worker)
        if let target = targets.withLock({ $0[key] }) { return target }
        var clientArm = arm
        clientArm.name = client
        let target = try RemoteTarget(command, clientArm, at: path)
        targets.withLock { $0[key] = target }
        return target
    }

    func client(of process: Int32) -> String? {
        targets.withLock { targets in
            targets.first { $0.value.processIdentifier == process }?.key.client
        }
    }

    func interrupt() {
        for target in targets.withLock({ Array($0.values) }) { target.interrupt() }
    }

    func close() {
        let all = targets.withLock { targets in
            defer { targets = [:] }
            return Array(targets.values)
        }
        for target in all { target.close() }
    }
}

extension ClientProcesses {
    /// Starts a process for each worker of clients with `style: process`.
    ///
    /// - Returns: The processes, or `nil` if no client has this style or there is no command.
    /// - Throws: ``RunError`` if a process cannot open the database.
    static func start(
        for plans: [ClientPlan],
        on arm: Arm,
        at path: String,
        command: [String]?
    ) throws -> ClientProcesses? {
        let plans = plans.filter { $0.client.style == .process }
        guard !plans.isEmpty, let command, let program = command.first else { return nil }
        let processes = ClientProcesses(
            RemoteTarget.Command(
                executable: URL(fileURLWithPath: program),
                arguments: Array(command.dropFirst())
            ),
            arm: arm,
            path: path
        )
        do {
            for plan in plans {
                for worker in 0..<plan.client.workers {
                    _ = try processes.target(of: plan.name.name, worker: worker)
                }
            }
        } catch {
            processes.close()
            throw RunError(.opening, "another process cannot open the database", cause: error)
        }
        return processes
    }
}
