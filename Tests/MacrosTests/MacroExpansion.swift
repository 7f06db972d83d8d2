import SwiftDiagnostics
import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import CoordinatorMacros

let macros: [String: MacroSpec] = [
    "ResponderMessages": MacroSpec(type: ResponderMessagesMacro.self),
    "Entry": MacroSpec(type: EntryMacro.self),
    "CBORItem": MacroSpec(type: CBORItemMacro.self),
]

/// The compiler's result for a source text with this package's macros.
struct MacroExpansion {
    /// A diagnostic that the compiler shows.
    struct Problem: Hashable, CustomStringConvertible {
        let id: String
        let line: Int
        let message: String

        var description: String { "\(line): \(message) [\(id)]" }
    }

    let text: String
    let problems: [Problem]
    /// Whether the expanded text is valid Swift.
    let isWellFormed: Bool

    init(_ source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let expanded = file.expand(
            macroSpecs: macros,
            contextGenerator: { syntax in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
            },
            indentationWidth: .spaces(4))
        text = expanded.description
        isWellFormed = ParseDiagnosticsGenerator.diagnostics(for: expanded).isEmpty
        problems = context.diagnostics.map { diagnostic in
            Problem(
                id: "\(diagnostic.diagMessage.diagnosticID)",
                line: context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "").line,
                message: diagnostic.message)
        }
    }
}

/// Compares the whole expansion, for expansions that are short enough to read.
func expectExpansion(
    of source: String, _ expanded: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: macros,
        failureHandler: { failure in
            Issue.record(
                Comment(rawValue: failure.message),
                sourceLocation: SourceLocation(
                    fileID: failure.location.fileID, filePath: failure.location.filePath, line: failure.location.line,
                    column: failure.location.column))
        }, fileID: fileID, filePath: filePath, line: line, column: column)
}
