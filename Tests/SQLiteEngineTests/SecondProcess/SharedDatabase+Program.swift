import SecondProcess
import TestSupport

extension SharedDatabase {
    /// Creates the database in a process of the `SecondProcess` program.
    convenience init(for subject: Subject, pageCount: Int = 0) throws {
        try self.init(
            for: subject,
            pageCount: pageCount,
            program: BuiltProgram.path(of: "SecondProcess")
        )
    }
}
