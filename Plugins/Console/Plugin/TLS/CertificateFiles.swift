/// The files of a certificate, which a program that renews it may replace at any time.
struct CertificateFiles: Hashable, Sendable {
    /// The file of the certificate and those that lead to its issuer, as PEM.
    let chain: String
    /// The file of its private key, as PEM.
    let key: String
}

#if Console
    import ConsoleModel
    import Glibc
    import NIOSSL
    import PeerLink

    extension CertificateFiles {
        /// The largest file that is read, in bytes.
        private static let maximumSize = 1 << 20

        /// What tells the files from their later versions.
        struct Versions: Hashable, Sendable {
            fileprivate let chain, key: PrivateFile.Version?
        }

        /// The files as they are now.
        var versions: Versions { Versions(chain: .init(of: chain), key: .init(of: key)) }

        /// Reads a certificate with its key, and checks that browsers can take it now.
        /// - Throws: an error that names the file and the way out.
        @concurrent func load(
            at now: Double
        ) async throws(SettingsError) -> (context: NIOSSLContext, certificate: ServerCertificate) {
            let chain = try readChain()
            let key = try readKey()
            guard let own = chain.first else { throw SettingsError("\(self.chain) has no certificate") }
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            let context: NIOSSLContext
            do {
                context = try NIOSSLContext(configuration: configuration)
            } catch NIOSSLError.failedToLoadPrivateKey {
                throw SettingsError(
                    "the key in \(self.key) does not fit the first certificate in \(self.chain), which must be the "
                        + "console's own")
            } catch {
                throw SettingsError("\(self.chain) cannot be used with \(self.key): \(error)")
            }
            let certificate = ServerCertificate(own)
            if let problem = certificate.problem(at: now) {
                throw SettingsError(
                    "browsers refuse the certificate in \(self.chain): \(problem); put a valid one there")
            }
            return (context, certificate)
        }

        private func readChain() throws(SettingsError) -> [NIOSSLCertificate] {
            let text = try read(chain, "certificate", isSecret: false)
            guard text.contains("-----BEGIN CERTIFICATE-----") else {
                throw SettingsError("'certificate': \(chain) has no certificate as PEM, with a line BEGIN CERTIFICATE")
            }
            do {
                return try NIOSSLCertificate.fromPEMBytes(Array(text.utf8))
            } catch {
                throw SettingsError("'certificate': \(chain) cannot be understood: \(error)")
            }
        }

        private func readKey() throws(SettingsError) -> NIOSSLPrivateKey {
            let text = try read(key, "certificateKey", isSecret: true)
            guard text.contains("PRIVATE KEY-----") else {
                throw SettingsError("'certificateKey': \(key) has no private key as PEM, with a line BEGIN PRIVATE KEY")
            }
            // The library would ask for the password on a terminal.
            guard !text.contains("ENCRYPTED") else {
                throw SettingsError(
                    "'certificateKey': the key in \(key) is encrypted: write it without a password, for example with "
                        + "'openssl pkey -in \(key) -out NEW', in a file that only this user may read")
            }
            do {
                return try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem)
            } catch {
                throw SettingsError("'certificateKey': \(key) cannot be understood: \(error)")
            }
        }

        private func read(_ path: String, _ setting: String, isSecret: Bool) throws(SettingsError) -> String {
            do throws(PrivatePathError) {
                // Programs that renew certificates have symbolic links lead to the newest.
                return try PrivateFile.read(Self.target(of: path), maximumSize: Self.maximumSize, isSecret: isSecret)
            } catch {
                throw SettingsError("'\(setting)': \(error.description)")
            }
        }

        /// The file to which symbolic links lead; the path itself if there is none.
        private static func target(of path: String) -> String {
            guard let target = realpath(path, nil) else { return path }
            defer { free(target) }
            return String(cString: target)
        }
    }

    extension ServerCertificate {
        fileprivate init(_ certificate: NIOSSLCertificate) {
            self.init(
                names: certificate._subjectAlternativeNames().compactMap { name in
                    switch name.nameType {
                    case .dnsName: String(decoding: name.contents, as: UTF8.self)
                    case .ipAddress: Self.address(Array(name.contents))
                    default: nil
                    }
                },
                start: Double(certificate.notValidBefore), end: Double(certificate.notValidAfter))
        }

        /// An address as a text.
        private static func address(_ bytes: [UInt8]) -> String? {
            let family = bytes.count == 4 ? AF_INET : bytes.count == 16 ? AF_INET6 : nil
            guard let family else { return nil }
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                guard let base = text.baseAddress,
                    inet_ntop(family, bytes, base, socklen_t(text.count)) != nil
                else { return nil }
                return String(cString: base)
            }
        }
    }
#endif
