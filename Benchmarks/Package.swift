// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-key-value-observing", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    ],
    targets: [
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "BenchmarkModels",
                "CAllocationCounter",
                .product(name: "KeyValueObservingTrace", package: "swift-key-value-observing"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // A module of its own, as the models of a program often are; so nothing is inlined that would not be there.
        .target(
            name: "BenchmarkModels",
            dependencies: [
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueTracking", package: "swift-key-value-observing"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]),
        // Stands in for the allocator and counts, which Swift cannot do.
        .target(name: "CAllocationCounter"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CAllocationCounter" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
    ]
}
