// swift-tools-version: 6.3
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "swift-key-value-observing",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "KeyValueObserving", targets: ["KeyValueObserving"]),
        // Everything by name, apart so that models are not offered it and executables do not carry it.
        .library(name: "KeyValueCoding", targets: ["KeyValueCoding"]),
        // Delivery on dispatch queues, apart so that the library itself needs no Dispatch.
        .library(name: "KeyValueObservingDispatch", targets: ["KeyValueObservingDispatch"]),
        // Apart so that the library itself does not link Observation.
        .library(name: "KeyValueTracking", targets: ["KeyValueTracking"]),
        // Publishers, for Combine; elsewhere for OpenCombine, with the trait `OpenCombine`.
        .library(name: "KeyValueObservingCombine", targets: ["KeyValueObservingCombine"]),
        // Classes declared in one line, callbacks by convention: the trait `Macros` expands them. The callbacks are a preview.
        .library(name: "KeyValueObservingMacros", targets: ["KeyValueObservingMacros"]),

        // Preview products: a minor version may change them.

        // Other ways to call than the controller's.
        .library(name: "KeyValueObservingStyles", targets: ["KeyValueObservingStyles"]),
        // Undo, redo and replay of what is observed.
        .library(name: "KeyValueObservingHistory", targets: ["KeyValueObservingHistory"]),
        // What happened, and why.
        .library(name: "KeyValueObservingTrace", targets: ["KeyValueObservingTrace"]),
        // A page in the browser that shows what is observed and what changes, with the trait `Inspector`.
        .library(name: "KeyValueInspector", targets: ["KeyValueInspector"]),
        // Objects of classes that you do not own; apart, because it relies on more than the language reference guarantees.
        .library(name: "KeyValueObservingSwizzling", targets: ["KeyValueObservingSwizzling"]),
        // The same for classes of Foundation, which the library does not need.
        .library(name: "KeyValueObservingFoundation", targets: ["KeyValueObservingFoundation"]),
    ],
    traits: [
        // Off by default, so that a package that enables none resolves no dependency.
        .trait(name: "OpenCombine", description: "publisher(for:) for OpenCombine, where there is no Combine"),
        .trait(name: "Macros", description: "@KeyValueObservable and @WhenChanged"),
        .trait(name: "Inspector", description: "a page in the browser that shows what is observed"),
    ],
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "603.0.0"..<"605.0.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    ],
    targets: [
        .target(name: "KeyValueObserving", dependencies: ["CKeyValueObserving"]),
        // Thread-local variables, which Swift cannot declare.
        .target(name: "CKeyValueObserving"),
        .target(name: "KeyValueCoding", dependencies: ["KeyValueObserving"]),
        .target(name: "KeyValueObservingStyles", dependencies: ["KeyValueObserving"]),
        .target(name: "KeyValueObservingHistory", dependencies: ["KeyValueObserving"]),
        .target(
            name: "KeyValueObservingMacros",
            dependencies: [
                "KeyValueCoding", "KeyValueObserving", "KeyValueObservingMacrosPlugin", "KeyValueObservingStyles",
            ]),
        // A macro cannot be left out of a package: without the trait it is a program that does nothing.
        .macro(
            name: "KeyValueObservingMacrosPlugin",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax", condition: .when(traits: ["Macros"])),
            ],
            path: "Sources/MacrosPlugin"),
        .target(name: "KeyValueObservingTrace", dependencies: ["CKeyValueObservingTrace", "KeyValueObserving"]),
        // What runs while a program is loaded.
        .target(name: "CKeyValueObservingTrace"),
        .target(
            name: "KeyValueInspector",
            dependencies: [
                "KeyValueObserving", "KeyValueObservingTrace",
                .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
            ],
            resources: [.embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/page.js")]),
        .target(name: "KeyValueObservingDispatch", dependencies: ["KeyValueObserving"]),
        .target(name: "KeyValueTracking", dependencies: ["KeyValueObserving"]),
        .target(
            name: "KeyValueObservingCombine",
            dependencies: [
                "KeyValueObserving",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
            ]),
        .target(
            name: "KeyValueObservingSwizzling", dependencies: ["KeyValueObserving", "CKeyValueObservingSwizzling"]),
        // The class word of an object and its end, which Swift does not give access to.
        .target(name: "CKeyValueObservingSwizzling"),
        .target(
            name: "KeyValueObservingFoundation",
            dependencies: ["KeyValueCoding", "KeyValueObserving", "KeyValueObservingSwizzling"]),
        // A class of another module, as a package that knows nothing of this library has them; for tests only.
        .target(name: "ForeignClasses", path: "Tests/ForeignClasses"),
        // What the tests of several products share.
        .target(name: "TestSupport", dependencies: ["KeyValueObserving"], path: "Tests/TestSupport"),
        .testTarget(
            name: "KeyValueObservingTests",
            dependencies: ["KeyValueCoding", "KeyValueObserving", "KeyValueObservingStyles", "TestSupport"]),
        .testTarget(
            name: "KeyValueObservingHistoryTests",
            dependencies: ["KeyValueObserving", "KeyValueObservingHistory", "TestSupport"]),
        .testTarget(
            name: "KeyValueObservingTraceTests",
            dependencies: [
                "KeyValueObserving", "KeyValueObservingHistory", "KeyValueObservingTrace", "TestSupport",
            ]),
        .testTarget(name: "KeyValueObservingCombineTests", dependencies: ["KeyValueObservingCombine"]),
        .testTarget(
            name: "KeyValueObservingDispatchTests", dependencies: ["KeyValueObserving", "KeyValueObservingDispatch"]),
        .testTarget(
            name: "KeyValueTrackingTests",
            dependencies: ["KeyValueCoding", "KeyValueObserving", "KeyValueTracking", "TestSupport"]),
        .testTarget(
            name: "KeyValueObservingSwizzlingTests",
            dependencies: [
                "KeyValueObserving", "KeyValueObservingStyles", "KeyValueObservingSwizzling", "ForeignClasses",
                "TestSupport",
            ]),
        .testTarget(
            name: "KeyValueObservingFoundationTests",
            dependencies: [
                "KeyValueCoding", "KeyValueObserving", "KeyValueObservingFoundation", "KeyValueObservingSwizzling",
                "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The documentation index sets it when it builds: it documents what is behind the traits, too.
if Context.environment["SPI_GENERATE_DOCS"] != nil {
    package.traits.insert(.default(enabledTraits: Set(package.traits.map(\.name))))
}

for target in package.targets where !target.name.hasPrefix("CKeyValueObserving") {
    var settings = target.swiftSettings ?? []
    settings += [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
        .enableUpcomingFeature("InferIsolatedConformances"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
        .strictMemorySafety(),
    ]
    target.swiftSettings = settings
}
