import Dashboard
import WorkloadEngine

extension LiveLoop {
    /// Does what the dashboard asks for; what came of it is said in the ticker.
    mutating func perform(_ action: DashboardAction) {
        switch action {
        case .quit, .setRefreshRate: break
        case .nextArm: take(cycle.advance())
        case .interrupt(connection: nil): run.interrupt()
        case .makeSnapshot: run.makeSnapshot()
        case .releaseSnapshot(label: nil): run.releaseSnapshot()
        case .setLoadPaused(let isPaused): setLoadPaused(isPaused)
        case .setReaderCount(let count): setReaderCount(count)
        case .copy(let text):
            if !terminal.copy(text) {
                model.note("this terminal has no clipboard for programs", severity: .warning)
            }
        default: model.note("this run has no way to do that", severity: .warning)
        }
    }

    private mutating func setLoadPaused(_ isPaused: Bool) {
        isLoadPaused = isPaused
        if isPaused {
            run.pause()
            model.note("you hold the load back: what runs goes on, nothing starts")
        } else {
            run.resume()
            model.note("the load goes on")
        }
    }

    /// Rebuilds the pool: its size is set when it is opened, so the arm's run starts over.
    private mutating func setReaderCount(_ count: Int) {
        let arm = scenario.arms[cycle.current]
        guard arm.kind == .pool else {
            model.note("\(arm.name) has one connection, not readers", severity: .warning)
            return
        }
        guard (1...1000).contains(count), count != arm.readers else { return }
        scenario.arms[cycle.current].readers = count
        model.note("the pool is rebuilt with \(count) readers: the run starts over")
        take(cycle.again())
    }
}
