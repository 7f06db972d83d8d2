#if Console
    import ConsoleModel
    import Logging
    import NIOSSL
    import Synchronization

    /// The certificate with which the console speaks TLS. A newer one in its files takes its place for the connections that come then.
    final class LiveCertificate: Sendable {
        private struct State {
            var context: NIOSSLContext
            var certificate: ServerCertificate
            var versions: CertificateFiles.Versions
            /// Why newer files are not used, as it was said; `nil` if they are.
            var problem: String?
            /// Whether it was said that the certificate ends.
            var isEndSaid = false
        }

        private let files: CertificateFiles
        private let host: String
        private let logger: Logger
        private let state: Mutex<State>

        /// - Parameters:
        ///   - host: the name or address by which browsers reach the console.
        ///   - now: in seconds since 1970.
        /// - Throws: an error if the files hold no certificate that browsers can take now.
        init(_ files: CertificateFiles, for host: String, at now: Double, logger: Logger) async throws(SettingsError) {
            (self.files, self.host, self.logger) = (files, host, logger)
            let versions = files.versions
            let (context, certificate) = try await files.load(at: now)
            state = Mutex(State(context: context, certificate: certificate, versions: versions))
            warn(of: certificate)
        }

        /// What a new connection begins with.
        var context: NIOSSLContext { state.withLock { $0.context } }

        /// Takes up newer files. If they cannot be used, the earlier certificate stays, and the next call tries again.
        func renew(at now: Double) async {
            // What is read is at least as new, so that no change is missed.
            let versions = files.versions
            if state.withLock({ $0.versions != versions }) { await load(versions, at: now) }
            let end = state.withLock { state in
                defer { state.isEndSaid = true }
                return state.isEndSaid ? nil : state.certificate.end(near: now)
            }
            if let end {
                logger.warning(
                    "the certificate ends soon, and browsers refuse it then: put a newer one in its place",
                    metadata: ["file": "\(files.chain)", "end": "\(end)"])
            }
        }

        private func load(_ versions: CertificateFiles.Versions, at now: Double) async {
            do throws(SettingsError) {
                let (context, certificate) = try await files.load(at: now)
                state.withLock { $0 = State(context: context, certificate: certificate, versions: versions) }
                logger.notice("new connections get the newer certificate", metadata: ["file": "\(files.chain)"])
                warn(of: certificate)
            } catch {
                let isNew = state.withLock { state in
                    defer { state.problem = error.description }
                    return state.problem != error.description
                }
                guard isNew else { return }
                logger.warning(
                    "the newer certificate cannot be used, so the earlier one stays",
                    metadata: ["reason": "\(error.description)"])
            }
        }

        private func warn(of certificate: ServerCertificate) {
            guard !certificate.isFor(host) else { return }
            let names = certificate.names.isEmpty ? "none" : certificate.names.joined(separator: ", ")
            logger.warning(
                "browsers warn of the console, because its certificate is for other names: set 'address' to one of them",
                metadata: ["address": "\(host)", "names": "\(names)", "file": "\(files.chain)"])
        }
    }
#endif
