import HindsightCLI
import Samples

HindsightTool.run(SampleApps.all)
