/// The values of statements' parameters: drawn when an access first needs them, and the same all
/// through the access.
///
/// The arrays that it hands out are filled anew in place, so an access with integers allocates
/// nothing.
struct StatementValues {
    private var generators: [ValueGenerator]
    private var random: RandomStream
    private var current: [WorkloadValue]
    /// The access in which each value was drawn.
    private var drawnIn: [UInt64]
    private var access: UInt64 = 0
    /// The variables whose newest values others follow.
    private let followed: [Int]
    /// One array for each number of parameters, to fill in place.
    private var buffers: [[WorkloadValue]]

    /// Creates the values of one worker.
    ///
    /// - Parameters:
    ///   - generators: One generator for each variable of the run's list.
    ///   - random: The worker's own stream.
    init(_ generators: [ValueGenerator], random: RandomStream) {
        self.generators = generators
        self.random = random
        followed = generators.indices.filter { generators[$0].followed != nil }
        current = Array(repeating: .null, count: generators.count)
        drawnIn = Array(repeating: 0, count: generators.count)
        buffers = (0...generators.count).map { Array(repeating: .null, count: $0) }
    }

    /// Forgets the values: an access, or a row of an import, begins.
    mutating func begin() {
        access &+= 1
    }

    /// Shows the values that the access used to the variables that follow them.
    ///
    /// To be called when the access was completed, so that nobody looks for what is not there.
    @inline(__always)
    func publish() {
        for variable in followed where drawnIn[variable] == access {
            generators[variable].followed?.publish(generators[variable].lastInteger)
        }
    }

    /// The values of a statement, in the order of its parameters.
    mutating func values(of statement: ClientPlan.StatementPlan) -> [WorkloadValue] {
        let count = statement.variables.count
        guard count > 0 else { return [] }
        for position in 0..<count {
            let variable = statement.variables[position]
            if drawnIn[variable] != access {
                drawnIn[variable] = access
                current[variable] = generators[variable].next(using: &random)
            }
            buffers[count][position] = current[variable]
        }
        return buffers[count]
    }
}
