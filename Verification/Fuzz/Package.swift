// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that no user of the library ever resolves it. `Scripts/fuzz` builds it, and the library, with
// libFuzzer's instrumentation and the address sanitizer.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-key-value-observing", path: "../..")],
    targets: [
        .target(name: "CFuzz"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CFuzz",
                .product(name: "KeyValueCoding", package: "swift-key-value-observing"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
