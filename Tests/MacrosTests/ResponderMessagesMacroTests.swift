import Testing

@Suite(.timeLimit(.minutes(5)))
struct ResponderMessagesMacroTests {
    private func expand(_ members: String, access: String = "") async throws -> MacroExpansion {
        try await MacroExpansion("@ResponderMessages \(access)protocol P {\n\(members)\n}")
    }

    /// Whether the expansion contains a text, ignoring spaces and line breaks.
    private func has(_ expansion: MacroExpansion, _ text: String) -> Bool {
        func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        return words(expansion.text).contains(words(text))
    }

    // MARK: - What is made

    @Test func `The whole expansion of a protocol with one post is correct`() async throws {
        try await expectExpansion(
            of: """
                @ResponderMessages protocol P {
                    func show(page: Page)
                }
                """,
            """
            protocol P {
                @MainActor
                func show(page: Page)
            }

            /// The messages of ``P``, one type each.
            enum PList: Messaging.ResponderMessageList {
                struct show: Messaging.ResponderPost {
                    typealias Handler = Messaging.PostHandler<Self>

                    static let name = "show"
                    static let index = Messaging.MessageIndex.next()
                    static var secretFields: [Messaging.SecretField] {
                        Messaging.SecretField.list("page", (Page).self)
                    }
                    let page: Page
                    init(page: Page) {
                        self.page = page
                    }
                    func writeItem(to writer: inout Messaging.CBORWriter) throws {
                        try writer.beginFields(Messaging.CBORWriter.fieldCount(self.page))
                        try writer.writeField("page", self.page)
                        writer.endFields()
                    }
                    init(fromItem reader: inout Messaging.CBORItemReader) throws(Messaging.CBORItemReader.OtherForm) {
                        var count = try reader.readFields()
                        self.page = try reader.readField("page", of: &count)
                        try reader.endFields(count)
                    }
                    @MainActor static func handler(for type: Messaging.Responder.Type)
                    -> Handler? {
                        guard let type = type as? any (P & Messaging.Responder).Type else {
                            return nil
                        }
                        return makeHandler(for: type)
                    }
                    @MainActor static func makeHandler<R: P & Messaging.Responder>(for _: R.Type)
                    -> Handler {
                        Handler { responder, message in
                            responder.cast(to: R.self).show(page: message.page)
                        }
                    }
                }
                static let messages: [any Messaging.ResponderMessage.Type] = [show.self]
                private static func conformance<T>(of: T.Type) -> Messaging.DoesNotConformToMessages {
                    .init()
                }
                private static func conformance<T: P>(of: T.Type) -> Messaging.ConformsToMessages {
                    .init()
                }
                private static func conformance<T, S>(of: T.Type, _: S.Type) -> Messaging.DoesNotConformToMessages {
                    .init()
                }
                private static func conformance<T: P, S>(of: T.Type, _: S.Type) -> Messaging.ConformsToMessages {
                    .init()
                }
                private static func conformance<T, S: P>(of: T.Type, _: S.Type) -> Messaging.ConformsToMessages {
                    .init()
                }
                private static func conformance<T: P, S: P>(of: T.Type, _: S.Type) -> Messaging.ConformsToMessages {
                    .init()
                }
                /// An error here says what to write instead of `extension Responder: P {}`, or that
                /// `extension ResponderChain: P {}` is missing.
                private static func checkConformances() {
                    let responder = conformance(of: Messaging.Responder.self)
                    responder.conformsAccidentally()
                    let senders = conformance(of: Messaging.ResponderChain.self, Messaging.ServiceReference<any P>.self)
                    senders.conformToSend()
                }
                private static func checkTypes() {
                    Messaging.MessageValue.check((Page).self)
                }
            }

            extension P where Self: Messaging.ResponderSender {
                @MainActor func show(page: Page) {
                    self.chain.post(PList.show(page: page))
                }
            }

            extension P where Self: Messaging.Responder {
                @MainActor func show(page: Page) {
                    self.coordinatingResponder.chain.post(PList.show(page: page))
                }
            }
            """)
    }

    @Test func `A request has its reply's type, and one that returns nothing has no reply`() async throws {
        let expansion = try await expand(
            """
            func find(id: Int) async throws -> [Item]
            func forget(id: Int) async throws
            func forgetAll() async throws -> Void
            """)
        #expect(expansion.problems == [])
        #expect(expansion.isWellFormed)
        #expect(has(expansion, "typealias Reply = [Item]"))
        #expect(
            has(
                expansion,
                """
                func find(id: Int) async throws -> [Item] {
                return try await self.chain.send(PList.find(id: id))
                }
                """))
        #expect(has(expansion, "_ = try await self.chain.send(PList.forget(id: id))"))
        #expect(has(expansion, "return Messaging.NoReply()"))
        #expect(
            has(expansion, "_ = try await self.coordinatingResponder.chain.send(PList.forgetAll())"))
        #expect(has(expansion, "= [find.self, forget.self, forgetAll.self]"))
    }

    @Test func `The types of the fields decide which are secrets, except those of the standard library`() async throws {
        let expansion = try await expand("func move(_ item: Item, to place: Int, key: Secret<String>?, note: String?)")
        #expect(expansion.isWellFormed)
        #expect(
            has(
                expansion,
                """
                static var secretFields: [Messaging.SecretField] {
                Messaging.SecretField.list("item", (Item).self) + Messaging.SecretField.list("key", (Secret<String>?).self)
                }
                """))
        let plain = try await expand("func move(to place: Int, note: String?)")
        #expect(!plain.text.contains("secretFields"))
    }

    @Test func `Fields are named after argument labels, or after parameters without a label`() async throws {
        let expansion = try await expand("func move(_ item: Item, to place: Int, fast: Bool)")
        #expect(expansion.problems == [])
        #expect(has(expansion, "init(item: Item, to: Int, fast: Bool)"))
        #expect(has(expansion, "func move(_ item: Item, to place: Int, fast: Bool)"))
        #expect(has(expansion, "self.chain.post(PList.move(item: item, to: place, fast: fast))"))
        #expect(has(expansion, ".move(message.item, to: message.to, fast: message.fast)"))
    }

    @Test func `Optional parameters and replies stay optional, and are passed on`() async throws {
        let expansion = try await expand("func find(id: Int, note: String?) async throws -> Item?")
        #expect(expansion.problems == [])
        #expect(expansion.isWellFormed)
        #expect(has(expansion, "let id: Int let note: String?"))
        #expect(has(expansion, "init(id: Int, note: String?) { self.id = id self.note = note }"))
        #expect(has(expansion, "typealias Reply = Item?"))
        #expect(has(expansion, "self.chain.send(PList.find(id: id, note: note))"))
        #expect(has(expansion, ".find(id: message.id, note: message.note)"))
    }

    @Test(arguments: ["public", "package", "internal", "fileprivate"])
    func `The expansion has the protocol's access level`(access: String) async throws {
        let expansion = try await expand("func show(page: Page)", access: access + " ")
        #expect(expansion.problems == [])
        #expect(expansion.isWellFormed)
        for text in ["enum PList", "struct show", "let page: Page", "init(page: Page)", "static let messages"] {
            #expect(has(expansion, "\(access) \(text)"), "\(text)")
        }
        #expect(has(expansion, "@MainActor \(access) func show(page: Page) { self.chain.post"))
    }

    @Test func `Methods are on the main actor, annotated once`() async throws {
        let expansion = try await expand("@MainActor func show()\nfunc hide()")
        #expect(expansion.problems == [])
        #expect(!has(expansion, "@MainActor @MainActor"))
        #expect(has(expansion, "protocol P { @MainActor func show() @MainActor func hide() }"))
    }

    // MARK: - What is refused

    @Test(
        arguments: [
            ("func show(page: Page)\nfunc show(item: Item)", "overloaded", "'show' is declared twice", 3),
            ("var page: Page { get }", "onlyMethods", "holds methods only", 2),
            ("associatedtype Page", "onlyMethods", "holds methods only", 2),
            ("init()", "onlyMethods", "holds methods only", 2),
            ("func find() -> Item", "requestOrPost", "'find' is neither a request nor a post", 2),
            ("func find() throws", "requestOrPost", "'find' is neither a request nor a post", 2),
            ("func find() throws -> Item", "requestOrPost", "'find' is neither a request nor a post", 2),
            ("func find() async", "requestOrPost", "'find' is neither a request nor a post", 2),
            ("func find() async -> Item", "requestOrPost", "'find' is neither a request nor a post", 2),
            ("func find<T>(_ value: T)", "noGenerics", "'find' cannot be generic", 2),
            ("func find(then: () -> Void)", "valuesOnly", "a closure cannot cross a process boundary", 2),
            ("func find(then: @escaping (Item) -> Void)", "valuesOnly", "a closure cannot cross", 2),
            ("func find(item: inout Item)", "valuesOnly", "an inout parameter cannot cross", 2),
            ("func find(items: Item...)", "valuesOnly", "a variadic parameter cannot cross", 2),
            ("func find() async throws(Failure)", "untypedThrows", "declare 'find' with plain 'throws'", 2),
            ("static func show()", "instanceOnly", "'static' does not fit here", 2),
            ("mutating func show()", "instanceOnly", "'mutating' does not fit here", 2),
            ("func move(from x: Int, from y: Int)", "fieldTwice", "two parameters of 'move' are called 'from'", 2),
        ])
    func `An invalid message is refused at its line`(members: String, id: String, message: String, line: Int)
        async throws
    {
        let expansion = try await expand(members)
        let problem = try #require(expansion.problems.first)
        #expect(expansion.problems.count == 1, "\(expansion.problems)")
        #expect(problem.id == "MessageID(domain: \"Messaging\", id: \"\(id)\")")
        #expect(problem.message.contains(message), "\(problem)")
        #expect(problem.line == line)
        #expect(!expansion.text.contains("PList"))
    }

    @Test func `All problems of a protocol are reported at once, each once`() async throws {
        let expansion = try await expand(
            """
            func good()
            func find() -> Item
            var page: Page { get }
            func good(again: Int)
            """)
        #expect(expansion.problems.map(\.line) == [3, 4, 5])
    }

    @Test(arguments: ["class C {}", "struct S {}", "enum E {}", "actor A {}"])
    func `Only a protocol can have messages`(declaration: String) async throws {
        let expansion = try await MacroExpansion("@ResponderMessages \(declaration)")
        let problem = try #require(expansion.problems.first)
        #expect(expansion.problems.count == 1)
        #expect(problem.message == "@ResponderMessages goes on a protocol: each of its methods is one message")
    }

    // MARK: - Delivery

    @Test func `A request declares its delivery`() async throws {
        let once = try await expand("@Once func orderPlace(item: String) async throws -> Int")
        #expect(has(once, "static let delivery = Messaging.MessageDelivery.once"))
        let idempotent = try await expand("@Idempotent func lampSet(on: Bool) async throws")
        #expect(has(idempotent, "static let delivery = Messaging.MessageDelivery.idempotent"))
        #expect(!has(try await expand("func ask() async throws"), "MessageDelivery"))
    }

    @Test func `A post cannot be delivered once`() async throws {
        let expansion = try await expand("@Once func show(page: Int)")
        #expect(expansion.problems.contains { $0.message.contains("'show' is a post") })
    }

    @Test func `A request has only one kind of delivery`() async throws {
        let expansion = try await expand("@Once @Idempotent func ask() async throws")
        #expect(expansion.problems.contains { $0.message.contains("delivered in one way") })
    }
}
