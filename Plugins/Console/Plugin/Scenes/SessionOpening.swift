#if Console
    import Bus
    import CBOR
    import Messaging
    import OperatorKit

    /// Opens sessions with identifiers that are kept before, so that a further attempt finds what an earlier one has opened, and closes
    /// them.
    @MainActor
    final class SessionOpening {
        /// How long the host may take to say something.
        private static let timeout = Duration.seconds(5)

        /// What is known of a session.
        enum Outcome: Sendable {
            case open
            /// The host does not open it.
            case refused(reason: String)
            /// The host does not answer now.
            case unknown
        }

        private let chain: @MainActor (_ user: String?) -> ResponderChain
        private var attempts: [String: Task<Outcome, Never>] = [:]

        /// - Parameter chain: returns the chain to the host, for what a user does, or for the console's own acts.
        init(over chain: @escaping @MainActor (_ user: String?) -> ResponderChain) { self.chain = chain }

        /// Opens a session, unless it is open. Whoever asks meanwhile gets the same answer.
        /// - Parameters:
        ///   - url: the link that its scene opens first; `nil` for none.
        ///   - user: whose act it is; `nil` for the console's own.
        func open(
            _ session: String, _ configuration: String, with url: String? = nil, for user: String? = nil
        ) async -> Outcome {
            if let attempt = attempts[session] { return await attempt.value }
            let attempt = Task { await ask(session, configuration, with: url, for: user) }
            attempts[session] = attempt
            let outcome = await attempt.value
            attempts[session] = nil
            return outcome
        }

        private func ask(
            _ session: String, _ configuration: String, with url: String?, for user: String?
        ) async -> Outcome {
            if let outcome = await find(session) { return outcome }
            do {
                let link = try url.map { try CBORRaw(encoding: DeepLink.url($0)) }
                _ = try await chain(user).within(Self.timeout).hostOpenSession(
                    configuration: configuration, role: RemoteSession.defaultRole, link: link, session: session)
                return .open
            } catch {
                // The reply may be late or lost, or an earlier request has arrived after all.
                if case .open? = await find(session) { return .open }
                return error is RemoteError ? .refused(reason: String(foreign: error)) : .unknown
            }
        }

        /// Whether a session is open, as far as the host says.
        func isOpen(_ session: String) async -> Bool {
            guard case .open? = await find(session) else { return false }
            return true
        }

        /// - Returns: `nil` if the session is not open.
        private func find(_ session: String) async -> Outcome? {
            do {
                return try await status(of: session).map { _ in .open }
            } catch {
                return error is RemoteError ? .refused(reason: String(foreign: error)) : .unknown
            }
        }

        /// What the host says of a session.
        /// - Returns: `nil` if the session is not open.
        func status(of session: String) async throws -> SessionStatus? {
            do {
                return try await chain(nil).within(Self.timeout).hostSession(session: session)
            } catch let error as RemoteError where error.sceneCommandCode == .unknownSession {
                return nil
            }
        }

        /// Whether anybody looks at a session's scene beside the console's own pages.
        /// - Returns: `nil` if the host does not answer now.
        func isWatched(_ session: String) async -> Bool? {
            do {
                let news = try await chain(nil).within(Self.timeout).hostSceneWatch(
                    session: session, known: nil, state: nil, problem: nil, watchers: SceneWatchers(), company: nil)
                return (news.company?.watchers.count ?? 0) > 0
            } catch let error as MessageError {
                return [.timeout, .peerLost, .draining, .overloaded].contains(error.code) ? nil : false
            } catch let error as RemoteError {
                return error.sceneCommandCode == .overloaded ? nil : false
            } catch {
                return nil
            }
        }

        /// Closes a session. One that is closed stays so.
        /// - Parameter user: whose act it is; `nil` for the console's own.
        func close(_ session: String, for user: String? = nil) async throws {
            // An attempt that is under way would open it again.
            _ = await attempts[session]?.value
            do {
                try await chain(user).within(Self.timeout).hostCloseSession(session: session)
            } catch let error as RemoteError where error.sceneCommandCode == .unknownSession {
                // Somebody else has closed it.
            }
        }
    }
#endif
