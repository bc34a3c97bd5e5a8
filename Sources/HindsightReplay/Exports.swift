// Replaying needs the app that records and the recording that it made.
@_exported import HindsightRecorder
@_exported import HindsightRecording
