// swift-tools-version: 6.3
import PackageDescription

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-key-value-observing")
let history: Target.Dependency = .product(
    name: "KeyValueObservingHistory", package: "swift-key-value-observing")

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
            dependencies: ["Hiredis", observing, history]),
        // A model, a program that changes it, and one that holds a copy of it.
        .target(
            name: "Board",
            dependencies: ["Replication", observing, history]),
        .executableTarget(
            name: "board-writer",
            dependencies: ["Board", "Hiredis", "Replication", observing]),
        .executableTarget(
            name: "board-reader",
            dependencies: ["Board", "Hiredis", "Replication", observing]),
        .testTarget(
            name: "ReplicationTests",
            dependencies: ["Board", "Hiredis", "Replication", "board-reader", "board-writer", observing, history]),
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
