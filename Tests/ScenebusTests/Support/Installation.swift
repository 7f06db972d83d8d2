import Bus
import TestKit
import Foundation
import PeerLink
import Subprocess
import SystemPackage
import Testing

/// The exit code and output of a process that has ended.
struct Outcome: Sendable {
    /// The exit code, or 128 plus the signal's number when a signal ended the process, as in a shell.
    var code: Int32
    var output: String
    var error: String

    /// Decodes the output as JSON.
    func json<Value: Decodable>(_ type: Value.Type = Value.self, sourceLocation: SourceLocation = #_sourceLocation)
        throws -> Value
    {
        try #require(code == 0, "exit code \(code): \(error)\(output.suffix(2000))", sourceLocation: sourceLocation)
        return try JSONDecoder().decode(type, from: Data(output.utf8))
    }
}

/// One user's environment on one machine: a runtime folder, a state folder and the built executables.
final class Installation: Sendable {
    private let temporary: TemporaryFolder
    /// The environment of its programs.
    let environment: Environment

    var folder: String { temporary.path }

    /// - Parameter isLarge: Whether a package is built in the folder.
    init(isLarge: Bool = false) throws {
        temporary = try TemporaryFolder(isLarge: isLarge)
        let folder = temporary.path
        try FileManager.default.createDirectory(atPath: "\(folder)/state", withIntermediateDirectories: true)
        environment = .inherit.updating([
            "SCENEBUS_RUNTIME": "\(folder)/run", "XDG_STATE_HOME": "\(folder)/state", "SCENEBUS_HOST": nil,
            "SCENEBUS_KEYS": "\(folder)/keys",
        ])
    }

    /// The folder of the executables, which is also the test bundle's.
    static let executables = BuiltProgram.folder

    /// The package's folder.
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static var plugins: String { "\(package)/Plugins" }

    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// The files in the runtime folder.
    var runtimeFiles: [String] {
        FileManager.default.enumerator(atPath: "\(folder)/run")?.compactMap { $0 as? String }.sorted() ?? []
    }

    /// Runs a `scenebus` command until it exits.
    @discardableResult
    func scenebus(_ arguments: String...) async throws -> Outcome {
        try await run("\(Self.executables)/scenebus", arguments)
    }

    /// The identifier of the session that was opened first.
    func firstSession() async throws -> String {
        try #require(try await scenebus("sessions", "ls", "--json").json([SessionReply].self).first?.session)
    }

    /// Runs an executable until it exits and all processes have closed its output.
    func run(
        _ path: String, _ arguments: [String] = [], folder: String? = nil,
        whileRunning body: (Running) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let result = try await Subprocess.run(
            path.contains("/") ? .path(FilePath(path)) : .name(path), arguments: Arguments(arguments),
            environment: environment, workingDirectory: folder.map { FilePath($0) }, input: .none,
            output: .string(limit: 16 << 20), error: .string(limit: 16 << 20)
        ) { execution in
            try await body(
                Running(pid: execution.processIdentifier.value) { try execution.send(signal: Signal(rawValue: $0)) })
        }
        return Outcome(
            code: result.terminationStatus.shellCode, output: result.standardOutput, error: result.standardError)
    }

    /// A running process.
    struct Running {
        let pid: pid_t
        let send: (_ signal: Int32) throws -> Void
    }
}

// MARK: - A host

extension Installation {
    /// Runs a host for the duration of a body, then stops it with SIGTERM.
    ///
    /// The host's plugins inherit its standard error, so the output ends only when all of them have exited.
    /// - Returns: The host's outcome.
    @discardableResult
    func withHost(
        _ arguments: String..., plugins: String? = nil, waitFor: [String] = ["--plugins"], ends: Bool = true,
        _ body: (Running) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let arguments = ["host"] + (plugins.map { ["--plugins", $0] } ?? []) + arguments
        let outcome = try await run("\(Self.executables)/scenebus", arguments) { host in
            try await expectSuccess(of: ["wait"] + waitFor + ["--timeout", "30"])
            try await body(host)
            if ends { try host.send(SIGTERM) }
        }
        if ends {
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(runtimeFiles.isEmpty)
        }
        return outcome
    }

    private func expectSuccess(of arguments: [String]) async throws {
        let outcome = try await run("\(Self.executables)/scenebus", arguments)
        try #require(outcome.code == 0, "\(outcome.error)")
    }

    /// Repeats a command until its outcome satisfies the condition.
    ///
    /// A command is a process, which takes the processor from what is awaited. So the pauses between the looks grow.
    @discardableResult
    func until(
        _ arguments: String..., within limit: Duration = .seconds(20),
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: (Outcome) throws -> Bool
    ) async throws -> Outcome {
        let end = MonotonicInstant.now + limit
        var pause = Duration.milliseconds(50)
        while true {
            let outcome = try await run("\(Self.executables)/scenebus", arguments)
            if try condition(outcome) { return outcome }
            try #require(
                MonotonicInstant.now < end, "after \(limit): \(outcome.output)\(outcome.error)",
                sourceLocation: sourceLocation)
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(400))
        }
    }
}

// MARK: - What commands print as JSON

struct StatusReply: Decodable {
    struct Link: Decodable {
        var link: UInt64
        var peer: String
        var role: String
        var pid: Int32
    }
    var name: String
    var pid: Int32
    var endpoints: [String]
    var openSessions: Int
    var connectedScenes: Int
    var links: [Link]
    var counters: [String: Int]
    var problems: [String]
}

struct SessionReply: Decodable {
    var session: String
    var configuration: String
    var worker: String?
    var pid: Int32?
    var token: UInt64
    var problem: String?

    private enum Key: CodingKey { case session, configuration, worker, pid, token, problem }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        session = try fields.decode(String.self, forKey: .session)
        configuration = try fields.decode(String.self, forKey: .configuration)
        worker = try fields.decodeIfPresent(String.self, forKey: .worker)
        pid = try fields.decodeIfPresent(Int32.self, forKey: .pid)
        // A text, because it is larger than the whole numbers that most readers of JSON represent.
        let token = try fields.decode(String.self, forKey: .token)
        guard let token = UInt64(token) else {
            throw DecodingError.dataCorruptedError(
                forKey: .token, in: fields, debugDescription: "not a number: \(token)")
        }
        self.token = token
        problem = try fields.decodeIfPresent(String.self, forKey: .problem)
    }
}

struct PluginReply: Decodable {
    var id: String
    var instance: String
    var state: String
    var pid: Int32?
    var restarts: Int
    var problem: String?
}

struct EntryReply: Decodable {
    var key: String
    var revision: Int
    var owner: String
}

struct FindingReply: Decodable {
    var check: String
    var isFine: Bool
    var detail: String
}
