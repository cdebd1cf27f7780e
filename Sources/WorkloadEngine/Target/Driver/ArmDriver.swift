import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Arm {
    /// A program that performs an arm's accesses with its own library for SQLite.
    public struct Driver: Sendable, Codable, Equatable {
        /// The name of a built-in driver, such as `python`, or the name of the command.
        public var name: String
        /// The program and its arguments, or `nil` for a built-in driver.
        public var command: [String]?
        /// The settings of the driver, such as `workers: true`.
        public var options: [String: String] = [:]
        /// Whether the command may run.
        ///
        /// Built-in drivers always run.
        public var isAllowed = false

        /// Creates a built-in driver.
        public init(builtIn name: String) { self.name = name }

        /// Creates a driver with a command.
        public init(command: [String]) {
            self.command = command
            name = command.joined(separator: " ")
        }

        /// Prepares the program for a run.
        ///
        /// - Returns: The program and its arguments.
        /// - Throws: ``DriverFailure``.
        func launch() throws -> [String] {
            if let command {
                guard isAllowed else {
                    throw DriverFailure(
                        "it is a command, and the scenario is not a file that only this user can "
                            + "change; check the command, then use --allow-commands"
                    )
                }
                return command
            }
            guard let builtIn = BuiltInDriver.named(name) else {
                throw DriverFailure("there is no driver '\(name)'")
            }
            return try builtIn.launch()
        }
    }

    /// Whether the number of readers affects the arm.
    var hasReaders: Bool { kind == .pool && (library != .raw || driver != nil) }
}

extension Scenario {
    /// The commands of the arms' drivers, keyed by arm.
    public var commands: [(arm: String, command: [String])] {
        arms.compactMap { arm in arm.driver?.command.map { (arm.name, $0) } }
    }

    /// Allows the commands of all drivers.
    public mutating func allowCommands() {
        for index in arms.indices { arms[index].driver?.isAllowed = true }
    }

    /// Returns whether only the user of this process can change a file and replace it in its
    /// folder.
    ///
    /// - Parameters:
    ///   - file: An open file, so that the answer concerns the text that is read from it.
    ///   - path: The path of the file.
    /// - Returns: Whether both belong to this user, and no one else can write them.
    static func isPrivate(_ file: Int32, at path: String) -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.isPrivate
        else { return false }
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            .deletingLastPathComponent().path
        var folderStatus = stat()
        return stat(folder, &folderStatus) == 0 && folderStatus.isPrivate
    }
}

extension stat {
    /// Whether the file belongs to the user, and no one else can write it.
    fileprivate var isPrivate: Bool { st_uid == geteuid() && st_mode & 0o022 == 0 }
}
