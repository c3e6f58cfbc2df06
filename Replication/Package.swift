// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody needs a client of Redis who does not build it.
let package = Package(
    name: "Replication",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, because a path dependency is otherwise called after the directory of the clone.
        .package(name: "swift-key-value-observing", path: "..")
    ],
    targets: [
        .systemLibrary(
            name: "CHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(name: "Hiredis", dependencies: ["CHiredis"]),
        .target(
            name: "Replication",
            dependencies: [
                "Hiredis",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingHistory", package: "swift-key-value-observing"),
            ]),
        // A model, a program that changes it, and one that holds a copy of it.
        .target(
            name: "Board",
            dependencies: [
                "Replication",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingHistory", package: "swift-key-value-observing"),
            ]),
        .executableTarget(
            name: "board-writer",
            dependencies: [
                "Board", "Hiredis", "Replication",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ]),
        .executableTarget(
            name: "board-reader",
            dependencies: [
                "Board", "Hiredis", "Replication",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ]),
        .testTarget(
            name: "ReplicationTests",
            dependencies: [
                "Board", "Hiredis", "Replication", "board-reader", "board-writer",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingHistory", package: "swift-key-value-observing"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    // As in the package of the library.
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .strictMemorySafety(),
    ]
}
