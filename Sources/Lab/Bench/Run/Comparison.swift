import Foundation
import OperatorKit

/// The medians that a mode has measured.
struct Comparison {
    let mode: String
    /// `nil` for a mode that uses no socket.
    let transport: String?
    /// The size of a message in bytes; `nil` for a mode with a fixed size.
    var size: Int?
    let result: [(key: String, value: Double)]
    /// The figures of raw libzmq under the same keys, without those that it does not have.
    let floor: [(key: String, value: Double)]

    /// - Parameters:
    ///   - keys: the figures to show, in order.
    ///   - results: the figures of each round.
    ///   - floors: the floor's figures of each round.
    init(
        _ mode: String, transport: String?, _ keys: [String], results: [[String: Double]], floors: [[String: Double]]
    ) {
        func medians(_ keys: [String], _ rounds: [[String: Double]]) -> [(key: String, value: Double)] {
            keys.map { key in (key, median(rounds.compactMap { $0[key] })) }
        }
        self.mode = mode
        self.transport = transport
        result = medians(keys, results)
        floor = medians(keys.filter { key in floors.contains { $0[key] != nil } }, floors)
    }

    /// Prints a line for each side and one for their ratio, or JSON.
    func show(json: Bool) throws {
        if json { return try printJSON(object) }
        printLine(line("RESULT", result))
        guard !floor.isEmpty else { return }
        printLine(line("FLOOR", floor))
        printLine("RATIO " + ratios.map { "\($0.key)=\(Self.ratio($0.value))" }.joined(separator: " "))
    }

    /// The figures by side.
    var object: [String: [String: Double]] {
        func figures(_ side: [(key: String, value: Double)]) -> [String: Double] {
            Dictionary(uniqueKeysWithValues: side.map { ($0.key, $0.value) })
        }
        return floor.isEmpty ? ["result": figures(result)] : ["result": figures(result), "floor": figures(floor)]
    }

    /// The rows of a table in Markdown: mode, figure, SceneBus, libzmq, ratio.
    var rows: [String] {
        let ratios = ratios
        return result.map { figure in
            let name = [mode, transport, size.map { "\($0) B" }].compactMap(\.self).joined(separator: " ")
            let floor = floor.first { $0.key == figure.key }.map { Self.figure($0.value) } ?? ""
            let ratio = ratios.first { $0.key == figure.key }.map { Self.ratio($0.value) } ?? ""
            return "| \(name) | \(figure.key) | \(Self.figure(figure.value)) | \(floor) | \(ratio) |"
        }
    }

    /// The head of the table.
    static let header = ["| mode | figure | SceneBus | libzmq | ratio |", "|---|---|---|---|---|"]

    private var ratios: [(key: String, value: Double)] {
        result.compactMap { figure in
            floor.first { $0.key == figure.key }.map { (figure.key, figure.value / $0.value) }
        }
    }

    private func line(_ word: String, _ figures: [(key: String, value: Double)]) -> String {
        let place = (transport.map { " transport=\($0)" } ?? "") + (size.map { " size=\($0)" } ?? "")
        return "\(word) mode=\(mode)\(place) "
            + figures.map { "\($0.key)=\(Self.figure($0.value))" }.joined(separator: " ")
    }

    private static func figure(_ value: Double) -> String { String(format: "%.1f", value) }
    private static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
}
