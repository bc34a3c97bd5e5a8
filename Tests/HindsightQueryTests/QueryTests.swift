import HindsightQuery
import Testing
