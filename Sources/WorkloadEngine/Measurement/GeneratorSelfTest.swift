/// Measures the cost of the load generator on this machine.
public enum GeneratorSelfTest {
    /// Returns the processor time of an access to a target that does nothing, in nanoseconds.
    ///
    /// The measurement uses the same code as a run and takes a few milliseconds.
    public static func nanosecondsPerAccess() throws -> UInt64 {
        try GeneratorCost.measure()
    }
}
