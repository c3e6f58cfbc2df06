// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that no user of the library ever resolves what it needs. `Scripts/explore` builds it with the
// library's locks and atomic words handed to a scheduler.
let package = Package(
    name: "Explore",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-key-value-observing", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CExplore"),
        .target(name: "ExploreForeign"),
        .executableTarget(
            name: "Explore",
            dependencies: [
                "CExplore", "ExploreForeign",
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingStyles", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingSwizzling", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingTrace", package: "swift-key-value-observing"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
