// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody resolves or links an HTTP server who does not import the inspector.
let package = Package(
    name: "Inspector",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "KeyValueInspector", targets: ["KeyValueInspector"])],
    dependencies: [
        // Named, because a path dependency is otherwise called after the directory of the clone.
        .package(name: "swift-key-value-observing", path: ".."),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        .target(
            name: "KeyValueInspector",
            dependencies: [
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingTrace", package: "swift-key-value-observing"),
            ]),
        // A program to look at. It is here and not among the examples, which need no HTTP server.
        .executableTarget(
            name: "inspected",
            dependencies: [
                "KeyValueInspector",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ]),
        // Measures what the inspector costs the program.
        .executableTarget(
            name: "inspector-cost",
            dependencies: [
                "KeyValueInspector",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ],
            path: "Sources/InspectorCost"),
        .testTarget(
            name: "KeyValueInspectorTests",
            dependencies: [
                "KeyValueInspector",
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
