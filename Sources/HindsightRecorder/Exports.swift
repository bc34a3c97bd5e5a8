// Errors, positions, limits and whatever else both sides of a recording name.
@_exported import HindsightFormat
