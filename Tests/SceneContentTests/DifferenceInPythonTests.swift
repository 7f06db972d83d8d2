import CBOR
import FoundationEssentials
import SceneContent
import Subprocess
import Testing

/// The rule of differences in Python, which the protocol's page shows to authors of surfaces in other languages.
@Suite(.timeLimit(.minutes(5)))
struct DifferenceInPythonTests {
    private static let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

    /// All Python of the page.
    private static let rule: String = {
        var path = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { path.deleteLastPathComponent() }
        path.append(path: "Sources/Bus/Bus.docc/Protocol.md")
        let page = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return page.split(separator: "```python\n").dropFirst()
            .compactMap { $0.split(separator: "```").first.map(String.init) }.joined(separator: "\n")
    }()

    /// Applies each difference to its old picture, and compares the result with the new one, of which there is none if the
    /// difference does not fit.
    private static let check = """
        import json, sys

        history = json.load(sys.stdin)
        wrong = []
        for step in history["steps"]:
            try:
                result = merge("picture", history["pictures"][step["old"]], step["difference"])
            except KeyError:
                result = None
            if result != (None if step["new"] is None else history["pictures"][step["new"]]):
                wrong.append(step)
        print("%d steps, wrong: %s" % (len(history["steps"]), json.dumps(wrong)))
        """

    /// Pictures, and differences between some of them.
    private struct History {
        var pictures: [SceneLayers] = []
        private(set) var steps: [ContentNode] = []

        /// Adds the step from one of the pictures to another one.
        mutating func addStep(from old: Int, to new: Int) {
            addStep(from: old, pictures[new].difference(from: pictures[old]), to: new)
        }

        mutating func addStep(from old: Int, _ difference: ContentDifference, to new: Int?) {
            steps.append(
                .map([
                    "old": .number(Double(old)), "difference": difference.node,
                    "new": new.map { .number(Double($0)) } ?? .null,
                ]))
        }

        var json: String {
            ContentNode.map(["pictures": .list(pictures.map(\.node)), "steps": .list(steps)]).item.json
        }
    }

    @Test(
        "The page's rule in Python makes the same picture of an earlier one and a difference as the rule in Swift",
        .enabled(if: hasPython, "'python3' is not installed"))
    func page() async throws {
        var content = ContentHistory(seed: 1)
        var history = History(pictures: [content.layers])
        for number in 1...100 {
            content.step()
            history.pictures.append(content.layers)
            history.addStep(from: number - 1, to: number)
            if number >= 7 { history.addStep(from: number - 7, to: number) }
        }
        // What a reader does not know is carried on as it is, in whatever form.
        let forms: [[String: ContentNode]?] = [
            ["rows": .map(["a": "1"])], ["rows": .list(["1"])], ["rows": .map(["a": "2"]), "whole": true], nil,
        ]
        for form in forms {
            let blocks: [(key: String, node: ContentNode)] =
                form.map { [("new", .map($0.merging(["type": "new", "text": "x"]) { $1 }))] } ?? []
            history.pictures.append(SceneLayers([ContentLayer(key: "screen", title: "", blocks: blocks)]))
        }
        let others = history.pictures.indices.suffix(forms.count)
        for old in others {
            for new in others { history.addStep(from: old, to: new) }
        }
        // A difference for another picture does not fit.
        let one = others.lowerBound
        let change = history.pictures[one + 1].difference(from: history.pictures[one])
        history.pictures.append(SceneLayers())
        let nothing = history.pictures.count - 1
        history.addStep(from: one, to: nothing)
        history.addStep(from: nothing, to: one + 2)
        history.addStep(from: nothing, change, to: nil)

        let result = try await Subprocess.run(
            .name("python3"), arguments: ["-c", "\(Self.rule)\n\(Self.check)"], input: .string(history.json),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        #expect(result.standardError == "")
        #expect(result.standardOutput == "\(history.steps.count) steps, wrong: []\n")
    }
}
