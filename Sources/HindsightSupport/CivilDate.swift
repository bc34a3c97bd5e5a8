/// A day of the proleptic Gregorian calendar, in UTC.
///
/// The algorithms are Howard Hinnant's ("chrono-Compatible Low-Level Date Algorithms",
/// https://howardhinnant.github.io/date_algorithms.html). They are exact for every day whose number fits in an `Int`.
package struct CivilDate: Hashable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the date of a day.
    ///
    /// - Parameter days: The number of days since 1970-01-01.
    package init(daysSince1970 days: Int) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(floor: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// The number of days since 1970-01-01.
    package var daysSince1970: Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(floor: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int {
    /// Divides and rounds down, so that the remainder is never negative.
    package func quotientAndRemainder(floor divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
