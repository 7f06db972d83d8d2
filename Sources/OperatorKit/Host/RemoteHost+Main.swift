import Messaging
import PeerLink
import ZeroMQ

extension RemoteHost {
    /// Attaches to a host, runs a body, and exits the process when it returns.
    ///
    /// Call it first in a synchronous `main`. An error is written to the standard error, and the process ends with 1, with 3
    /// if the host cannot be reached, or with 4 if it refuses.
    /// - Parameters:
    ///   - address: as for ``init(_:timeout:)``.
    ///   - timeout: as for ``init(_:timeout:)``.
    ///   - body: the program.
    public static func main(
        _ address: String? = nil, timeout: Duration = .seconds(10),
        _ body: @escaping @MainActor @Sendable (RemoteHost) async throws -> Void
    ) -> Never {
        MainLoop.run {
            do {
                let host = try await RemoteHost(address, timeout: timeout)
                defer { host.close() }
                try await body(host)
                return 0
            } catch {
                let error = CommandError(error)
                let name = ProcessArguments.all.first?.split(separator: "/").last ?? "client"
                StandardError.write("\(name): \(error.message.printableLines)")
                return error.code.rawValue
            }
        }
    }
}
