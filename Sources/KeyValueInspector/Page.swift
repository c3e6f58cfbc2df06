// The inspector's page.
#if Inspector
/// The inspector's page, which loads nothing else.
///
/// Its script inserts texts of the program as text alone, never as HTML. Its files are in `Page`.
enum Page {
    /// The page with its style and script in it.
    static let html = text(PackageResources.page_html)
        .replacing(
            #"<link rel="stylesheet" href="page.css">"#, with: "<style>\n\(text(PackageResources.page_css))</style>"
        )
        .replacing(#"<script src="page.js"></script>"#, with: "<script>\n\(text(PackageResources.page_js))</script>")

    private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
}
#endif
