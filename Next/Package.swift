// swift-tools-version: 6.2
// The core of release 3 beside that of release 2, until its tests are through: see README.md.
import PackageDescription

let package = Package(
    name: "next",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    targets: [
        .target(name: "KeyValueObserving", dependencies: ["CKeyValueObserving"]),
        // All that follow are those of the package above, and meet the new core here.
        .target(name: "CKeyValueObserving"),
        .target(name: "KeyValueCoding", dependencies: ["KeyValueObserving"]),
        .target(name: "KeyValueObservingStyles", dependencies: ["KeyValueObserving"]),
        .target(name: "KeyValueObservingHistory", dependencies: ["KeyValueObserving"]),
        .target(name: "KeyValueObservingTrace", dependencies: ["CKeyValueObservingTrace", "KeyValueObserving"]),
        .target(name: "CKeyValueObservingTrace"),
        .target(
            name: "KeyValueObservingSwizzling", dependencies: ["KeyValueObserving", "CKeyValueObservingSwizzling"]),
        .target(name: "CKeyValueObservingSwizzling"),
        .target(name: "ForeignClasses", path: "Tests/ForeignClasses"),
        .target(name: "TestSupport", dependencies: ["KeyValueObserving"], path: "Tests/TestSupport"),
        .testTarget(
            name: "KeyValueObservingTests",
            dependencies: [
                "KeyValueObserving", "KeyValueObservingStyles", "KeyValueObservingSwizzling", "ForeignClasses",
                "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where !target.name.hasPrefix("CKeyValueObserving") {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("ImmutableWeakCaptures"),
        .strictMemorySafety(),
    ]
}
