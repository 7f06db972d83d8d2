/// An attribute of an element. There are no others than those that are made here, so none can be a style or an event handler,
/// and an address is one of ``PageLink``.
struct HTMLAttribute {
    let name: Name
    /// The value; `nil` for an attribute that is there or not.
    let value: String?

    private init(_ name: Name, _ value: String? = nil) {
        self.name = name
        self.value = value
    }

    enum Name: String {
        case action, alt, autocomplete, checked, `class`, d, datetime, `defer`, dir, disabled, fill, `for`, height,
            href, id
        case inert, inputmode, lang, maxlength, method, name, preserveAspectRatio, rel, required, role, rows, scope,
            selected
        case src, tabindex, target, title, type, value, viewBox, width, x
        case formNoValidate = "formnovalidate"
        case ariaCurrent = "aria-current"
        case ariaDescribedBy = "aria-describedby"
        case ariaHidden = "aria-hidden"
        case ariaInvalid = "aria-invalid"
        case ariaKeyShortcuts = "aria-keyshortcuts"
        case ariaLabel = "aria-label"
        case ariaLabelledBy = "aria-labelledby"
        case ariaModal = "aria-modal"
        case ariaSort = "aria-sort"
        case ariaValueMax = "aria-valuemax"
        case ariaValueMin = "aria-valuemin"
        case ariaValueNow = "aria-valuenow"
        case ariaValueText = "aria-valuetext"
        case dataApplication = "data-application"
        case dataBack = "data-back"
        case dataConfirm = "data-confirm"
        case dataEvents = "data-events"
        case dataKey = "data-key"
        case dataLevel = "data-level"
        case dataLive = "data-live"
        case dataPrivate = "data-private"
        case dataReload = "data-reload"
        case dataRevision = "data-revision"
        case dataRows = "data-rows"
        case dataSeries = "data-series"
        case dataSize = "data-size"
        case dataStays = "data-stays"
        case dataToken = "data-token"
        case dataUp = "data-up"
        case vectorEffect = "vector-effect"
    }
}

// MARK: - All elements

extension HTMLAttribute {
    static let language = HTMLAttribute(.lang, "en")
    /// The text's own direction, which does not reach its neighbours.
    static let automaticDirection = HTMLAttribute(.dir, "auto")
    static let inert = HTMLAttribute(.inert)
    /// The script can move the focus there, and the Tab key does not.
    static let focusableByScript = HTMLAttribute(.tabindex, "-1")

    static func `class`(_ names: StaticString) -> HTMLAttribute { HTMLAttribute(.class, "\(names)") }
    static func id(_ id: PageID) -> HTMLAttribute { HTMLAttribute(.id, id.text) }
    /// Identifies the element among its siblings.
    static func key(_ key: PageKey) -> HTMLAttribute { HTMLAttribute(.dataKey, key.text) }
    /// The element's children are rows with keys.
    static let rows = HTMLAttribute(.dataRows)
    static func series(_ number: Int) -> HTMLAttribute { HTMLAttribute(.dataSeries, "\(number)") }
    static func level(_ level: StaticString) -> HTMLAttribute { HTMLAttribute(.dataLevel, "\(level)") }
    /// The text is several times as large as others.
    static let large = HTMLAttribute(.dataSize, "large")
    static func live(_ isLive: Bool) -> HTMLAttribute { HTMLAttribute(.dataLive, isLive ? "yes" : "no") }
    /// How the rows are sorted by a column.
    static func sorted(isDescending: Bool) -> HTMLAttribute {
        HTMLAttribute(.ariaSort, isDescending ? "descending" : "ascending")
    }
    static let columnScope = HTMLAttribute(.scope, "col")
    /// What the pointer is told that rests on the element.
    static func tip(_ text: StaticString) -> HTMLAttribute { HTMLAttribute(.title, "\(text)") }
    /// A point in time as `2026-11-29T14:30:00Z`.
    static func dateTime(_ text: String) -> HTMLAttribute { HTMLAttribute(.datetime, text) }
}

// MARK: - What the script reads

extension HTMLAttribute {
    static func application(_ name: String) -> HTMLAttribute { HTMLAttribute(.dataApplication, name) }
    static func token(_ token: String) -> HTMLAttribute { HTMLAttribute(.dataToken, token) }
    static func events(_ path: String) -> HTMLAttribute { HTMLAttribute(.dataEvents, path) }
    static func revision(_ revision: String) -> HTMLAttribute { HTMLAttribute(.dataRevision, revision) }
    /// The script loads the page again every few seconds.
    static let reloads = HTMLAttribute(.dataReload)
    /// The button leads back, as the browser's own does.
    static let back = HTMLAttribute(.dataBack)
    /// The link leads one level up.
    static let up = HTMLAttribute(.dataUp)
    /// What was typed stays when the button's action is accepted.
    static let stays = HTMLAttribute(.dataStays)
    /// What is typed stays in the page until an action sends it.
    static func staysInPage(_ isPrivate: Bool) -> HTMLAttribute? { isPrivate ? HTMLAttribute(.dataPrivate) : nil }
    static func confirm(_ question: String) -> HTMLAttribute? {
        question.isEmpty ? nil : HTMLAttribute(.dataConfirm, question)
    }
}

// MARK: - Links and forms

extension HTMLAttribute {
    static func href(_ link: PageLink) -> HTMLAttribute { HTMLAttribute(.href, link.address) }
    static func rel(_ names: StaticString) -> HTMLAttribute { HTMLAttribute(.rel, "\(names)") }
    static let newTab = HTMLAttribute(.target, "_blank")
    static func source(_ file: PageAssets.File) -> HTMLAttribute { HTMLAttribute(.src, PageLink.asset(file).address) }
    static let deferred = HTMLAttribute(.defer)
    static let post = HTMLAttribute(.method, "post")
    static func action(_ link: PageLink) -> HTMLAttribute { HTMLAttribute(.action, link.address) }

    static func type(_ type: InputType) -> HTMLAttribute { HTMLAttribute(.type, type.rawValue) }
    enum InputType: String {
        case checkbox, date, hidden, password, search, submit, text, time
    }

    static func name(_ name: FormName) -> HTMLAttribute { HTMLAttribute(.name, name.text) }
    static func value(_ value: String) -> HTMLAttribute { HTMLAttribute(.value, value) }
    /// A value that ``FormText`` decodes when it is posted.
    static func posted(_ text: String) -> HTMLAttribute { HTMLAttribute(.value, FormText.encode(text)) }
    static func checked(_ isChecked: Bool) -> HTMLAttribute? { isChecked ? HTMLAttribute(.checked) : nil }
    static func selected(_ isSelected: Bool) -> HTMLAttribute? { isSelected ? HTMLAttribute(.selected) : nil }
    static func required(_ isRequired: Bool) -> HTMLAttribute? { isRequired ? HTMLAttribute(.required) : nil }
    static func disabled(_ isDisabled: Bool) -> HTMLAttribute? { isDisabled ? HTMLAttribute(.disabled) : nil }
    /// The button sends the form whatever its fields have.
    static let unvalidated = HTMLAttribute(.formNoValidate)
    static func `for`(_ id: PageID) -> HTMLAttribute { HTMLAttribute(.for, id.text) }
    static let decimal = HTMLAttribute(.inputmode, "decimal")
    static let notRemembered = HTMLAttribute(.autocomplete, "off")
    static func longest(_ count: Int) -> HTMLAttribute { HTMLAttribute(.maxlength, "\(count)") }
    /// What a browser may fill in for the user: `username` or `current-password`.
    static func remembered(as name: StaticString) -> HTMLAttribute { HTMLAttribute(.autocomplete, "\(name)") }
    static func lines(_ count: Int) -> HTMLAttribute { HTMLAttribute(.rows, "\(count)") }
}

// MARK: - Readers of the screen

extension HTMLAttribute {
    static func role(_ role: Role) -> HTMLAttribute { HTMLAttribute(.role, role.rawValue) }
    enum Role: String {
        case alert, dialog, img, list, meter, search, status
    }

    static func label(_ text: String) -> HTMLAttribute { HTMLAttribute(.ariaLabel, text) }
    static func labelled(by id: PageID) -> HTMLAttribute { HTMLAttribute(.ariaLabelledBy, id.text) }
    static func described(by ids: [PageID]) -> HTMLAttribute? {
        ids.isEmpty ? nil : HTMLAttribute(.ariaDescribedBy, ids.map(\.text).joined(separator: " "))
    }
    /// The keys that press the element.
    static func shortcut(_ keys: StaticString) -> HTMLAttribute { HTMLAttribute(.ariaKeyShortcuts, "\(keys)") }
    static let modal = HTMLAttribute(.ariaModal, "true")
    static let unread = HTMLAttribute(.ariaHidden, "true")
    static func current(_ isCurrent: Bool) -> HTMLAttribute? {
        isCurrent ? HTMLAttribute(.ariaCurrent, "page") : nil
    }
    static func invalid(_ isInvalid: Bool) -> HTMLAttribute? {
        isInvalid ? HTMLAttribute(.ariaInvalid, "true") : nil
    }
    static let percentMinimum = HTMLAttribute(.ariaValueMin, "0")
    static let percentMaximum = HTMLAttribute(.ariaValueMax, "100")
    static func percentNow(_ percent: Int) -> HTMLAttribute { HTMLAttribute(.ariaValueNow, "\(percent)") }
    static func valueText(_ text: String) -> HTMLAttribute { HTMLAttribute(.ariaValueText, text) }
}

// MARK: - Drawings

extension HTMLAttribute {
    /// An image of a scene, which the console serves.
    static func source(_ hash: String, of address: SceneAddress) -> HTMLAttribute {
        HTMLAttribute(.src, PageLink.page(address.image(hash)).address)
    }
    static func alternative(_ text: String) -> HTMLAttribute { HTMLAttribute(.alt, text) }
    static func viewBox(width: Int, height: Int) -> HTMLAttribute { HTMLAttribute(.viewBox, "0 0 \(width) \(height)") }
    /// The drawing fills its box, whatever shape that has.
    static let stretched = HTMLAttribute(.preserveAspectRatio, "none")
    /// Lines keep their width where the drawing is stretched.
    static let evenStroke = HTMLAttribute(.vectorEffect, "non-scaling-stroke")
    static let unfilled = HTMLAttribute(.fill, "none")
    static func x(_ x: Int) -> HTMLAttribute { HTMLAttribute(.x, "\(x)") }
    static func width(_ width: Int) -> HTMLAttribute { HTMLAttribute(.width, "\(width)") }
    static func height(_ height: Int) -> HTMLAttribute { HTMLAttribute(.height, "\(height)") }
    static func course(_ path: LinePath) -> HTMLAttribute { HTMLAttribute(.d, path.text) }
}
