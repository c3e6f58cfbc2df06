// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, because a path dependency is otherwise called after the directory of the clone.
        .package(name: "swift-key-value-observing", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "checksum",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingFoundation", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingSwizzling", package: "swift-key-value-observing"),
            ]),
        .executableTarget(
            name: "monitor",
            dependencies: [
                "MonitorCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .target(
            name: "MonitorCore",
            dependencies: [
                .product(name: "KeyValueCoding", package: "swift-key-value-observing"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingTrace", package: "swift-key-value-observing"),
            ]),
        .executableTarget(
            name: "status",
            dependencies: [
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "streams",
            dependencies: [
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ]),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "checksum", "configuration", "status", "streams", "todo",
                .product(name: "KeyValueCoding", package: "swift-key-value-observing"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingFoundation", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingHistory", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingSwizzling", package: "swift-key-value-observing"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            resources: [.copy("Expected")]),
        .testTarget(
            name: "MonitorCoreTests",
            dependencies: [
                "MonitorCore", "monitor",
                .product(name: "KeyValueCoding", package: "swift-key-value-observing"),
            ],
            resources: [.copy("Fixtures")]),
    ],
    swiftLanguageModes: [.v6]
)

// Short programs, each of which is about one thing.
for (name, products) in [
    "configuration": ["KeyValueCoding", "KeyValueObserving"],
    "todo": ["KeyValueObserving", "KeyValueObservingHistory"],
] {
    package.targets.append(
        .executableTarget(
            name: name,
            dependencies: products.map { .product(name: $0, package: "swift-key-value-observing") }))
}

// The settings of the library's own package.
for target in package.targets {
    var settings = target.swiftSettings ?? []
    settings += [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
        .enableUpcomingFeature("InferIsolatedConformances"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
        .strictMemorySafety(),
    ]
    target.swiftSettings = settings
}
