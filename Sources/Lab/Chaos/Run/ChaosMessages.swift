import ChaosHistory
import Messaging

/// The messages of scenes and clients to the ledger, which records each effect before it replies.
@ResponderMessages
protocol ChaosMessages {
    func chaosPlain(id: String) async throws -> String
    @Idempotent func chaosIdempotent(id: String) async throws -> String
    @Once func chaosOnce(id: String) async throws -> String
    func chaosPost(id: String)
    /// Sets the entry `chaosLedger`, and returns its value.
    func chaosWrite(id: String) async throws -> Counter
}

/// The messages of the fault maker to the ticker.
@ResponderMessages
protocol ChaosControlMessages {
    /// Tells all processes to stop sending. The entries keep their values.
    @Idempotent func chaosQuiet() async throws
}

extension ResponderChain: ChaosMessages, ChaosControlMessages {}

extension AppDependency {
    /// Changes with each write.
    @Entry var chaosLedger: Counter?
    /// Changes continuously.
    @Entry var chaosTick: Counter?
    /// Changes continuously, and is large.
    @Entry var chaosLarge: LargeEntry?
    /// Set at the end of the run: no process sends anything more.
    @Entry var chaosIsQuiet: Bool?
}

/// An entry that is larger than a network packet.
struct LargeEntry: Codable, Sendable {
    var counter: Counter
    var padding: String
}

/// The entries that all processes watch and record.
enum WatchedEntry: String, CaseIterable {
    case chaosLedger, chaosTick, chaosLarge

    func value(in container: AppDependency?) -> Counter? {
        switch self {
        case .chaosLedger: container?.chaosLedger
        case .chaosTick: container?.chaosTick
        case .chaosLarge: container?.chaosLarge?.counter
        }
    }
}
