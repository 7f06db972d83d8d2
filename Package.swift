// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// Set by deploy/test. Not always: a newer compiler's new warning must not stop a user's build.
let strict: [SwiftSetting] =
    Context.environment["SCENEBUS_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
    strict + [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

// Set by deploy/fuzz to "fuzzer", or "fuzzer,address": what comes from outside is decoded in instrumented code then.
let sanitizers = Context.environment["SCENEBUS_FUZZ"]
let fuzzed = settings + (sanitizers.map { [.unsafeFlags(["-sanitize=\($0)"])] } ?? [])

let package = Package(
    name: "SceneBus",
    products: [
        .library(name: "CoordinatorKit", targets: ["CoordinatorKit"]),
        .library(name: "SceneWorker", targets: ["SceneWorker"]),
        .library(name: "PluginKit", targets: ["PluginKit"]),
        .library(name: "SceneHost", targets: ["SceneHost"]),
        .executable(name: "scenebus", targets: ["scenebus"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The pattern: complete and testable in memory.
        .target(name: "CBOR", swiftSettings: fuzzed),
        .macro(
            name: "CoordinatorMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(
            name: "CoordinatorKit",
            dependencies: [
                "CBOR", "CoordinatorMacros", .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: fuzzed),

        // The bus.
        .systemLibrary(name: "CZeroMQ"),
        .target(name: "CConnections"),
        .target(name: "CMainLoop"),
        .target(
            name: "ZeroMQ",
            dependencies: [
                "CConnections", "CMainLoop", "CZeroMQ", .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .target(
            name: "Bus",
            dependencies: [
                "CBOR", "CoordinatorKit", .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: fuzzed),
        // What must hold for bytes from outside; what throws them is at the end.
        .target(name: "FuzzTargets", dependencies: ["Bus", "CBOR", "CoordinatorKit"], swiftSettings: fuzzed),
        .target(
            name: "Link",
            dependencies: [
                "Bus", "CBOR", "CoordinatorKit", "ZeroMQ", .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings),

        // The processes.
        .target(
            name: "PluginKit",
            dependencies: [
                "Bus", "CBOR", "CoordinatorKit", "Link", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "SceneWorker",
            dependencies: [
                "Bus", "CBOR", "CoordinatorKit", "Link", "PluginKit", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "Store",
            dependencies: ["CBOR", "CoordinatorKit", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: settings),
        .target(
            name: "SceneHost",
            dependencies: [
                "Bus", "CBOR", "CoordinatorKit", "Link", "Store", "ZeroMQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(name: "Monitor", dependencies: ["Bus", "CBOR", "Link", "ZeroMQ"], swiftSettings: settings),
        .executableTarget(
            name: "scenebus",
            dependencies: [
                "BenchMessages", "Bus", "CBOR", "CoordinatorKit", "Link", "Monitor", "SceneHost", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),

        // What `scenebus bench` starts.
        .executableTarget(
            name: "scenebus-bench-floor", path: "Sources/BenchFloor", linkerSettings: [.linkedLibrary("zmq")]),
        .target(name: "BenchAllocations"),
        .target(name: "BenchMessages", dependencies: ["CoordinatorKit"], swiftSettings: settings),
        .executableTarget(
            name: "scenebus-bench-peer",
            dependencies: [
                "BenchAllocations", "BenchMessages", "Bus", "CBOR", "CoordinatorKit", "Link", "SceneWorker", "ZeroMQ",
            ],
            path: "Sources/BenchPeer", swiftSettings: settings),

        // Several machines on one, for tests and for `scenebus-chaos`.
        .target(
            name: "NetworkLab",
            dependencies: [
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),

        // What `deploy/chaos` runs.
        .target(name: "ChaosHistory", swiftSettings: settings),
        .target(name: "CClockJump"),
        .executableTarget(
            name: "scenebus-chaos",
            dependencies: [
                "Bus", "CBOR", "CClockJump", "ChaosHistory", "CoordinatorKit", "Link", "NetworkLab", "PluginKit",
                "SceneHost", "SceneWorker", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Chaos", swiftSettings: settings),

        // The control room.
        .target(name: "MachineModel", path: "Plugins/Machine/Model", swiftSettings: settings),
        .target(
            name: "MachineMessages", dependencies: ["CoordinatorKit", "MachineModel"],
            path: "Plugins/Machine/Messages", swiftSettings: settings),
        .executableTarget(
            name: "machine-plugin",
            dependencies: [
                "AccountMessages", "CBOR", "CoordinatorKit", "MachineMessages", "MachineModel", "PluginKit",
            ],
            path: "Plugins/Machine/Plugin", swiftSettings: settings),
        .target(
            name: "AccountsModel",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Plugins/Accounts/Model", swiftSettings: settings),
        .target(
            name: "AccountMessages", dependencies: ["CoordinatorKit"], path: "Plugins/Accounts/Messages",
            swiftSettings: settings),
        .executableTarget(
            name: "accounts-plugin",
            dependencies: ["AccountMessages", "AccountsModel", "CBOR", "CoordinatorKit", "PluginKit"],
            path: "Plugins/Accounts/Plugin", swiftSettings: settings),
        .executableTarget(
            name: "controlroom-worker",
            dependencies: [
                "AccountMessages", "CBOR", "CoordinatorKit", "MachineMessages", "MachineModel", "SceneWorker",
            ],
            path: "Plugins/ControlRoom/Worker", swiftSettings: settings),

        // Tests mirror the targets.
        .testTarget(name: "CBORTests", dependencies: ["CBOR"], swiftSettings: settings),
        .testTarget(
            name: "CoordinatorMacrosTests",
            dependencies: [
                "CoordinatorMacros",
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .testTarget(name: "CoordinatorKitTests", dependencies: ["CBOR", "CoordinatorKit"], swiftSettings: settings),
        .testTarget(name: "ZeroMQTests", dependencies: ["ZeroMQ"], swiftSettings: settings),
        .testTarget(name: "BusTests", dependencies: ["Bus", "CBOR", "CoordinatorKit"], swiftSettings: settings),
        .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets"], swiftSettings: settings),
        .target(name: "CStoreLog", linkerSettings: [.linkedLibrary("sqlite3")]),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "CBOR", "CoordinatorKit", "CStoreLog", "Store", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SceneHostTests",
            dependencies: [
                "Bus", "CBOR", "CoordinatorKit", "Link", "Monitor", "PluginKit", "SceneHost", "SceneWorker", "Store",
                "ZeroMQ", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkLabTests",
            dependencies: [
                "NetworkLab", .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(name: "ChaosHistoryTests", dependencies: ["ChaosHistory"], swiftSettings: settings),
        .testTarget(name: "MachineModelTests", dependencies: ["MachineModel"], swiftSettings: settings),
        .testTarget(name: "AccountsModelTests", dependencies: ["AccountsModel"], swiftSettings: settings),
        .testTarget(
            name: "ScenebusTests",
            dependencies: [
                "accounts-plugin", "controlroom-worker", "machine-plugin", "scenebus", "scenebus-bench-peer",
                "scenebus-chaos", "NetworkLab",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
    ]
)

if let sanitizers {
    package.targets += [
        .target(name: "FuzzMemory", cSettings: [.unsafeFlags(["-fsanitize=\(sanitizers)"])]),
        .executableTarget(
            name: "scenebus-fuzz", dependencies: ["FuzzMemory", "FuzzTargets"], path: "Sources/Fuzz",
            swiftSettings: fuzzed,
            // libFuzzer has a `main` of its own; this linker prefers the one that it is told.
            linkerSettings: [.unsafeFlags(["-use-ld=lld", "-sanitize=\(sanitizers)"])]),
    ]
}
