extension RateCurve {
    /// Creates the curve of a scenario's arrivals over a run's phases.
    ///
    /// The measured phases contain the stages, one after another. The rate is constant before the
    /// measured phases, between them, and after the last stage.
    init(_ arrival: Arrival, over phases: PhasePlan) {
        self.init()
        guard !arrival.stages.isEmpty else {
            append(until: Double(phases.end), from: arrival.rate, to: arrival.rate)
            return
        }
        var shape = RateCurve()
        for stage in arrival.stages {
            let length = stage.length.resolved(in: phases.measured).wholeNanoseconds
            shape.append(until: shape.end + Double(length), from: stage.from, to: stage.to)
        }
        let last = arrival.stages.last?.to ?? arrival.rate
        var offset = 0.0
        for phase in phases.all {
            let length = Double(phase.end - phase.start)
            guard phase.isMeasured else {
                let rate = offset < shape.end ? shape.rate(at: UInt64(offset)) : last
                append(until: end + length, from: rate, to: rate)
                continue
            }
            let nextOffset = offset + length
            let phaseStart = end
            for piece in shape.pieces where piece.start < nextOffset && piece.end > offset {
                append(
                    until: phaseStart + min(piece.end, nextOffset) - offset,
                    from: piece.rate(at: max(piece.start, offset)),
                    to: piece.rate(at: min(piece.end, nextOffset))
                )
            }
            append(until: phaseStart + length, from: last, to: last)
            offset = nextOffset
        }
    }
}
