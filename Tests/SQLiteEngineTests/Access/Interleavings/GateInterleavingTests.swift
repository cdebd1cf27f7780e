import Testing

@testable import SQLiteEngine

/// Tests every interleaving of up to three threads at the gates of a pool.
///
/// Two threads never hold the same slot, no slot is lost, no waiter sleeps while a slot is free,
/// and every thread is served. The threads run the gate's protocol, ``GateSteps``, one step at a
/// time. Each thread takes 4 to 40 steps.
@Suite(.timeLimit(.minutes(5)))
struct GateInterleavingTests {
    private static let writer = GateOperation.writer
    private static let readers = GateOperation.readers
    private static let read: [GateOperation] = [.acquire(readers), .release(readers)]
    private static let taskRead: [GateOperation] = [.acquireForTask(readers), .release(readers)]
    private static let write: [GateOperation] = [.acquire(writer), .release(writer)]
    private static let writeInRead: [GateOperation] = [
        .acquire(readers), .acquire(writer), .release(writer), .release(readers),
    ]
    private static let readInWrite: [GateOperation] = [
        .acquire(writer), .acquire(readers), .release(readers), .release(writer),
    ]

    static let scenarios: [GateScenario] = [
        GateScenario("threads", [read + read, read, read]),
        GateScenario("threads on two readers", readers: 2, [read, read, read]),
        GateScenario("a task", [read, read, taskRead]),
        GateScenario("a task on two readers", readers: 2, [read, read, taskRead]),
        GateScenario("tasks", [taskRead + taskRead, taskRead, read]),
        GateScenario("a canceled task", [read, taskRead, [.cancel(thread: 1)] + read]),
        GateScenario(
            "a task behind a thread",
            readers: 2,
            initialOperationCounts: [2],
            [
                [.acquire(readers), .acquire(readers), .release(readers), .release(readers)],
                read, taskRead,
            ]
        ),
        GateScenario("closed readers", readers: 2, isOpen: false, [read, read, taskRead]),
        GateScenario(
            "a failed opening",
            isOpen: false,
            [[.acquireButFailToOpen(readers), .release(readers)], read, taskRead]
        ),
        GateScenario(
            "a connection that is closed",
            [[.closeConnection(readers, slot: 0)], read, taskRead]
        ),
        GateScenario(
            "a task behind a connection that is closed",
            readers: 2,
            isOpen: false,
            initialOperationCounts: [1],
            [taskRead + taskRead, [.closeConnection(readers, slot: 0)], taskRead]
        ),
        GateScenario("a visitor", [[.visit(readers)], read, taskRead]),
        GateScenario("a barrier", [[.barrier], read, write]),
        GateScenario("a barrier during a write in a read", [[.barrier], writeInRead, read]),
        GateScenario("a barrier during a read in a write", [[.barrier], readInWrite]),
        GateScenario("two barriers", [[.barrier], [.taskBarrier]]),
        GateScenario("a task's barrier", readers: 2, [[.taskBarrier], writeInRead]),
        GateScenario("both nestings", [writeInRead, readInWrite, read]),
        GateScenario(
            "both nestings on two readers",
            readers: 2,
            initialOperationCounts: [1, 1, 1],
            [writeInRead, writeInRead, readInWrite]
        ),
        GateScenario("closing", [[.close], read, taskRead]),
        GateScenario("closing during a write in a read", [[.close], writeInRead]),
    ]

    @Test(arguments: scenarios)
    func everyInterleavingServesEveryThread(scenario: GateScenario) {
        var explorer = GateExplorer(scenario)
        explorer.explore()
        #expect(explorer.violation == nil)
        #expect(explorer.stateCount > 1_000)
    }

    /// Returns the name of a scenario that reveals a flaw.
    private static func revealing(_ flaw: GateFlaw) -> String {
        switch flaw {
        case .noSearchAfterRelease, .releasesOutsideTheLock, .losesEarlyWakeUps,
            .grantsWithoutRemoving, .claimsInTwoSteps:
            "threads"
        case .checksBeforeEnqueueing: "a barrier"
        case .tasksDoNotCheckSlots: "a task"
        case .losesGrants: "threads on two readers"
        case .doesNotHandOver: "a task behind a thread"
        case .losesReservations, .reservesSilently: "a barrier during a write in a read"
        case .missesDeadlocks: "both nestings on two readers"
        case .countsCancelledWaiters: "a canceled task"
        case .hidesFailedOpenings: "a failed opening"
        }
    }

    @Test(arguments: GateFlaw.allCases)
    func everyPlantedFlawIsFound(flaw: GateFlaw) throws {
        let name = Self.revealing(flaw)
        let scenario = try #require(Self.scenarios.first { $0.name == name })
        var explorer = GateExplorer(scenario, flaw: flaw)
        explorer.explore()
        #expect(explorer.violation != nil)
    }
}
