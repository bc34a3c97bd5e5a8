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
        const go = (by) => {
            const at = this.tabs.indexOf(document.activeElement);
            const target = this.tabs[(at + by + this.tabs.length) % this.tabs.length];
            target.focus();
            target.click();
        };
        this.body = h('div', { class: 'scroller inspector-body', role: 'tabpanel', id: 'inspector-body', tabindex: '0' });
        const list = h('div', { class: 'panel-head tabs', role: 'tablist', 'aria-label': 'Inspector' }, this.tabs);
        Commands.listen(list, { ArrowRight: () => go(1), ArrowLeft: () => go(-1) });
        panel.append(list, this.body);
        this.update = DOM.onceAFrame(() => this.draw());
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

    static section(...content) {
        return DOM.h('div', { class: 'section' }, content);
    }

    /** A part with a heading, and what stands beside it. */
    static titled(title, beside, ...content) {
        return Inspector.section(DOM.h('div', { class: 'section-head' }, DOM.h('h3', {}, title), beside), content);
    }

    static dim(text) {
        return DOM.h('p', { class: 'dim' }, text);
    }

    static facts(rows) {
        const { h } = DOM;
        return h('dl', { class: 'meta' }, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
    }

    drawAction() {
        const { h, fill, visible } = DOM;
        const { data, view } = this.app;
        if (view.number === data.first) {
            const text = data.last > data.first ? 'The state before the first action.' : 'The recording has no actions.';
            fill(this.body, Inspector.section(h('h3', { class: 'headline' }, 'Start'), Inspector.dim(text)), this.recordingFacts(), view.mark ? this.changesSection() : null);
            return;
        }
        const row = data.row(view.number);
        const { ending } = data;
        const hasCrashed = ending.kind === 'crashed' && (ending.number ?? data.last) === row.number;
        fill(
            this.body,
            Inspector.section(
                h('div', { class: 'headline-row' }, this.app.dot(row.number, ' big'), h('h3', { class: 'headline' }, visible(row.type)),
                    h('span', { class: 'dim' }, `${Format.count(row.number)} of ${Format.count(data.last)}`)),
                hasCrashed ? h('p', { class: 'problem bad' }, visible(`The recording ${ending.text}.`)) : null,
                this.problems(row, hasCrashed).map((text) => h('p', { class: 'problem' }, text)),
                data.lastComputed?.number === row.number ? h('p', { class: 'dim computed' }, this.computedText()) : null,
                this.payload(row),
                Inspector.facts(this.actionFacts(row)),
            ),
            this.reducersSection(row), this.changesSection(row),
        );
    }

    actionFacts(row) {
        const { h, button, visible } = DOM;
        const { app } = this;
        const { data } = app;
        const at = h('span', { class: 'dim' }, `  ${row.at.replace('T', ' ').replace('Z', ' UTC')}`);
        const facts = [['At', [app.timeText(row.number), at]], ['Took', Format.duration(row.duration)]];
        if (row.origin) facts.push(['From', h('code', {}, visible(row.origin))]);
        if (row.thread) {
            const { number, name, task } = row.thread;
            const thread = number === 1 ? 'the main thread' : `thread ${number}${name ? ` ${visible(name)}` : ''}`;
            facts.push(['On', thread + (task ? `, task ${visible(task)}` : '')]);
        }
        if (row.parent !== null && row.parent >= data.first) {
            const { parent } = row;
            const text = `${parent} ${parent > data.first ? visible(data.typeOf(parent)) : ''}`;
            facts.push(['Dispatched in', button({ class: 'link' }, () => app.go({ number: parent }, { isJump: true }), text)]);
        }
        for (const note of app.notesOf(row.number)) facts.push(['Note', visible([note.name, note.text].filter(Boolean).join(': '))]);
        return facts;
    }

    /** What is wrong with an action, or with the state after it. */
    problems(row, hasCrashed) {
        const { visible } = DOM;
        const { data, about } = this.app;
        const problems = [];
        if (row.problem) problems.push((row.payload ?? null) === null ? `It could not be encoded: ${visible(row.problem)}` : visible(row.problem));
        if (row.doubtful !== null) {
            const place = visible(row.doubtful) || '/';
            const isExact = data.flagsOf(row.number) & flags.WHOLE;
            problems.push(isExact ? `The states within it are doubtful at ${place}; the state after it is exact.` : `The state after it is doubtful at ${place}.`);
        }
        const whyNot = data.whyNot(row.number);
        if (whyNot && !hasCrashed) problems.push(whyNot);
        const { ending } = data;
        const isEnd = row.number === data.last && !hasCrashed && !data.isOpen && ending.kind === 'open';
        if (isEnd) problems.push(visible(`The recording ends here: ${ending.text}.`));
        for (const it of about.divergences ?? []) if (it.number === row.number) problems.push(it.text ?? 'The replay differs here.');
        return problems;
    }

    /** What `show` of the tool says of computed steps. */
    computedText() {
        const { redaction, redactedFields } = this.app.data.head.facts;
        const isRedacted = [redaction, redactedFields].some((it) => it?.states?.length > 0 || it?.actions?.length > 0);
        const source = isRedacted ? '; from placeholders for redacted values' : '';
        return `${Format.computedMark}What the reducers did before the crash was computed by the tool's reducers when the page was made, not recorded${source}.`;
    }

    /** The action itself: its arguments, one a line. */
    payload({ type, payload }) {
        const { h, visible } = DOM;
        const inner = Format.innerPayload(type, payload);
        if (inner === undefined || inner === null || inner.size === 0) return null;
        const valueOf = (value, budget) => h('span', { class: `value ${Format.kind(value)}` }, Format.oneLine(value, budget));
        if (!(inner instanceof Map)) return h('div', { class: 'payload' }, valueOf(inner, 300));
        const rows = [];
        const add = (map, level) => {
            for (const [name, value] of map) {
                if (rows.length > 60) return;
                const isNested = value instanceof Map && value.size > 0 && Format.preview(value, 60).length > 44 && level < 4;
                const date = Format.dateHint(value);
                const row = h('div', { class: 'payload-row' }, h('span', { class: 'key' }, visible(name)),
                    isNested ? null : valueOf(value, 160), date ? h('span', { class: 'hint' }, date) : null);
                row.style.setProperty('--level', String(level));
                rows.push(row);
                if (isNested) add(value, level + 1);
            }
        };
        add(inner, 0);
        return h('div', { class: 'payload' }, rows);
    }

    /** A lane for each reducer: when it ran within the action, how long, and what it changed. */
    reducersSection(row) {
        const { h, button, visible } = DOM;
        const { app } = this;
        const { reducer: current } = app.view;
        const steps = app.data.steps(row.number);
        if (steps.length === 0 || steps[0].index === 0) return null;
        const isLong = steps.length > 14;
        const total = steps.reduce((sum, step) => sum + (step.duration || 0), 0) || 1;
        let before = 0;
        const lane = ({ index, reducer, duration, changes }) => {
            const bar = h('i', { class: 'lane-bar', hidden: Number.isNaN(duration) });
            bar.style.left = `${(before / total) * 100}%`;
            bar.style.width = `${Math.max(1, ((duration || 0) / total) * 100)}%`;
            before += duration || 0;
            const isCurrent = current === index;
            if (isLong && changes.length === 0 && !isCurrent && !this.isAllLanes) return null;
            const words = ['lane', changes.length > 0 && 'has-changes', isCurrent && 'is-current', current !== null && index > current && 'is-later'];
            const count = changes.length > 0 ? h('span', { class: 'inside' }, Format.count(Marks.linesOf(changes))) : h('span', { class: 'none', 'aria-label': 'no changes' }, '·');
            return button(
                { class: words.filter(Boolean).join(' '), 'aria-pressed': isCurrent, title: `State after ${visible(reducer ?? 'reducer')}: ${row.number}.${index}` },
                () => app.go({ number: row.number, reducer: index }),
                h('span', { class: 'lane-index' }, index), h('span', { class: 'lane-name' }, visible(reducer ?? '')),
                h('span', { class: 'lane-track' }, bar), h('span', { class: 'lane-time' }, Format.duration(duration)), h('span', { class: 'lane-count' }, count),
            );
        };
        const toggleAll = () => {
            this.isAllLanes = !this.isAllLanes;
            this.draw();
        };
        const changing = steps.filter((step) => step.changes.length > 0).length;
        const what = app.about.arguments?.path ? 'what this page has' : 'the state';
        return Inspector.titled('Reducers', [
            h('span', { class: 'dim' }, `${changing} of ${steps.length} changed ${what}`),
            isLong ? button({ class: 'toggle', 'aria-pressed': Boolean(this.isAllLanes) }, toggleAll, 'All') : null,
            current !== null ? button({ class: 'toggle' }, () => app.go({ number: row.number }), 'Whole action') : null,
        ], h('div', { class: 'lanes' }, steps.map(lane)));
    }

    /** What changed: in this step, in this action, or since the mark. */
    changesSection(row) {
        const { h, button } = DOM;
        const { app } = this;
        const { view } = app;
        const scope = app.scope();
        const scopes = [];
        if (view.reducer !== null) scopes.push(['step', `Step ${Format.position(view)}`]);
        if (row) scopes.push(['action', 'This action']);
        if (view.mark) scopes.push(['mark', `${Format.position(view.mark)} → ${Format.position(view)}`]);
        const switcher = h('div', { class: 'segmented', role: 'group', 'aria-label': 'Changes of' },
            scopes.map(([name, text]) => button({ 'aria-pressed': scope === name }, () => app.setScope(name), text)));
        const steps = app.changes();
        const count = (steps ?? []).reduce((sum, step) => sum + Marks.linesOf(step.patch), 0);
        const content = (steps ?? []).filter((step) => step.patch.length > 0).map((step) => this.stepChanges(row, step));
        const text = this.changesText(row, scope, steps, count);
        return Inspector.titled('Changes', [
            count > 0 ? h('span', { class: 'dim change-count' }, Format.counted(count, 'change')) : null,
            scopes.length > 1 || scope === 'mark' ? switcher : null,
            view.mark ? button({ class: 'toggle', title: '(d)' }, () => app.setMark(null), 'Clear mark') : null,
        ], content, text ? Inspector.dim(text) : null);
    }

    /** The changes of a reducer, of time travel or a run, or since the mark. */
    stepChanges(row, { index, reducer, patch }) {
        const { h, button, visible } = DOM;
        const { app } = this;
        const list = Diff.list(app, patch);
        if (index === null) return list;
        if (index === 0) return h('div', { class: 'group' }, h('div', { class: 'group-head' }, row.travel ? 'Time travel' : 'Changes of all skipped actions'), list);
        const dim = (text) => h('span', { class: 'dim' }, text);
        const mark = app.data.lastComputed?.number === row.number ? Format.computedMark : '';
        const head = button({ class: 'group-head', title: 'Go to the state after this reducer' }, () => app.go({ number: row.number, reducer: index }),
            dim(`${mark}${row.number}.${index}`), h('b', {}, visible(reducer ?? '')), dim(Format.duration(row.times[index - 1] ?? NaN)));
        return h('div', { class: 'group' }, head, list);
    }

    /** What there is to say besides the changes. */
    changesText(row, scope, steps, count) {
        const { data, view } = this.app;
        if (steps === null) return data.whyNot(view.mark) ?? data.whyNot(view) ?? 'One of the states is not known.';
        if (scope === 'mark') return count === 0 ? 'No differences.' : null;
        const outside = row?.outside > 0 ? Format.outside(row.outside) : null;
        if (count > 0) return outside && scope === 'action' ? `${outside}.` : null;
        const isKnown = data.flagsOf(row.number) & flags.EFFECT || (data.isComputedAt(view) && scope === 'step');
        if (!isKnown) return 'Its changes are not recorded.';
        if (scope === 'step') return `This reducer changed nothing${outside ? ' here' : ''}.`;
        return outside ? `Nothing changed here; ${outside}.` : 'This action changed nothing.';
    }

    recordingFacts() {
        const { data } = this.app;
        const { head, ending } = data;
        const { redaction, redactedFields, cut } = head.facts;
        const rows = [
            ['App', `${head.app} ${head.version}`], ['Platform', head.platform], ['Recorded', `${head.created.slice(0, 19).replace('T', ' ')} UTC`],
            ['Ended', ending.text], ['Reducers', head.reducers.join(', ')], ['Types', Format.count(data.types.length)],
        ];
        if (Number.isInteger(cut?.from) && Number.isInteger(cut.to)) {
            rows.push(['Cut', `from ${cut.file ?? 'another recording'}, of which these are the actions ${Format.count(cut.from + 1)} to ${Format.count(cut.to)}`]);
        }
        const hidden = [redaction, redactedFields].flatMap((it) => [...(it?.states ?? []), ...(it?.actions ?? [])]).map((it) => it.path ?? String(it));
        if (hidden.length > 0) rows.push(['Redacted', [...new Set(hidden)].join(', ')]);
        return Inspector.titled('Recording', null, Inspector.facts(rows.map(([name, value]) => [name, DOM.visible(String(value ?? ''))])));
    }

    // MARK: Value

    drawValue() {
        const { h, fill, icon, visible } = DOM;
        const { app } = this;
        const { data, view } = app;
        const { path } = view;
        if (!StateTree.isPointer(path)) {
            fill(this.body, Inspector.section(Inspector.dim('Select a value in the state to see where it came from, and how it changed.')));
            return;
        }
        const value = data.value(view, path);
        const unknown = data.whyNot(view);
        const isRedacted = data.isRedacted(path);
        const kind = Format.kindAt(value, path, data);
        const date = Format.dateHint(value);
        const button = (glyph, text, key) => DOM.button({ class: 'button', title: `(${key})` }, () => Commands.byKey.get(key)(app), icon(glyph), text);
        const word = unknown !== null ? 'not known' : value === undefined ? 'absent' : kind;
        let content = h('p', { class: 'dim' }, `Nothing is at this path at ${Format.position(view)}.`);
        if (unknown !== null) content = h('p', { class: 'problem' }, unknown);
        else if (value !== undefined) content = h('pre', { class: `full ${kind}`, tabindex: '0', role: 'region', 'aria-label': 'The whole value' }, this.wholeText(value, kind));
        const blame = isRedacted ? Inspector.dim(Inspector.redacted) : this.blameText(value === undefined ? undefined : data.blame(view, path));
        fill(
            this.body,
            Inspector.section(
                h('div', { class: 'headline-row' }, h('h3', { class: 'headline mono' }, visible(path) || '/'), h('span', { class: 'badge' }, word)),
                h('div', { class: 'buttons' }, button('pin', view.pins.includes(path) ? 'Unpin' : 'Pin', 'p'), button('copy', 'Value', 'c'), button('copy', 'Path', 'Shift+C'),
                    button('copy', 'Command', 'y'), button('filter', 'Its actions', 'x')),
                kind === 'redacted' || isRedacted ? h('p', { class: 'problem' }, 'Redacted: the recorder left this value out.') : null,
                date ? Inspector.dim(date) : null,
                data.isComputedAt(view) ? h('p', { class: 'dim computed' }, this.computedText()) : null,
                content,
            ),
            unknown !== null ? null : Inspector.titled('Set by', null, blame),
            this.historySection(path),
        );
    }

    /** The text of a value: all of it, unless it is very large. */
    wholeText(value, kind) {
        let text;
        if (typeof value === 'string' && kind !== 'redacted') text = value;
        else if (kind === 'data') text = Format.hexadecimal(value);
        else if (isContainer(value) && !StateTree.isSmall(value, 4000)) text = Format.preview(value, 4000);
        else text = textOf(value, { indent: 2 });
        const shown = text.length > 20000 ? Format.cut(text, 20000) + '…' : text;
        return shown.split('\n').map(DOM.visible).join('\n');
    }

    blameText(blame) {
        const { h, button, visible } = DOM;
        const { app } = this;
        if (blame === undefined) return Inspector.dim('Nothing is here at this position.');
        if (blame === null) return h('p', {}, 'It is as it was at the start.');
        const position = { number: blame.number, reducer: blame.index || null };
        const mark = app.data.isComputedAt(position) ? Format.computedMark : '';
        const { origin } = app.data.row(blame.number);
        const more = [blame.reducer && `by ${visible(blame.reducer)}`, origin && `from ${visible(origin)}`, blame.oneOf && `(one of ${blame.oneOf.join(' to ')})`];
        return h('p', {}, button({ class: 'link' }, () => app.go(position, { isJump: true }), `${mark}${Format.position(position)} ${visible(app.data.typeOf(blame.number))}`),
            more.filter(Boolean).map((text) => h('span', { class: 'dim' }, `  ${text}`)));
    }

    /** Every change of the value, around the position. */
    historySection(path) {
        const { h, button, visible } = DOM;
        const { app } = this;
        const { data } = app;
        const pin = app.historyOf(path);
        const title = 'Changes over time';
        if (!pin.isReady) return Inspector.titled(title, null, Inspector.dim(pin.isFailed ? 'They cannot be followed.' : 'Reading …'));
        // Within an action, its change may not have happened yet.
        const now = pin.indexAtPosition(app.view);
        const from = Math.max(-1, now - 12);
        const to = Math.min(pin.count, from + 40);
        const row = (index) => {
            const number = pin.numberOf(index);
            const mark = data.lastComputed?.number === number ? Format.computedMark : '';
            return button(
                { class: `history-row${index === now ? ' is-current' : ''}`, 'aria-current': index === now ? 'true' : undefined },
                () => app.go(data.lastIn(number), { isJump: true }),
                h('span', { class: 'at' }, Format.count(number)), this.historyValue(pin, index),
                h('span', { class: 'dim' }, index < 0 ? 'start' : mark + visible(data.typeOf(number))),
            );
        };
        const until = pin.last < data.last ? ` up to action ${Format.count(pin.last)}` : '';
        return Inspector.titled(title, h('span', { class: 'dim' }, Format.counted(pin.count, 'change') + until), h('div', { class: 'history' },
            from > -1 ? Inspector.dim(`${Format.count(from + 1)} earlier`) : null,
            Array.from({ length: to - from }, (_, at) => row(from + at)),
            to < pin.count ? Inspector.dim(`${Format.count(pin.count - to)} later`) : null));
    }

    /** A row of the history: the value, or what changed in it if it is long. */
    historyValue(pin, index) {
        const { h } = DOM;
        const value = pin.valueOf(index);
        const isLong = typeof value === 'string' ? value.length > 60 : isContainer(value) && !StateTree.isSmall(value, 8);
        const operations = isLong && index >= 0 ? this.app.data.operationsAt(pin.numberOf(index), pin.path) : [];
        const changes = operations.filter((it) => it.path !== pin.path || it.op === 'edit' || it.op === 'splice');
        if (changes.length > 0) return h('span', { class: 'value' }, Diff.brief(changes, pin.path));
        return h('span', { class: `value ${Format.kind(value)}` }, value === undefined ? 'absent' : Format.oneLine(value, 60));
    }

    // MARK: Timing

    /** Measures what is not measured yet. Of a recording that grows, the last figures stay until then. */
    async drawTiming() {
        const { app } = this;
        if (app.timing) this.showTiming();
        else DOM.fill(this.body, Inspector.section(Inspector.dim('Measuring …')));
        if (this.isMeasuring) return;
        this.isMeasuring = true;
        while (app.view.tab === 'timing' && app.timing?.last !== app.data.last) {
            app.timing = await Timing.of(app.data);
            if (app.view.tab === 'timing') this.showTiming();
        }
        this.isMeasuring = false;
    }

    /** Medians and 99th percentiles of types and reducers. */
    showTiming() {
        const { fill } = DOM;
        const { app } = this;
        const { types, reducers, sampled } = app.timing;
        const most = app.isAllTimed ? Infinity : Timing.mostRows;
        const isCut = types.length > most;
        const showAll = () => {
            app.isAllTimed = true;
            this.showTiming();
        };
        const filterBy = (condition) => app.setFilter({ ...app.view.filter, ...condition });
        fill(
            this.body,
            Timing.section('Reducers', 'Reducer', sampled ? `of ${Format.count(sampled)} sampled actions` : '', reducers.slice(0, most), (it) => filterBy({ reducer: it.index })),
            Timing.section('Action types', 'Type', isCut ? `the ${Format.count(most)} with the longest totals` : '', types.slice(0, most), (it) => filterBy({ types: [it.name] })),
            isCut ? Inspector.section(DOM.button({ class: 'button' }, showAll, `Show all ${Format.counted(types.length, 'type')}`)) : null,
        );
    }
}

/** How long types and reducers took. */
const Timing = {
    /** The actions of which the times of reducers are read. */
    mostSampled: 20000,
    /** The rows of a table that are shown at first. */
    mostRows: 200,

    /** A table of measured types or reducers. Each name filters the actions. */
    section(title, noun, hint, rows, choose) {
        const { h, button, visible } = DOM;
        const longest = rows.reduce((most, it) => Math.max(most, it.p99), 1);
        const number = (text) => h('td', { class: 'num' }, text);
        const bar = ({ median, p99 }) => {
            const [middle, range] = [h('i', { class: 'range-median' }), h('i', { class: 'range' })];
            range.style.width = `${Math.max(1, (p99 / longest) * 100)}%`;
            middle.style.left = `${(median / longest) * 100}%`;
            return h('span', { class: 'range-track' }, range, middle);
        };
        const row = (it) => h('tr', {},
            h('th', { scope: 'row' }, button({ class: 'link', title: 'Show only these' }, () => choose(it), it.dot, visible(it.name)), bar(it)),
            number(Format.count(it.count)), number(Format.duration(it.median)), number(Format.duration(it.p99)), number(Format.duration(it.total)));
        const heads = [h('th', { scope: 'col' }, noun), ['Count', 'Median', 'p99', 'Total'].map((text) => h('th', { scope: 'col', class: 'num' }, text))];
        return Inspector.titled(title, h('span', { class: 'dim' }, hint), h('table', { class: 'timing' }, h('thead', {}, h('tr', {}, heads)), h('tbody', {}, rows.map(row))));
    },

    async of(data) {
        const { last } = data;
        const byType = data.types.map((type, index) => ({ ...type, index, times: [], dot: DOM.h('i', { class: `dot type-${index % Palette.typeCount}` }) }));
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
        const measured = ({ name, index, dot, times }) => {
            const sorted = Float64Array.from(times).sort();
            const at = (part) => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? NaN;
            return { name, index, dot, count: times.length, median: at(0.5), p99: at(0.99), total: sorted.reduce((sum, ns) => sum + ns, 0) };
        };
        const order = (a, b) => b.total - a.total;
        return {
            types: byType.filter((it) => it.times.length).map(measured).sort(order),
            reducers: byReducer.filter((it) => it.times.length).map(measured).sort(order),
            sampled: step > 1 ? Timing.mostSampled : null,
            last,
        };
    },
};
