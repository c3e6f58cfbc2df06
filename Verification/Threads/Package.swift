// swift-tools-version: 6.3
// What optimization and threads can break: random programs, and whatever runs on several threads. All of it is linked from
// the package above, so that it can be built by itself: optimized, and under the thread sanitizer.
// Only the library is optimized: with the tests it takes twice as long. The scenarios of Scripts/explore are optimized, too.
import PackageDescription

let package = Package(
    name: "threads",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "KeyValueObserving", dependencies: ["CKeyValueObserving"]),
        .target(name: "CKeyValueObserving"),
        .target(name: "KeyValueCoding", dependencies: ["KeyValueObserving"]),
        .target(name: "KeyValueObservingStyles", dependencies: ["KeyValueObserving"]),
        .target(name: "TestSupport", dependencies: ["KeyValueObserving"]),
        .testTarget(
            name: "ThreadTests",
            dependencies: ["KeyValueCoding", "KeyValueObserving", "KeyValueObservingStyles", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where !target.name.hasPrefix("CKeyValueObserving") {
    target.swiftSettings = [
        .unsafeFlags(target.type == .test ? ["-Onone"] : [], .when(configuration: .release)),
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("ImmutableWeakCaptures"),
        .strictMemorySafety(),
    ]
}
