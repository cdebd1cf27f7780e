// swift-tools-version: 6.2
import PackageDescription

func product(
    _ name: String,
    of package: String,
    when condition: TargetDependencyCondition? = nil
) -> Target.Dependency {
    .product(name: name, package: package, condition: condition)
}
let yams = product("Yams", of: "Yams", when: .when(traits: ["Load"]))
let histogram = product("Histogram", of: "hdrhistogram-swift", when: .when(traits: ["Load"]))
let argumentParser = product(
    "ArgumentParser",
    of: "swift-argument-parser",
    when: .when(traits: ["Command"])
)
let grdb = product("GRDB", of: "GRDB.swift", when: .when(traits: ["GRDB"]))
let grdbSQLite = product("GRDBSQLite", of: "GRDB.swift", when: .when(traits: ["GRDB"]))
let metrics = product("Metrics", of: "swift-metrics", when: .when(traits: ["Metrics"]))
let metricsKit = product("MetricsTestKit", of: "swift-metrics", when: .when(traits: ["Metrics"]))
// For platforms that do not provide Combine.
let openCombine = ["OpenCombine", "OpenCombineDispatch"].map { name in
    product(
        name,
        of: "OpenCombine",
        when: .when(platforms: [.linux, .windows, .android], traits: ["OpenCombine"])
    )
}

// A module in a folder of `Sources`, or in `Sources`.
func module(
    _ name: String,
    in folder: String? = nil,
    uses dependencies: [Target.Dependency] = []
) -> Target {
    .target(name: name, dependencies: dependencies, path: folder.map { "Sources/\($0)/\(name)" })
}
// All tests use `TestSupport`.
func tests(_ name: String, of modules: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: modules + ["TestSupport"], exclude: exclude)
}
// A process that tests start.
func process(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)")
}

// The libraries that fuzzing provides with random input.
let fuzzed: [Target.Dependency] = [
    "Capture", "CursesTerminal", "Dashboard", "Findings", "PoolgaugeAgent", "Recording",
    "Rehearsal", "SQLText", "SQLTrace", "SQLiteEngine", "SQLiteWatch", "Telemetry", "TerminalUI",
    "Text", "WorkloadEngine", yams,
]

let package = Package(
    name: "Poolgauge",
    platforms: [.macOS(.v15)],
    products: [
        "SQLiteEngine", "SQLiteEngineCombine", "SQLiteEngineMetrics", "PoolgaugeAgent",
        "PoolgaugeGRDB", "WorkloadEngine", "Telemetry", "SQLiteWatch", "SQLTrace",
        "Findings",
    ].map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "poolgauge", targets: ["poolgauge"]),
        // The library that `poolgauge top -- COMMAND` loads into programs.
        .library(name: "poolgauge_trace", type: .dynamic, targets: ["CTraceAgent"]),
    ],
    // A dependency is fetched and built only if a trait that needs it is enabled. A program that
    // uses only SQLiteEngine disables all: `.package(url: …, traits: [])`.
    traits: [
        .default(enabledTraits: ["Command", "OpenCombine"]),
        .trait(name: "Command", description: "The command poolgauge.", enabledTraits: ["Load"]),
        .trait(name: "Load", description: "WorkloadEngine."),
        .trait(
            name: "OpenCombine",
            description: "SQLiteEngineCombine on platforms without Combine."
        ),
        .trait(name: "GRDB", description: "Arms with library: grdb, and PoolgaugeGRDB."),
        .trait(name: "Metrics", description: "SQLiteEngineMetrics, for swift-metrics."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite",
            path: "Sources/Engine/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(
            name: "CNCurses",
            path: "Sources/Terminal/CNCurses",
            linkerSettings: [
                .linkedLibrary("ncursesw", .when(platforms: [.linux])),
                .linkedLibrary("ncurses", .when(platforms: [.macOS])),
            ]
        ),
        .systemLibrary(name: "CTrace", path: "Sources/Watch/CTrace"),
        .target(
            name: "CTraceAgent",
            path: "Sources/Watch/CTraceAgent",
            // Programs in any language load it, so it must not link Swift's libraries.
            linkerSettings: [
                .unsafeFlags(
                    ["-enable-experimental-feature", "Embedded"],
                    .when(platforms: [.linux])
                )
            ]
        ),
        module("Telemetry", in: "Engine"),
        module("SQLText", in: "Text"),
        tests("SQLTextTests", of: ["CSQLite", "SQLText"]),
        module("SQLiteEngine", in: "Engine", uses: ["CSQLite", "SQLText", "Telemetry"]),
        module("Text", in: "Text"),
        module("YAML", in: "Text", uses: ["Text", yams]),
        module("Findings", uses: ["Telemetry", "Text"]),
        module(
            "SQLiteWatch",
            in: "Watch",
            uses: [
                .target(name: "CTrace", condition: .when(platforms: [.linux])),
                "Findings", "Telemetry", "Text",
            ]
        ),
        .target(
            name: "SQLTrace",
            dependencies: [
                "CSQLite", .target(name: "CTrace", condition: .when(platforms: [.linux])),
                "Findings", "SQLText", "SQLiteWatch", "Telemetry", "Text",
            ],
            path: "Sources/Watch/SQLTrace",
            // `.ci/probe-programs` compiles it for the kernel.
            exclude: ["Probes/probes.bpf.c"]
        ),
        module(
            "SQLiteEngineCombine",
            in: "Engine",
            uses: ["SQLiteEngine", "Telemetry"] + openCombine
        ),
        module("MetricDescriptors", in: "Engine", uses: ["Telemetry"]),
        module(
            "SQLiteEngineMetrics",
            in: "Engine",
            uses: ["MetricDescriptors", "Telemetry", metrics]
        ),
        module("PoolgaugeAgent", in: "Engine", uses: ["MetricDescriptors", "Telemetry", "Text"]),
        module("PoolgaugeGRDB", in: "Engine", uses: ["SQLText", "Telemetry", grdb, grdbSQLite]),
        // Recording stores reports of SQLiteWatch and PoolgaugeAgent. It does not measure anything.
        module(
            "Recording",
            in: "Watch",
            uses: [
                "Findings", "PoolgaugeAgent", "SQLiteEngine", "SQLiteWatch", "Telemetry", "Text",
            ]
        ),
        .target(
            name: "WorkloadEngine",
            dependencies: ["Findings", "SQLText", "Telemetry", "Text", "YAML", yams, histogram],
            path: "Sources/Load/WorkloadEngine",
            // `Presets` and `Drivers` are links to the folders `scenarios` and `drivers`, which
            // contain the only copies of the files.
            resources: [.embedInCode("Presets"), .embedInCode("Drivers")]
        ),
        module(
            "Rehearsal",
            in: "Load",
            uses: [
                "CSQLite", "EngineTarget", "SQLText", "SQLiteEngine", "Telemetry", "Text",
                "WorkloadEngine",
            ]
        ),
        module("Capture", in: "Watch", uses: ["SQLText", "Telemetry", "Text", "WorkloadEngine"]),
        module(
            "EngineTarget",
            in: "Load",
            uses: ["CSQLite", "SQLiteEngine", "WorkloadEngine", "Telemetry"]
        ),
        module(
            "GRDBTarget",
            in: "Load",
            uses: ["EngineTarget", "PoolgaugeGRDB", "Telemetry", "WorkloadEngine", grdb]
        ),
        .target(
            name: "TerminalUI",
            dependencies: ["Text", "YAML", yams],
            path: "Sources/Terminal/TerminalUI",
            // `BuiltIn` is a link to the folder `themes`. The files are embedded, so the binary can
            // be moved.
            resources: [.embedInCode("Themes/BuiltIn")]
        ),
        module("CursesTerminal", in: "Terminal", uses: ["CNCurses", "TerminalUI"]),
        // The dashboard displays reports of SQLiteWatch. It does not collect samples.
        module(
            "Dashboard",
            in: "Terminal",
            uses: ["Findings", "SQLiteWatch", "TerminalUI", "Telemetry", "Text", "YAML", yams]
        ),
        .executableTarget(
            name: "poolgauge",
            dependencies: [
                "CSQLite", "Capture", "CursesTerminal", "Dashboard", "EngineTarget", "Findings",
                "GRDBTarget", "MetricDescriptors", "PoolgaugeAgent", "Recording", "Rehearsal",
                "SQLText", "SQLTrace", "SQLiteEngine", "SQLiteWatch", "Telemetry", "TerminalUI",
                "Text", "WorkloadEngine", "YAML", argumentParser, yams,
            ]
        ),
        // Random numbers, waits, temporary folders, other programs, and strings for outputs.
        .target(name: "TestSupport", dependencies: ["Telemetry"], path: "Tests/TestSupport"),
        tests("TelemetryTests", of: ["Telemetry"]),
        tests("TextTests", of: ["Text", yams]),
        // The checker of the engine's isolation tests.
        .target(name: "Isolation", dependencies: ["Telemetry"], path: "Tests/Isolation"),
        tests("IsolationTests", of: ["Isolation", "Telemetry"]),
        // The process that the reliability tests start and kill.
        process("CommitWriter", uses: ["SQLiteEngine"]),
        // The second process for the engine's tests, which uses libsqlite3 directly.
        process("SecondProcess", uses: ["CSQLite", "SQLiteEngine"]),
        // A separate process that runs transactions concurrently with the engine's tests.
        process("IsolationPeer", uses: ["CSQLite", "Isolation", "SQLiteEngine", "TestSupport"]),
        tests(
            "SQLiteEngineTests",
            of: [
                "CSQLite", "Isolation", "IsolationPeer", "SQLiteEngine",
                "SecondProcess", "Telemetry",
            ]
        ),
        // Programs of migrations, which are compiled with the engine and, from a link to the same
        // sources, with GRDB.
        .target(
            name: "EngineMigrations",
            dependencies: ["SQLiteEngine"],
            path: "Tests/Migrations/Engine",
            swiftSettings: [.define("ENGINE_MIGRATIONS")]
        ),
        .target(name: "GRDBMigrations", dependencies: [grdb], path: "Tests/Migrations/GRDB"),
        // Another process that migrates the same file.
        process("MigrationPeer", uses: ["EngineMigrations", "GRDBMigrations"]),
        tests(
            "MigrationTests",
            of: ["EngineMigrations", "GRDBMigrations", "MigrationPeer", "SQLiteEngine"],
            exclude: ["Transcripts"]
        ),
        // The VFS and the allocator that inject faults in the reliability tests.
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
        // The code paths of the engine in which the reliability tests inject faults.
        .target(
            name: "FaultPaths",
            dependencies: ["CSQLite", "FaultVFS", "Recording", "SQLiteEngine", "Telemetry"],
            path: "Tests/FaultPaths"
        ),
        // A process for faults that affect the whole process.
        process(
            "FaultRunner",
            uses: ["CSQLite", "FaultPaths", "FaultVFS", "Recording", "SQLiteEngine", "Telemetry"]
        ),
        tests(
            "ReliabilityTests",
            of: [
                "CSQLite", "CommitWriter", "FaultPaths", "FaultRunner", "FaultVFS", "Recording",
                "SQLiteEngine", "Telemetry",
            ],
            exclude: ["Planted"]
        ),
        tests(
            "SQLiteEngineCombineTests",
            of: ["SQLiteEngine", "SQLiteEngineCombine", "Telemetry"] + openCombine
        ),
        tests(
            "PoolgaugeAgentTests",
            of: ["MetricDescriptors", "PoolgaugeAgent", "SQLiteEngine", "Telemetry"]
        ),
        tests("PoolgaugeGRDBTests", of: ["PoolgaugeAgent", "PoolgaugeGRDB", "Telemetry", grdb]),
        tests(
            "SQLiteEngineMetricsTests",
            of: [
                "MetricDescriptors", "SQLiteEngine", "SQLiteEngineMetrics", "Telemetry",
                metricsKit,
            ]
        ),
        // The helper process of the watch sessions that tests start.
        process("WatchHelper", uses: ["SQLiteWatch"]),
        tests("FindingsTests", of: ["Findings", "Telemetry"]),
        tests(
            "SQLiteWatchTests",
            of: ["Findings", "SQLiteWatch", "Telemetry", "Text", "WatchHelper"]
        ),
        tests(
            "RecordingTests",
            of: [
                "Findings", "PoolgaugeAgent", "Recording", "SQLiteEngine", "SQLiteWatch",
                "Telemetry",
            ]
        ),
        // The helper processes of the traces that tests start, and a trace that a test kills.
        process("TraceHelper", uses: ["SQLTrace"]),
        tests(
            "SQLTraceTests",
            of: ["Findings", "SQLText", "SQLTrace", "SQLiteWatch", "TraceHelper"]
        ),
        tests(
            "WorkloadEngineTests",
            of: ["Telemetry", "Text", "WorkloadEngine", "YAML", histogram, yams],
            exclude: ["Reports/Golden", "Reports/Kept"]
        ),
        tests(
            "CaptureTests",
            of: ["Capture", "EngineTarget", "Telemetry", "WorkloadEngine", yams]
        ),
        tests("RehearsalTests", of: ["CSQLite", "Rehearsal"]),
        tests(
            "EngineTargetTests",
            of: ["CSQLite", "EngineTarget", "SQLiteEngine", "Telemetry", "WorkloadEngine"]
        ),
        tests("GRDBTargetTests", of: ["GRDBTarget", "Telemetry", "WorkloadEngine"]),
        tests("TerminalUITests", of: ["TerminalUI"]),
        tests("CursesTerminalTests", of: ["CNCurses", "CursesTerminal", "TerminalUI"]),
        tests(
            "DashboardTests",
            of: [
                "Dashboard", "EngineTarget", "Findings", "SQLiteWatch", "Telemetry",
                "TerminalUI", "WorkloadEngine",
            ],
            exclude: ["Golden"]
        ),
        tests("FuzzTests", of: fuzzed, exclude: ["Base", "Corpus", "Driver", "Planted"]),
        // A program with its own target. Tests compare two builds of it.
        process("OwnTarget", uses: ["SQLiteEngine", "Telemetry", "WorkloadEngine"]),
        tests(
            "PoolgaugeTests",
            of: [
                "CNCurses", "Capture", "CursesTerminal", "Dashboard", "Findings",
                "MetricDescriptors", "OwnTarget", "PoolgaugeAgent", "Recording", "SQLiteEngine",
                "SQLiteWatch",
                "Telemetry", "TerminalUI", "Text", "WorkloadEngine", "poolgauge",
            ],
            exclude: ["Export/alerts.test.yaml", "Replay/Kept"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// With POOLGAUGE_FUZZ, the fuzz targets form a program that requires libFuzzer (see `.ci/fuzz`).
if Context.environment["POOLGAUGE_FUZZ"] != nil {
    package.targets.removeAll { $0.name == "FuzzTests" }
    let fuzz = process("poolgauge-fuzz", uses: fuzzed + ["TestSupport"])
    fuzz.path = "Tests/FuzzTests"
    fuzz.exclude = ["Base", "Corpus", "Planted", "FuzzTests.swift"]
    fuzz.sources = ["Driver", "Targets", "Mutator.swift"]
    package.targets.append(fuzz)
}

// If POOLGAUGE_STRICT is set, as in `.ci/run`, warnings are errors. By default, new warnings of a
// newer compiler do not prevent a build.
let strict: [SwiftSetting] =
    Context.environment["POOLGAUGE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + strict
}

// POOLGAUGE_TESTS limits the package to these test targets and their dependencies, so that `./test`
// builds only the code that it runs with a sanitizer.
if let names = Context.environment["POOLGAUGE_TESTS"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var open = names.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in targets[name]?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
