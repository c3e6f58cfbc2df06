// swift-tools-version: 6.3
import CompilerPluginSupport
import PackageDescription

// The tests of what is behind the traits of macros and publishers are a package of their own: they need swift-syntax and
// OpenCombine, and whoever runs them builds no others.
let package = Package(
    name: "TraitsTests",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, because a path dependency is otherwise called after the directory of the clone.
        .package(name: "swift-key-value-observing", path: "..", traits: ["Macros", "OpenCombine"]),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "603.0.0"..<"605.0.0"),
    ],
    targets: [
        .target(
            name: "TestSupport",
            dependencies: [.product(name: "KeyValueObserving", package: "swift-key-value-observing")],
            path: "TestSupport"),
        // It has the sources of the plugin: a test that depended on that would be built as a tool of the build, without the
        // flags that are given for it.
        // A test that depends on a macro is built as a tool, with the swift-syntax that the plugin is built with: else it
        // would be compiled twice.
        .macro(name: "Tool", path: "Tool"),
        .testTarget(
            name: "KeyValueObservingMacrosTests",
            dependencies: [
                "Tool",
                .product(name: "KeyValueCoding", package: "swift-key-value-observing"),
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingMacros", package: "swift-key-value-observing"),
                .product(name: "KeyValueTracking", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingStyles", package: "swift-key-value-observing"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
                "TestSupport",
            ],
            path: "KeyValueObservingMacrosTests"),
        .testTarget(
            name: "KeyValueObservingCombineTests",
            dependencies: [
                .product(name: "KeyValueObserving", package: "swift-key-value-observing"),
                .product(name: "KeyValueObservingCombine", package: "swift-key-value-observing"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            path: "KeyValueObservingCombineTests"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    // As in the package of the library.
    target.swiftSettings = [
        // What the sources ask for; in the package of the library these are the traits.
        .define("Macros"),
        .define("OpenCombine"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .strictMemorySafety(),
        // Flags of the command line are not for tools.
        .treatAllWarnings(as: .error),
    ]
}
