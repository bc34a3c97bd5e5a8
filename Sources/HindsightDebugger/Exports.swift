// The recordings that are debugged, the expressions of breakpoints, and the changed logs of branches.
@_exported import HindsightQuery
@_exported import HindsightReplay
