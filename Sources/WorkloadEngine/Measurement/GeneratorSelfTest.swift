/// What the load generator itself costs on this machine.
public enum GeneratorSelfTest {
    /// The cost of an access of a target that does nothing, in nanoseconds of processor time:
    /// measured through the code that a run uses, for some milliseconds.
    public static func nanosecondsPerAccess() throws -> UInt64 {
        try GeneratorCost.measure()
    }
}
