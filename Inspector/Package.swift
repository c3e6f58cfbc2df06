// swift-tools-version: 6.3
import PackageDescription

// What tries the inspector: a program to look at, what it costs, and the tests. They need the trait, and so a package.
let package = Package(
    name: "Inspector",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [
        // Named, because a path dependency is otherwise called after the directory of the clone.
        .package(name: "swift-key-value-observing", path: "..", traits: ["Inspector"]),
        .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    ],
    targets: [
        // A program to look at.
        .executableTarget(
            name: "inspected",
            dependencies: [
                .product(name: "KeyValueInspector", package: "swift-key-value-observing"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ]),
        // Measures what the inspector costs the program.
        .executableTarget(
            name: "inspector-cost",
            dependencies: [
                .product(name: "KeyValueInspector", package: "swift-key-value-observing"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ],
            path: "Sources/InspectorCost"),
        .testTarget(
            name: "KeyValueInspectorTests",
            dependencies: [
                .product(name: "KeyValueInspector", package: "swift-key-value-observing"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingTrace", package: "swift-key-value-observing"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
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
