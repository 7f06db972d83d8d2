/// How well a page can be read.
extension Browser {
    /// Returns the texts whose contrast to what is behind them is less than 4.5, which is what WCAG 2 asks for at its level
    /// AA; empty for none.
    func hardToRead() async throws -> String { try await value(of: Self.texts) }

    private static let texts = """
        (() => {
          const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          const read = (color) => {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
            return [red, green, blue, alpha / 255];
          };
          const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
          const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
          const light = ([red, green, blue]) =>
            0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
          const behind = (element) =>
            element === null
              ? [255, 255, 255, 1]
              : over(read(getComputedStyle(element).backgroundColor), behind(element.parentElement));
          const isText = (element) =>
            /^(INPUT|TEXTAREA|SELECT)$/.test(element.nodeName)
              ? element.type !== "hidden"
              : [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
          const found = [];
          for (const element of document.querySelectorAll("body *")) {
            if (!isText(element) || !element.checkVisibility() || element.closest(".unseen, .default, option")) continue;
            const below = behind(element);
            const [dark, bright] = [below, over(read(getComputedStyle(element).color), below)].map(light).sort((a, b) => a - b);
            const contrast = (bright + 0.05) / (dark + 0.05);
            if (contrast < 4.5) found.push(contrast.toFixed(2) + " " + element.outerHTML.slice(0, 200));
          }
          return found.join("; ");
        })()
        """
}
