import Testing

@Suite(.timeLimit(.minutes(5)))
struct EntryMacroTests {
    @Test func `An entry reads and writes the container's value of its own name`() async throws {
        try await expectExpansion(
            of: """
                extension AppDependency {
                    @Entry var account: Account?
                }
                """,
            """
            extension AppDependency {
                var account: Account? {
                    get {
                        self.value(of: "account", as: (Account).self)
                    }
                    set {
                        self.setValue(newValue, of: "account")
                    }
                }
            }
            """)
    }

    @Test func `An entry of sessions reads and writes the value of the container's session`() async throws {
        try await expectExpansion(
            of: """
                extension AppDependency {
                    @Entry(.session) var account: Account?
                }
                """,
            """
            extension AppDependency {
                var account: Account? {
                    get {
                        self.sessionValue(of: "account", as: (Account).self)
                    }
                    set {
                        self.setSessionValue(newValue, of: "account")
                    }
                }
            }
            """)
    }

    @Test func `A local entry asks first whether its type can be used on any thread`() async throws {
        try await expectExpansion(
            of: """
                extension AppDependency {
                    @Entry(.local) var parser: Parser?
                }
                """,
            """
            extension AppDependency {
                var parser: Parser? {
                    get {
                        let type = Self.localType((Parser).self)
                        return self.localObject(of: "parser", as: type)
                    }
                    set {
                        let type = Self.localType((Parser).self)
                        self.setLocalObject(newValue, of: "parser", as: type)
                    }
                }
            }
            """)
    }

    @Test func `An entry can have any optional type`() async throws {
        let expansion = try await MacroExpansion(
            """
            extension AppDependency {
                @Entry public var catalog: ServiceReference<any CatalogMessages>?
                @Entry var byName: [String: [Account]]?
                @Entry var sender: (any Sender)?
            }
            """)
        #expect(expansion.problems == [])
        #expect(expansion.isWellFormed)
        #expect(expansion.text.contains(#"(of: "catalog", as: (ServiceReference<any CatalogMessages>).self)"#))
        #expect(expansion.text.contains(#"(of: "byName", as: ([String: [Account]]).self)"#))
        #expect(expansion.text.contains(#"(of: "sender", as: ((any Sender)).self)"#))
    }

    @Test(
        arguments: [
            ("let account: Account?", "entryOnVariable", "@Entry goes on one 'var' of an extension of AppDependency"),
            ("var account: Account? = nil", "entryWithoutValue", "an entry has no initial value"),
            ("var account: Account", "entryIsOptional", "declare 'account' with an optional type, such as 'Account?'"),
            ("var account", "entryIsOptional", "an entry can be missing"),
            ("static var account: Account?", "entryOfInstance", "'account' belongs to each container"),
        ])
    func `An invalid entry is refused with a reason`(declaration: String, id: String, message: String) async throws {
        let expansion = try await MacroExpansion("extension AppDependency {\n    @Entry \(declaration)\n}")
        let problem = try #require(expansion.problems.first)
        #expect(expansion.problems.count == 1)
        #expect(problem.id == "MessageID(domain: \"Messaging\", id: \"\(id)\")")
        #expect(problem.message.contains(message), "\(problem)")
        #expect(problem.line == 2)
    }
}
