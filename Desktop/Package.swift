// swift-tools-version: 6.3
import PackageDescription

let observing: Target.Dependency = .product(name: "KeyValueObserving", package: "swift-key-value-observing")
let history: Target.Dependency = .product(
    name: "KeyValueObservingHistory", package: "swift-key-value-observing")

// A package of its own, so that nobody needs GTK who does not build it.
let package = Package(
    name: "Desktop",
    dependencies: [
        // Named, because a path dependency is otherwise called after the directory of the clone.
        .package(name: "swift-key-value-observing", path: "..")
    ],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
        // As much of GTK as the program needs.
        .target(name: "Gtk", dependencies: ["CGtk"]),
        // What follows observed properties in a window: to be copied.
        .target(name: "GtkObserving", dependencies: ["CGtk", "Gtk", observing]),
        .target(name: "DownloadModel", dependencies: [observing, history]),
        .executableTarget(
            name: "downloads", dependencies: ["DownloadModel", "DownloadWindow"]),
        .target(
            name: "DownloadWindow",
            dependencies: ["DownloadModel", "Gtk", "GtkObserving", observing, history]),
        .testTarget(name: "DownloadModelTests", dependencies: ["DownloadModel", observing, history]),
        // They need a display.
        .testTarget(
            name: "WindowTests",
            dependencies: ["DownloadModel", "DownloadWindow", "CGtk", "Gtk", "GtkObserving", observing, history]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
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
