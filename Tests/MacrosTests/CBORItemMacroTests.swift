import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORItemMacroTests {
    @Test func `A structure writes and reads its stored properties in their order`() async throws {
        try await expectExpansion(
            of: """
                @CBORItem public struct Account: Codable {
                    public var name: String
                    let balance: Int?
                    static let none = 0
                    var isEmpty: Bool { name.isEmpty }
                }
                """,
            """
            public struct Account: Codable {
                public var name: String
                let balance: Int?
                static let none = 0
                var isEmpty: Bool { name.isEmpty }
            }

            extension Account: Messaging.CBORItem {
                public func writeItem(to writer: inout Messaging.CBORWriter) throws {
                    assert([CodingKeys.name, CodingKeys.balance].map(\\.stringValue) == ["name", "balance"], "leave @CBORItem out: the type has coding keys of its own")
                    try writer.beginFields(Messaging.CBORWriter.fieldCount(self.name) + Messaging.CBORWriter.fieldCount(self.balance))
                    try writer.writeField("name", self.name)
                    try writer.writeField("balance", self.balance)
                    writer.endFields()
                }
                public init(fromItem reader: inout Messaging.CBORItemReader) throws(Messaging.CBORItemReader.OtherForm) {
                    var count = try reader.readFields()
                    self.name = try reader.readField("name", of: &count)
                    self.balance = try reader.readField("balance", of: &count)
                    try reader.endFields(count)
                }
            }
            """)
    }

    @Test func `Properties that share a type, are observed, or are called like a keyword are fields`() async throws {
        let expansion = try await MacroExpansion(
            "@CBORItem struct Point: Codable {\n    var x, y: Double\n    var `in`: Int { didSet {} }\n}")
        #expect(expansion.problems == [])
        #expect(expansion.isWellFormed)
        #expect(expansion.text.contains(#"self.x = try reader.readField("x", of: &count)"#))
        #expect(expansion.text.contains(#"self.y = try reader.readField("y", of: &count)"#))
        #expect(expansion.text.contains(#"try writer.writeField("in", self.`in`)"#))
    }

    @Test(
        arguments: [
            ("enum E: String, Codable { case a }", "itemIsStructure", "write 'extension E: CBORItem {}'"),
            ("final class C: Codable {}", "itemIsStructure", "leave every other type to Codable"),
            ("struct S<T: Codable>: Codable { var x: T }", "itemIsConcrete", "without generic parameters"),
            ("struct S: Codable { let x: Int = 1 }", "itemField", "which cannot be read"),
            ("struct S: Codable { lazy var x: Int = 1 }", "itemField", "plain properties only"),
            ("struct S: Codable { @Clamped var x: Int }", "itemField", "plain properties only"),
            ("struct S: Codable { var (a, b): (Int, Int) }", "itemField", "plain properties only"),
            ("struct S: Codable { weak var x: C? }", "itemField", "plain properties only"),
            ("struct S: Codable {\n#if DEBUG\nvar x: Int\n#endif\n}", "itemIsPlain", "which of these members exist"),
            ("struct S: RawRepresentable, Codable { var rawValue: Int }", "itemIsPlain", "extension S: CBORItem {}"),
            (
                "struct S: Codable { typealias CodingKeys = Keys\nvar x: Int }", "itemIsSynthesized",
                "leave @CBORItem out"
            ),
            (
                "struct S: Codable { var x: Int\nenum CodingKeys: String, CodingKey { case x = \"y\" } }",
                "itemIsSynthesized", "leave @CBORItem out"
            ),
            (
                "struct S: Codable { var x: Int\ninit(from decoder: any Decoder) throws { x = 1 } }",
                "itemIsSynthesized", "its own Codable code"
            ),
            (
                "struct S: Codable { var x: Int\nfunc encode(to encoder: any Encoder) throws {} }",
                "itemIsSynthesized", "its own Codable code"
            ),
        ])
    func `A type whose fields the macro cannot know is refused with a reason`(
        declaration: String, id: String, message: String
    ) async throws {
        let expansion = try await MacroExpansion("@CBORItem \(declaration)")
        let problem = try #require(expansion.problems.first)
        #expect(expansion.problems.count == 1)
        #expect(problem.id == "MessageID(domain: \"Messaging\", id: \"\(id)\")")
        #expect(problem.message.contains(message), "\(problem)")
    }
}
