/// One run of a recorded load on a simulated queue or pool: a discrete-event simulation.
///
/// Who wants to read waits for one of the readers, who wants to write for the writer, in a queue
/// everybody for the one connection: each in the order in which they come. What has its connection
/// works on processors that all share (``SharedProcessors``), and may then be held up. Workers take
/// their turns from the very load models that a real run uses.
struct AccessSimulation {
    /// A client of the load.
    struct Client {
        let plan: ClientPlan
        /// What each operation does to its connection; nil for one that never completed.
        var services: [ServiceModel?]
        /// What its accesses wait for besides: nothing, for snapshots.
        var needsConnection = true
        /// How many accesses follow each other at each turn.
        var batches = 1
    }

    /// What came of one client.
    struct Outcome {
        /// From the start to the entry of each completed access that counts, in nanoseconds.
        var waits: [Double] = []
        /// The sums of the service times of each operation, in nanoseconds, and their counts.
        var service: [(sum: Double, count: Int)]
        /// Accesses given up because they were late.
        var skipped = 0
    }

    private let clients: [Client]
    private let phases: PhasePlan

    private struct Worker {
        let client: Int
        var model: any LoadModel
        /// The intended start of the running access.
        var intended = 0.0
        var start = 0.0
        var entry = 0.0
        var operation = 0
        var phase = PhasePlan.Place(index: 0, isMeasured: false)
        var restOfBatches = 0
        var demand = ServiceModel.Demand(work: 0, delay: 0, least: 0)
        var resource: Int?
    }

    private enum Step {
        case turn
        case end
    }

    private var workers: [Worker] = []
    private var processors: SharedProcessors
    private var timers: MinimumHeap<(time: Double, order: Int, worker: Int, step: Step)>
    private var order = 0
    /// The free connections of each kind, and who waits for them.
    private var free: [Int]
    private var queues: [ArrayQueue<Int>]
    private let isQueue: Bool
    private var service: RandomStream
    private var mixes: RandomStream
    private(set) var outcomes: [Outcome]

    /// How many accesses have ended, whether or not they count.
    private var ended = 0

    /// More accesses than that say no more about a 99th percentile.
    static let limit = 250_000
    /// A closed loop that is very fast has warmed up after so many, whatever its phases say.
    private static let warmUpLimit = 50_000

    private static let readers = 0
    private static let writer = 1

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - clients: The clients; their arrivals must not have been taken from yet.
    ///   - phases: The phases of the load.
    ///   - setting: What serves the accesses.
    ///   - processors: How many processors there are.
    ///   - random: Where service times, mixes and times of thinking are drawn from.
    init(
        _ clients: [Client],
        in phases: PhasePlan,
        on setting: WhatIfSetting,
        processors: Int,
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
        free = isQueue ? [1, 0] : [setting.readers ?? 1, 1]
        queues = [ArrayQueue(), ArrayQueue()]
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

    /// Runs the load to its end and its drain.
    mutating func run() {
        let end = Double(phases.end) + Double(phases.drain)
        for worker in workers.indices { plan(worker, freeAt: 0) }
        while true {
            let work = processors.nextEnd
            let timer = timers.first?.time
            guard let now = [work, timer].compactMap({ $0 }).min(), now <= end,
                ended < Self.limit
            else { return }
            if let work, work <= timer ?? .infinity {
                if let worker = processors.take(at: work) { hold(worker, at: work) }
            } else if let event = timers.pop() {
                switch event.step {
                case .turn: turn(event.worker, at: now)
                case .end: finish(event.worker, at: now)
                }
            }
        }
    }

    private mutating func at(_ time: Double, _ worker: Int, _ step: Step) {
        order += 1
        timers.push((time, order, worker, step))
    }

    /// Lets a worker wait for its next turn.
    private mutating func plan(_ worker: Int, freeAt now: Double) {
        guard let moment = workers[worker].model.next(freeAt: UInt64(now)), moment < phases.end
        else { return }
        workers[worker].intended = Double(moment)
        workers[worker].phase = phases.place(at: moment)
        workers[worker].restOfBatches = clients[workers[worker].client].batches - 1
        at(max(now, Double(moment)), worker, .turn)
    }

    private mutating func turn(_ worker: Int, at now: Double) {
        let client = workers[worker].client
        let operation = drawOperation(of: client)
        if let limit = clients[client].plan.skipAfter,
            now - workers[worker].intended > Double(limit)
        {
            outcomes[client].skipped += 1
            return plan(worker, freeAt: now)
        }
        begin(worker, operation, at: now)
    }

    private mutating func begin(_ worker: Int, _ operation: Int, at now: Double) {
        let client = clients[workers[worker].client]
        workers[worker].operation = operation
        guard let service = client.services[operation] else {
            return at(now, worker, .end)
        }
        workers[worker].start = now
        workers[worker].demand = service.draw(using: &self.service)
        guard client.needsConnection else {
            workers[worker].resource = nil
            return enter(worker, at: now)
        }
        let resource = isQueue || !client.plan.writes[operation] ? Self.readers : Self.writer
        workers[worker].resource = resource
        guard free[resource] > 0 else { return queues[resource].append(worker) }
        free[resource] -= 1
        enter(worker, at: now)
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
        let demand = workers[worker].demand
        if demand.work > 0 {
            processors.add(worker, demand: demand.work, at: now)
        } else {
            hold(worker, at: now)
        }
    }

    /// The work is done: what is left passes by itself.
    private mutating func hold(_ worker: Int, at now: Double) {
        let demand = workers[worker].demand
        at(max(now + demand.delay, workers[worker].entry + demand.least), worker, .end)
    }

    private mutating func finish(_ worker: Int, at now: Double) {
        let own = workers[worker]
        ended += 1
        let counts = own.phase.isMeasured || ended > Self.warmUpLimit
        if clients[own.client].services[own.operation] != nil, counts {
            outcomes[own.client].waits.append(own.entry - own.start)
            outcomes[own.client].service[own.operation].sum += now - own.entry
            outcomes[own.client].service[own.operation].count += 1
        }
        if let resource = own.resource {
            workers[worker].resource = nil
            if let next = queues[resource].popFirst() {
                enter(next, at: now)
            } else {
                free[resource] += 1
            }
        }
        guard own.restOfBatches > 0, UInt64(now) < phases.end else {
            return plan(worker, freeAt: now)
        }
        workers[worker].restOfBatches -= 1
        workers[worker].phase = phases.place(at: UInt64(now))
        begin(worker, own.operation, at: now)
    }
}

/// A queue in one array, which moves its elements now and then.
struct ArrayQueue<Element> {
    private var elements: [Element] = []
    private var start = 0

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            start += 1
            if start > 64, start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
