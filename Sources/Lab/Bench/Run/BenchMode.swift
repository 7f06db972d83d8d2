import OperatorKit
import ArgumentParser
import BenchMessages
import Bus
import Messaging
import Foundation
import PeerLink

/// A mode whose figures can be shown in lines, as JSON, and in a table.
protocol BenchMode: LoopCommand {
    var json: Bool { get }
    @MainActor func measure() async throws -> Comparison
}

extension BenchMode {
    func execute() async throws {
        try await BenchInterruption.run { try await measure().show(json: json) }
    }
}
