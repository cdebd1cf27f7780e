// swift-tools-version: 6.2
import PackageDescription

// This package is separate so that users of Poolgauge do not build GRDB.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Poolgauge", path: "..", traits: ["GRDB", "Load"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "PointReads",
            dependencies: [
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(
            name: "Generator",
            dependencies: [
                .product(name: "Telemetry", package: "Poolgauge"),
                .product(name: "WorkloadEngine", package: "Poolgauge"),
            ]
        ),
        .executableTarget(
            name: "Accesses",
            dependencies: [
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(
            name: "Fairness",
            dependencies: [
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(
            name: "Observers",
            dependencies: [
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(
            name: "AgentCost",
            dependencies: [
                .product(name: "PoolgaugeAgent", package: "Poolgauge"),
                .product(name: "SQLiteEngine", package: "Poolgauge"),
            ]
        ),
        .executableTarget(
            name: "WatchedCost",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PoolgaugeGRDB", package: "Poolgauge"),
            ]
        ),
        .executableTarget(
            name: "TracedProgram",
            dependencies: [
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(
            name: "SecondProcess",
            // `Shared` is a link to the sources of the second process in the engine's tests.
            dependencies: [.product(name: "SQLiteEngine", package: "Poolgauge")]
        ),
        .executableTarget(
            name: "Comparisons",
            dependencies: [
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "Telemetry", package: "Poolgauge"),
                .product(name: "WorkloadEngine", package: "Poolgauge"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
