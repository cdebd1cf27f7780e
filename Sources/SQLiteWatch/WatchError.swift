/// An error that prevents a session from watching databases.
public struct WatchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of error.
    ///
    /// Later versions may add kinds.
    public struct Code: Sendable, Equatable {
        private let name: String

        /// The system is not Linux.
        public static let unsupportedSystem = Code(name: "unsupportedSystem")
        /// The helper process could not be started.
        public static let helper = Code(name: "helper")
        /// A path or the number of paths is invalid.
        public static let paths = Code(name: "paths")
        /// `/proc` cannot be read.
        public static let processes = Code(name: "processes")
    }

    /// The kind of the error.
    public var code: Code
    /// A description of the error, with a remedy if one exists.
    public var description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
