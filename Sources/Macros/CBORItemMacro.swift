import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@CBORItem`: generates the conformance of a structure to `CBORItem`, which writes and reads its fields directly.
struct CBORItemMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        func refuse(_ id: String, _ text: String, at node: some SyntaxProtocol) -> DiagnosticsError {
            DiagnosticsError(diagnostics: [MacroDiagnostic(id, text).at(node)])
        }
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            throw refuse(
                "itemIsStructure",
                """
                @CBORItem goes on a structure; for an enumeration with a raw value write \
                'extension \(type.trimmedDescription): CBORItem {}', and leave every other type to Codable
                """, at: node)
        }
        if let generics = structure.genericParameterClause {
            throw refuse("itemIsConcrete", "@CBORItem goes on a type without generic parameters", at: generics)
        }
        let members = structure.memberBlock.members.map(\.decl)
        if let own = members.first(where: isOwnCoding) {
            throw refuse(
                "itemIsSynthesized",
                """
                '\(structure.name.text)' has its own Codable code, which @CBORItem would ignore: leave @CBORItem out
                """, at: own)
        }
        if let condition = members.first(where: { $0.is(IfConfigDeclSyntax.self) }) {
            throw refuse(
                "itemIsPlain", "@CBORItem does not know which of these members exist; leave it out", at: condition)
        }
        if let raw = structure.inheritanceClause?.inheritedTypes.first(where: {
            ["RawRepresentable", "OptionSet", "Swift.RawRepresentable", "Swift.OptionSet"]
                .contains($0.type.trimmedDescription)
        }) {
            throw refuse(
                "itemIsPlain",
                """
                a structure with a raw value is written as that value: \
                write 'extension \(type.trimmedDescription): CBORItem {}' instead of @CBORItem
                """, at: raw)
        }
        let fields = try members.compactMap { $0.as(VariableDeclSyntax.self) }.flatMap { variable in
            try self.fields(of: variable).map { field in
                guard let reason = field.refusal else { return field.name }
                throw refuse("itemField", reason, at: variable)
            }
        }
        let known: Set = ["public", "package"]
        let access = structure.modifiers.first { known.contains($0.name.text) }.map { $0.name.text + " " } ?? ""
        return [
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed): Messaging.CBORItem {
                \(raw: FieldCoding(fields: fields, access: access, checksKeys: true).text)
                }
                """)
        ]
    }

    /// Whether a member replaces what the compiler makes of `Codable`.
    private static func isOwnCoding(_ member: DeclSyntax) -> Bool {
        if member.as(EnumDeclSyntax.self)?.name.text == "CodingKeys" { return true }
        if member.as(TypeAliasDeclSyntax.self)?.name.text == "CodingKeys" { return true }
        if let function = member.as(FunctionDeclSyntax.self) {
            return function.name.text == "encode"
                && function.signature.parameterClause.parameters.first?.firstName.text == "to"
        }
        return member.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters.first
            .map { $0.firstName.text == "from" && $0.type.trimmedDescription.hasSuffix("Decoder") } ?? false
    }

    /// The stored properties that a variable declares, each with the reason why it cannot be a field, if there is one.
    private static func fields(of variable: VariableDeclSyntax) -> [(name: String, refusal: String?)] {
        guard !variable.modifiers.contains(where: { ["static", "class"].contains($0.name.text) }) else { return [] }
        let isPlain = !variable.modifiers.contains { ["lazy", "weak", "unowned"].contains($0.name.text) }
        return variable.bindings.filter { !isComputed($0) }.map { binding in
            let name = binding.pattern.trimmedDescription
            if variable.bindingSpecifier.text == "let", binding.initializer != nil {
                return (name, "'\(name)' is a constant with a value, which cannot be read: make it 'static' or 'var'")
            }
            guard variable.attributes.isEmpty, isPlain, binding.pattern.is(IdentifierPatternSyntax.self) else {
                return (
                    name,
                    "'\(name)' is a tuple, is lazy, weak or unowned, or has an attribute; @CBORItem knows plain properties only"
                )
            }
            return (name, nil)
        }
    }

    private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
        switch binding.accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            !accessors.contains { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }
    }
}
