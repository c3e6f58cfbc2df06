// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Walk",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-key-value-observing", path: "../..")],
    targets: [
        .executableTarget(
            name: "walk",
            dependencies: [.product(name: "KeyValueObserving", package: "swift-key-value-observing")])
    ],
    swiftLanguageModes: [.v6]
)
