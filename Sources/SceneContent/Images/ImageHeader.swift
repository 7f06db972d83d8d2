/// What an image says of itself before its pixels.
struct ImageHeader: Hashable, Sendable {
    let format: ImageFormat
    let width: Int
    let height: Int

    /// Reads the header.
    /// - Throws: why such an image is not shown.
    init(_ bytes: [UInt8]) throws(ImageProblem) {
        guard let format = ImageFormat(bytes) else { throw .unknownFormat }
        let size =
            switch format {
            case .png: Self.sizeOfPNG(bytes)
            case .jpeg: Self.sizeOfJPEG(bytes)
            case .gif: Self.sizeOfGIF(bytes)
            case .webp: Self.sizeOfWebP(bytes)
            }
        guard let (width, height) = size, width > 0, height > 0 else { throw .unknownSize }
        // A few bytes can say that they are a picture that fills the memory of who draws it.
        guard width <= ContentBounds.pixels / height else { throw .tooManyPixels(width: width, height: height) }
        (self.format, self.width, self.height) = (format, width, height)
    }

    /// https://www.w3.org/TR/png-3/#11IHDR
    private static func sizeOfPNG(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 24, bytes[12...].starts(with: "IHDR".utf8) else { return nil }
        return (bytes.number(at: 16, bytes: 4), bytes.number(at: 20, bytes: 4))
    }

    /// https://www.w3.org/Graphics/GIF/spec-gif89a.txt
    private static func sizeOfGIF(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 10 else { return nil }
        return (bytes.littleNumber(at: 6, bytes: 2), bytes.littleNumber(at: 8, bytes: 2))
    }

    /// https://www.w3.org/Graphics/JPEG/itu-t81.pdf: the size is in the first segment that begins a frame.
    private static func sizeOfJPEG(_ bytes: [UInt8]) -> (Int, Int)? {
        var place = 2
        while place + 9 <= bytes.count, bytes[place] == 0xFF {
            switch bytes[place + 1] {
            case 0xFF: place += 1  // It fills up.
            case 0x01, 0xD0...0xD7: place += 2  // A marker without a segment.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                return (bytes.number(at: place + 7, bytes: 2), bytes.number(at: place + 5, bytes: 2))
            case 0x00, 0xD8, 0xD9, 0xDA: return nil
            default: place += 2 + bytes.number(at: place + 2, bytes: 2)
            }
        }
        return nil
    }

    /// https://www.rfc-editor.org/rfc/rfc9649
    private static func sizeOfWebP(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 30 else { return nil }
        switch bytes[15] {
        case UInt8(ascii: "X"):
            return (bytes.littleNumber(at: 24, bytes: 3) + 1, bytes.littleNumber(at: 27, bytes: 3) + 1)
        case UInt8(ascii: "L"):
            guard bytes[20] == 0x2F else { return nil }
            let bits = bytes.littleNumber(at: 21, bytes: 4)
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case UInt8(ascii: " "):
            guard bytes[23...].starts(with: [0x9D, 0x01, 0x2A]) else { return nil }
            return (bytes.littleNumber(at: 26, bytes: 2) & 0x3FFF, bytes.littleNumber(at: 28, bytes: 2) & 0x3FFF)
        default: return nil
        }
    }
}

extension [UInt8] {
    /// The number whose first byte is its highest one.
    fileprivate func number(at place: Int, bytes count: Int) -> Int {
        self[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    fileprivate func littleNumber(at place: Int, bytes count: Int) -> Int {
        self[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
