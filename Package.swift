// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// Set only by deploy/test: a new warning of a newer compiler must not break a user's build.
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

// Set by deploy/fuzz to "fuzzer" or "fuzzer,address": builds the decoders of external input with instrumentation.
let sanitizers = Context.environment["SCENEBUS_FUZZ"]
let fuzzed = settings + (sanitizers.map { [.unsafeFlags(["-sanitize=\($0)"])] } ?? [])

let package = Package(
    name: "SceneBus",
    products: [
        .library(name: "Messaging", targets: ["Messaging"]),
        .library(name: "CoordinatorKit", targets: ["CoordinatorKit"]),
        .library(name: "SceneWorker", targets: ["SceneWorker"]),
        .library(name: "PluginKit", targets: ["PluginKit"]),
        .library(name: "SceneHost", targets: ["SceneHost"]),
        .library(name: "OperatorKit", targets: ["OperatorKit"]),
        // For applications whose users log in with the accounts plugin.
        .library(name: "AccountMessages", targets: ["AccountMessages"]),
        .executable(name: "scenebus", targets: ["scenebus"]),
    ],
    traits: [
        .trait(
            name: "LoopExecutor",
            description: """
                Runs the main actor in the loop that receives messages, with interfaces of the Swift runtime that are not \
                public. Without it, a process takes two more switches of threads each time that it wakes to read messages, and two for \
                each reply of the host that a task waits for.
                """),
        .trait(
            name: "Console",
            description: """
                Builds the console, which shows the scenes in browsers, with a web server. Without it, no package of the web \
                server is fetched or compiled.
                """),
        .default(enabledTraits: ["LoopExecutor"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // With swift-nio and swift-nio-ssl, only for the trait Console.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Only for the trait Console.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The time, as everything that waits measures it.
        .target(name: "Monotonic", swiftSettings: fuzzed),

        // The pattern: usable and testable in one process, without the bus.
        .target(name: "CBOR", swiftSettings: fuzzed),
        .macro(
            name: "CoordinatorMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            path: "Sources/Macros", swiftSettings: settings),
        .target(
            name: "Messaging",
            dependencies: [
                "CBOR", "CoordinatorMacros", "CProcess",
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: fuzzed),
        // What a scene shows, as values that surfaces draw.
        .target(name: "SceneContent", dependencies: ["CBOR", "CSodium", "Messaging"], swiftSettings: fuzzed),
        .target(
            name: "CoordinatorKit",
            dependencies: [
                "CBOR", "CoordinatorMacros", "Messaging", "SceneContent",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),

        // The bus.
        .systemLibrary(name: "CZeroMQ", path: "Sources/C/CZeroMQ"),
        .systemLibrary(name: "CSodium", path: "Sources/C/CSodium"),
        .target(name: "CChildren", path: "Sources/C/CChildren"),
        .target(name: "CProcess", path: "Sources/C/CProcess"),
        .target(name: "CConnections", path: "Sources/C/CConnections"),
        .target(name: "CJobs", path: "Sources/C/CJobs"),
        // What relies on the inside of the Swift runtime, and nothing else.
        .target(
            name: "LoopExecutor", dependencies: [.target(name: "CJobs", condition: .when(traits: ["LoopExecutor"]))],
            swiftSettings: settings),
        .target(
            name: "ZeroMQ",
            dependencies: [
                "CConnections", "CZeroMQ", "LoopExecutor", "Monotonic",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .target(
            name: "Bus",
            dependencies: [
                "CBOR", "Messaging", "Monotonic", "SceneContent",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ],
            swiftSettings: fuzzed),
        // What a process does with the messages that it receives, whoever has received them: a link or a hub.
        .target(
            name: "MessageHandling", dependencies: ["Bus", "CBOR", "Messaging", "ZeroMQ"], swiftSettings: settings),
        .target(
            name: "PeerLink",
            dependencies: [
                "Bus", "CBOR", "CProcess", "MessageHandling", "Messaging", "ZeroMQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),

        // What the key of a peer allows, as values.
        .target(name: "Access", dependencies: ["Bus", "Messaging", "ZeroMQ"], swiftSettings: fuzzed),

        .target(
            name: "Hub",
            dependencies: [
                "Access", "Bus", "CBOR", "MessageHandling", "Messaging", "ZeroMQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),

        // The processes.
        .target(
            name: "PluginKit",
            dependencies: [
                "Bus", "CBOR", "MessageHandling", "Messaging", "PeerLink", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "SceneWorker",
            dependencies: [
                "Bus", "CBOR", "CoordinatorKit", "MessageHandling", "Messaging", "PeerLink", "PluginKit",
                "SceneContent", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .target(
            name: "SceneHost",
            dependencies: [
                "Access", "Bus", "CBOR", "CChildren", "CoordinatorKit", "Hub", "MessageHandling", "Messaging",
                "PeerLink", "SceneContent",
                "ZeroMQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "OperatorKit",
            dependencies: [
                "Bus", "CBOR", "CProcess", "Messaging", "PeerLink", "SceneContent", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "scenebus",
            dependencies: [
                "Access", "Bus", "CBOR", "CProcess", "CoordinatorKit", "Messaging", "OperatorKit", "PeerLink",
                "SceneContent", "SceneHost",
                "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),

        // The control room.
        .target(name: "MachineModel", path: "Plugins/Machine/Model", swiftSettings: settings),
        .target(
            name: "MachineMessages", dependencies: ["Messaging", "MachineModel"],
            path: "Plugins/Machine/Messages", swiftSettings: settings),
        .executableTarget(
            name: "machine-plugin",
            dependencies: [
                "AccountMessages", "CBOR", "Messaging", "MachineMessages", "MachineModel", "PluginKit",
            ],
            path: "Plugins/Machine/Plugin", swiftSettings: settings),
        .target(
            name: "AccountsModel", dependencies: ["CSodium"], path: "Plugins/Accounts/Model", swiftSettings: settings),
        .target(
            name: "AccountMessages", dependencies: ["Messaging"], path: "Plugins/Accounts/Messages",
            swiftSettings: settings),
        .executableTarget(
            name: "accounts-plugin",
            dependencies: [
                "AccountMessages", "AccountsModel", "CBOR", "Messaging", "PluginKit",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Plugins/Accounts/Plugin", swiftSettings: settings),
        .target(
            name: "ControlRoomScenes",
            dependencies: [
                "AccountMessages", "CBOR", "CoordinatorKit", "Messaging", "MachineMessages", "MachineModel",
            ],
            path: "Plugins/ControlRoom/Scenes", swiftSettings: settings),
        .executableTarget(
            name: "controlroom-worker", dependencies: ["ControlRoomScenes", "CoordinatorKit", "SceneWorker"],
            path: "Plugins/ControlRoom/Worker", swiftSettings: settings),

        // The console, which shows the scenes in browsers.
        .target(
            name: "ConsoleMessages", dependencies: ["Messaging"], path: "Plugins/Console/Messages",
            swiftSettings: settings),
        .target(
            name: "ConsoleModel", dependencies: ["ConsolePages", "CSodium", "Monotonic", "SceneContent"],
            path: "Plugins/Console/Model", swiftSettings: settings),
        .executableTarget(
            name: "console-plugin",
            dependencies: [
                "AccountMessages", "Bus", "CBOR", "ConsoleMessages", "ConsoleModel", "ConsolePages", "Messaging",
                "Monotonic", "OperatorKit", "PeerLink", "PluginKit", "SceneContent",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Console"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Console"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Console"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Console"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Console"])),
            ],
            path: "Plugins/Console/Plugin", swiftSettings: settings),
        // Its figures, beside those of a web server alone.
        .executableTarget(
            name: "console-bench",
            dependencies: [
                "Bus", "CBOR", "ConsoleMessages", "LabBrowser", "LabClock", "Messaging", "OperatorKit", "PeerLink",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Console"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Console"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Console"])),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Plugins/Console/Bench", swiftSettings: settings),
        // Its pages.
        .target(
            name: "ConsolePages", dependencies: ["SceneContent"], path: "Plugins/Console/Pages",
            resources: ["fields.js", "morph.js", "scene.js", "forms.js", "input.js", "style.css", "pages.css"].map {
                .embedInCode("Assets/\($0)")
            },
            swiftSettings: settings),

        // Lab: the programs that `scenebus bench` runs.
        .executableTarget(
            name: "scenebus-bench",
            dependencies: [
                "Access", "BenchMessages", "Bus", "CBOR", "CoordinatorKit", "LabClock", "Messaging", "OperatorKit",
                "PeerLink", "SceneContent", "SceneHost", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Lab/Bench/Run", swiftSettings: settings),
        .executableTarget(
            name: "scenebus-bench-floor", path: "Sources/Lab/Bench/Floor",
            // Without Swift's runtime, which every executable loads otherwise, though this one is plain C.
            linkerSettings: [.linkedLibrary("zmq"), .unsafeFlags(["-static-stdlib", "-nostartfiles"])]),
        .target(name: "BenchAllocations", path: "Sources/Lab/Bench/Allocations"),
        .executableTarget(
            name: "scenebus-bench-chain", dependencies: ["BenchAllocations", "CoordinatorKit", "LabClock"],
            path: "Sources/Lab/Bench/Chain", swiftSettings: settings),
        .target(name: "BenchConformances", path: "Sources/Lab/Bench/Conformances"),
        .target(
            name: "BenchMessages", dependencies: ["Messaging"], path: "Sources/Lab/Bench/Messages",
            swiftSettings: settings),
        .executableTarget(
            name: "scenebus-bench-peer",
            dependencies: [
                "BenchConformances", "BenchMessages", "Bus", "CBOR", "CoordinatorKit", "LabClock", "Messaging",
                "PeerLink", "PluginKit", "SceneWorker", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Lab/Bench/Peer", swiftSettings: settings),

        // Lab: the machine's monotonic clock, shared by all processes.
        .target(name: "LabClock", path: "Sources/Lab/Clock", swiftSettings: settings),

        // Lab: a browser without a window, for tests and `console-bench`.
        .target(
            name: "LabBrowser",
            dependencies: ["Monotonic", .product(name: "Subprocess", package: "swift-subprocess")],
            path: "Sources/Lab/Browser", swiftSettings: settings),

        // Lab: reproducible random numbers from a seed.
        .target(name: "SeededRandom", path: "Sources/Lab/Random", swiftSettings: settings),

        // Lab: several simulated machines on one, for tests and `scenebus-chaos`.
        .target(
            name: "NetworkLab",
            dependencies: [
                "LabClock", .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Sources/Lab/Network", swiftSettings: settings),

        // Lab: the program that `deploy/chaos` runs.
        .target(
            name: "ChaosHistory", dependencies: ["SeededRandom"], path: "Sources/Lab/Chaos/History",
            swiftSettings: settings),
        .target(name: "CClockJump", path: "Sources/Lab/Chaos/ClockJump"),
        .executableTarget(
            name: "scenebus-chaos",
            dependencies: [
                "Access", "Bus", "CBOR", "CClockJump", "ChaosHistory", "CoordinatorKit", "LabClock", "Messaging",
                "NetworkLab", "OperatorKit", "PeerLink", "PluginKit", "SceneContent", "SceneHost", "SceneWorker",
                "SeededRandom", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Lab/Chaos/Run", swiftSettings: settings),

        // Lab: the properties of the decoders of external input. The fuzzer itself is at the end of this file.
        .target(
            name: "FuzzTargets", dependencies: ["Access", "Bus", "CBOR", "Messaging", "SceneContent", "ZeroMQ"],
            path: "Sources/Lab/Fuzz/Targets",
            swiftSettings: fuzzed),
        // Lab: a log of SQLite's file operations, for the tests of power cuts.
        .target(name: "CStoreLog", path: "Sources/Lab/StoreLog", linkerSettings: [.linkedLibrary("sqlite3")]),

        // The test targets mirror the targets.
        .target(
            name: "TestKit",
            dependencies: [
                "Bus", "CBOR", "MessageHandling", "Messaging", "PeerLink", "SeededRandom", "ZeroMQ",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/TestKit", swiftSettings: settings),
        // Texts that surfaces must not take for anything else.
        .target(
            name: "HostileTexts", dependencies: ["SceneContent"], path: "Tests/HostileTexts", swiftSettings: settings),
        .testTarget(name: "CBORTests", dependencies: ["CBOR", "SeededRandom"], swiftSettings: settings),
        .testTarget(
            name: "MacrosTests",
            dependencies: [
                "Messaging", "TestKit", .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(name: "MessagingTests", dependencies: ["CBOR", "Messaging"], swiftSettings: settings),
        .testTarget(
            name: "SceneContentTests",
            dependencies: [
                "CBOR", "Messaging", "SceneContent", "SeededRandom",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CoordinatorKitTests", dependencies: ["CBOR", "CoordinatorKit", "Messaging", "SceneContent"],
            swiftSettings: settings),
        // Runs the main loop, which `swift test` has none of.
        .executableTarget(
            name: "main-loop-probe", dependencies: ["ZeroMQ"], path: "Tests/MainLoopProbe", swiftSettings: settings),
        .executableTarget(
            name: "crashing-worker", dependencies: ["CoordinatorKit", "SceneWorker"], path: "Tests/CrashingWorker",
            swiftSettings: settings),
        // Shows every block, for the tests of surfaces.
        .executableTarget(
            name: "blocks-worker", dependencies: ["CoordinatorKit", "HostileTexts", "SceneWorker"],
            path: "Tests/BlocksWorker", swiftSettings: settings),
        // A host, a plugin or a worker, for the tests of actions that post.
        .executableTarget(
            name: "posting-app", dependencies: ["CoordinatorKit", "PluginKit", "SceneHost", "SceneWorker"],
            path: "Tests/PostingApp", swiftSettings: settings),
        // Says all that it knows, with secrets in it.
        .executableTarget(
            name: "vault-plugin", dependencies: ["PluginKit", .product(name: "Logging", package: "swift-log")],
            path: "Tests/VaultPlugin", swiftSettings: settings),
        // Prints into a pipe, as plugins of others do.
        .executableTarget(
            name: "printing-plugin", dependencies: ["PluginKit", .product(name: "Logging", package: "swift-log")],
            path: "Tests/PrintingPlugin", swiftSettings: settings),
        .testTarget(
            name: "ZeroMQTests", dependencies: ["CConnections", "main-loop-probe", "TestKit", "ZeroMQ"],
            swiftSettings: settings),
        .testTarget(
            name: "BusTests",
            dependencies: ["Bus", "CBOR", "CoordinatorKit", "Messaging", "Monotonic", "SceneContent", "SeededRandom"],
            swiftSettings: settings),
        .testTarget(
            name: "MessageHandlingTests",
            dependencies: ["Bus", "CBOR", "MessageHandling", "Messaging", "TestKit", "ZeroMQ"],
            swiftSettings: settings),
        .testTarget(
            name: "AccessTests", dependencies: ["Access", "Bus", "Messaging", "ZeroMQ"], swiftSettings: settings),
        .testTarget(
            name: "HubTests",
            dependencies: [
                "Access", "Bus", "CBOR", "Hub", "MessageHandling", "Messaging", "PeerLink", "TestKit", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PeerLinkTests",
            dependencies: ["Bus", "CBOR", "MessageHandling", "Messaging", "PeerLink", "TestKit", "ZeroMQ"],
            swiftSettings: settings),
        .testTarget(
            name: "PluginKitTests",
            dependencies: [
                "Bus", "CBOR", "MessageHandling", "Messaging", "PeerLink", "PluginKit", "TestKit", "ZeroMQ",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SceneWorkerTests",
            dependencies: [
                "Bus", "CBOR", "CoordinatorKit", "Messaging", "PeerLink", "PluginKit", "SceneContent", "SceneWorker",
                "TestKit", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "OperatorKitTests",
            dependencies: [
                "Bus", "CBOR", "Messaging", "OperatorKit", "PeerLink", "SceneContent", "SeededRandom", "TestKit",
                "ZeroMQ",
            ],
            swiftSettings: settings),
        .testTarget(name: "FuzzTargetsTests", dependencies: ["FuzzTargets"], swiftSettings: settings),
        .testTarget(
            name: "SceneHostTests",
            dependencies: [
                "Access", "Bus", "CBOR", "CoordinatorKit", "CStoreLog", "Hub", "Messaging", "OperatorKit", "PeerLink",
                "PluginKit", "SceneContent", "SceneHost",
                "SceneWorker", "SeededRandom", "TestKit", "ZeroMQ", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkLabTests",
            dependencies: [
                "NetworkLab", "TestKit", .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(name: "ChaosHistoryTests", dependencies: ["ChaosHistory"], swiftSettings: settings),
        .testTarget(name: "MachineModelTests", dependencies: ["MachineModel", "TestKit"], swiftSettings: settings),
        .testTarget(
            name: "AccountsModelTests", dependencies: ["AccountsModel", "CSodium", "TestKit"], swiftSettings: settings),
        .testTarget(
            name: "ControlRoomTests",
            dependencies: [
                "AccountMessages", "CBOR", "ControlRoomScenes", "CoordinatorKit", "MachineMessages", "MachineModel",
                "Messaging", "TestKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ConsoleTests",
            dependencies: [
                "Bus", "CBOR", "console-plugin", "ConsoleModel", "ConsolePages", "Messaging", "Monotonic",
                "SceneContent", "TestKit",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Console"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Console"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Console"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ConsolePagesTests", dependencies: ["ConsolePages", "HostileTexts", "SceneContent", "SeededRandom"],
            swiftSettings: settings),
        .testTarget(
            name: "PluginsTests",
            dependencies: [
                "accounts-plugin", "machine-plugin", "AccountMessages", "AccountsModel", "Bus", "CBOR", "MachineModel",
                "Messaging", "TestKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ScenebusTests",
            dependencies: [
                "Access",
                "accounts-plugin", "blocks-worker", "console-bench", "console-plugin", "controlroom-worker",
                "crashing-worker",
                "machine-plugin",
                "posting-app",
                "printing-plugin", "scenebus", "scenebus-bench", "scenebus-bench-peer", "scenebus-chaos",
                "vault-plugin", "Bus", "CBOR",
                "HostileTexts", "Hub", "LabBrowser", "MessageHandling", "Messaging", "Monotonic", "NetworkLab",
                "PeerLink", "TestKit", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
    ]
)

if let sanitizers {
    package.targets += [
        .target(
            name: "FuzzMemory", path: "Sources/Lab/Fuzz/Memory", cSettings: [.unsafeFlags(["-fsanitize=\(sanitizers)"])]
        ),
        .executableTarget(
            name: "scenebus-fuzz", dependencies: ["FuzzMemory", "FuzzTargets"], path: "Sources/Lab/Fuzz/Run",
            swiftSettings: fuzzed,
            // libFuzzer has its own `main`; lld uses the one of this target.
            linkerSettings: [.unsafeFlags(["-use-ld=lld", "-sanitize=\(sanitizers)"])]),
    ]
}

// Set by deploy/sanitize and deploy/test --long: only the tests of what is hot, and what they depend on.
if Context.environment["SCENEBUS_SANITIZE"] != nil {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    func keep(_ name: String) {
        guard let target = targets[name], kept.insert(name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): keep(name)
            default: break
            }
        }
    }
    let tested = [
        "BusTests", "CBORTests", "CoordinatorKitTests", "HubTests", "MessageHandlingTests", "MessagingTests",
        "PeerLinkTests", "ZeroMQTests",
    ]
    for name in tested { keep(name) }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}
