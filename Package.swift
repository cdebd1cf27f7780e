// swift-tools-version: 6.2
import PackageDescription

typealias Uses = [Target.Dependency]

func product(_ name: String, of package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}
let yams = product("Yams", of: "Yams", trait: "Load")
let histogram = product("Histogram", of: "hdrhistogram-swift", trait: "Load")
let argumentParser = product("ArgumentParser", of: "swift-argument-parser", trait: "Command")
let grdb = product("GRDB", of: "GRDB.swift", trait: "GRDB")
let grdbSQLite = product("GRDBSQLite", of: "GRDB.swift", trait: "GRDB")
let metrics = product("Metrics", of: "swift-metrics", trait: "Metrics")
let metricsKit = product("MetricsTestKit", of: "swift-metrics", trait: "Metrics")
// For platforms that do not provide Combine.
let openCombine = ["OpenCombine", "OpenCombineDispatch"].map { name in
    Target.Dependency.product(
        name: name,
        package: "OpenCombine",
        condition: .when(platforms: [.linux, .windows, .android], traits: ["OpenCombine"])
    )
}
let trace = Target.Dependency.target(name: "CTrace", condition: .when(platforms: [.linux]))
let onLinux = BuildSettingCondition.when(platforms: [.linux])

// The modules with these names, which spaces separate.
func modules(_ names: String) -> Uses {
    names.split(separator: " ").map { .byName(name: String($0)) }
}
// A module in a folder of `Sources`, named like the last part of the path.
func module(
    _ path: String,
    _ names: String = "",
    _ more: Uses = [],
    exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: String(path.split(separator: "/").last ?? ""),
        dependencies: modules(names) + more,
        path: "Sources/\(path)",
        exclude: exclude,
        resources: resources
    )
}
// Code that several targets of tests use.
func support(_ name: String, _ names: String) -> Target {
    .target(name: name, dependencies: modules(names), path: "Tests/\(name)")
}
// All tests use `TestSupport`.
func tests(_ name: String, _ names: String, _ more: Uses = [], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: modules(names + " TestSupport") + more, exclude: exclude)
}
// A process that tests start.
func process(_ name: String, _ names: String) -> Target {
    .executableTarget(name: name, dependencies: modules(names), path: "Tests/\(name)")
}

// The modules that run a scenario.
let load = "Scenarios Telemetry WorkloadEngine"
// The libraries that fuzzing provides with random input.
let fuzzed = """
    Capture CursesTerminal Dashboard Findings PoolgaugeAgent Recording Rehearsal Reports SQLText \
    SQLTrace SQLiteEngine SQLiteWatch TerminalUI Text \(load)
    """

let package = Package(
    name: "Poolgauge",
    platforms: [.macOS(.v15)],
    products: [
        "SQLiteEngine", "SQLiteEngineCombine", "SQLiteEngineMetrics", "PoolgaugeAgent",
        "PoolgaugeGRDB", "Telemetry", "SQLiteWatch", "SQLTrace", "Findings",
    ].map { .library(name: $0, targets: [$0]) } + [
        // A program imports those of the modules that it uses.
        .library(
            name: "WorkloadEngine",
            targets: ["Scenarios", "WorkloadEngine", "Comparison", "Reports"]
        ),
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
        .trait(name: "OpenCombine", description: "SQLiteEngineCombine where Combine is missing."),
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
                .linkedLibrary("ncursesw", onLinux),
                .linkedLibrary("ncurses", .when(platforms: [.macOS])),
            ]
        ),
        .systemLibrary(name: "CTrace", path: "Sources/Watch/CTrace"),
        .target(
            name: "CTraceAgent",
            path: "Sources/Watch/CTraceAgent",
            // Programs in any language load it, so it must not link Swift's libraries.
            linkerSettings: [
                .unsafeFlags(["-enable-experimental-feature", "Embedded"], onLinux)
            ]
        ),
        module("Engine/Telemetry"),
        module("Text/SQLText"),
        tests("SQLTextTests", "CSQLite SQLText"),
        module("Engine/SQLiteEngine", "CSQLite SQLText Telemetry"),
        module("Text/Text"),
        module("Text/YAML", "Text", [yams]),
        module("Findings", "Telemetry Text"),
        module("Watch/SQLiteWatch", "Findings Telemetry Text", [trace]),
        module(
            "Watch/SQLTrace",
            "CSQLite Findings SQLText SQLiteWatch Telemetry Text",
            [trace],
            // `.ci/probe-programs` compiles it for the kernel.
            exclude: ["Probes/probes.bpf.c"]
        ),
        module("Engine/SQLiteEngineCombine", "SQLiteEngine Telemetry", openCombine),
        module("Engine/MetricDescriptors", "Telemetry"),
        module("Engine/SQLiteEngineMetrics", "MetricDescriptors Telemetry", [metrics]),
        module("Engine/PoolgaugeAgent", "MetricDescriptors Telemetry Text"),
        module("Engine/PoolgaugeGRDB", "SQLText Telemetry", [grdb, grdbSQLite]),
        // Recording stores reports of SQLiteWatch and PoolgaugeAgent. It does not measure anything.
        module(
            "Watch/Recording",
            "Findings PoolgaugeAgent SQLiteEngine SQLiteWatch Telemetry Text"
        ),
        module(
            "Load/Scenarios",
            "SQLText Telemetry Text YAML",
            [yams],
            // `Presets` and `Drivers` are links to the folders `scenarios` and `drivers`, which
            // contain the only copies of the files.
            resources: [.embedInCode("Presets"), .embedInCode("Drivers")]
        ),
        module("Load/WorkloadEngine", "Findings SQLText Scenarios Telemetry Text", [histogram]),
        module("Load/Comparison", "Findings Text \(load)"),
        module("Load/Reports", "Comparison Findings Text \(load)"),
        module("Load/Rehearsal", "CSQLite EngineTarget Reports SQLText SQLiteEngine Text \(load)"),
        module("Watch/Capture", "CSQLite SQLText Text \(load)"),
        module("Load/EngineTarget", "CSQLite SQLiteEngine \(load)"),
        module("Load/GRDBTarget", "EngineTarget PoolgaugeGRDB \(load)", [grdb]),
        module(
            "Terminal/TerminalUI",
            "Text YAML",
            [yams],
            // `BuiltIn` is a link to the folder `themes`. The files are embedded, so the binary can
            // be moved.
            resources: [.embedInCode("Themes/BuiltIn")]
        ),
        module("Terminal/CursesTerminal", "CNCurses TerminalUI"),
        // The dashboard displays reports of SQLiteWatch. It does not collect samples.
        module("Terminal/Dashboard", "Findings SQLiteWatch TerminalUI Telemetry Text YAML", [yams]),
        .executableTarget(
            name: "poolgauge",
            dependencies: modules(
                """
                CSQLite Capture Comparison CursesTerminal Dashboard EngineTarget Findings GRDBTarget \
                MetricDescriptors PoolgaugeAgent Recording Rehearsal Reports SQLText SQLTrace \
                SQLiteEngine SQLiteWatch TerminalUI Text YAML \(load)
                """
            ) + [argumentParser, yams]
        ),
        // Random numbers, waits, temporary folders, other programs, and strings for outputs.
        support("TestSupport", "Telemetry"),
        tests("TelemetryTests", "Telemetry"),
        tests("TextTests", "Text", [yams]),
        // The checker of the engine's isolation tests.
        support("Isolation", "Telemetry"),
        tests("IsolationTests", "Isolation Telemetry"),
        // The process that the reliability tests start and kill.
        process("CommitWriter", "SQLiteEngine"),
        // The second process for the engine's tests, which uses libsqlite3 directly.
        process("SecondProcess", "CSQLite SQLiteEngine"),
        // A separate process that runs transactions concurrently with the engine's tests.
        process("IsolationPeer", "CSQLite Isolation SQLiteEngine TestSupport"),
        tests(
            "SQLiteEngineTests",
            "CSQLite Isolation IsolationPeer SQLiteEngine SecondProcess Telemetry"
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
        process("MigrationPeer", "EngineMigrations GRDBMigrations"),
        tests(
            "MigrationTests",
            "EngineMigrations GRDBMigrations MigrationPeer SQLiteEngine",
            exclude: ["Transcripts"]
        ),
        // The VFS and the allocator that inject faults in the reliability tests.
        support("FaultVFS", "CSQLite"),
        // The code paths of the engine in which the reliability tests inject faults.
        support("FaultPaths", "CSQLite FaultVFS Recording SQLiteEngine Telemetry"),
        // A process for faults that affect the whole process.
        process("FaultRunner", "CSQLite FaultPaths FaultVFS Recording SQLiteEngine Telemetry"),
        tests(
            "ReliabilityTests",
            "CSQLite CommitWriter FaultPaths FaultRunner FaultVFS Recording SQLiteEngine Telemetry",
            exclude: ["Planted"]
        ),
        tests(
            "SQLiteEngineCombineTests",
            "SQLiteEngine SQLiteEngineCombine Telemetry",
            openCombine
        ),
        tests("PoolgaugeAgentTests", "MetricDescriptors PoolgaugeAgent SQLiteEngine Telemetry"),
        tests("PoolgaugeGRDBTests", "PoolgaugeAgent PoolgaugeGRDB Telemetry", [grdb]),
        tests(
            "SQLiteEngineMetricsTests",
            "MetricDescriptors SQLiteEngine SQLiteEngineMetrics Telemetry",
            [metricsKit]
        ),
        // The helper process of the watch sessions that tests start.
        process("WatchHelper", "SQLiteWatch"),
        tests("FindingsTests", "Findings Telemetry"),
        tests("SQLiteWatchTests", "Findings SQLiteWatch Telemetry Text WatchHelper"),
        tests(
            "RecordingTests",
            "Findings PoolgaugeAgent Recording SQLiteEngine SQLiteWatch Telemetry"
        ),
        // The helper processes of the traces that tests start, and a trace that a test kills.
        process("TraceHelper", "SQLTrace"),
        tests("SQLTraceTests", "Findings SQLText SQLTrace SQLiteWatch TraceHelper"),
        // Simulated clocks and databases.
        support("LoadTestSupport", load),
        tests("ScenariosTests", "Scenarios YAML", [yams]),
        tests("WorkloadEngineTests", "Findings LoadTestSupport Reports \(load)", [histogram]),
        tests("ComparisonTests", "Comparison Findings LoadTestSupport Reports \(load)"),
        tests(
            "ReportsTests",
            "Comparison Findings LoadTestSupport Reports Text \(load)",
            exclude: ["Golden", "Kept"]
        ),
        tests("CaptureTests", "Capture EngineTarget \(load)", [yams]),
        tests("RehearsalTests", "CSQLite Rehearsal"),
        tests("EngineTargetTests", "CSQLite EngineTarget Reports SQLiteEngine \(load)"),
        tests("GRDBTargetTests", "GRDBTarget \(load)"),
        tests("TerminalUITests", "TerminalUI"),
        tests("CursesTerminalTests", "CNCurses CursesTerminal TerminalUI"),
        tests(
            "DashboardTests",
            "Dashboard EngineTarget Findings Reports SQLiteWatch TerminalUI \(load)",
            exclude: ["Golden"]
        ),
        tests("FuzzTests", fuzzed, [yams], exclude: ["Base", "Corpus", "Driver", "Planted"]),
        // A program with its own target. Tests compare two builds of it.
        process("OwnTarget", "SQLiteEngine \(load)"),
        tests(
            "PoolgaugeTests",
            """
            CNCurses Capture Comparison CursesTerminal Dashboard Findings MetricDescriptors \
            OwnTarget PoolgaugeAgent Recording SQLiteEngine SQLiteWatch TerminalUI Text poolgauge \
            \(load)
            """,
            exclude: ["Export/alerts.test.yaml", "Replay/Kept"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// With POOLGAUGE_FUZZ, the fuzz targets form a program that requires libFuzzer (see `.ci/fuzz`).
if Context.environment["POOLGAUGE_FUZZ"] != nil {
    package.targets.removeAll { $0.name == "FuzzTests" }
    let fuzz = process("poolgauge-fuzz", fuzzed + " TestSupport")
    fuzz.dependencies.append(yams)
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
