// swift-tools-version: 6.2
import PackageDescription

// This package is separate because it enables the trait GRDB, which the other examples do not need.
let package = Package(
    name: "WatchedGRDB",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Poolgauge", path: "../..", traits: ["GRDB"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "WatchedGRDB",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PoolgaugeAgent", package: "Poolgauge"),
                .product(name: "PoolgaugeGRDB", package: "Poolgauge"),
            ],
            path: "Sources"
        )
    ],
    swiftLanguageModes: [.v6]
)
