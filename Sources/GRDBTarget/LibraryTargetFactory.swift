import EngineTarget
import WorkloadEngine

/// Opens the arms of a scenario, each with the library that it names.
public struct LibraryTargetFactory: WorkloadTargetFactory {
    private let engine = EngineTargetFactory()

    /// Creates a factory.
    public init() {}

    /// Whether the program was built with a library.
    public static func has(_ library: Arm.Library) -> Bool {
        #if GRDB
        true
        #else
        library != .grdb
        #endif
    }

    /// What to do to run arms of a library that the program was not built with.
    public static func way(to library: Arm.Library) -> String {
        "this program was built without \(library.rawValue.uppercased()): build one with "
            + "'swift build -c release --traits GRDB', or start it with 'POOLGAUGE_TRAITS=GRDB "
            + "./run'"
    }

    /// Opens the database at `path` as the arm says; creates the file when there is none.
    ///
    /// - Throws: The library's error, or a ``RunError`` that says how to get the library.
    public func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        guard arm.library == .grdb else { return try engine.open(arm, at: path) }
        #if GRDB
        return try GRDBTargetFactory().open(arm, at: path)
        #else
        throw RunError(.scenario, "library: grdb: " + Self.way(to: .grdb))
        #endif
    }

    /// Classifies an error of the library that threw it.
    public func failure(of error: any Error) -> WorkloadFailure { engine.failure(of: error) }

    /// Copies a database through SQLite's backup API.
    ///
    /// - Throws: A `DatabaseError` that names the path, or what `progress` threw.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try engine.copyDatabase(at: source, to: path, progress: progress)
    }
}
