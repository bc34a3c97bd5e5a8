extension FixedWidthInteger {
    /// The sum, or the nearest number if it does not fit, because numbers from a file may have any value.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }
}
