import Foundation

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
    package let program: String
    /// The Debian packages that contain the program and the library.
    package let packages: String
    package let method: Method

    package enum Method: Sendable {
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
    }

    /// Whether the number of readers affects the arm.
    package var hasReaders: Bool { kind == .pool && (library != .raw || driver != nil) }
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
