// The recordings that are asked, and their positions and errors.
@_exported import HindsightRecording
