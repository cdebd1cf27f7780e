// swift-tools-version: 6.2
import PackageDescription

// If POOLGAUGE_STRICT is set, as in `.ci/run`, warnings are errors. By default, new warnings of a
// newer compiler do not prevent a build.
let strict: [SwiftSetting] =
    Context.environment["POOLGAUGE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

// For platforms that do not provide Combine.
let openCombine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch"].map { product in
    .product(
        name: product,
        package: "OpenCombine",
        condition: .when(platforms: [.linux, .windows, .android])
    )
}

// The libraries that fuzzing provides with random input.
let fuzzed: [Target.Dependency] = [
    "Capture", "CursesTerminal", "Dashboard", "PoolgaugeAgent", "Recording", "SQLTrace",
    "SQLiteEngine", "SQLiteWatch", "Telemetry", "TerminalUI", "WorkloadEngine",
    .product(name: "Yams", package: "Yams"),
]

let package = Package(
    name: "Poolgauge",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SQLiteEngine", targets: ["SQLiteEngine"]),
        .library(name: "SQLiteEngineCombine", targets: ["SQLiteEngineCombine"]),
        .library(name: "SQLiteEngineMetrics", targets: ["SQLiteEngineMetrics"]),
        .library(name: "PoolgaugeAgent", targets: ["PoolgaugeAgent"]),
        .library(name: "PoolgaugeGRDB", targets: ["PoolgaugeGRDB"]),
        .library(name: "WorkloadEngine", targets: ["WorkloadEngine"]),
        .library(name: "Telemetry", targets: ["Telemetry"]),
        .library(name: "SQLiteWatch", targets: ["SQLiteWatch"]),
        .library(name: "SQLTrace", targets: ["SQLTrace"]),
        .executable(name: "poolgauge", targets: ["poolgauge"]),
    ],
    traits: [
        .trait(name: "GRDB", description: "Arms with library: grdb, and PoolgaugeGRDB."),
        .trait(name: "Metrics", description: "SQLiteEngineMetrics, for swift-metrics."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        // Fetched and built only if the traits are enabled: `swift build --traits GRDB,Metrics`.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(
            name: "CNCurses",
            linkerSettings: [
                .linkedLibrary("ncursesw", .when(platforms: [.linux])),
                .linkedLibrary("ncurses", .when(platforms: [.macOS])),
            ]
        ),
        .systemLibrary(name: "CTrace"),
        .target(name: "Telemetry", swiftSettings: strict),
        .target(
            name: "SQLiteEngine",
            dependencies: ["CSQLite", "Telemetry"],
            swiftSettings: strict
        ),
        .target(name: "Units", swiftSettings: strict),
        .target(name: "SQLiteWatch", dependencies: ["Telemetry", "Units"], swiftSettings: strict),
        .target(
            name: "SQLTrace",
            dependencies: [
                "CSQLite", .target(name: "CTrace", condition: .when(platforms: [.linux])),
                "SQLiteWatch", "Telemetry", "Units",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SQLiteEngineCombine",
            dependencies: ["SQLiteEngine", "Telemetry"] + openCombine,
            swiftSettings: strict
        ),
        .target(name: "MetricDescriptors", dependencies: ["Telemetry"], swiftSettings: strict),
        .target(
            name: "SQLiteEngineMetrics",
            dependencies: [
                "MetricDescriptors", "Telemetry",
                .product(
                    name: "Metrics",
                    package: "swift-metrics",
                    condition: .when(traits: ["Metrics"])
                ),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "PoolgaugeAgent",
            dependencies: ["MetricDescriptors", "Telemetry"],
            swiftSettings: strict
        ),
        .target(
            name: "PoolgaugeGRDB",
            dependencies: [
                "Telemetry",
                .product(
                    name: "GRDB",
                    package: "GRDB.swift",
                    condition: .when(traits: ["GRDB"])
                ),
                .product(
                    name: "GRDBSQLite",
                    package: "GRDB.swift",
                    condition: .when(traits: ["GRDB"])
                ),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Recording",
            // Recording stores reports of SQLiteWatch and PoolgaugeAgent. It does not measure
            // anything.
            dependencies: ["PoolgaugeAgent", "SQLiteEngine", "SQLiteWatch", "Telemetry", "Units"],
            swiftSettings: strict
        ),
        .target(
            name: "WorkloadEngine",
            dependencies: [
                "Telemetry", "Units",
                .product(name: "Yams", package: "Yams"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            // `Presets` is a link to the folder `scenarios`, which contains the only copy of the
            // files.
            resources: [.embedInCode("Presets")],
            swiftSettings: strict
        ),
        .target(
            name: "Capture",
            dependencies: ["Telemetry", "WorkloadEngine"],
            swiftSettings: strict
        ),
        .target(
            name: "EngineTarget",
            dependencies: ["CSQLite", "SQLiteEngine", "WorkloadEngine", "Telemetry"],
            swiftSettings: strict
        ),
        .target(
            name: "GRDBTarget",
            dependencies: [
                "EngineTarget", "PoolgaugeGRDB", "Telemetry", "WorkloadEngine",
                .product(
                    name: "GRDB",
                    package: "GRDB.swift",
                    condition: .when(traits: ["GRDB"])
                ),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "TerminalUI",
            dependencies: ["Units", .product(name: "Yams", package: "Yams")],
            // `BuiltIn` is a link to the folder `themes`. The files are embedded, so the binary can
            // be moved.
            resources: [.embedInCode("Themes/BuiltIn")],
            swiftSettings: strict
        ),
        .target(
            name: "CursesTerminal",
            dependencies: ["CNCurses", "TerminalUI"],
            swiftSettings: strict
        ),
        .target(
            name: "Dashboard",
            // The dashboard displays reports of SQLiteWatch. It does not collect samples.
            dependencies: [
                "SQLiteWatch", "TerminalUI", "Telemetry", "Units",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "poolgauge",
            dependencies: [
                "CSQLite", "Capture", "CursesTerminal", "Dashboard", "EngineTarget", "GRDBTarget",
                "MetricDescriptors", "PoolgaugeAgent", "Recording", "SQLTrace", "SQLiteEngine",
                "SQLiteWatch", "Telemetry", "TerminalUI", "Units", "WorkloadEngine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict
        ),
        // Strings for the tests of all outputs.
        .target(name: "HostileStrings", path: "Tests/HostileStrings", swiftSettings: strict),
        .testTarget(
            name: "TelemetryTests",
            dependencies: ["Telemetry"],
            swiftSettings: strict
        ),
        // The checker of the engine's isolation tests.
        .target(
            name: "Isolation",
            dependencies: ["Telemetry"],
            path: "Tests/Isolation",
            swiftSettings: strict
        ),
        .testTarget(
            name: "IsolationTests",
            dependencies: ["Isolation", "Telemetry"],
            swiftSettings: strict
        ),
        // The process that the reliability tests start and kill.
        .executableTarget(
            name: "CommitWriter",
            dependencies: ["SQLiteEngine"],
            path: "Tests/CommitWriter",
            swiftSettings: strict
        ),
        // The second process for the engine's tests, which uses libsqlite3 directly.
        .executableTarget(
            name: "SecondProcess",
            dependencies: ["CSQLite", "SQLiteEngine"],
            path: "Tests/SecondProcess",
            swiftSettings: strict
        ),
        // A separate process that runs transactions concurrently with the engine's tests.
        .executableTarget(
            name: "IsolationPeer",
            dependencies: ["CSQLite", "Isolation", "SQLiteEngine"],
            path: "Tests/IsolationPeer",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SQLiteEngineTests",
            dependencies: [
                "CSQLite", "HostileStrings", "Isolation", "IsolationPeer", "SQLiteEngine",
                "SecondProcess", "Telemetry",
            ],
            swiftSettings: strict
        ),
        // The VFS and the allocator that inject faults in the reliability tests.
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
        // The code paths of the engine in which the reliability tests inject faults.
        .target(
            name: "FaultPaths",
            dependencies: ["CSQLite", "FaultVFS", "Recording", "SQLiteEngine", "Telemetry"],
            path: "Tests/FaultPaths",
            swiftSettings: strict
        ),
        // A process for faults that affect the whole process.
        .executableTarget(
            name: "FaultRunner",
            dependencies: [
                "CSQLite", "FaultPaths", "FaultVFS", "Recording", "SQLiteEngine", "Telemetry",
            ],
            path: "Tests/FaultRunner",
            swiftSettings: strict
        ),
        .testTarget(
            name: "ReliabilityTests",
            dependencies: [
                "CSQLite", "CommitWriter", "FaultPaths", "FaultRunner", "FaultVFS", "Recording",
                "SQLiteEngine", "Telemetry",
            ],
            exclude: ["Planted"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SQLiteEngineCombineTests",
            dependencies: ["SQLiteEngine", "SQLiteEngineCombine", "Telemetry"] + openCombine,
            swiftSettings: strict
        ),
        .testTarget(
            name: "PoolgaugeAgentTests",
            dependencies: [
                "HostileStrings", "MetricDescriptors", "PoolgaugeAgent", "SQLiteEngine",
                "Telemetry",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PoolgaugeGRDBTests",
            dependencies: [
                "PoolgaugeAgent", "PoolgaugeGRDB", "Telemetry",
                .product(
                    name: "GRDB",
                    package: "GRDB.swift",
                    condition: .when(traits: ["GRDB"])
                ),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SQLiteEngineMetricsTests",
            dependencies: [
                "MetricDescriptors", "SQLiteEngine", "SQLiteEngineMetrics", "Telemetry",
                .product(
                    name: "MetricsTestKit",
                    package: "swift-metrics",
                    condition: .when(traits: ["Metrics"])
                ),
            ],
            swiftSettings: strict
        ),
        // The helper process of the watch sessions that tests start.
        .executableTarget(
            name: "WatchHelper",
            dependencies: ["SQLiteWatch"],
            path: "Tests/WatchHelper",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SQLiteWatchTests",
            dependencies: ["SQLiteWatch", "WatchHelper"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RecordingTests",
            dependencies: [
                "PoolgaugeAgent", "Recording", "SQLiteEngine", "SQLiteWatch", "Telemetry",
            ],
            swiftSettings: strict
        ),
        // The helper processes of the traces that tests start, and a trace that a test kills.
        .executableTarget(
            name: "TraceHelper",
            dependencies: ["SQLTrace"],
            path: "Tests/TraceHelper",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SQLTraceTests",
            dependencies: ["SQLTrace", "SQLiteWatch", "TraceHelper"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WorkloadEngineTests",
            dependencies: [
                "HostileStrings", "Telemetry", "Units", "WorkloadEngine",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Reports/Golden", "Reports/Kept"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CaptureTests",
            dependencies: [
                "Capture", "EngineTarget", "HostileStrings", "Telemetry", "WorkloadEngine",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EngineTargetTests",
            dependencies: [
                "CSQLite", "EngineTarget", "SQLiteEngine", "Telemetry", "WorkloadEngine",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "GRDBTargetTests",
            dependencies: ["GRDBTarget", "Telemetry", "WorkloadEngine"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TerminalUITests",
            dependencies: ["TerminalUI"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CursesTerminalTests",
            dependencies: ["CNCurses", "CursesTerminal", "TerminalUI"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DashboardTests",
            dependencies: [
                "Dashboard", "EngineTarget", "HostileStrings", "SQLiteWatch", "Telemetry",
                "TerminalUI", "WorkloadEngine",
            ],
            exclude: ["Golden"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: fuzzed,
            exclude: ["Base", "Corpus", "Driver", "Planted"],
            swiftSettings: strict
        ),
        // A program with its own target. Tests compare two builds of it.
        .executableTarget(
            name: "OwnTarget",
            dependencies: ["SQLiteEngine", "Telemetry", "WorkloadEngine"],
            path: "Tests/OwnTarget",
            swiftSettings: strict
        ),
        .testTarget(
            name: "PoolgaugeTests",
            dependencies: [
                "CNCurses", "CursesTerminal", "Dashboard", "HostileStrings", "MetricDescriptors",
                "OwnTarget", "PoolgaugeAgent", "Recording", "SQLiteEngine", "SQLiteWatch",
                "Telemetry", "TerminalUI", "WorkloadEngine",
                "poolgauge",
            ],
            exclude: ["Export/alerts.test.yaml"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)

// With POOLGAUGE_FUZZ, the fuzz targets form a program that requires libFuzzer (see `.ci/fuzz`).
if Context.environment["POOLGAUGE_FUZZ"] != nil {
    package.targets.removeAll { $0.name == "FuzzTests" }
    package.targets.append(
        .executableTarget(
            name: "poolgauge-fuzz",
            dependencies: fuzzed,
            path: "Tests/FuzzTests",
            exclude: ["Base", "Corpus", "Planted", "FuzzTests.swift"],
            sources: ["Driver", "Targets", "Mutator.swift"],
            swiftSettings: strict
        )
    )
}

// POOLGAUGE_TESTS limits the package to these test targets and their dependencies, so that `./test`
// builds only the code that it runs with a sanitizer.
if let names = Context.environment["POOLGAUGE_TESTS"] {
    var needed: Set<String> = []
    var open = names.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }),
            needed.insert(name).inserted
        else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
