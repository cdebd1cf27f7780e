/// Processors that all jobs share evenly (egalitarian processor sharing).
///
/// All jobs run at the same speed, which decreases if there are more jobs than processors. A single
/// counter of the work per job therefore suffices. A job is done when the counter has grown by the
/// job's demand (Kleinrock, *Queueing Systems*, volume 2, 1976, section 4.4).
struct SharedProcessors {
    let count: Int
    /// The work that a continuously running job receives until ``time``, in nanoseconds.
    private var workPerJob = 0.0
    private var time = 0.0
    private var jobs = MinimumHeap<(end: Double, order: UInt64, job: Int)> {
        ($0.end, $0.order) < ($1.end, $1.order)
    }
    private var order: UInt64 = 0

    init(count: Int) { self.count = max(1, count) }

    var isBusy: Bool { jobs.count >= count }

    /// The speed of each job, from 0 to 1.
    private var speed: Double { min(1, Double(count) / Double(max(1, jobs.count))) }

    private mutating func advance(to now: Double) {
        workPerJob += max(0, now - time) * speed
        time = max(time, now)
    }

    /// Adds a job that needs `demand` nanoseconds of processor time.
    mutating func add(_ job: Int, demand: Double, at now: Double) {
        advance(to: now)
        order += 1
        jobs.push((workPerJob + demand, order, job))
    }

    /// Limits the remaining processor time of a job to `demand` nanoseconds.
    ///
    /// - Returns: Whether the job exists and would otherwise end later.
    mutating func shorten(_ job: Int, to demand: Double, at now: Double) -> Bool {
        advance(to: now)
        let end = workPerJob + demand
        guard !jobs.removeAll(where: { $0.job == job && $0.end > end }).isEmpty else {
            return false
        }
        order += 1
        jobs.push((end, order, job))
        return true
    }

    /// The time at which the next job ends if no job is added, or `nil` if there are no jobs.
    var nextEnd: Double? {
        jobs.first.map { time + max(0, $0.end - workPerJob) / speed }
    }

    /// Removes and returns the job that ends at ``nextEnd``.
    mutating func take(at now: Double) -> Int? {
        advance(to: now)
        guard let first = jobs.pop() else { return nil }
        // Remove any work of the completed job that remains because of rounding.
        workPerJob = max(workPerJob, first.end)
        return first.job
    }
}
