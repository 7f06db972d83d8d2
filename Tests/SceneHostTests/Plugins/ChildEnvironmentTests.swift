import Testing

@testable import SceneHost

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ChildEnvironmentTests {
    private func entries(_ texts: String...) throws -> [ChildEnvironment.Entry] {
        try texts.map { try #require(ChildEnvironment.Entry($0)) }
    }

    /// What a process gets of every host.
    private static let standard = "SWIFT_BACKTRACE=registers=none"

    /// The variables without the zeros at their ends, and without the one that every process gets.
    private func variables(
        _ entries: [ChildEnvironment.Entry], from host: [String], own: [String: String] = [:]
    ) -> [String] {
        ChildEnvironment(entries: entries).variables(from: host.map { Array($0.utf8) }, own: own).map {
            #expect($0.last == 0)
            return String(decoding: $0.dropLast(), as: UTF8.self)
        }.filter { $0 != Self.standard }
    }

    @Test("What is not on the list, and not named, is left out")
    func list() throws {
        let host = ["PATH=/bin", "LC_ALL=C", "TOKEN=t", "SCENEBUS_KEYS=/k", "PATHS=/x", "LC=1", "odd", "=x"]
        #expect(variables([], from: host) == ["LC_ALL=C", "PATH=/bin"])
        #expect(variables(try entries("TOKEN"), from: host) == ["LC_ALL=C", "PATH=/bin", "TOKEN=t"])
        #expect(variables(try entries("SCENEBUS_K*"), from: ["SCENEBUS_KEYS=/k"]) == ["SCENEBUS_KEYS=/k"])
    }

    @Test("A value of the manifest counts instead of the host's, and what the host tells counts in any case")
    func precedence() throws {
        let host = ["PATH=/bin", "SCENEBUS_HOST=ipc:///other", "SCENEBUS_GUARD=other"]
        let chosen = variables(try entries("PATH=/opt", "SCENEBUS_*"), from: host, own: ["SCENEBUS_HOST": "ipc:///own"])
        #expect(chosen == ["PATH=/opt", "SCENEBUS_HOST=ipc:///own"])
    }

    @Test("A value is passed on byte by byte")
    func bytes() {
        let value: [UInt8] = Array("HOME=/".utf8) + [0xE9]
        #expect(ChildEnvironment().variables(from: [value]).first == value + [0])
    }

    @Test("A crash report has no registers, unless the host's environment or the manifest asks for them")
    func crashReports() throws {
        func value(_ host: [String], _ entries: [ChildEnvironment.Entry] = []) -> [String] {
            ChildEnvironment(entries: entries).variables(from: host.map { Array($0.utf8) }).map {
                String(decoding: $0.dropLast(), as: UTF8.self)
            }
        }
        #expect(value([]) == [Self.standard])
        #expect(value(["SWIFT_BACKTRACE=enable=no"]) == ["SWIFT_BACKTRACE=enable=no"])
        #expect(value([], try entries("SWIFT_BACKTRACE=registers=all")) == ["SWIFT_BACKTRACE=registers=all"])
        #expect(value([], try entries("SWIFT_BACKTRACE")) == [Self.standard])
    }

    @Test("An entry is NAME, NAME* or NAME=VALUE")
    func forms() throws {
        #expect(ChildEnvironment.Entry("A_1") == .passed("A_1"))
        #expect(ChildEnvironment.Entry("A_*") == .passedAll(prefix: "A_"))
        #expect(ChildEnvironment.Entry("A=b=*c") == .set("A", value: "b=*c"))
        #expect(ChildEnvironment.Entry("A=") == .set("A", value: ""))
        for wrong in ["", "*", "1A", "A B", "A-B", "=x", "é", "A*B", "A**", "A=\u{0}", " A", "A\n"] {
            #expect(ChildEnvironment.Entry(wrong) == nil, "\(wrong)")
        }
    }

    @Test("The environment of this process is complete")
    func own() {
        #expect(ChildEnvironment.ofThisProcess().contains { $0.starts(with: "PATH=".utf8) })
    }
}
