/**
 * The whole recording from left to right: its actions coloured by type, how long they took, its notes and its end; and
 * below them a lane for each pinned value, to the same scale.
 *
 * A canvas has what changes rarely, a second one the playhead, so that dragging draws little. Positions on the axis are
 * numbers of actions: action 41 takes the place from 40.5 to 41.5. On a scale of time, x is the time of these.
 */
class Timeline {
    static ruler = 20;
    static actionsHeight = 34;
    static durationsHeight = 28;
    static pinHeight = 34;
    static gap = 5;

    constructor(app, { tracks, overview }) {
        this.app = app;
        this.pins = [];
        this.hover = null;
        const { h } = DOM;
        this.base = h('canvas', { class: 'base', 'aria-hidden': 'true' });
        this.over = h('canvas', { class: 'over', 'aria-hidden': 'true' });
        this.slider = h('div', {
            class: 'slider', role: 'slider', tabindex: '0', id: 'slider', 'aria-label': 'Position in the recording',
            'aria-valuemin': app.data.first, 'aria-valuemax': app.data.last,
        }, this.base, this.over);
        this.tip = h('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
        this.labels = h('div', { class: 'track-labels' });
        this.root = tracks;
        tracks.append(this.labels, this.slider, this.tip);
        this.map = h('canvas', { class: 'map', 'aria-hidden': 'true' });
        overview.append(this.map);
        this.overview = overview;
        this.drawSoon = DOM.onceAFrame(() => this.drawBase());
        this.drawOverSoon = DOM.onceAFrame(() => this.drawOver());
        this.window = [app.data.first - 0.5, app.data.last + 0.5];
        this.listen();
        new ResizeObserver(() => this.drawSoon()).observe(this.slider);
    }

    // MARK: Scale

    get whole() {
        return [this.app.data.first - 0.5, this.app.data.last + 0.5];
    }

    get isTimed() {
        return this.app.view.scale === 'time';
    }

    /** The time at a place on the axis; between two actions it is interpolated. */
    timeAt(place) {
        const { data, times } = this.app;
        const clamp = (number) => Math.max(data.first, Math.min(data.last, number));
        const low = clamp(Math.floor(place));
        const [from, to] = [times[low - data.first], times[clamp(low + 1) - data.first]];
        return from + (to - from) * Math.max(0, Math.min(1, place - low));
    }

    /** The last action at or before a time on the scale; the start if there is none. */
    numberAtTime(ms) {
        const { data, times } = this.app;
        return data.first + Math.max(0, lastIndex(times.length, (at) => times[at] <= ms));
    }

    /** Prepares `x` and `placeAt` for the window. */
    measure() {
        const [a, b] = this.window;
        if (this.isTimed) {
            const [from, to] = [this.timeAt(a + 0.5), this.timeAt(b - 0.5)];
            const room = Math.max(1e-6, to - from);
            // A little air on both sides, so that the first and the last action can be seen.
            const width = this.width - 16;
            this.x = (place) => 8 + ((this.timeAt(place) - from) / room) * width;
            this.placeAt = (x) => this.numberAtTime(from + ((x - 8) / width) * room);
        } else {
            this.x = (place) => ((place - a) / (b - a)) * this.width;
            this.placeAt = (x) => a + (x / this.width) * (b - a);
        }
    }

    numberAt(x) {
        const { data } = this.app;
        return Math.max(data.first, Math.min(data.last, Math.round(this.placeAt(x))));
    }

    /** Shows a part of the axis. Keeps within the recording. */
    setWindow(from, to) {
        const [low, high] = this.whole;
        const size = Math.min(high - low, Math.max(Math.min(8, high - low), to - from));
        const start = Math.max(low, Math.min(high - size, from));
        this.window = [start, start + size];
        this.drawSoon();
        this.app.writeSoon();
    }

    zoom(factor, around = this.app.view.number) {
        const [a, b] = this.window;
        const at = around < a || around > b ? (a + b) / 2 : around;
        this.setWindow(at - (at - a) * factor, at + (b - at) * factor);
    }

    /** Moves the window so that a number is in it. */
    reveal(number) {
        const [a, b] = this.window;
        if (number >= a && number <= b) return;
        const size = b - a;
        this.setWindow(number - size / 2, number + size / 2);
    }

    get isWhole() {
        return this.window[1] - this.window[0] >= this.whole[1] - this.whole[0] - 1e-9;
    }

    // MARK: Pointer

    listen() {
        const { slider, app } = this;
        const place = (event) => event.clientX - slider.getBoundingClientRect().left;
        let drag = null;
        slider.addEventListener('pointerdown', (event) => {
            if (event.button !== 0) return;
            slider.setPointerCapture(event.pointerId);
            const y = event.clientY - slider.getBoundingClientRect().top;
            const isBrush = event.shiftKey || y < Timeline.ruler;
            drag = { isBrush, from: place(event), to: place(event) };
            if (!isBrush) app.drag(this.numberAt(drag.from));
            this.tip.hidden = true;
        });
        slider.addEventListener('pointermove', (event) => {
            const x = place(event);
            if (!drag) return this.point(x, event.clientY - slider.getBoundingClientRect().top);
            drag.to = x;
            this.brush = drag.isBrush ? [Math.min(drag.from, x), Math.max(drag.from, x)] : null;
            if (!drag.isBrush) app.drag(this.numberAt(x));
            this.drawOverSoon();
        });
        const end = () => {
            if (!drag) return;
            const { isBrush, from, to } = drag;
            drag = null;
            this.brush = null;
            if (!isBrush) return app.dropped();
            if (Math.abs(to - from) < 4) return app.go({ number: this.numberAt(from), reducer: null }, { isJump: true });
            const ends = [this.numberAt(Math.min(from, to)), this.numberAt(Math.max(from, to))];
            this.setWindow(ends[0] - 0.5, ends[1] + 0.5);
        };
        slider.addEventListener('pointerup', end);
        slider.addEventListener('pointercancel', end);
        slider.addEventListener('pointerleave', () => {
            this.hover = null;
            this.tip.hidden = true;
            this.drawOverSoon();
        });
        slider.addEventListener('dblclick', () => this.setWindow(...this.whole));
        slider.addEventListener('wheel', (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) {
                event.preventDefault();
                this.zoom(Math.exp(event.deltaY * 0.004), this.placeAt(place(event)));
            } else if (!this.isWhole && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                event.preventDefault();
                const shift = (event.deltaX / this.width) * (this.window[1] - this.window[0]);
                this.setWindow(this.window[0] + shift, this.window[1] + shift);
            }
        }, { passive: false });
        const pan = (event) => {
            const box = this.overview.getBoundingClientRect();
            const [low, high] = this.whole;
            const at = low + ((event.clientX - box.left) / box.width) * (high - low);
            const half = (this.window[1] - this.window[0]) / 2;
            this.setWindow(at - half, at + half);
        };
        this.overview.addEventListener('pointerdown', (event) => {
            this.overview.setPointerCapture(event.pointerId);
            pan(event);
        });
        this.overview.addEventListener('pointermove', (event) => this.overview.hasPointerCapture(event.pointerId) && pan(event));
        const go = (by) => app.go({ number: app.view.number + by });
        const page = () => Math.max(1, Math.round((app.data.last - app.data.first) / 20));
        Commands.listen(slider, { ArrowUp: () => go(1), ArrowDown: () => go(-1), PageUp: () => go(page()), PageDown: () => go(-page()) });
    }

    /** Shows what is under the pointer. */
    point(x, y) {
        const { app } = this;
        const { data } = app;
        const { h, fill, icon, visible } = DOM;
        const number = this.numberAt(x);
        this.hover = number;
        this.drawOverSoon();
        const lines = number === data.first ? [h('b', {}, 'Start')] : [
            h('span', { class: 'tip-head' }, app.dot(number), h('b', {}, visible(data.typeOf(number))), ` ${Format.count(number)}`),
            h('span', { class: 'dim' }, `${app.timeText(number)} · took ${Format.duration(data.durationOf(number))}`),
        ];
        for (const note of app.notesOf(number)) lines.push(h('span', { class: 'tip-note' }, icon('flag'), visible(note.text ?? note.name ?? '')));
        const pin = this.pins[Math.floor((y - this.pinsTop) / (Timeline.pinHeight + Timeline.gap))];
        if (pin) lines.push(h('code', {}, `${visible(pin.path)} = ${app.valueText(data.lastIn(number), pin.path, 60)}`));
        fill(this.tip, lines);
        this.tip.hidden = false;
        const left = Math.min(this.slider.offsetLeft + x + 12, this.root.clientWidth - this.tip.offsetWidth - 4);
        this.tip.style.left = `${Math.max(4, left)}px`;
        this.tip.style.top = `${Math.min(y + 18, this.slider.offsetHeight + 6)}px`;
    }

    // MARK: Drawing

    get pinsTop() {
        return Timeline.ruler + Timeline.actionsHeight + Timeline.durationsHeight + 2 * Timeline.gap;
    }

    get height() {
        return this.pinsTop + this.pins.length * (Timeline.pinHeight + Timeline.gap) + 2;
    }

    /** Sizes a canvas for the screen's pixels, and returns its context. */
    context(canvas, width, height) {
        const ratio = window.devicePixelRatio || 1;
        const [w, hh] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
        // In print, what is cleared would cover what is below: a canvas is made empty by its size.
        if (canvas.width !== w || canvas.height !== hh || this.isPrinting) {
            canvas.width = w;
            canvas.height = hh;
            canvas.style.width = `${width}px`;
            canvas.style.height = `${height}px`;
        }
        const context = canvas.getContext('2d');
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        if (!this.isPrinting) context.clearRect(0, 0, width, height);
        return context;
    }

    drawBase() {
        this.slider.style.height = `${this.height}px`;
        this.width = this.slider.clientWidth;
        if (this.width < 10) return;
        this.measure();
        const g = this.context(this.base, this.width, this.height);
        this.drawRuler(g);
        this.drawActions(g);
        this.pins.forEach((pin, index) => {
            const top = this.pinsTop + index * (Timeline.pinHeight + Timeline.gap);
            PinLane.draw(g, pin, this, top, Timeline.pinHeight);
        });
        this.drawMarks(g);
        this.drawMap();
        this.drawOver();
    }

    drawRuler(g) {
        const { palette, data } = this.app;
        g.font = '11px ' + Timeline.font;
        g.textBaseline = 'middle';
        const nice = (span, count) => {
            const raw = span / Math.max(1, count);
            const power = 10 ** Math.floor(Math.log10(raw));
            return [1, 2, 5, 10].map((it) => it * power).find((it) => it >= raw);
        };
        const tick = (x, text) => {
            g.fillStyle = palette.line;
            g.fillRect(Math.round(x), Timeline.ruler - 5, 1, this.height);
            g.fillStyle = palette.dim;
            const width = g.measureText(text).width;
            g.fillText(text, Math.max(2, Math.min(this.width - width - 2, x - width / 2)), 7);
        };
        const [a, b] = this.window;
        const room = Math.max(1, Math.floor(this.width / 110));
        if (this.isTimed) {
            const [from, to] = [this.timeAt(a + 0.5), this.timeAt(b - 0.5)];
            const step = nice(Math.max(1e-6, to - from), room);
            // So large that a step makes no difference, a time would never get past the end.
            const start = Math.ceil(from / step) * step;
            for (let count = 0; count <= 2 * room && start + count * step <= to; count += 1) {
                const at = start + count * step;
                tick(8 + ((at - from) / Math.max(1e-6, to - from)) * (this.width - 16), this.app.clock(at, step));
            }
        } else {
            const step = Math.max(1, nice(b - a, room));
            for (let at = Math.ceil(a / step) * step; at <= b; at += step) {
                if (at >= data.first) tick(this.x(at), at === data.first && at === 0 ? 'start' : Format.count(at));
            }
        }
    }

    /** The actions in the window and how long they took: each for itself, or so many to a pixel. */
    drawActions(g) {
        const { data, filteredMarks, durations } = this.app;
        const from = Math.max(data.first + 1, Math.ceil(this.window[0]));
        const to = Math.min(data.last, Math.floor(this.window[1]));
        // Logarithmic: a mark is as tall as its order of magnitude.
        const [low, high] = [Math.log(durations.shortest / 2), Math.log(durations.longest)];
        const share = (ns) => (Math.log(Math.max(durations.shortest, ns)) - low) / (high - low || 1);
        this.tall = (ns) => Math.max(2, share(ns) * Timeline.durationsHeight);
        this.isOut = (number) => filteredMarks !== null && !filteredMarks[number - data.first - 1];
        const perPixel = (to - from + 1) / this.width;
        if (perPixel >= 0.34 || this.isTimed) return this.drawColumns(g, from, to, perPixel < 0.34 ? 2.5 : 1);
        const cell = this.x(from + 1) - this.x(from);
        for (let number = from; number <= to; number += 1) this.drawCell(g, number, cell);
    }

    /** The bottoms of the actions and of the durations. */
    static actionsFloor = Timeline.ruler + Timeline.actionsHeight;
    static durationsFloor = Timeline.actionsFloor + Timeline.gap + Timeline.durationsHeight;

    /** An action that has room for itself. */
    drawCell(g, number, cell) {
        const { data, palette } = this.app;
        const bits = data.flagsOf(number);
        const space = cell > 5 ? Math.min(2, cell * 0.2) : 0.5;
        const [x, width] = [this.x(number - 0.5) + space / 2, cell - space];
        const isQuiet = (bits & flags.UNCHANGED) !== 0;
        const height = isQuiet ? Timeline.actionsHeight * 0.45 : Timeline.actionsHeight;
        g.fillStyle = this.isOut(number) ? palette.line : bits & flags.SKIPPED ? palette.lineStrong : palette.types[data.typeIndexOf(number) % Palette.typeCount];
        g.globalAlpha = isQuiet ? 0.55 : 1;
        Timeline.bar(g, x, Timeline.actionsFloor - height, width, height, cell > 8 ? 3 : 0);
        g.globalAlpha = 1;
        if (bits & (flags.PROBLEM | flags.UNFINISHED | flags.DOUBTFUL)) {
            g.fillStyle = bits & flags.UNFINISHED ? palette.red : palette.amber;
            g.fillRect(x, Timeline.actionsFloor - 3, width, 3);
        }
        const ns = data.durationOf(number);
        if (!(ns > 0)) return;
        g.fillStyle = this.isOut(number) ? palette.line : palette.quiet;
        Timeline.bar(g, x, Timeline.durationsFloor - this.tall(ns), width, this.tall(ns), cell > 8 ? 2 : 0);
    }

    /** Many actions: of each column of pixels the shares of the types, and the longest duration. */
    drawColumns(g, from, to, wide) {
        const { data, palette } = this.app;
        const colours = [...palette.types, palette.lineStrong, palette.line];
        const [quiet, out] = [colours.length - 2, colours.length - 1];
        const columns = [];
        for (let number = from; number <= to; number += 1) {
            const at = Math.max(0, Math.min(Math.ceil(this.width) - 1, Math.floor(this.x(number))));
            const column = (columns[at] ??= { counts: new Uint32Array(colours.length), total: 0, longest: 0 });
            const bits = data.flagsOf(number);
            const kind = this.isOut(number) ? out : bits & (flags.UNCHANGED | flags.SKIPPED) ? quiet : data.typeIndexOf(number) % Palette.typeCount;
            column.counts[kind] += 1;
            column.total += 1;
            const ns = data.durationOf(number);
            if (ns > column.longest) column.longest = ns;
        }
        columns.forEach(({ counts, total, longest }, x) => {
            // What meets the filters must be seen among thousands that do not.
            if (counts[out] < total) [counts[out], total] = [0, total - counts[out]];
            let floor = Timeline.actionsFloor;
            counts.forEach((count, kind) => {
                if (count === 0 || floor <= Timeline.ruler) return;
                // What is rare keeps two pixels.
                const height = Math.min(floor - Timeline.ruler, Math.max(2, (count / total) * Timeline.actionsHeight));
                floor -= height;
                g.fillStyle = colours[kind];
                g.fillRect(x, floor, wide, height);
            });
            g.fillStyle = palette.quiet;
            if (longest > 0) g.fillRect(x, Timeline.durationsFloor - this.tall(longest), wide, this.tall(longest));
        });
    }

    static bar(g, x, y, width, height, radius) {
        if (radius === 0) return g.fillRect(x, y, width, height);
        g.beginPath();
        g.roundRect(x, y, width, height, Math.min(radius, height / 2));
        g.fill();
    }

    /** Notes, the mark, divergences, pauses, and how the recording ended. */
    drawMarks(g) {
        const { data, palette, about } = this.app;
        const bottom = this.pinsTop - Timeline.gap;
        const flag = (number, colour, text) => {
            const x = Math.round(this.x(number));
            if (x < -2 || x > this.width + 2) return;
            g.fillStyle = colour;
            g.fillRect(x, 2, 1, bottom - 2);
            g.beginPath();
            g.moveTo(x, 2);
            g.lineTo(x + 9, 5.5);
            g.lineTo(x, 9);
            g.fill();
            if (!text) return;
            g.font = '600 11px ' + Timeline.font;
            const shown = DOM.visible(Format.cut(text, 28)) + (text.length > 28 ? '…' : '');
            const width = g.measureText(shown).width;
            // The playhead's number may stand at the flag.
            const gap = Math.max(12, g.measureText(Format.count(number)).width / 2 + 12);
            const left = x + gap + width > this.width ? x - width - gap + 4 : x + gap;
            g.fillStyle = palette.panel;
            g.fillRect(left - 2, 0, width + 4, 14);
            g.fillStyle = colour;
            g.fillText(shown, left, 7);
        };
        if (!this.isTimed) {
            for (const { number, ms } of this.app.pauses) {
                if (number < this.window[0] || number > this.window[1]) continue;
                const x = Math.round(this.x(number - 0.5));
                g.fillStyle = palette.dim;
                for (let y = Timeline.ruler; y < bottom; y += 4) g.fillRect(x, y, 1, 2);
                if (this.width / (this.window[1] - this.window[0]) * 20 > 40) {
                    g.font = '10px ' + Timeline.font;
                    const text = ms >= 1000 ? `${(ms / 1000).toFixed(ms < 10000 ? 1 : 0)} s` : `${Math.round(ms)} ms`;
                    g.fillText(text, x + 3, bottom - 5);
                }
            }
        }
        // The texts of many notes would cover one another.
        const isCrowded = data.notes.length > 60;
        let last = -1;
        for (const note of data.notes) {
            const x = Math.round(this.x(note.number));
            if (isCrowded && x === last) continue;
            last = x;
            flag(note.number, palette.amber, isCrowded ? null : note.text ?? note.name);
        }
        for (const it of about.divergences ?? []) flag(it.number, palette.red, it.text ?? 'diverges');
        const { ending } = data;
        if (ending.kind === 'crashed') flag(ending.number ?? data.last, palette.red, 'crashed');
        const { mark } = this.app.view;
        if (mark) {
            const x = Math.round(this.x(mark.number));
            g.setLineDash([3, 3]);
            g.strokeStyle = palette.text;
            g.beginPath();
            g.moveTo(x + 0.5, Timeline.ruler - 6);
            g.lineTo(x + 0.5, this.height);
            g.stroke();
            g.setLineDash([]);
        }
    }

    /** The strip that shows where the window is. Only there when zoomed in. */
    drawMap() {
        const isShown = !this.isWhole;
        this.overview.classList.toggle('is-shown', isShown);
        if (!isShown) return;
        const { palette } = this.app;
        const [width, height] = [this.overview.clientWidth, this.overview.clientHeight];
        const g = this.context(this.map, width, height);
        const [low, high] = this.whole;
        const x = (place) => ((place - low) / (high - low)) * width;
        g.fillStyle = palette.line;
        g.fillRect(0, height / 2 - 1, width, 2);
        const left = x(this.window[0]);
        const size = Math.max(6, x(this.window[1]) - left);
        g.fillStyle = palette.accent;
        Timeline.bar(g, Math.min(left, width - size), height / 2 - 3, size, 6, 3);
        g.fillStyle = palette.text;
        g.fillRect(Math.round(x(this.app.view.number)), 0, 1, height);
    }

    /** The playhead, what is under the pointer, and the brush. */
    drawOver() {
        if (!this.x) return;
        const { palette, view } = this.app;
        const g = this.context(this.over, this.width, this.height);
        if (this.hover !== null && !this.brush) {
            g.fillStyle = palette.lineStrong;
            g.fillRect(Math.round(this.x(this.hover)), Timeline.ruler - 4, 1, this.height);
        }
        if (this.brush) {
            g.fillStyle = palette.accentSoft;
            g.fillRect(this.brush[0], 0, this.brush[1] - this.brush[0], this.height);
            g.fillStyle = palette.accent;
            g.fillRect(this.brush[0], 0, 1, this.height);
            g.fillRect(this.brush[1], 0, 1, this.height);
        }
        const reducers = this.app.data.head.reducers.length || 1;
        const shift = view.reducer === null || this.isTimed ? 0 : view.reducer / reducers - 0.5;
        const x = Math.round(this.x(view.number + shift));
        const text = Format.shownPosition(view);
        g.font = '600 11px ' + Timeline.font;
        g.textBaseline = 'middle';
        const width = Math.ceil(g.measureText(text).width) + 12;
        const left = Math.max(0, Math.min(this.width - width, x - width / 2));
        g.fillStyle = palette.accent;
        g.fillRect(Math.max(0, Math.min(this.width - 2, x - 1)), 8, 2, this.height);
        Timeline.bar(g, left, 0, width, 16, 5);
        g.fillStyle = palette.panel;
        g.fillText(text, left + 6, 8.5);
    }

    // MARK: Updates

    /** The end of a path, as long as a label may be. */
    static shortPath(path) {
        const parts = path.split('/').slice(1);
        let text = parts.pop() ?? '';
        while (parts.length && text.length + parts[parts.length - 1].length < 15) text = `${parts.pop()}/${text}`;
        return DOM.visible(`${parts.length ? '…' : ''}/${text}`);
    }

    /** Shows the pinned values with their labels. */
    setPins(pins) {
        this.pins = pins;
        const { h, fill, iconButton, visible } = DOM;
        const label = (className, height, ...content) => {
            const element = h('div', { class: `track-label ${className}` }, content);
            element.style.height = `${height}px`;
            return element;
        };
        const named = (text) => h('span', { class: 'track-name', title: text }, text);
        this.currents = pins.map(() => h('span', { class: 'track-value' }));
        fill(
            this.labels,
            label('ruler', Timeline.ruler),
            label('', Timeline.actionsHeight + Timeline.gap, named('Actions')),
            label('', Timeline.durationsHeight + Timeline.gap, named('Duration')),
            pins.map((pin, index) => label('pin', Timeline.pinHeight + Timeline.gap,
                DOM.button({ class: 'track-name link', title: visible(pin.path) }, () => this.app.select(pin.path, { isShown: true }), Timeline.shortPath(pin.path)),
                this.currents[index],
                iconButton('close', `Unpin ${visible(pin.path)}`, null, () => this.app.unpin(pin.path)))),
        );
        this.drawSoon();
        this.update();
    }

    /** Follows the position. */
    update() {
        const { view } = this.app;
        this.slider.setAttribute('aria-valuenow', view.number);
        this.slider.setAttribute('aria-valuetext', this.app.positionText());
        this.pins.forEach((pin, index) => {
            this.currents[index].textContent = pin.isReady ? this.app.valueText(view, pin.path, 24) : '…';
        });
        if (!this.isWhole) this.drawMap();
        this.drawOverSoon();
    }
}
Timeline.font = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
Timeline.mono = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
