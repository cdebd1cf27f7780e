/// Why databases cannot be watched.
public struct WatchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error; more may follow.
    public struct Code: Sendable, Equatable {
        private let name: String

        /// The system is not Linux.
        public static let unsupportedSystem = Code(name: "unsupportedSystem")
        /// The helper process could not be started.
        public static let helper = Code(name: "helper")
        /// No path was given, or too many.
        public static let paths = Code(name: "paths")
        /// `/proc` cannot be read.
        public static let processes = Code(name: "processes")
    }

    /// The kind.
    public var code: Code
    /// What is wrong, and what to do.
    public var description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
