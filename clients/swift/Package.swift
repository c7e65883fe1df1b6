// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Surfaced",
    platforms: [.macOS(.v13)],
    products: [
        .library(name: "Surfaced", targets: ["Surfaced"]),
        .executable(name: "surfaced-open", targets: ["surfaced-open"]),
    ],
    targets: [
        .target(name: "Surfaced"),
        .executableTarget(name: "surfaced-open", dependencies: ["Surfaced"]),
        .testTarget(name: "SurfacedTests", dependencies: ["Surfaced"]),
    ]
)
