// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-key-value-observing", path: "..")],
    targets: [
        .executableTarget(name: "benchmarks", dependencies: ["BenchmarkModels"]),
        // A module of its own, as the models of a program often are; so nothing is inlined that would not be there.
        .target(
            name: "BenchmarkModels",
            dependencies: [.product(name: "KeyValueObserving", package: "swift-key-value-observing")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
    ]
}
