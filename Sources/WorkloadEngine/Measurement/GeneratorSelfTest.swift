/// Measures the cost of the load generator on this machine.
public enum GeneratorSelfTest {
    /// Returns the cost of an access to a target that does nothing, in nanoseconds of processor
    /// time, measured for some milliseconds with the code of a run.
    public static func nanosecondsPerAccess() throws -> UInt64 {
        try GeneratorCost.measure()
    }
}
