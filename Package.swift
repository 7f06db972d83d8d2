// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "SceneBus",
    products: [
        .library(name: "CoordinatorKit", targets: ["CoordinatorKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        .target(name: "CBOR", swiftSettings: settings),
        .macro(
            name: "CoordinatorMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(name: "CoordinatorKit", dependencies: ["CBOR", "CoordinatorMacros"], swiftSettings: settings),
        .systemLibrary(name: "CZeroMQ"),
        .target(name: "ZeroMQ", dependencies: ["CZeroMQ"], swiftSettings: settings),
    ]
)
