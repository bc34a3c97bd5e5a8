/**
 * A place of the state: when its value changes over the whole recording.
 *
 * Keeps a few bytes for each change, and no values: those are read from the states when they are shown.
 */
class Pin {
    /** The previews that are kept. */
    static mostPreviews = 400;

    /** `onReady` is called when all changes are known. They are found slice by slice. */
    constructor(data, path, onReady) {
        Object.assign(this, { data, path, onReady });
        this.previews = new Map();
        this.isReady = false;
        this.read();
    }

    get count() {
        return this.numbers.length;
    }

    /**
     * Reads the changes up to the `last` action; those that were read before stay until then. If the recording grows
     * meanwhile, reads again.
     */
    async read() {
        if (this.isReading) return;
        this.isReading = true;
        for (let last; last !== this.data.last; ) {
            last = this.data.last;
            const changes = await this.changes().catch(() => null);
            if (this.isGone) return;
            Object.assign(this, changes, { last, isReady: changes !== null, isFailed: changes === null });
            this.previews.clear();
            this.onReady();
        }
        this.isReading = false;
    }

    async changes() {
        const numbers = new Column(Uint32Array);
        /** The last reducer that made the change; 0 if no single one did. */
        const reducers = new Column(Uint16Array);
        /** With the value at the start: a number, NaN for nothing and `nil`, 0 for `false`, and 1 for other values. */
        const levels = new Column(Float64Array);
        /** Whether all values are numbers, or nothing. */
        let isNumeric = true;
        const add = (value) => {
            const isNothing = value === undefined || value === null;
            isNumeric &&= isNothing || isNumber(value);
            levels.push(isNothing ? NaN : isNumber(value) ? Number(value) : value === false ? 0 : 1);
        };
        add(this.valueOf(-1));
        const slice = new TimeSlice(12);
        for (const change of this.data.changesAt(this.path)) {
            if (change !== null) {
                // The value after the whole action counts.
                const isAgain = numbers.length > 0 && numbers.values[numbers.length - 1] === change.number;
                if (isAgain) for (const column of [numbers, reducers, levels]) column.length -= 1;
                numbers.push(change.number);
                reducers.push(change.index);
                add(change.value);
            }
            if (slice.isOver) await slice.next();
            if (this.isGone) break;
        }
        let [low, high] = [Infinity, -Infinity];
        for (const level of levels.values.subarray(0, levels.length)) {
            if (level < low) low = level;
            if (level > high) high = level;
        }
        return { numbers, reducers, levels, low, high, isNumeric: isNumeric && low <= high };
    }

    /** The number of the action that made a change; -1 is the start. */
    numberOf(index) {
        return index < 0 ? this.data.first : this.numbers.values[index];
    }

    levelOf(index) {
        return this.levels.values[index + 1];
    }

    /** The value after a change. Costs a look at the state. */
    valueOf(index) {
        return this.data.value(this.data.lastIn(this.numberOf(index)), this.path);
    }

    preview(index, room) {
        const key = index * 64 + Math.min(63, room);
        let text = this.previews.get(key);
        if (text === undefined) {
            if (this.previews.size >= Pin.mostPreviews) this.previews.clear();
            this.previews.set(key, (text = Format.preview(this.valueOf(index), room)));
        }
        return text;
    }

    /** The index of the last change at or before a number; -1 if there is none. */
    indexAt(number) {
        return lastIndex(this.count, (at) => this.numbers.values[at] <= number);
    }

    /** The index of the last change at or before a position. */
    indexAtPosition({ number, reducer }) {
        const index = this.indexAt(number);
        const isLater = reducer !== null && index >= 0 && this.numbers.values[index] === number && this.reducers.values[index] > reducer;
        return isLater ? index - 1 : index;
    }
}

/** Draws a pinned value to the scale of the timeline: numbers as a line, others as a lane of values. */
const PinLane = {
    draw(g, pin, timeline, top, height) {
        const { palette } = timeline.app;
        g.fillStyle = palette.band;
        Timeline.bar(g, 0, top, timeline.width, height, 4);
        if (!pin.isReady) {
            g.fillStyle = palette.dim;
            g.font = '11px ' + Timeline.font;
            g.fillText(pin.isFailed ? 'Its changes cannot be followed.' : 'Reading its changes …', 8, top + height / 2);
            return;
        }
        if (pin.isNumeric) PinLane.chart(g, pin, timeline, top + 4, height - 8);
        else PinLane.lane(g, pin, timeline, top, height);
    },

    /** The x at which an action's value begins. */
    edge(timeline, number) {
        return timeline.isTimed ? timeline.x(number) : timeline.x(number - 0.5);
    },

    chart(g, pin, timeline, top, height) {
        const { palette } = timeline.app;
        const [from, to] = timeline.window;
        const span = pin.high - pin.low;
        const y = (level) => top + height * (span === 0 ? 0.5 : 1 - (level - pin.low) / span);
        // Of the values in a column of pixels: the lowest, the highest and the last one.
        const columns = [];
        for (let index = pin.indexAt(Math.floor(from)); index < pin.count && pin.numberOf(index) <= to; index += 1) {
            const x = Math.max(0, Math.floor(PinLane.edge(timeline, Math.max(from, pin.numberOf(index)))));
            const last = pin.levelOf(index);
            const column = columns[columns.length - 1];
            if (column?.x !== x) columns.push({ x, low: last, high: last, last });
            else Object.assign(column, { low: Math.min(column.low, last), high: Math.max(column.high, last), last });
        }
        const end = Math.min(timeline.width, PinLane.edge(timeline, Math.min(pin.last + 1, to + 0.5)));
        // A canvas ignores points without a number.
        const line = () => {
            g.beginPath();
            let before = NaN;
            for (const { x, low, high, last } of columns) {
                if (Number.isNaN(before)) g.moveTo(x, y(last));
                for (const level of [before, low, high, last]) g.lineTo(x, y(level));
                before = last;
            }
            g.lineTo(end, y(before));
        };
        line();
        if (!columns.some(({ last }) => Number.isNaN(last))) {
            g.lineTo(end, top + height + 4);
            g.lineTo(columns[0].x, top + height + 4);
            g.fillStyle = palette.accentSoft;
            g.fill();
            line();
        }
        g.strokeStyle = palette.accent;
        g.lineWidth = 1.5;
        g.lineJoin = 'round';
        g.stroke();
        g.font = '10px ' + Timeline.font;
        const label = (value, at) => {
            const text = Format.preview(value, 20);
            g.globalAlpha = 0.8;
            g.fillStyle = palette.band;
            g.fillRect(2, at - 6, g.measureText(text).width + 5, 12);
            g.globalAlpha = 1;
            g.fillStyle = palette.dim;
            g.fillText(text, 4, at);
        };
        label(pin.high, top + 3);
        if (pin.high !== pin.low) label(pin.low, top + height - 2);
    },

    lane(g, pin, timeline, top, height) {
        const { palette } = timeline.app;
        g.font = '11px ' + Timeline.mono;
        const first = pin.indexAt(Math.floor(timeline.window[0]));
        const end = timeline.window[1];
        let drawnTo = -1;
        for (let index = first; index < pin.count; index += 1) {
            const from = pin.numberOf(index);
            if (from > end) break;
            const to = index + 1 < pin.count ? pin.numberOf(index + 1) : pin.last + 1;
            const left = Math.max(0, PinLane.edge(timeline, Math.max(from, timeline.window[0])));
            const right = Math.min(timeline.width, PinLane.edge(timeline, Math.min(to, end + 0.5)));
            if (right <= drawnTo) continue;
            const width = Math.max(1, right - left - 1);
            drawnTo = left + width;
            const level = pin.levelOf(index);
            if (Number.isNaN(level)) continue;
            g.fillStyle = level === 0 ? palette.line : palette.accentSoft;
            Timeline.bar(g, left, top + 5, width, height - 10, width > 6 ? 3 : 0);
            if (width > 3 && level !== 0) {
                g.fillStyle = palette.accent;
                g.fillRect(left, top + 5, 2, height - 10);
            }
            if (width > 22) {
                const room = Math.floor((width - 10) / 6.7);
                let text = pin.preview(index, room);
                if (text.length > room) text = text.slice(0, Math.max(1, room - 1)) + '…';
                g.fillStyle = palette.text;
                g.fillText(text, left + 7, top + height / 2 + 0.5);
            }
        }
    },
};
