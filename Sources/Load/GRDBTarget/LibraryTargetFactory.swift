import EngineTarget
import Scenarios
import WorkloadEngine

/// A factory that opens each arm's database with the arm's library.
public struct LibraryTargetFactory: WorkloadTargetFactory {
    private let engine = EngineTargetFactory()

    /// Creates a factory.
    public init() {}

    /// Returns whether this build includes a library.
    public static func has(_ library: Arm.Library) -> Bool {
        #if GRDB
        true
        #else
        library != .grdb
        #endif
    }

    /// Returns instructions for building the program with a library.
    public static func way(to library: Arm.Library) -> String {
        "this program was built without \(library.rawValue.uppercased()); rebuild it with "
            + "'swift build -c release --traits default,GRDB', or start it with 'POOLGAUGE_TRAITS=GRDB "
            + "./run'"
    }

    /// Opens the database at `path` with the arm's settings, or creates it.
    ///
    /// The arm's driver, if any, starts when a load begins.
    ///
    /// - Throws: The library's error, or a ``RunError`` that explains how to add the library.
    public func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        if arm.driver != nil {
            return DriverTarget(arm, at: path, control: try engine.open(arm, at: path))
        }
        guard arm.library == .grdb else { return try engine.open(arm, at: path) }
        #if GRDB
        return try GRDBTargetFactory().open(arm, at: path)
        #else
        throw RunError(.scenario, "library: grdb: " + Self.way(to: .grdb))
        #endif
    }

    /// Classifies an error that one of the libraries threw.
    public func failure(of error: any Error) -> WorkloadFailure { engine.failure(of: error) }

    /// Returns the journal mode of a database, or `nil` if the file does not exist.
    ///
    /// - Throws: SQLite's error.
    public func journalMode(ofDatabaseAt path: String) throws -> Arm.Journal? {
        try engine.journalMode(ofDatabaseAt: path)
    }

    /// Copies a database with SQLite's backup API.
    ///
    /// - Throws: An error that names the file or the folder, or an error from `progress`.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try engine.copyDatabase(at: source, to: path, progress: progress)
    }
}
