/// The names that no target of a package has which depends on SceneBus: for SwiftPM, each is the name of one target only.
enum TakenTargets {
    /// The targets of SceneBus but its tests, and what it uses of other packages, as its Package.swift names them.
    static let names: Set = [
        "Access", "AccountMessages", "accounts-plugin", "AccountsModel", "ArgumentParser", "BenchAllocations",
        "BenchConformances", "BenchMessages", "blocks-worker", "Bus", "CBOR", "CChildren", "CClockJump",
        "CConnections", "ChaosHistory", "CJobs", "console-bench", "console-plugin", "ConsoleMessages", "ConsoleModel",
        "ConsolePages", "controlroom-worker", "ControlRoomScenes", "CoordinatorKit", "CoordinatorMacros", "CProcess",
        "crashing-worker", "CSodium", "CStoreLog", "CZeroMQ", "DequeModule", "FuzzMemory", "FuzzTargets", "GRDB",
        "GRDBSQLite", "HashTreeCollections", "HeapModule", "HostileTexts", "HTTPTypes", "Hub", "Hummingbird",
        "HummingbirdCore", "InMemoryLogging", "LabBrowser", "LabClock", "Logging", "LoopExecutor", "machine-plugin",
        "MachineMessages", "MachineModel", "main-loop-probe", "MessageHandling", "Messaging", "Monotonic",
        "NetworkLab", "NIOCore", "NIOPosix", "NIOSSL", "OperatorKit", "OrderedCollections", "PeerLink", "PluginKit",
        "posting-app", "printing-plugin", "scenebus", "scenebus-bench", "scenebus-bench-chain", "scenebus-bench-floor",
        "scenebus-bench-peer", "scenebus-chaos", "scenebus-fuzz", "SceneContent", "SceneHost", "SceneWorker",
        "SeededRandom", "ServiceLifecycle", "Subprocess", "SwiftCompilerPlugin", "SwiftSyntaxMacroExpansion",
        "SwiftSyntaxMacros", "SystemPackage", "TestKit", "UnixSignals", "vault-plugin", "ZeroMQ",
    ]
}
