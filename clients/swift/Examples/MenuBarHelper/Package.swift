// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "MenuBarHelper",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Surfaced", path: "../..")],
    targets: [
        .executableTarget(name: "MenuBarHelper", dependencies: [.product(name: "Surfaced", package: "Surfaced")])
    ]
)
