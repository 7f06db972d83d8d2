/// The elements that pages have. None of them runs a script, and only an image loads anything.
enum HTMLTag: String {
    case a, b, bdi, button, code, details, div, figcaption, figure, form, h1, h2, header, label, main, nav, option, p,
        section
    case select, small, span, strong, summary, textarea, time
    case dd, dl, dt, li, ul
    case table, tbody, td, th, thead, tr
    case path, rect, svg
}

/// The elements that have no content.
enum HTMLVoidTag: String {
    case img, input
}
