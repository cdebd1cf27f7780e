/// Processors that all jobs share evenly: with more jobs than processors each advances more slowly.
///
/// That is egalitarian processor sharing (Kleinrock, *Queueing Systems*, volume 2, 1976, section
/// 4.4). All jobs advance alike, so one count of the work that each has got, from the first moment
/// on, says when each is done: when the count has grown by its demand.
struct SharedProcessors {
    /// How many processors there are.
    let count: Int
    /// The work that a job would have got that was there from the first moment on, in nanoseconds.
    private var given = 0.0
    /// Up to when ``given`` is counted.
    private var time = 0.0
    private var jobs = MinimumHeap<(end: Double, order: UInt64, job: Int)> {
        ($0.end, $0.order) < ($1.end, $1.order)
    }
    private var order: UInt64 = 0

    init(count: Int) { self.count = max(1, count) }

    /// Whether each processor has a job.
    var isBusy: Bool { jobs.count >= count }

    /// How fast each job advances, in 0…1.
    private var speed: Double { min(1, Double(count) / Double(max(1, jobs.count))) }

    private mutating func advance(to now: Double) {
        given += max(0, now - time) * speed
        time = max(time, now)
    }

    /// Adds a job that needs so many nanoseconds of a processor.
    mutating func add(_ job: Int, demand: Double, at now: Double) {
        advance(to: now)
        order += 1
        jobs.push((given + demand, order, job))
    }

    /// Lets a job end after so many more nanoseconds of a processor.
    ///
    /// - Returns: Whether it does; not when it ends before that by itself, or is not there.
    mutating func shorten(_ job: Int, to demand: Double, at now: Double) -> Bool {
        advance(to: now)
        let end = given + demand
        guard !jobs.removeAll(where: { $0.job == job && $0.end > end }).isEmpty else {
            return false
        }
        order += 1
        jobs.push((end, order, job))
        return true
    }

    /// When the first of its jobs is done, if no other comes meanwhile; nil without jobs.
    var nextEnd: Double? {
        jobs.first.map { time + max(0, $0.end - given) / speed }
    }

    /// Takes the job that is done first, at the moment of ``nextEnd``.
    mutating func take(at now: Double) -> Int? {
        advance(to: now)
        guard let first = jobs.pop() else { return nil }
        // Rounding must not leave a job that is done with work to do.
        given = max(given, first.end)
        return first.job
    }
}
