/// An error that prevents SQL tracing.
public struct TraceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of error.
    ///
    /// Later versions may add kinds.
    public struct Code: Sendable, Equatable {
        private let name: String

        /// The system is not Linux, or its processor is not supported.
        public static let unsupportedSystem = Code(name: "unsupportedSystem")
        /// The user is not permitted to set probes.
        public static let permission = Code(name: "permission")
        /// The kernel has no uprobes.
        public static let uprobes = Code(name: "uprobes")
        /// The offsets in a library were not found.
        public static let calibration = Code(name: "calibration")
        /// A command could not be started.
        public static let command = Code(name: "command")
        /// A probe could not be set.
        public static let probe = Code(name: "probe")
    }

    /// The kind of the error.
    public var code: Code
    /// A description of the problem, and a remedy if one exists.
    public var description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
