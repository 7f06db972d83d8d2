import OperatorKit

/// How many instructions a request and a start may take: the figures of "Hot paths" in Contributing.
enum InstructionBudget {
    /// The instructions of a request and its reply, on the main threads of both sides.
    static let both = 39_000.0
    /// The instructions of the life of a scene worker that gets one reply.
    static let start = 11_350_000.0
    /// How much more a measurement may have. Its figures differ by less from run to run.
    private static let tolerance = 1.03

    /// - Throws: ``CommandError`` that names the figures above the budget.
    static func check(_ figures: [String: Double]) throws {
        let excessive = [("both", both), ("start", start)].filter { name, budget in
            figures[name, default: .infinity] > budget * tolerance
        }
        guard !excessive.isEmpty else { return }
        let list = excessive.map { name, budget in
            "'\(name)' has \(Int(figures[name] ?? .nan)) instructions, and its budget is \(Int(budget))"
        }
        throw CommandError(
            .failure,
            list.joined(separator: "; ")
                + ": make it cheaper, or explain in Contributing why it costs more, and raise InstructionBudget")
    }
}
