// swift-tools-version: 6.2
import PackageDescription

// This separate package depends on the engine as any program would.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Poolgauge", path: "..")],
    targets: [
        .executableTarget(
            name: "WatchedPool",
            dependencies: [
                .product(name: "PoolgaugeAgent", package: "Poolgauge"),
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "Telemetry", package: "Poolgauge"),
            ],
            path: "WatchedPool",
            exclude: ["README.md"]
        ),
        .target(
            name: "NoteStore",
            dependencies: [.product(name: "SQLiteEngine", package: "Poolgauge")],
            path: "ReaderBudget/Sources"
        ),
        .testTarget(
            name: "NoteStoreTests",
            dependencies: [
                "NoteStore",
                .product(name: "SQLiteEngine", package: "Poolgauge"),
                .product(name: "Telemetry", package: "Poolgauge"),
                .product(name: "WorkloadEngine", package: "Poolgauge"),
            ],
            path: "ReaderBudget/Tests"
        ),
    ],
    swiftLanguageModes: [.v6]
)
