'use strict';

/** A pinned place of the state: the changes of its value over the whole recording. */
class Pin {
    /** `onReady` is called when all changes are known. They are found slice by slice. */
    constructor(data, path, onReady) {
        this.data = data;
        this.path = path;
        this.numbers = [];
        this.values = [];
        this.isReady = false;
        this.initial = data.value({ number: data.first, reducer: null }, path);
        this.read().then(onReady, () => {
            this.isFailed = true;
            onReady();
        });
    }

    async read() {
        let turn = performance.now();
        for (const change of this.data.changesAt(this.path)) {
            const last = this.numbers.length - 1;
            // The value after the whole action counts.
            if (this.numbers[last] === change.number) this.values[last] = change.new;
            else {
                this.numbers.push(change.number);
                this.values.push(change.new);
            }
            if (performance.now() - turn > 12) {
                await new Promise((resolve) => setTimeout(resolve));
                if (this.isGone) return;
                turn = performance.now();
            }
        }
        this.measure();
        this.isReady = true;
    }

    /** Finds out how to draw the values: as numbers if all are, otherwise as spans. */
    measure() {
        let [low, high] = [Infinity, -Infinity];
        let isNumeric = true;
        this.numeric = new Float64Array(this.values.length + 1);
        [this.initial, ...this.values].forEach((value, index) => {
            const number = Pin.number(value);
            this.numeric[index] = number;
            if (value !== undefined && value !== null && Number.isNaN(number)) isNumeric = false;
            if (number < low) low = number;
            if (number > high) high = number;
        });
        this.isNumeric = isNumeric && low <= high;
        [this.low, this.high] = [low, high];
    }

    static number(value) {
        if (typeof value === 'number') return value;
        return value instanceof RecordingData.Exact ? Number(value.text) : NaN;
    }

    /** The index of the last change at or before a number; -1 if there is none. */
    indexAt(number) {
        let [low, high] = [-1, this.numbers.length - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.numbers[middle] <= number) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    valueAt(number) {
        const index = this.indexAt(number);
        return index < 0 ? this.initial : this.values[index];
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
        const { palette, data } = timeline.app;
        const span = pin.high - pin.low || 1;
        const y = (value) => (pin.high === pin.low ? top + height / 2 : top + height - ((value - pin.low) / span) * height);
        const first = pin.indexAt(Math.floor(timeline.window[0]));
        const end = Math.min(data.last + 0.5, timeline.window[1]);
        // At most one low and one high a pixel.
        const points = [];
        let last = pin.numeric[first + 1];
        let x = PinLane.edge(timeline, Math.max(data.first, timeline.window[0]));
        points.push([x, last]);
        let column = { x: -1, low: 0, high: 0 };
        for (let index = first + 1; index < pin.numbers.length && pin.numbers[index] <= end; index += 1) {
            x = PinLane.edge(timeline, pin.numbers[index]);
            const value = pin.numeric[index + 1];
            if (Math.floor(x) === column.x) {
                column.low = Math.min(column.low, value);
                column.high = Math.max(column.high, value);
            } else {
                if (column.low !== column.high) points.push([column.x, column.low], [column.x, column.high], [column.x, last]);
                column = { x: Math.floor(x), low: value, high: value };
                points.push([x, last]);
            }
            points.push([x, value]);
            last = value;
            if (points.length > 40000) break;
        }
        points.push([PinLane.edge(timeline, Math.min(data.last + 1, end + 0.5)), last]);
        g.save();
        g.beginPath();
        g.rect(0, top - 4, timeline.width, height + 8);
        g.clip();
        const line = () => {
            g.beginPath();
            let isDown = false;
            for (const [px, value] of points) {
                if (Number.isNaN(value)) {
                    isDown = false;
                } else {
                    if (isDown) g.lineTo(px, y(value));
                    else g.moveTo(px, y(value));
                    isDown = true;
                }
            }
        };
        if (!points.some(([, value]) => Number.isNaN(value))) {
            line();
            g.lineTo(points[points.length - 1][0], top + height + 4);
            g.lineTo(points[0][0], top + height + 4);
            g.fillStyle = palette.accentSoft;
            g.fill();
        }
        line();
        g.strokeStyle = palette.accent;
        g.lineWidth = 1.5;
        g.lineJoin = 'round';
        g.stroke();
        g.restore();
        g.font = '10px ' + Timeline.font;
        g.textBaseline = 'middle';
        g.fillStyle = palette.dim;
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
        const { palette, data } = timeline.app;
        g.font = '11px ' + Timeline.mono;
        g.textBaseline = 'middle';
        const first = pin.indexAt(Math.floor(timeline.window[0]));
        const end = timeline.window[1];
        let drawnTo = -1;
        for (let index = first; index < pin.numbers.length; index += 1) {
            const from = index < 0 ? data.first : pin.numbers[index];
            if (from > end) break;
            const to = index + 1 < pin.numbers.length ? pin.numbers[index + 1] : data.last + 1;
            const left = Math.max(0, PinLane.edge(timeline, Math.max(from, timeline.window[0])));
            const right = Math.min(timeline.width, PinLane.edge(timeline, Math.min(to, end + 0.5)));
            if (right <= drawnTo) continue;
            const width = Math.max(1, right - left - 1);
            drawnTo = left + width;
            const value = index < 0 ? pin.initial : pin.values[index];
            if (value === undefined || value === null) continue;
            g.fillStyle = value === false ? palette.line : palette.accentSoft;
            Timeline.bar(g, left, top + 5, width, height - 10, width > 6 ? 3 : 0);
            if (width > 3 && value !== false) {
                g.fillStyle = palette.accent;
                g.fillRect(left, top + 5, 2, height - 10);
            }
            if (width > 22) {
                const room = Math.floor((width - 10) / 6.7);
                let text = Format.preview(value, room);
                if (text.length > room) text = text.slice(0, Math.max(1, room - 1)) + '…';
                g.fillStyle = palette.text;
                g.fillText(text, left + 7, top + height / 2 + 0.5);
            }
        }
    },
};
