// The errors, positions and limits that recorders and readers share.
@_exported import HindsightFormat
