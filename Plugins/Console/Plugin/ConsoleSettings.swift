import CBOR
import ConsoleModel

/// The plugin's configuration from the manifest.
struct ConsoleSettings: Hashable, Sendable {
    /// What whoever is logged in may do.
    enum Role: String, Hashable, Sendable, CaseIterable {
        /// Use the scenes.
        case user
        /// See the scenes.
        case viewer
    }

    /// Who can log in beside those who have a link.
    enum Users: String, Hashable, Sendable, CaseIterable {
        case none
        /// The users of the accounts plugin.
        case accounts
    }

    /// The port; 0 for the one that the console had last, or else any that is free.
    var port = 0
    /// The address to listen on.
    var listen = "127.0.0.1"
    /// The address for browsers, if they reach the console by a name or through a proxy.
    var address: ConsoleAddress?
    /// From where a proxy on another machine connects; `nil` for none.
    var proxy: ClientAddress?
    /// The certificate with which the console speaks TLS; `nil` for a console that does not.
    var certificate: CertificateFiles?
    var role = Role.user
    var users = Users.none
    /// The names of the users who may see the scenes, and not use them.
    var viewers: [String] = []
    /// The names of the users who may close any session, as those may who have come with a link.
    var administrators: [String] = []
    /// The names of the users who see and use their own sessions, and nothing else.
    var confined: [String] = []
    /// Whether all users do that who are not named as others.
    var confinesAll = false
    /// The configurations of which a browser may have a session of its own.
    var open: [String] = []
    /// The number of such sessions, and for how long they are kept.
    var own = OwnSessions.Limits()
    /// Whether a screen on a wall can be used, and not only seen.
    var wallsAreUsed = false
    /// The page to which a login leads those who have asked for none.
    var start = PageTarget.application
    /// What the pages call the application.
    var title = "SceneBus"
    /// The file of who is logged in; `nil` for one in the user's state folder.
    var file: String?

    /// - Throws: an error that names the key and the allowed values.
    init(_ configuration: [String: CBORValue]) throws(SettingsError) {
        let known: Set = [
            "port", "listen", "address", "certificate", "certificateKey", "role", "title", "file", "open", "openLimit",
            "openRest", "walls", "users", "viewers", "administrators", "start", "own", "proxy",
        ]
        if let key = configuration.keys.sorted().first(where: { !known.contains($0) }) {
            throw SettingsError("unknown configuration key '\(key)'; the keys are: \(known.sorted())")
        }
        if let value = configuration["port"] {
            // A value of --configure is a text if it is no JSON.
            guard let port = value.intValue, (0...65_535).contains(port) else {
                throw SettingsError("'port' must be a number from 0 to 65535")
            }
            self.port = Int(port)
        }
        if let value = configuration["address"] {
            guard let address = value.stringValue.flatMap(ConsoleAddress.init) else {
                throw SettingsError("'address' must be like https://console.example.com")
            }
            self.address = address
        }
        if let value = configuration["listen"] {
            guard let listen = value.stringValue, !listen.isEmpty else {
                throw SettingsError("'listen' must be an address such as 127.0.0.1")
            }
            // The name may be that of two addresses, of which browsers would be led to the other one.
            self.listen = listen == "localhost" ? "127.0.0.1" : listen
        }
        if let value = configuration["proxy"] {
            guard let proxy = value.stringValue.flatMap(ClientAddress.init) else {
                throw SettingsError("'proxy' must be the address from which a proxy connects, such as 192.0.2.7")
            }
            self.proxy = proxy
        }
        try readCertificate(configuration)
        if let value = configuration["role"] {
            guard let role = value.stringValue.flatMap(Role.init(rawValue:)) else {
                throw SettingsError("'role' must be one of \(Role.allCases.map(\.rawValue))")
            }
            self.role = role
        }
        if let value = configuration["title"] {
            guard let title = value.stringValue else { throw SettingsError("'title' must be a text") }
            self.title = title
        }
        try readUsers(configuration)
        try readSessions(configuration)
        file = try path("file", configuration)
    }

    private func path(_ key: String, _ configuration: [String: CBORValue]) throws(SettingsError) -> String? {
        guard let value = configuration[key] else { return nil }
        guard let path = value.stringValue, path.hasPrefix("/") else {
            throw SettingsError("'\(key)' must be an absolute path")
        }
        return path
    }

    /// Reads how the console speaks TLS, and refuses to listen beyond this machine without it: everybody on the way could read the
    /// cookies of those who are logged in, and use them.
    private mutating func readCertificate(_ configuration: [String: CBORValue]) throws(SettingsError) {
        switch (try path("certificate", configuration), try path("certificateKey", configuration)) {
        case (nil, nil): break
        case (let chain?, let key?): certificate = CertificateFiles(chain: chain, key: key)
        case (nil, _?): throw SettingsError("'certificateKey' is the key of a certificate: set 'certificate', too")
        case (_?, nil): throw SettingsError("'certificate' needs its private key: set 'certificateKey', too")
        }
        if certificate != nil, let address, !address.isSecure {
            throw SettingsError(
                "'address' is \(address.origin), but with 'certificate' the console speaks TLS: begin it with https://")
        }
        guard isLocal else { return try requireSecureAddress() }
        // A browser of another machine would come without TLS there, and everybody on the way could read its cookie.
        if let address, !address.isSecure, !Self.isLocal(address.name) {
            throw SettingsError(
                "'address' is \(address.origin), so others could read what browsers send there: put a proxy with TLS before the "
                    + "console, and set 'address' to the one that browsers use, which begins with https://; or set "
                    + "'certificate' and 'certificateKey'; or leave 'address' out, and forward the port with ssh")
        }
    }

    /// Whatever listens beyond this machine is reached with TLS, at an address that is known.
    private func requireSecureAddress() throws(SettingsError) {
        guard isSecure else {
            throw SettingsError(
                "'listen' is \(listen), so others could read what browsers send: set 'certificate' and 'certificateKey', "
                    + "or put a proxy with TLS before the console, and set 'address' to the one that browsers use, which "
                    + "begins with https://; or leave 'listen' out, and forward the port with ssh")
        }
        // Whatever other name leads here may be that of a site which means harm.
        guard address != nil else {
            throw SettingsError(
                "'listen' is \(listen): set 'address' to the one that browsers use, such as "
                    + "https://console.example.com:8443")
        }
    }

    /// Reads who can log in.
    private mutating func readUsers(_ configuration: [String: CBORValue]) throws(SettingsError) {
        if let value = configuration["users"] {
            guard let users = value.stringValue.flatMap(Users.init(rawValue:)) else {
                throw SettingsError("'users' must be one of \(Users.allCases.map(\.rawValue))")
            }
            self.users = users
        }
        viewers = try Self.names(of: "viewers", in: configuration)
        administrators = try Self.names(of: "administrators", in: configuration)
        if configuration["own"]?.stringValue == "*" {
            confinesAll = true
        } else {
            confined = try Self.names(of: "own", in: configuration)
        }
        // Whoever relies on this must not have everybody come with a link, who sees everything.
        guard users == .accounts || (confined.isEmpty && !confinesAll) else {
            throw SettingsError("'own' is for the users of the accounts plugin: set 'users' to 'accounts', too")
        }
        for (key, isOther) in [("viewers", isViewer), ("administrators", isAdministrator)] {
            if let name = confined.first(where: isOther) {
                throw SettingsError("'own' and '\(key)' both have '\(name)': a user can be in one of the two")
            }
        }
    }

    private static func names(
        of key: String, in configuration: [String: CBORValue]
    ) throws(SettingsError) -> [String] {
        guard let value = configuration[key] else { return [] }
        let names = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard names.count == value.arrayValue?.count else {
            let all = key == "own" ? ", or \"*\" for all" : ""
            throw SettingsError("'\(key)' must be a list of names of users, such as [\"ada\"]\(all)")
        }
        return names
    }

    /// Whether a user may only see the scenes. No two accounts differ only in upper and lower case.
    func isViewer(_ user: String) -> Bool { viewers.contains { $0.lowercased() == user.lowercased() } }

    /// Whether a user may close any session.
    func isAdministrator(_ user: String) -> Bool { administrators.contains { $0.lowercased() == user.lowercased() } }

    /// Whether a user sees and uses the user's own sessions, and nothing else.
    func isConfined(_ user: String) -> Bool {
        confined.contains { $0.lowercased() == user.lowercased() }
            || (confinesAll && !isViewer(user) && !isAdministrator(user))
    }

    /// Reads what concerns the sessions that the console opens.
    private mutating func readSessions(_ configuration: [String: CBORValue]) throws(SettingsError) {
        if let value = configuration["open"] {
            let names = value.arrayValue?.compactMap(\.stringValue) ?? []
            guard names.count == value.arrayValue?.count, names.allSatisfy(ConsoleWalls.isConfiguration) else {
                throw SettingsError("'open' must be a list of names of scene configurations, such as [\"Wall\"]")
            }
            open = names
        }
        if let value = configuration["openLimit"] {
            guard let limit = value.intValue, (1...10_000).contains(limit) else {
                throw SettingsError("'openLimit' must be a number from 1 to 10000")
            }
            own.total = limit
        }
        if let value = configuration["openRest"] {
            guard let rest = value.doubleValue, (1...31_536_000).contains(rest) else {
                throw SettingsError("'openRest' must be a number of seconds, from 1 to 31536000")
            }
            own.restSeconds = rest
        }
        if let value = configuration["walls"] {
            guard let use = value.stringValue, ["view", "use"].contains(use) else {
                throw SettingsError("'walls' must be 'view' or 'use'")
            }
            wallsAreUsed = use == "use"
        }
        if let value = configuration["start"] {
            guard let start = value.stringValue.flatMap(PageTarget.init) else {
                throw SettingsError("'start' must be the path of a page of the console, such as /open/Desk")
            }
            if let opened = start.opened, !open.contains(opened) {
                throw SettingsError(
                    "'start' is \(start.path), but browsers may not open '\(opened)': add it to the list 'open'")
            }
            self.start = start
        }
    }

    /// Whether browsers reach the console with TLS, of its own or of a proxy.
    var isSecure: Bool { certificate != nil || address?.isSecure == true }

    /// The name or address of the machine for browsers.
    var host: String { address?.name ?? (listen == "::1" ? "::1" : "127.0.0.1") }

    /// Whether only programs of this machine reach the console.
    var isLocal: Bool { Self.isLocal(listen) }

    /// Whether a name or an address is this machine's, for whoever uses it.
    private static func isLocal(_ name: String) -> Bool { ["127.0.0.1", "::1", "localhost"].contains(name) }
}

/// Why the configuration cannot be used.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
