import Foundation
import Telemetry

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A driver in the folder `drivers`, which is part of this program.
public struct BuiltInDriver: Sendable {
    /// The name, such as `python`.
    public let name: String
    /// The name of the file.
    public let file: String
    /// The text of the file.
    public let source: String
    /// What the driver uses, in a few words.
    public let summary: String
    /// The program that runs or compiles the file.
    private let program: String
    /// The Debian packages that contain the program and the library.
    private let packages: String
    private let method: Method

    private enum Method: Sendable {
        /// The program runs the file, with these arguments before its path.
        case run([String])
        /// The program compiles the file with these arguments, in which `SOURCE` and `OUTPUT` stand
        /// for paths, and this environment.
        case compile([String], environment: [String: String] = [:])
    }

    private init(
        _ file: String,
        _ bytes: [UInt8],
        _ summary: String,
        program: String,
        packages: String,
        _ method: Method
    ) {
        self.file = file
        name = String(file.prefix { $0 != "." })
        source = String(decoding: bytes, as: UTF8.self)
        self.summary = summary
        self.program = program
        self.packages = packages
        self.method = method
    }

    /// All built-in drivers.
    public static let all: [BuiltInDriver] = [
        BuiltInDriver(
            "python.py",
            PackageResources.python_py,
            "sqlite3 with threads, and a pool like SQLAlchemy's QueuePool",
            program: "python3",
            packages: "python3",
            .run([])
        ),
        BuiltInDriver(
            "node.mjs",
            PackageResources.node_mjs,
            "node:sqlite on the main thread, or in worker threads (workers: true)",
            program: "node",
            packages: "nodejs, version 22.5 or newer",
            .run(["--no-warnings"])
        ),
        BuiltInDriver(
            "go.go",
            PackageResources.go_go,
            "database/sql with mattn/go-sqlite3",
            program: "go",
            packages: "golang-go and golang-github-mattn-go-sqlite3-dev",
            .compile(
                ["build", "-o", "OUTPUT", "SOURCE"],
                environment: ["GO111MODULE": "off", "GOPATH": "/usr/share/gocode"]
            )
        ),
        BuiltInDriver(
            "ruby.rb",
            PackageResources.ruby_rb,
            "the gem sqlite3 with threads; its busy handler releases the global lock, or keeps it "
                + "(release: false)",
            program: "ruby",
            packages: "ruby-sqlite3",
            .run([])
        ),
        BuiltInDriver(
            "php.php",
            PackageResources.php_php,
            "PDO in a process for each worker",
            program: "php",
            packages: "php-cli and php-sqlite3",
            .run([])
        ),
        BuiltInDriver(
            "c.c",
            PackageResources.c_c,
            "libsqlite3 with a connection for each worker",
            program: "cc",
            packages: "gcc and libsqlite3-dev",
            .compile(["-O2", "-o", "OUTPUT", "SOURCE", "-lsqlite3", "-lpthread"])
        ),
        BuiltInDriver(
            "java.java",
            PackageResources.java_java,
            "JDBC with sqlite-jdbc and a pool of connections",
            program: "java",
            packages: "default-jdk-headless and libxerial-sqlite-jdbc-java",
            .run(["-cp", "/usr/share/java/sqlite-jdbc.jar"])
        ),
    ]

    /// Returns the driver with the given name, if any.
    public static func named(_ name: String) -> BuiltInDriver? { all.first { $0.name == name } }

    /// Writes the file to a private folder and, if necessary, compiles it.
    ///
    /// The folder remains until this process exits, because other runs use it.
    ///
    /// - Returns: The program and its arguments.
    /// - Throws: ``DriverFailure`` if a package is missing.
    func launch() throws -> [String] {
        guard Self.isInPath(program) else {
            throw DriverFailure("it needs '\(program)', which is not in PATH; install \(packages)")
        }
        let folder = try Self.folder.get()
        let path = folder.appendingPathComponent(file).path
        return try Self.launching.withLock { isPrepared in
            switch method {
            case .run(let arguments):
                if isPrepared.insert(name).inserted {
                    try Data(source.utf8).write(to: URL(fileURLWithPath: path))
                }
                return [program] + arguments + [path]
            case .compile(let arguments, let environment):
                let output = folder.appendingPathComponent("poolgauge-driver-\(name)").path
                if !isPrepared.contains(name) {
                    try Data(source.utf8).write(to: URL(fileURLWithPath: path))
                    try compile(
                        arguments.map { $0 == "SOURCE" ? path : $0 == "OUTPUT" ? output : $0 },
                        environment: environment
                    )
                    isPrepared.insert(name)
                }
                return [output]
            }
        }
    }

    private func compile(_ arguments: [String], environment: [String: String]) throws {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardError = errors
        process.standardOutput = errors
        try process.run()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let lines = text.split(whereSeparator: \.isNewline).prefix(3).joined(separator: " ")
            throw DriverFailure("it cannot be compiled; install \(packages): \(lines.prefix(400))")
        }
    }

    private static func isInPath(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// The names of the drivers whose files exist.
    private static let launching = Lock<Set<String>>([])

    private static let folder: Result<URL, any Error> = Result {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-drivers-\(UUID().uuidString.prefix(8))")
        try PrivateFolder.create(at: folder)
        path = strdup(folder.path)
        atexit { BuiltInDriver.removeFolder() }
        return folder
    }

    /// The path of the folder.
    ///
    /// Only the initializer of ``folder`` writes it, before it registers the only reader.
    nonisolated(unsafe) private static var path: UnsafeMutablePointer<CChar>?

    /// Removes the files of the built-in drivers.
    ///
    /// Call this method before the process exits immediately.
    package static func removeFolder() {
        guard let path else { return }
        try? FileManager.default.removeItem(atPath: String(cString: path))
    }
}

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

/// The reason that a driver cannot be used.
struct DriverFailure: Error, CustomStringConvertible, Equatable {
    var description: String

    init(_ description: String) { self.description = description }

    static let late = DriverFailure("it did not answer in time")
    static let ended = DriverFailure("it has ended")
}
