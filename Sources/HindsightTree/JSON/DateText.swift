import HindsightSupport

/// Dates as ISO 8601 text in UTC that reads back as exactly the same number of seconds.
package enum DateText {
    private static let secondsPerDay = 86_400
    /// 2001-01-01 in days since 1970-01-01.
    private static let referenceDay = 11_323

    /// The text for a number of seconds since 2001; `nil` if no text reads back as the same bits (years before 1 or
    /// after 9999, infinities, tiny fractions before 2001).
    package static func text(for seconds: Double) -> String? {
        guard seconds > -63_113_904_000, seconds < 252_423_993_600 else { return nil }
        let whole = seconds.rounded(.down)
        let fraction: Substring
        if seconds >= 0 {
            // The shortest digits of the number end with those of its fraction.
            let description = seconds.description
            guard let point = description.firstIndex(of: "."), !description.contains("e") else { return nil }
            fraction = description[point...].dropFirst()
        } else {
            let description = (seconds - whole).description
            guard description.hasPrefix("0.") else { return nil }
            fraction = description.dropFirst(2)
        }
        let (day, second) = Int(whole).quotientAndRemainder(floor: secondsPerDay)
        let date = CivilDate(daysSince1970: day + referenceDay)
        let pad = TimeText.padded
        var text = pad(date.year, 4) + "-" + pad(date.month, 2) + "-" + pad(date.day, 2) + "T"
        text += pad(second / 3600, 2) + ":" + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2)
        if fraction != "0" { text += "." + fraction }
        text += "Z"
        return self.seconds(from: text)?.bitPattern == seconds.bitPattern ? text : nil
    }

    /// The seconds since 2001 of a text: `YYYY-MM-DDThh:mm:ss`, an optional fraction, then `Z` or `±hh:mm`.
    package static func seconds(from text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        let days = date.daysSince1970
        guard CivilDate(daysSince1970: days) == date else { return nil }

        var rest = bytes[19...]
        var fraction = ""
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty else { return nil }
            fraction = String(decoding: digits, as: UTF8.self)
            rest = rest[digits.endIndex...]
        }
        guard let offset = offset(rest) else { return nil }
        let whole = (days - referenceDay) * secondsPerDay + hour * 3600 + minute * 60 + second - offset
        if fraction.isEmpty { return Double(whole) }
        if whole >= 0 { return Double("\(whole).\(fraction)") }
        return Double("0.\(fraction)").map { Double(whole) + $0 }
    }

    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(bytes)
        if bytes == [UInt8(ascii: "Z")] { return 0 }
        guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"), let hours = number(bytes[1..<3]), hours < 24,
            let minutes = number(bytes[4..<6]), minutes < 60
        else { return nil }
        switch bytes[0] {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
