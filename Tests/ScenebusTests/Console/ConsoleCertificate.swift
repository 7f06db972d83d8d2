import Foundation
import Testing

/// A certificate that nobody but the test has signed, and its key.
struct ConsoleCertificate: Sendable {
    /// The files.
    let chain: String
    let key: String

    /// Whether there is what makes certificates, and a client that checks them.
    static let canBeMade = ["openssl", "curl"].allSatisfy { tool in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
        }
    }

    /// What a host is given to have its console speak TLS with it.
    var options: [String] {
        ["--configure", "console.certificate=\(chain)", "--configure", "console.certificateKey=\(key)"]
    }
}

extension Installation {
    /// Makes a certificate.
    /// - Parameters:
    ///   - name: the name of the files.
    ///   - names: for which names it is, as OpenSSL writes them.
    ///   - start: from when on it is valid, as year, month, day, hour, minute and second.
    func makeCertificate(
        _ name: String, for names: String = "IP:127.0.0.1", from start: String = "20200101000000",
        to end: String = "21200101000000"
    ) async throws -> ConsoleCertificate {
        try write("", to: "tls/\(name).db")
        try write("01\n", to: "tls/\(name).serial")
        try write(
            """
            [self]
            database = \(name).db
            new_certs_dir = .
            serial = \(name).serial
            default_md = sha256
            policy = any
            copy_extensions = copy
            [any]
            commonName = supplied

            """, to: "tls/\(name).cnf")
        try await openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            "\(name).key", "-out", "\(name).csr", "-subj", "/CN=console", "-addext", "subjectAltName=\(names)")
        // The command that makes a certificate in one step takes no times.
        try await openssl(
            "ca", "-batch", "-selfsign", "-config", "\(name).cnf", "-name", "self", "-in", "\(name).csr", "-keyfile",
            "\(name).key", "-out", "\(name).pem", "-startdate", "\(start)Z", "-enddate", "\(end)Z", "-notext")
        let certificate = ConsoleCertificate(chain: "\(folder)/tls/\(name).pem", key: "\(folder)/tls/\(name).key")
        try #require(chmod(certificate.key, 0o600) == 0)
        return certificate
    }

    /// Runs a command of OpenSSL in the folder of the certificates.
    func openssl(_ arguments: String...) async throws {
        let outcome = try await run("openssl", arguments, folder: "\(folder)/tls")
        try #require(outcome.code == 0, "\(arguments): \(outcome.error)")
    }

    /// Puts a certificate in the place of another one, as programs do that renew certificates.
    func replace(_ old: ConsoleCertificate, with new: ConsoleCertificate) {
        #expect(rename(new.key, old.key) == 0)
        #expect(rename(new.chain, old.chain) == 0)
    }

    /// Has curl make a request, with the cookies that it was given by the requests before.
    /// - Parameter certificate: the one that is trusted.
    /// - Returns: what the server has answered; `nil` if there was no connection that can be trusted.
    func curl(_ arguments: [String], trusting certificate: ConsoleCertificate) async throws -> HTTPReply? {
        let outcome = try await run("curl", Self.curlOptions(in: folder, certificate) + ["--include"] + arguments)
        // The code of a certificate that is not trusted, or is for another name.
        if outcome.code == 60 { return nil }
        try #require(outcome.code == 0, "\(arguments): \(outcome.error)")
        return try HTTPReply(outcome.output)
    }

    static func curlOptions(in folder: String, _ certificate: ConsoleCertificate) -> [String] {
        [
            "--silent", "--show-error", "--noproxy", "*", "--max-time", "60", "--cacert", certificate.chain, "--cookie",
            "\(folder)/cookies", "--cookie-jar", "\(folder)/cookies",
        ]
    }
}
