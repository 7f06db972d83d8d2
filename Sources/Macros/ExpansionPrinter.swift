import SwiftDiagnostics
import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// Prints the expansion of a source text, for the tests of the macros and for people: `CoordinatorMacros-tool --expand < FILE`.
///
/// The tests do not link the macros. The package manager would otherwise build all tests, and all that they test, for the
/// compiler's machine, and then a second time the programs that they run.
enum ExpansionPrinter {
    private static let macros: [String: MacroSpec] = [
        "ResponderMessages": MacroSpec(type: ResponderMessagesMacro.self), "Entry": MacroSpec(type: EntryMacro.self),
        "CBORItem": MacroSpec(type: CBORItemMacro.self),
    ]

    /// Expands the standard input. A line for each problem comes before the expanded text: `// `, the line in the input, the id
    /// and the message, with tabs between them.
    static func printExpansionOfInput() {
        var source = ""
        while let line = readLine(strippingNewline: false) { source += line }
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let expanded = file.expand(
            macroSpecs: macros,
            contextGenerator: { syntax in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
            },
            indentationWidth: .spaces(4))
        for diagnostic in context.diagnostics {
            let line = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "").line
            print("// \(line)\t\(diagnostic.diagMessage.diagnosticID)\t\(diagnostic.message)")
        }
        if !ParseDiagnosticsGenerator.diagnostics(for: expanded).isEmpty { print("// not well-formed") }
        print(expanded.description, terminator: "")
    }
}
