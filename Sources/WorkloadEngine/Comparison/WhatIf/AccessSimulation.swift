import Foundation
import Telemetry

/// A discrete-event simulation of a recorded load on a queue or pool.
///
/// Reads wait for one of the readers, and writes wait for the writer. In a queue, all accesses wait
/// for the only connection. Accesses are served in order of arrival, except that running threads
/// may overtake accesses that have waited only briefly. An access that holds a connection runs on
/// ``SharedProcessors`` and may then be delayed. Workers use the load models of real runs.
struct AccessSimulation {
    private let clients: [Client]
    private let phases: PhasePlan

    private struct Worker {
        let client: Int
        var model: any LoadModel
        /// The intended start of the current access.
        var intended = 0.0
        var start = 0.0
        var entry = 0.0
        var operation = 0
        var phase = PhasePlan.Place(index: 0, isMeasured: false)
        var remainingBatches = 0
        var demand = ServiceModel.Demand(work: 0, delay: 0, minimum: 0)
        var resource: Int?
        var foundFree = false
        var isInterrupted = false
        var isWaiting = false
        var isNotified = false
        /// The time after `start` during which running threads may overtake the worker, in
        /// nanoseconds.
        var overtakingPeriod = 0.0
    }

    private enum Step {
        case turn
        case batch
        case notified
        case granted
        case entered
        case end
    }

    private var workers: [Worker] = []
    private var processors: SharedProcessors
    private var timers: MinimumHeap<(time: Double, order: Int, worker: Int, step: Step)>
    private var order = 0
    private var free: [Int]
    private var queues: [[Int]]
    private let isQueue: Bool
    /// Whether running threads may overtake accesses that have waited briefly, as in the engine.
    private let isOvertaking: Bool
    private let handover: [Double]
    private var service: RandomStream
    private var mixes: RandomStream
    private(set) var outcomes: [Outcome]
    /// Whether any access found all readers in use.
    ///
    /// If no access did, additional readers have no effect.
    private(set) var hasWaitedForReader = false

    private var endedAccessCount = 0
    private var skippedCount = 0

    /// The number of accesses after which a 99th percentile is precise enough.
    ///
    /// Also the maximum number of skipped arrivals: a simulation whose arrival rate is far too high
    /// skips nearly all of them.
    static let limit = 250_000
    /// The number of accesses after which a fast closed loop has warmed up, regardless of its
    /// phases.
    private static let warmUpLimit = 50_000

    /// The time for which a thread keeps its processor after other threads wake, in nanoseconds
    /// (the base slice of the Linux scheduler).
    private static let slice = 700e3
    /// The interval of the scheduler's ticks, in nanoseconds (250 Hz on Linux).
    private static let tick = 4e6
    /// The time between a worker's batches, in nanoseconds, during which waiters can acquire the
    /// connection.
    private static let batchGap = 100e3

    /// The index of the readers, or of a queue's only connection, among the resources.
    static let readers = 0
    /// The index of a pool's writer among the resources.
    static let writer = 1
    /// A handover time of 0 for each resource.
    static let immediateHandover = [0.0, 0.0]

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - clients: The clients. No arrivals may have been drawn from their schedules.
    ///   - phases: The phases of the load.
    ///   - setting: The queue or pool that serves the accesses.
    ///   - processors: The number of processors.
    ///   - handover: The mean time, in nanoseconds, for which a connection of each resource is
    ///     idle between two accesses. The time ends when the waiter is awake or a running thread
    ///     overtakes the waiter.
    ///   - isOvertaking: Whether running threads may overtake accesses that have waited briefly.
    ///   - random: The random numbers for service times, mixes, and think times.
    init(
        _ clients: [Client],
        in phases: PhasePlan,
        on setting: WhatIfSetting,
        processors: Int,
        handover: [Double] = immediateHandover,
        isOvertaking: Bool = false,
        random: RandomStream
    ) {
        self.clients = clients
        self.phases = phases
        var seeds = random
        service = RandomStream(seed: seeds.next(), stream: "service")
        mixes = RandomStream(seed: seeds.next(), stream: "mix")
        self.processors = SharedProcessors(count: processors)
        timers = MinimumHeap { ($0.time, $0.order) < ($1.time, $1.order) }
        isQueue = setting.readers == nil
        self.isOvertaking = isOvertaking
        self.handover = isQueue ? [handover.max() ?? 0, 0] : handover
        free = isQueue ? [1, 0] : [setting.readers ?? 1, 1]
        queues = [[], []]
        outcomes = clients.map { client in
            Outcome(service: client.services.map { _ in (0, 0) })
        }
        for (index, client) in clients.enumerated() {
            for number in 0..<client.plan.client.workers {
                let stream = RandomStream(seed: seeds.next(), stream: "think", worker: number)
                workers.append(
                    Worker(client: index, model: client.plan.makeLoadModel(phases, random: stream))
                )
            }
        }
    }

    mutating func run() {
        let end = Double(phases.end) + Double(phases.drain)
        for worker in workers.indices { plan(worker, freeAt: 0) }
        while true {
            let work = processors.nextEnd
            let timer = timers.first?.time
            guard let now = [work, timer].compactMap({ $0 }).min(), now <= end,
                endedAccessCount < Self.limit, skippedCount < Self.limit
            else { return }
            if let work, work <= timer ?? .infinity {
                if let worker = processors.take(at: work) { hold(worker, at: work) }
            } else if let event = timers.pop() {
                switch event.step {
                case .turn: takeTurn(event.worker, at: now)
                case .batch: begin(event.worker, workers[event.worker].operation, at: now)
                case .notified: wake(event.worker, at: now)
                case .granted: grant(event.worker, at: now)
                case .entered: enter(event.worker, at: now)
                case .end: finish(event.worker, at: now)
                }
            }
        }
    }

    private mutating func schedule(_ time: Double, _ worker: Int, _ step: Step) {
        order += 1
        timers.push((time, order, worker, step))
    }

    private mutating func plan(_ worker: Int, freeAt now: Double) {
        guard let moment = workers[worker].model.next(freeAt: UInt64(now)), moment < phases.end
        else { return }
        workers[worker].intended = Double(moment)
        workers[worker].phase = phases.place(at: moment)
        workers[worker].remainingBatches = clients[workers[worker].client].batches - 1
        schedule(max(now, Double(moment)), worker, .turn)
    }

    private mutating func takeTurn(_ worker: Int, at now: Double) {
        let client = workers[worker].client
        if let interrupts = clients[client].interrupts {
            interrupt(interrupts, at: now)
            // Count interrupts as accesses, because a client without think time would otherwise
            // never reach the limit.
            endedAccessCount += 1
            return plan(worker, freeAt: now)
        }
        let operation = drawOperation(of: client)
        if let limit = clients[client].plan.skipAfter,
            now - workers[worker].intended > Double(limit)
        {
            skippedCount += 1
            if workers[worker].phase.isMeasured { outcomes[client].skipped += 1 }
            return plan(worker, freeAt: now)
        }
        begin(worker, operation, at: now)
    }

    private mutating func interrupt(_ interrupts: Interrupts, at now: Double) {
        for worker in workers.indices {
            let name = clients[workers[worker].client].plan.name.name
            guard interrupts.victim == nil || interrupts.victim == name,
                // A worker that only holds its connection is not running a statement.
                workers[worker].demand.minimum == 0,
                processors.shorten(worker, to: interrupts.latency, at: now)
            else { continue }
            workers[worker].demand.delay = 0
            workers[worker].isInterrupted = true
        }
    }

    private mutating func begin(_ worker: Int, _ operation: Int, at now: Double) {
        let client = clients[workers[worker].client]
        workers[worker].isInterrupted = false
        workers[worker].operation = operation
        guard client.services[operation] != nil else {
            return schedule(now, worker, .end)
        }
        workers[worker].start = now
        guard client.needsConnection else {
            workers[worker].resource = nil
            return enter(worker, at: now)
        }
        let resource = isQueue || !client.plan.writes[operation] ? Self.readers : Self.writer
        workers[worker].resource = resource
        workers[worker].foundFree = free[resource] > 0
        guard free[resource] > 0 else {
            if resource == Self.readers { hasWaitedForReader = true }
            workers[worker].isWaiting = true
            workers[worker].overtakingPeriod = Double(
                EngineTimings.patience(behind: queues[resource].count)
            )
            queues[resource].append(worker)
            if isOvertaking, !clients[workers[worker].client].isTask {
                schedule(now + workers[worker].overtakingPeriod, worker, .notified)
            }
            return
        }
        free[resource] -= 1
        grant(worker, at: now)
    }

    /// Hands over a connection to the first waiter, or releases the connection and wakes the
    /// waiter.
    private mutating func release(_ resource: Int, at now: Double) {
        guard let next = queues[resource].first else {
            free[resource] += 1
            return
        }
        if isEntitled(next, at: now) {
            queues[resource].removeFirst()
            workers[next].isWaiting = false
            let isAsleep = now - workers[next].start >= workers[next].overtakingPeriod
            schedule(isAsleep ? now + drawHandover(of: resource) : now, next, .granted)
            return serveTasks(at: now)
        }
        free[resource] += 1
        guard !workers[next].isNotified else { return }
        workers[next].isNotified = true
        schedule(now + Double(EngineTimings.wakeUp) + drawHandover(of: resource), next, .notified)
    }

    private func isEntitled(_ worker: Int, at now: Double) -> Bool {
        !isOvertaking || clients[workers[worker].client].isTask
            || now - workers[worker].start >= workers[worker].overtakingPeriod
    }

    /// Wakes a waiter, which then acquires a connection if one is free.
    private mutating func wake(_ worker: Int, at now: Double) {
        workers[worker].isNotified = false
        if workers[worker].isWaiting, let resource = workers[worker].resource, free[resource] > 0 {
            take(resource, worker, at: now)
        }
        serveTasks(at: now)
    }

    /// Hands over free connections to waiting tasks, which do not wake to acquire a connection.
    private mutating func serveTasks(at now: Double) {
        guard isOvertaking else { return }
        for resource in queues.indices {
            while free[resource] > 0,
                let task = queues[resource].first(where: { clients[workers[$0].client].isTask })
            {
                take(resource, task, at: now)
            }
        }
    }

    private mutating func take(_ resource: Int, _ worker: Int, at now: Double) {
        workers[worker].isWaiting = false
        queues[resource].removeAll { $0 == worker }
        free[resource] -= 1
        grant(worker, at: now)
    }

    /// Returns a random time until a waiter is awake, in nanoseconds.
    ///
    /// Most waiters wake immediately. If every processor is busy, a running thread must yield
    /// first. If that thread has just started, the waiter does not wake until the next tick.
    private mutating func drawHandover(of resource: Int) -> Double {
        let time = -handover[resource] * log(1 - service.nextUnit())
        guard processors.isBusy, service.nextUnit() < Self.slice / Self.tick else { return time }
        return time + Self.tick * service.nextUnit()
    }

    private mutating func grant(_ worker: Int, at now: Double) {
        guard let overhead = clients[workers[worker].client].overhead else {
            return enter(worker, at: now)
        }
        schedule(now + overhead.next(using: &service), worker, .entered)
    }

    private mutating func drawOperation(of client: Int) -> Int {
        let weights = clients[client].plan.weights
        guard weights.count > 1 else { return 0 }
        var point = mixes.nextUnit() * weights.reduce(0, +)
        for (index, weight) in weights.enumerated() {
            point -= weight
            if point < 0 { return index }
        }
        return weights.count - 1
    }

    private mutating func enter(_ worker: Int, at now: Double) {
        workers[worker].entry = now
        let client = workers[worker].client
        guard
            var demand = clients[client].services[workers[worker].operation]?
                .draw(using: &service)
        else { return schedule(now, worker, .end) }
        if let factor = clients[client].seconds?.factor(at: now) {
            demand.work *= factor
            demand.delay *= factor
            demand.minimum *= factor
        }
        workers[worker].demand = demand
        if demand.work > 0 {
            processors.add(worker, demand: demand.work, at: now)
        } else {
            hold(worker, at: now)
        }
    }

    private mutating func hold(_ worker: Int, at now: Double) {
        let demand = workers[worker].demand
        schedule(max(now + demand.delay, workers[worker].entry + demand.minimum), worker, .end)
    }

    private mutating func finish(_ worker: Int, at now: Double) {
        let finished = workers[worker]
        endedAccessCount += 1
        let isCounted = finished.phase.isMeasured || endedAccessCount > Self.warmUpLimit
        if clients[finished.client].services[finished.operation] != nil, isCounted,
            !finished.isInterrupted
        {
            outcomes[finished.client].waits.append(finished.entry - finished.start)
            if finished.foundFree { outcomes[finished.client].immediateCount += 1 }
            outcomes[finished.client].service[finished.operation].sum += now - finished.entry
            outcomes[finished.client].service[finished.operation].count += 1
        }
        if let resource = finished.resource {
            workers[worker].resource = nil
            release(resource, at: now)
        }
        guard finished.remainingBatches > 0, UInt64(now) < phases.end else {
            return plan(worker, freeAt: now)
        }
        workers[worker].remainingBatches -= 1
        workers[worker].phase = phases.place(at: UInt64(now))
        schedule(now + Self.batchGap, worker, .batch)
    }
}
