'use strict';

/** What is known of the action at the position, of the selected value, and of times. One tab each. */
class Inspector {
    static redacted = 'It is redacted: its changes are not recorded, so what set it is not known.';
    static tabs = [['action', 'Action'], ['value', 'Value'], ['timing', 'Timing']];

    constructor(app, panel) {
        this.app = app;
        const { h } = DOM;
        this.tabs = Inspector.tabs.map(([name, text], index) => h('button', {
            type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'inspector-body', 'aria-selected': 'false', tabindex: index ? '-1' : '0',
            on: { click: () => app.showTab(name) },
        }, text));
        const tabKey = (event) => {
            const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!by || event.shiftKey) return;
            event.preventDefault();
            event.stopPropagation();
            const at = this.tabs.indexOf(document.activeElement);
            const target = this.tabs[(at + by + this.tabs.length) % this.tabs.length];
            target.focus();
            target.click();
        };
        this.body = h('div', { class: 'scroller inspector-body', role: 'tabpanel', id: 'inspector-body', tabindex: '0' });
        panel.append(h('div', { class: 'panel-head tabs', role: 'tablist', 'aria-label': 'Inspector', on: { keydown: tabKey } }, this.tabs), this.body);
        this.drawSoon = DOM.onceAFrame(() => this.draw());
    }

    update() {
        this.drawSoon();
    }

    draw() {
        const { tab } = this.app.view;
        this.tabs.forEach((element, index) => {
            const isChosen = Inspector.tabs[index][0] === tab;
            element.setAttribute('aria-selected', String(isChosen));
            element.tabIndex = isChosen ? 0 : -1;
            if (isChosen) this.body.setAttribute('aria-labelledby', element.id);
        });
        if (tab === 'timing') {
            if (this.shown !== 'timing') this.drawTiming();
        } else {
            if (tab === 'value') this.drawValue();
            else this.drawAction();
            // Reading where it is scrolled to would lay out the page at every step.
            if (this.shown !== tab) this.body.scrollTop = 0;
        }
        this.shown = tab;
    }

    // MARK: Action

    drawAction() {
        const { h, fill, visible } = DOM;
        const { app } = this;
        const { data, view } = app;
        if (view.number === data.first) {
            fill(this.body, h('div', { class: 'section' }, h('h3', { class: 'headline' }, 'Start'), h('p', { class: 'dim' }, data.last > data.first ? 'The state before the first action.' : 'The recording has no actions.')), this.recordingFacts(),
                view.mark ? this.changesSection() : null);
            return;
        }
        const row = data.row(view.number);
        const meta = [];
        const fact = (name, value) => meta.push(h('dt', {}, name), h('dd', {}, value));
        fact('At', [app.timeText(row.number), h('span', { class: 'dim' }, `  ${row.at.replace('T', ' ').replace('Z', ' UTC')}`)]);
        fact('Took', Format.duration(row.duration));
        if (row.origin) fact('From', h('code', {}, visible(row.origin)));
        if (row.thread) {
            const { number, name, task } = row.thread;
            fact('On', [number === 1 ? 'the main thread' : `thread ${number}${name ? ` ${visible(name)}` : ''}`, task ? `, task ${visible(task)}` : '']);
        }
        if (row.parent !== null && row.parent >= data.first) {
            const parent = row.parent;
            fact('Dispatched in', h('button', { type: 'button', class: 'link', on: { click: () => app.go({ number: parent, reducer: null }, { isJump: true }) } }, `${parent} ${parent > data.first ? visible(data.typeOf(parent)) : ''}`));
        }
        for (const note of app.notesOf(row.number)) fact('Note', visible([note.name, note.text].filter(Boolean).join(': ')));
        const problems = [];
        if (row.problem) problems.push(`It could not be encoded: ${visible(row.problem)}`);
        if (row.doubtful) problems.push(`The state after it is doubtful at ${visible(row.doubtful)}.`);
        const whyNot = data.whyNot({ number: view.number, reducer: null });
        const { ending } = data;
        const hasCrashed = ending.kind === 'crashed' && (ending.number ?? data.last) === row.number;
        if (whyNot && !hasCrashed) problems.push(whyNot);
        const isLast = row.number === data.last;
        if (isLast && !hasCrashed && !data.isOpen && ending.kind === 'open') problems.push(visible(`The recording ends here: ${ending.text}.`));
        for (const it of app.about.divergences ?? []) if (it.number === row.number) problems.push(it.text ?? 'The replay differs here.');
        const isComputed = data.lastComputed?.number === row.number;
        fill(this.body,
            h('div', { class: 'section' },
                h('div', { class: 'headline-row' }, h('i', { class: `dot big type-${data.typeIndexOf(row.number) % Palette.typeCount}` }), h('h3', { class: 'headline' }, visible(row.type)), h('span', { class: 'dim' }, `${Format.count(row.number)} of ${Format.count(data.last)}`)),
                hasCrashed ? h('p', { class: 'problem bad' }, visible(`The recording ${ending.text}.`)) : null,
                problems.map((text) => h('p', { class: 'problem' }, text)),
                isComputed ? h('p', { class: 'dim computed' }, this.computedText()) : null,
                row.payload === undefined ? null : this.payload(row),
                h('dl', { class: 'meta' }, meta)),
            this.reducersSection(row), this.changesSection(row));
    }

    /** What `show` of the tool says of computed steps. */
    computedText() {
        const { redaction, redactedFields } = this.app.data.head.facts;
        const isRedacted = [redaction, redactedFields].some((it) => it?.states?.length > 0 || it?.actions?.length > 0);
        const source = isRedacted ? '; from placeholders for redacted values' : '';
        return `${Format.computedMark}What the reducers did before the crash was computed by the tool's reducers when the page was made, not recorded${source}.`;
    }

    /** The action itself: its arguments, one a line. */
    payload(row) {
        const { h, visible } = DOM;
        let { payload } = row;
        if (payload instanceof Map && payload.size === 1 && payload.has(row.type)) payload = payload.get(row.type);
        if (!(payload instanceof Map)) return payload === null ? null : h('div', { class: 'payload' }, h('span', { class: `value ${Format.kind(payload)}` }, Diff.shown(payload, 300)));
        if (payload.size === 0) return null;
        const rows = [];
        const add = (map, level) => {
            for (const [name, value] of map) {
                if (rows.length > 60) return;
                const isNested = value instanceof Map && value.size > 0 && Format.preview(value, 60).length > 44 && level < 4;
                const element = h('div', { class: 'payload-row' }, h('span', { class: 'key' }, visible(name)),
                    isNested ? null : h('span', { class: `value ${Format.kind(value)}` }, Diff.shown(value, 160)), Format.dateHint(value) ? h('span', { class: 'hint' }, Format.dateHint(value)) : null);
                element.style.setProperty('--level', String(level));
                rows.push(element);
                if (isNested) add(value, level + 1);
            }
        };
        add(payload, 0);
        return h('div', { class: 'payload' }, rows);
    }

    /** A lane for each reducer: when it ran within the action, how long, and what it changed. */
    reducersSection(row) {
        const { h, visible } = DOM;
        const { app } = this;
        const { view } = app;
        const steps = app.data.steps(row.number);
        if (steps.length === 0 || steps[0].index === 0) return null;
        const total = steps.reduce((sum, step) => sum + (step.duration || 0), 0) || 1;
        let before = 0;
        const changing = steps.filter((step) => step.changes.length > 0).length;
        const isLong = steps.length > 14;
        const lanes = steps.map((step) => {
            const isCurrent = view.reducer === step.index;
            const isDone = view.reducer === null || step.index <= view.reducer;
            const bar = h('i', { class: 'lane-bar', hidden: Number.isNaN(step.duration) });
            bar.style.left = `${(before / total) * 100}%`;
            bar.style.width = `${Math.max(1, ((step.duration || 0) / total) * 100)}%`;
            before += step.duration || 0;
            if (isLong && step.changes.length === 0 && !isCurrent && !this.isAllLanes) return null;
            return h('button', {
                type: 'button', class: `lane${step.changes.length ? ' has-changes' : ''}${isCurrent ? ' is-current' : ''}${isDone ? '' : ' is-later'}`, 'aria-pressed': isCurrent,
                title: `State after ${step.reducer ?? 'reducer'}: ${row.number}.${step.index}`, on: { click: () => app.go({ number: row.number, reducer: step.index }) },
            },
            h('span', { class: 'lane-index' }, step.index), h('span', { class: 'lane-name' }, visible(step.reducer ?? '')),
            h('span', { class: 'lane-track' }, bar), h('span', { class: 'lane-time' }, Format.duration(step.duration)),
            h('span', { class: 'lane-count' }, step.changes.length ? h('span', { class: 'inside' }, Format.count(Marks.linesOf(step.changes))) : h('span', { class: 'none', 'aria-label': 'no changes' }, '·')));
        });
        return h('div', { class: 'section' },
            h('div', { class: 'section-head' }, h('h3', {}, 'Reducers'), h('span', { class: 'dim' }, `${changing} of ${steps.length} changed ${app.about.arguments?.path ? 'what this page has' : 'the state'}`),
                isLong ? h('button', { type: 'button', class: 'toggle', 'aria-pressed': Boolean(this.isAllLanes), on: { click: () => { this.isAllLanes = !this.isAllLanes; this.draw(); } } }, 'All') : null,
                view.reducer !== null ? h('button', { type: 'button', class: 'toggle', on: { click: () => app.go({ number: row.number, reducer: null }) } }, 'Whole action') : null),
            h('div', { class: 'lanes' }, lanes));
    }

    /** What changed: in this step, in this action, or since the mark. */
    changesSection(row) {
        const { h, visible } = DOM;
        const { app } = this;
        const { data, view } = app;
        const scope = app.scope();
        const scopes = [];
        if (view.reducer !== null) scopes.push(['step', `Step ${Format.position(view)}`]);
        if (row) scopes.push(['action', 'This action']);
        if (view.mark) scopes.push(['mark', `${Format.position(view.mark)} → ${Format.position(view)}`]);
        const switcher = h('div', { class: 'segmented', role: 'group', 'aria-label': 'Changes of' }, scopes.map(([name, text]) => h('button', {
            type: 'button', 'aria-pressed': scope === name, on: { click: () => app.setScope(name) },
        }, text)));
        const content = [];
        const steps = app.changes();
        const count = (steps ?? []).reduce((sum, step) => sum + Marks.linesOf(step.patch), 0);
        if (scope === 'mark') {
            const changes = steps?.[0].patch;
            if (changes === undefined) content.push(h('p', { class: 'dim' }, data.whyNot(view.mark) ?? data.whyNot(view) ?? 'One of the states is not known.'));
            else if (changes.length === 0) content.push(h('p', { class: 'dim' }, 'No differences.'));
            else content.push(Diff.list(app, changes), Diff.unchanged(data.state(view.mark), changes));
        } else if (row) {
            const mark = data.lastComputed?.number === row.number ? Format.computedMark : '';
            for (const step of steps) {
                if (step.patch.length === 0) continue;
                const before = scope === 'step' ? data.state({ number: row.number, reducer: view.reducer - 1 }) : undefined;
                content.push(h('div', { class: 'group' },
                    step.index > 0
                        ? h('button', { type: 'button', class: 'group-head', title: 'Go to the state after this reducer', on: { click: () => app.go({ number: row.number, reducer: step.index }) } },
                            h('span', { class: 'dim' }, `${mark}${row.number}.${step.index}`), h('b', {}, visible(step.reducer ?? '')), h('span', { class: 'dim' }, Format.duration(row.times[step.index - 1] ?? NaN)))
                        : h('div', { class: 'group-head' }, row.travel ? 'Time travel' : 'Changes of all skipped actions'),
                    Diff.list(app, step.patch), before === undefined ? null : Diff.unchanged(before, step.patch)));
            }
            if (content.length === 0) {
                const bits = data.flagsOf(row.number);
                const isPart = row.outside > 0;
                const isKnown = bits & flags.EFFECT || data.isComputedAt(view) && scope === 'step';
                const text = !isKnown ? 'Its changes are not recorded.' : scope === 'step' ? `This reducer changed nothing${isPart ? ' here' : ''}.` : isPart ? `Nothing changed here; ${Format.outside(row.outside)}.` : 'This action changed nothing.';
                content.push(h('p', { class: 'dim' }, text));
            } else if (row.outside > 0 && scope === 'action') {
                content.push(h('p', { class: 'dim' }, `${Format.outside(row.outside)}.`));
            }
        }
        return h('div', { class: 'section' }, h('div', { class: 'section-head' }, h('h3', {}, 'Changes'), count > 0 ? h('span', { class: 'dim change-count' }, Format.counted(count, 'change')) : null, scopes.length > 1 || scope === 'mark' ? switcher : null,
            view.mark ? h('button', { type: 'button', class: 'toggle', title: '(d)', on: { click: () => app.setMark(null) } }, 'Clear mark') : null), content);
    }

    recordingFacts() {
        const { h, visible } = DOM;
        const { head, ending } = this.app.data;
        const rows = [['App', `${head.app} ${head.version}`], ['Platform', head.platform], ['Recorded', `${head.created.slice(0, 19).replace('T', ' ')} UTC`], ['Ended', ending.text],
            ['Reducers', head.reducers.join(', ')], ['Types', Format.count(this.app.data.types.length)]];
        const { redaction, redactedFields, cut } = head.facts;
        if (Number.isInteger(cut?.from) && Number.isInteger(cut.to)) rows.push(['Cut', `from ${cut.file ?? 'another recording'}, of which these are the actions ${Format.count(cut.from + 1)} to ${Format.count(cut.to)}`]);
        const hidden = [redaction, redactedFields].flatMap((it) => [...(it?.states ?? []), ...(it?.actions ?? [])]).map((it) => it.path ?? String(it));
        if (hidden.length) rows.push(['Redacted', [...new Set(hidden)].join(', ')]);
        return h('div', { class: 'section' }, h('h3', {}, 'Recording'), h('dl', { class: 'meta' }, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, visible(String(value ?? '')))])));
    }

    // MARK: Value

    drawValue() {
        const { h, fill, visible, icon } = DOM;
        const { app } = this;
        const { data, view } = app;
        const { path } = view;
        if (path === null || !StateTree.isPointer(path)) {
            fill(this.body, h('div', { class: 'section' }, h('p', { class: 'dim' }, 'Select a value in the state to see where it came from, and how it changed.')));
            return;
        }
        const value = data.value(view, path);
        const isPinned = view.pins.includes(path);
        const kind = Format.kindAt(value, path, data);
        const unknown = data.whyNot(view);
        const blame = value === undefined ? undefined : data.blame(view, path);
        const button = (glyph, text, key, action) => h('button', { type: 'button', class: 'button', title: `(${key})`, on: { click: action } }, icon(glyph), text);
        const isLarge = isContainer(value) && !StateTree.isSmall(value, 4000);
        const text = value === undefined ? null : typeof value === 'string' && kind !== 'redacted' ? value : isLarge ? Format.preview(value, 4000) : kind === 'data' ? Format.hexadecimal(value) : textOf(value, { indent: 2 });
        fill(this.body,
            h('div', { class: 'section' },
                h('div', { class: 'headline-row' }, h('h3', { class: 'headline mono' }, visible(path) || '/'), h('span', { class: 'badge' }, unknown !== null ? 'not known' : value === undefined ? 'absent' : kind)),
                h('div', { class: 'buttons' },
                    button('pin', isPinned ? 'Unpin' : 'Pin', 'p', () => app.togglePin()), button('copy', 'Value', 'c', () => app.copyValue()), button('copy', 'Path', 'Shift+C', () => app.copyPath()), button('copy', 'Command', 'y', () => app.copyCommand()),
                    button('filter', 'Its actions', 'x', () => app.filterPath())),
                kind === 'redacted' || data.isRedacted(path) ? h('p', { class: 'problem' }, 'Redacted: the recorder left this value out.') : null,
                Format.dateHint(value) ? h('p', { class: 'dim' }, Format.dateHint(value)) : null,
                data.isComputedAt(view) ? h('p', { class: 'dim computed' }, this.computedText()) : null,
                unknown !== null ? h('p', { class: 'problem' }, unknown) : text === null ? h('p', { class: 'dim' }, `Nothing is at this path at ${Format.position(view)}.`) : h('pre', { class: `full ${kind}`, tabindex: '0', role: 'region', 'aria-label': 'The whole value' }, (text.length > 20000 ? Format.cut(text, 20000) + '…' : text).split('\n').map(DOM.visible).join('\n'))),
            unknown !== null ? null : h('div', { class: 'section' }, h('h3', {}, 'Set by'), data.isRedacted(path) ? h('p', { class: 'dim' }, Inspector.redacted) : this.blameText(blame)),
            this.historySection(path));
    }

    blameText(blame) {
        const { h, visible } = DOM;
        const { app } = this;
        if (blame === undefined) return h('p', { class: 'dim' }, 'Nothing is here at this position.');
        if (blame === null) return h('p', {}, 'It is as it was at the start.');
        const { number } = blame;
        const origin = app.data.row(number).origin;
        return h('p', {}, h('button', { type: 'button', class: 'link', on: { click: () => app.go({ number, reducer: blame.index || null }, { isJump: true }) } },
            `${app.data.isComputedAt({ number, reducer: blame.index }) ? Format.computedMark : ''}${number}${blame.index ? '.' + blame.index : ''} ${visible(app.data.typeOf(number))}`), blame.reducer ? h('span', { class: 'dim' }, `  by ${visible(blame.reducer)}`) : null,
        origin ? h('span', { class: 'dim' }, `  from ${visible(origin)}`) : null, blame.oneOf ? h('span', { class: 'dim' }, `  (one of ${blame.oneOf.join(' to ')})`) : null);
    }

    /** Every change of the value, around the position. */
    historySection(path) {
        const { h } = DOM;
        const { app } = this;
        const { data } = app;
        const pin = app.historyOf(path);
        if (!pin.isReady) return h('div', { class: 'section' }, h('h3', {}, 'Changes over time'), h('p', { class: 'dim' }, pin.isFailed ? 'They cannot be followed.' : 'Reading …'));
        // Within an action, its change may not have happened yet.
        const now = pin.indexAtPosition(app.view);
        const from = Math.max(-1, now - 12);
        const to = Math.min(pin.count, from + 40);
        const items = [];
        for (let index = from; index < to; index += 1) {
            const number = pin.numberOf(index);
            const mark = data.lastComputed?.number === number ? Format.computedMark : '';
            items.push(h('button', { type: 'button', class: `history-row${index === now ? ' is-current' : ''}`, 'aria-current': index === now ? 'true' : undefined, on: { click: () => app.go(data.lastIn(number), { isJump: true }) } },
                h('span', { class: 'at' }, Format.count(number)), this.historyValue(pin, index), h('span', { class: 'dim' }, index < 0 ? 'start' : mark + DOM.visible(data.typeOf(number)))));
        }
        const canvas = pin.isNumeric ? h('canvas', { class: 'spark', 'aria-hidden': 'true' }) : null;
        if (canvas) requestAnimationFrame(() => this.spark(canvas, pin));
        return h('div', { class: 'section' }, h('div', { class: 'section-head' }, h('h3', {}, 'Changes over time'), h('span', { class: 'dim' }, Format.counted(pin.count, 'change'))), canvas,
            h('div', { class: 'history' }, from > -1 ? h('p', { class: 'dim' }, `${Format.count(from + 1)} earlier`) : null, items, to < pin.count ? h('p', { class: 'dim' }, `${Format.count(pin.count - to)} later`) : null));
    }

    /** A row of the history: the value, or what changed in it if it is long. */
    historyValue(pin, index) {
        const { h } = DOM;
        const { data } = this.app;
        const value = pin.valueOf(index);
        const isLong = typeof value === 'string' ? value.length > 60 : isContainer(value) && !StateTree.isSmall(value, 8);
        const changes = isLong && index >= 0 ? data.operationsAt(pin.numberOf(index), pin.path).filter((it) => it.path !== pin.path || it.op === 'edit' || it.op === 'splice') : [];
        if (changes.length > 0) return h('span', { class: 'value' }, Diff.brief(changes, pin.path));
        return h('span', { class: `value ${Format.kind(value)}` }, value === undefined ? 'absent' : Diff.shown(value, 60));
    }

    /** A small chart of a number over the whole recording. */
    spark(canvas, pin) {
        const { timeline, data, palette } = this.app;
        const width = canvas.clientWidth;
        if (width < 10) return;
        const g = timeline.context(canvas, width, 56);
        const [low, high] = [data.first - 0.5, data.last + 0.5];
        const scale = { app: this.app, width, window: [low, high], isTimed: false, x: (place) => ((place - low) / (high - low)) * width };
        PinLane.draw(g, pin, scale, 0, 56);
        g.fillStyle = palette.text;
        g.fillRect(Math.round(scale.x(this.app.view.number)), 0, 1, 56);
    }

    // MARK: Timing

    /** Medians and 99th percentiles of types and reducers. */
    async drawTiming() {
        const { h, fill } = DOM;
        const { app } = this;
        if (!app.timing) {
            fill(this.body, h('div', { class: 'section' }, h('p', { class: 'dim' }, 'Measuring …')));
            app.timing = await Timing.of(app.data);
            if (app.view.tab !== 'timing') return;
        }
        const { types, reducers, sampled } = app.timing;
        const longest = (rows) => rows.reduce((most, it) => Math.max(most, it.p99), 1);
        const [most, mostOfReducers] = [longest(types), longest(reducers)];
        const bar = (it, top) => {
            const median = h('i', { class: 'range-median' });
            const p99 = h('i', { class: 'range' });
            p99.style.width = `${Math.max(1, (it.p99 / top) * 100)}%`;
            median.style.left = `${(it.median / top) * 100}%`;
            return h('span', { class: 'range-track' }, p99, median);
        };
        const all = app.isAllTimed ? Infinity : Timing.mostRows;
        const more = types.length > all ? h('button', { type: 'button', class: 'button', on: { click: () => {
            app.isAllTimed = true;
            this.drawTiming();
        } } }, `Show all ${Format.counted(types.length, 'type')}`) : null;
        const table = (title, hint, rows, top, isType) => h('div', { class: 'section' }, h('div', { class: 'section-head' }, h('h3', {}, title), h('span', { class: 'dim' }, hint)),
            h('table', { class: 'timing' },
                h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, isType ? 'Type' : 'Reducer'), h('th', { scope: 'col', class: 'num' }, 'Count'), h('th', { scope: 'col', class: 'num' }, 'Median'), h('th', { scope: 'col', class: 'num' }, 'p99'), h('th', { scope: 'col', class: 'num' }, 'Total'))),
                h('tbody', {}, rows.slice(0, all).map((it) => h('tr', {},
                    h('th', { scope: 'row' }, h('button', { type: 'button', class: 'link', title: 'Show only these', on: { click: () => app.setFilter(isType ? { ...app.view.filter, types: [it.name] } : { ...app.view.filter, reducer: it.index }) } },
                        isType ? h('i', { class: `dot type-${it.index % Palette.typeCount}` }) : null, DOM.visible(it.name)), bar(it, top)),
                    h('td', { class: 'num' }, Format.count(it.count)), h('td', { class: 'num' }, Format.duration(it.median)), h('td', { class: 'num' }, Format.duration(it.p99)), h('td', { class: 'num' }, Format.duration(it.total)))))));
        fill(this.body, table('Reducers', sampled ? `of ${Format.count(sampled)} sampled actions` : '', reducers, mostOfReducers, false), table('Action types', more ? `the ${Format.count(all)} with the longest totals` : '', types, most, true), more ? h('div', { class: 'section' }, more) : null);
    }
}

/** How long types and reducers took. */
const Timing = {
    /** The actions of which the times of reducers are read. */
    mostSampled: 20000,
    /** The rows of a table that are shown at first. */
    mostRows: 200,

    async of(data) {
        const byType = data.types.map((type, index) => ({ ...type, index, times: [] }));
        for (let number = data.first + 1; number <= data.last; number += 1) {
            const ns = data.durationOf(number);
            if (ns >= 0) byType[data.typeIndexOf(number)].times.push(ns);
        }
        const count = data.last - data.first;
        const step = Math.max(1, count / Timing.mostSampled);
        const byReducer = data.head.reducers.map((name, index) => ({ name, index: index + 1, times: [], count: 0 }));
        const slice = new TimeSlice(12);
        for (let at = 0; at < count; at += step) {
            data.row(data.first + 1 + Math.floor(at)).times.forEach((ns, index) => ns >= 0 && byReducer[index]?.times.push(ns));
            if (slice.isOver) await slice.next();
        }
        const measured = ({ name, index, times }) => {
            const sorted = Float64Array.from(times).sort();
            const at = (part) => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? NaN;
            return { name, index, count: times.length, median: at(0.5), p99: at(0.99), total: sorted.reduce((sum, ns) => sum + ns, 0) };
        };
        const order = (a, b) => b.total - a.total;
        return {
            types: byType.filter((it) => it.times.length).map(measured).sort(order),
            reducers: byReducer.filter((it) => it.times.length).map(measured).sort(order),
            sampled: step > 1 ? Timing.mostSampled : null,
        };
    },
};
