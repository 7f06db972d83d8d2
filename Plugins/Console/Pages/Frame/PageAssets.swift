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

        init(path: String, contentType: String, bytes: [UInt8]) {
            self.path = path
            self.contentType = contentType
            self.bytes = bytes
            version = Digest.text(of: bytes)
        }
    }

    /// `/script.js`
    package static let script = File(
        path: "/script.js", contentType: "text/javascript; charset=utf-8",
        bytes: [
            PackageResources.fields_js, PackageResources.morph_js, PackageResources.scene_js, PackageResources.input_js,
        ].flatMap { $0 })
    /// `/style.css`
    package static let style = File(
        path: "/style.css", contentType: "text/css; charset=utf-8",
        bytes: PackageResources.style_css + PackageResources.pages_css)

    /// The policy under which all pages work, as the value of the header `Content-Security-Policy`.
    package static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types scenebus
        """
}
