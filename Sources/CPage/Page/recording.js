'use strict';

class RecordingData {}
