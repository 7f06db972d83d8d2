import Messaging
import PeerLink
import ZeroMQ

extension RemoteHost {
    /// Attaches to a host, runs a body, and exits the process when it returns. Ctrl-C and SIGTERM cancel the body's task.
    ///
    /// Call it first in a synchronous `main`. An error is written to the standard error. The process ends with 0, also when
    /// it was interrupted once it was attached, with 1 after an error, with 2 for a wrong argument of this function, with 3 if the host cannot be
    /// reached, or with 4 if it refuses.
    /// - Parameters:
    ///   - address: as for ``init(_:name:timeout:)``.
    ///   - name: as for ``init(_:name:timeout:)``.
    ///   - timeout: as for ``init(_:name:timeout:)``.
    ///   - body: the program.
    public nonisolated static func main(
        _ address: String? = nil, name: String? = nil, timeout: Duration = .seconds(10),
        _ body: @escaping @MainActor @Sendable (RemoteHost) async throws -> Void
    ) -> Never {
        MainLoop.run {
            do {
                let host = try await RemoteHost(address, name: name, timeout: timeout)
                defer { host.close() }
                do {
                    try await untilInterrupted { try await body(host) }
                } catch let error as MessageError {
                    throw (host.client.refusal as (any Error)?) ?? error
                }
                return 0
            } catch {
                let error = CommandError(error)
                let program = ProcessArguments.all.first?.split(separator: "/").last ?? "client"
                StandardError.write("\(program): \(error.message.printableLines)")
                return error.code.rawValue
            }
        }
    }
}
