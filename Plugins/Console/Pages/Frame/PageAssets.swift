/// The files that pages load. Their addresses change with their content, so a browser may keep them for ever.
package enum PageAssets {
    /// A file of the pages.
    package struct File: Hashable, Sendable {
        /// The path, without the query that pages add to it: the file's ``version``.
        package let path: String
        package let contentType: String
        package let bytes: [UInt8]
        /// A digest of the bytes.
        package let version: String

        init(path: String, contentType: String, source: [UInt8]) {
            self.path = path
            self.contentType = contentType
            bytes = PageAssets.served(source)
            version = Digest.text(of: bytes)
        }
    }

    /// `/script.js`
    package static let script = File(
        path: "/script.js", contentType: "text/javascript; charset=utf-8",
        source: [
            PackageResources.fields_js, PackageResources.morph_js, PackageResources.scene_js, PackageResources.forms_js,
            PackageResources.input_js,
        ].flatMap { $0 })
    /// `/style.css`
    package static let style = File(
        path: "/style.css", contentType: "text/css; charset=utf-8",
        source: PackageResources.style_css + PackageResources.pages_css)

    /// What browsers get of a file: its lines without their indentation, and without those that are comments as a whole.
    ///
    /// It looks at lines alone, so no text in a file may go on in the next line.
    static func served(_ source: [UInt8]) -> [UInt8] {
        var served: [UInt8] = []
        for line in source.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            guard !text.isEmpty, !isComment(text) else { continue }
            served += text
            served.append(UInt8(ascii: "\n"))
        }
        return served
    }

    private static func isComment(_ line: ArraySlice<UInt8>) -> Bool {
        if line.starts(with: "//".utf8) { return true }
        guard line.starts(with: "/*".utf8) else { return false }
        // Where the comment ends, the line does.
        return line.dropFirst(2).firstRange(of: Array("*/".utf8))?.upperBound == line.endIndex
    }

    /// The policy under which all pages work, as the value of the header `Content-Security-Policy`.
    package static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types scenebus
        """
}
