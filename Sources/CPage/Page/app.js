/**
 * The page: what is shown (`view`), and the ways to change it. The views draw what `view` says, once a frame.
 *
 * `view`: the position (`number`, `reducer`: `null` after the whole action), the selected `path` (`null`: none), the
 * `mark` to compare with, `pins`, `filter`, `tab`, and the timeline's `scale`.
 */
class App {
    constructor(data, about) {
        this.data = data;
        this.about = about;
        this.view = { number: data.first, reducer: null, path: null, mark: null, pins: [], filter: {}, tab: 'action', scale: 'number', scope: null };
        this.filtered = null;
        this.filteredMarks = null;
        this.back = [];
        this.forward = [];
        this.histories = new Map();
        this.measure();
        this.palette = new Palette();
        const find = (id) => document.getElementById(id);
        this.showBar(find);
        this.buildTransport(find('transport'));
        this.list = new ActionList(this, find('actions'));
        this.tree = new StateTree(this, find('state'));
        this.inspector = new Inspector(this, find('inspector'));
        this.timeline = new Timeline(this, { tracks: find('tracks'), overview: find('overview') });
        this.dialogs = new Dialogs(this);
        this.panels = new Panels(find('switcher'), find('panels'));
        this.list.rebuild();
        this.update = DOM.onceAFrame(() => this.draw());
        this.listen();
    }

    /** What is needed of all actions: taken once. */
    measure() {
        const { data } = this;
        const count = data.last - data.first;
        this.all = Uint32Array.from({ length: count }, (_, index) => data.first + 1 + index);
        this.notes = Map.groupBy(data.notes, (note) => note.number);
        // A clock may jump back: then time stands still until it is where it was.
        this.times = new Float64Array(count + 1);
        // A part and a cut recording begin with their first action.
        const isPart = data.first > 0 || data.head.facts.cut !== undefined;
        if (count > 0) this.times[0] = isPart ? data.timeOf(data.first + 1) : Math.min(0, data.timeOf(data.first + 1));
        this.all.forEach((number, index) => (this.times[index + 1] = Math.max(this.times[index], data.timeOf(number))));
        this.isShort = count === 0 || data.timeOf(data.last) < 2000;
        const span = this.times[count] - (this.times[1] ?? 0);
        const shortest = Math.max(250, (20 * span) / Math.max(1, count));
        const pauses = [];
        this.durations = { shortest: Infinity, longest: 1 };
        for (const number of this.all) {
            const ns = data.durationOf(number);
            if (ns > this.durations.longest) this.durations.longest = ns;
            if (ns > 0 && ns < this.durations.shortest) this.durations.shortest = ns;
            const ms = number > data.first + 1 ? data.timeOf(number) - data.timeOf(number - 1) : 0;
            if (ms > shortest) pauses.push({ number, ms });
        }
        this.durations.shortest = Math.min(this.durations.shortest, this.durations.longest);
        this.pauses = pauses.sort((a, b) => b.ms - a.ms).slice(0, 12);
    }

    // MARK: Texts

    get listed() {
        return this.filtered ?? this.all;
    }

    notesOf(number) {
        return this.notes.get(number) ?? [];
    }

    timeText(number) {
        return number === this.data.first ? '' : Format.time(this.data.timeOf(number), this.isShort);
    }

    /** A time on the ruler, where two are `step` ms apart. */
    clock(ms, step) {
        if (this.isShort) return `${Number(ms.toFixed(step < 1 ? 2 : 0))} ms`;
        return step >= 1000 ? Format.time(ms).slice(1, -4) : Format.time(ms).slice(1);
    }

    /** What is unusual about an action, as small words. */
    badges(number) {
        const bits = this.data.flagsOf(number);
        const words = [
            [flags.UNFINISHED, 'never finished', 'bad'], [flags.PROBLEM, 'not encoded', 'warn'], [flags.DOUBTFUL, 'doubtful', 'warn'],
            [flags.SKIPPED, 'skipped', 'warn'], [flags.TRAVEL, 'time travel', 'info'], [flags.HAS_PARENT, 'nested', 'info'],
        ].filter(([flag]) => bits & flag);
        if (this.about.divergences?.some((it) => it.number === number)) words.push([0, 'diverges', 'bad']);
        return words.map(([, text, kind]) => DOM.h('span', { class: `badge ${kind}` }, text));
    }

    /** The dot in the colour of an action's type. */
    dot(number, more = '') {
        const kind = number === this.data.first ? 'start' : `type-${this.data.typeIndexOf(number) % Palette.typeCount}`;
        return DOM.h('i', { class: `dot ${kind}${more}` });
    }

    /** `/cart = 3`, `not known` or `absent` after an action, or within it. */
    valueText(position, path, budget) {
        const { data } = this;
        if (data.whyNot(position) !== null) return 'not known';
        const value = data.value(position, path);
        return value === undefined ? 'absent' : Format.preview(value, budget);
    }

    /** Where one is, for screen readers. */
    positionText() {
        const { data, view } = this;
        if (view.number === data.first) return 'start';
        const reducer = view.reducer === null ? '' : `, after reducer ${view.reducer}, ${data.head.reducers[view.reducer - 1] ?? ''}`;
        const computed = data.isComputedAt(view) ? ', computed' : '';
        return `action ${view.number} of ${data.last}, ${DOM.visible(data.typeOf(view.number))}${reducer}${computed}`;
    }

    stateText() {
        const { data, view } = this;
        if (view.number === data.first) return 'at the start';
        if (view.reducer === null) return `after ${Format.count(view.number)}`;
        const mark = data.isComputedAt(view) ? Format.computedMark : '';
        return `${mark}after ${Format.position(view)} ${DOM.visible(data.head.reducers[view.reducer - 1] ?? '')}`;
    }

    // MARK: Going

    /** Goes to a position. `isJump`: one that `[` comes back from. */
    go({ number, reducer = null }, { isJump = false } = {}) {
        const { data, view } = this;
        const goal = { number: Math.max(data.first, Math.min(data.last, number)), reducer };
        if (isJump) this.play(false);
        if (goal.number === view.number && goal.reducer === view.reducer) return;
        if (isJump) {
            // The browser's Back leads to where the jump began.
            this.write();
            this.isJumping = true;
            this.back.push({ number: view.number, reducer: view.reducer });
            if (this.back.length > 200) this.back.shift();
            this.forward = [];
        }
        Object.assign(view, goal);
        this.timeline.reveal(goal.number);
        this.changed();
    }

    /** Follows the slider while it is dragged. */
    drag(number) {
        this.play(false);
        this.dragStart ??= { number: this.view.number, reducer: this.view.reducer };
        if (number === this.view.number && this.view.reducer === null) return;
        Object.assign(this.view, { number, reducer: null });
        this.changed();
    }

    dropped() {
        if (this.dragStart) this.back.push(this.dragStart);
        this.dragStart = null;
    }

    /** One action on or back, of those that are listed. */
    step(by) {
        const { listed, view } = this;
        if (this.filtered === null) return this.go({ number: view.number + by });
        const before = lastIndex(listed.length, (at) => (by > 0 ? listed[at] <= view.number : listed[at] < view.number));
        const goal = listed[by > 0 ? before + 1 : before];
        if (goal !== undefined) this.go({ number: goal });
        else this.say(by > 0 ? 'No later action is listed' : 'No earlier action is listed');
    }

    /** One reducer on or back. */
    stepReducer(by) {
        const { data, view } = this;
        const countOf = (number) => (number > data.first ? data.row(number).times.length : 0);
        const reducer = (view.reducer ?? (by > 0 ? Infinity : countOf(view.number) + 1)) + by;
        if (reducer >= 1 && reducer <= countOf(view.number)) return this.go({ number: view.number, reducer });
        const number = view.number + by;
        if (number < data.first || number > data.last) return undefined;
        return this.go({ number, reducer: by > 0 ? Math.min(1, countOf(number)) || null : countOf(number) || null });
    }

    /** Goes back to the last state that is known. */
    goToKnown() {
        const { data } = this;
        let { number } = this.view;
        while (number > data.first && !data.isKnown(data.lastIn(number))) number -= 1;
        this.go(data.lastIn(number), { isJump: true });
    }

    travel(from, to) {
        const goal = from.pop();
        if (!goal) return this.say('There is nowhere to go');
        to.push({ number: this.view.number, reducer: this.view.reducer });
        this.go(goal);
    }

    /** Plays through the listed actions: in about half a minute, or six a second. */
    play(isPlaying = this.player === undefined) {
        if (!isPlaying && this.player === undefined) return;
        clearInterval(this.player);
        this.player = undefined;
        if (isPlaying) {
            const { listed, data } = this;
            if (listed.length === 0) return this.say('No action is listed');
            if (this.view.number >= (listed[listed.length - 1] ?? data.last)) this.go({ number: data.first });
            const by = Math.max(1, Math.round(listed.length / 200));
            let at = Math.max(0, listed.findIndex((number) => number > this.view.number)) - 1;
            this.player = setInterval(() => {
                at = Math.min(listed.length - 1, at + by);
                this.go({ number: listed[at] });
                if (at >= listed.length - 1) this.play(false);
            }, 160);
        }
        const button = document.getElementById('play');
        DOM.fill(button, DOM.icon(isPlaying ? 'pause' : 'play'));
        button.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    }

    // MARK: What is shown

    /** Selects a place in the state. `isShown`: unfolds and scrolls to it. */
    select(path, { isShown = false } = {}) {
        this.view.path = path;
        if (isShown && this.tree.state !== undefined) {
            this.panels.show('state');
            this.tree.show(path);
        }
        this.tree.select();
        this.inspector.update();
        this.showCommand();
        this.writeSoon();
    }

    /** The command in the footer is the one that is copied. */
    showCommand() {
        this.footCommand.textContent = this.command();
    }

    showTab(tab) {
        this.view.tab = tab;
        this.panels.show('inspector');
        this.inspector.draw();
        this.writeSoon();
    }

    /** What changes are relative to: the `step`, the `action`, or the `mark`. */
    scope() {
        const { number, reducer, mark, scope } = this.view;
        // No action leads to the start.
        const isPossible = { mark: mark !== null, step: reducer !== null, action: number > this.data.first };
        if (isPossible[scope]) return scope;
        return isPossible.mark ? 'mark' : isPossible.step ? 'step' : 'action';
    }

    setScope(scope) {
        this.view.scope = scope;
        this.changed();
    }

    /**
     * The changes of the scope, which the tree marks and the inspector lists: `{reducer, index, patch}` for each reducer,
     * as they are recorded; since the mark, what differs. `null` if a state at an end is not known.
     */
    changes() {
        const { view, data } = this;
        const scope = this.scope();
        const key = [scope, Format.position(view), scope === 'mark' ? Format.position(view.mark) : ''].join(' ');
        if (this.changesCache?.key === key) return this.changesCache.changes;
        let changes = [];
        if (scope === 'mark') {
            const patch = data.changes(view.mark, view);
            changes = patch && [{ reducer: null, index: null, patch }];
        } else if (view.number > data.first) {
            changes = data.row(view.number).changes.filter((step) => scope === 'action' || (step.index === view.reducer && step.index > 0));
        }
        this.changesCache = { key, changes };
        return changes;
    }

    setMark(mark) {
        this.view.mark = mark;
        this.view.scope = null;
        this.timeline.drawSoon();
        this.changed();
        this.toast(mark ? `Marked ${Format.position(mark)}. Changes are shown since then.` : 'The mark is cleared.');
    }

    toggleMark() {
        const { number, reducer, mark } = this.view;
        this.setMark(mark ? null : { number, reducer });
    }

    /** The changes of a place over the recording. The last ones are kept. */
    historyOf(path) {
        let pin = this.histories.get(path);
        if (!pin) {
            pin = new Pin(this.data, path, () => {
                if (this.timeline.pins.includes(pin)) {
                    this.timeline.drawSoon();
                    this.timeline.update();
                }
                if (this.view.tab === 'value') this.inspector.update();
            });
            this.histories.set(path, pin);
            for (const other of this.histories.keys()) {
                if (this.histories.size <= 24) break;
                if (!this.view.pins.includes(other) && other !== path) this.dropHistory(other);
            }
        }
        return pin;
    }

    dropHistory(path) {
        this.histories.get(path).isGone = true;
        this.histories.delete(path);
    }

    unpin(path) {
        this.setPins(this.view.pins.filter((it) => it !== path));
    }

    setPins(pins) {
        this.view.pins = pins;
        this.timeline.setPins(pins.map((path) => this.historyOf(path)));
        this.inspector.update();
        this.writeSoon();
    }

    /** Lists the actions that meet a filter, also those that come while it looks for them. */
    async setFilter(filter) {
        const clean = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''));
        this.view.filter = clean;
        this.writeSoon();
        this.list.showFilter();
        this.filterAbort?.abort();
        const abort = new AbortController();
        this.filterAbort = abort;
        const conditions = { ...clean };
        delete conditions.fold;
        try {
            for (let last; last !== this.data.last; ) {
                last = this.data.last;
                const numbers = Object.keys(conditions).length > 0 ? await this.data.filter(conditions, { signal: abort.signal }) : null;
                if (abort.signal.aborted) return;
                this.listOnly(numbers);
            }
        } finally {
            if (this.filterAbort === abort) this.filterAbort = null;
        }
        this.say(`${Format.counted(this.listed.length, 'action')} listed`);
    }

    /** Lists some actions; all for `null`. */
    listOnly(numbers) {
        this.filtered = numbers;
        this.filteredMarks = numbers && new Uint8Array(this.data.last - this.data.first);
        for (const number of numbers ?? []) this.filteredMarks[number - this.data.first - 1] = 1;
        this.list.rebuild();
        this.list.update();
        this.timeline.drawSoon();
    }

    setScale(scale) {
        this.view.scale = scale;
        document.getElementById('scale').setAttribute('aria-pressed', String(scale === 'time'));
        this.timeline.setPins(this.timeline.pins);
        this.writeSoon();
    }

    toggleScale() {
        this.setScale(this.view.scale === 'time' ? 'number' : 'time');
    }

    // MARK: The selected value

    /** The selected path; without one, says what to select it for. */
    selectedPath(purpose) {
        const { path } = this.view;
        if (StateTree.isPointer(path)) return path;
        this.toast(`Select a value ${purpose}.`);
        return null;
    }

    togglePin() {
        const path = this.selectedPath('to pin');
        if (path === null) return undefined;
        if (this.view.pins.includes(path)) return this.unpin(path);
        if (this.view.pins.length >= 12) return this.toast('Twelve pins are the most.');
        this.setPins([...this.view.pins, path]);
        return this.toast(`Pinned ${DOM.visible(path) || 'the whole state'} to the timeline.`);
    }

    filterPath() {
        const path = this.selectedPath('to see its actions');
        if (path === null) return;
        const { filter } = this.view;
        this.panels.show('actions');
        this.setFilter({ ...filter, path: filter.path === path ? undefined : path });
    }

    goToBlame() {
        const { data, view } = this;
        const path = this.selectedPath('to see what set it');
        if (path === null) return undefined;
        const why = data.whyNot(view) ?? (data.isRedacted(path) ? Inspector.redacted : null);
        if (why !== null) return this.toast(why);
        const blame = data.blame(view, path);
        if (blame === undefined) return this.toast('Nothing is at this path here.');
        if (blame === null) return this.toast('It is as it was at the start.');
        const position = { number: blame.number, reducer: blame.index || null };
        if (position.number === view.number && position.reducer === view.reducer) this.toast('It was set right here.');
        this.go(position, { isJump: true });
        return this.select(path, { isShown: true });
    }

    copyValue() {
        const path = this.selectedPath('to copy');
        if (path === null) return undefined;
        const why = this.data.whyNot(this.view);
        if (why !== null) return this.toast(why);
        const value = this.data.value(this.view, path);
        if (value === undefined) return this.toast('Nothing is at this path here.');
        return this.copyText(textOf(value, { indent: 2 }), 'the value');
    }

    copyPath() {
        const path = this.selectedPath('to copy its path');
        if (path !== null) this.copyText(path, 'the path');
    }

    copyCommand() {
        this.copyText(this.command(), 'the command');
    }

    async copyText(text, what) {
        this.toast((await DOM.copy(text)) ? `Copied ${what}.` : 'The browser does not let the page copy.');
    }

    /** The command that prints what is shown. */
    command() {
        const { path, mark } = this.view;
        const tool = this.about.command ?? 'hindsight';
        const file = Format.shellWord(this.about.file ?? 'FILE');
        if (this.scope() === 'mark') return `${tool} diff ${file} ${Format.position(mark)} ${Format.position(this.view)}`;
        const part = path && StateTree.isPointer(path) ? ` --path ${Format.shellWord(path)}` : '';
        return `${tool} jump ${file} ${Format.position(this.view)}${part}`;
    }

    // MARK: Drawing

    changed() {
        this.update();
        this.writeSoon();
        clearTimeout(this.saying);
        this.saying = setTimeout(() => this.say(`${this.positionText()}. ${this.tree.marks.count ? Format.counted(this.tree.marks.count, 'change') : 'No changes'}`), 350);
    }

    draw() {
        this.tree.update();
        this.list.update();
        this.timeline.update();
        this.inspector.draw();
        const { view, data } = this;
        this.readout.textContent = Format.shownPosition(view);
        this.readoutTime.textContent = view.number === data.first ? 'start' : this.timeText(view.number);
        this.showCommand();
    }

    say(text) {
        document.getElementById('status').textContent = text;
    }

    toast(text) {
        const element = document.getElementById('toast');
        element.textContent = text;
        element.hidden = false;
        clearTimeout(this.toastTimer);
        this.toastTimer = setTimeout(() => (element.hidden = true), 2600);
        this.say(text);
    }

    // MARK: Address

    /** Browsers allow few changes of the address, so it follows after a pause. */
    writeSoon() {
        clearTimeout(this.writer);
        this.writer = setTimeout(() => this.write(), 350);
    }

    write() {
        clearTimeout(this.writer);
        // Another address is on its way, and its event will tell.
        if (location.hash !== this.address) return;
        const address = Address.write(this.view, this.timeline.isWhole ? null : this.timeline.window);
        const isJump = this.isJumping;
        this.isJumping = false;
        if (this.address === address) return;
        try {
            if (isJump) history.pushState(null, '', address);
            else history.replaceState(null, '', address);
            this.address = location.hash;
        } catch {
            // The address then stays as it is.
        }
    }

    /** Shows what an address says. */
    readAddress(fragment) {
        this.play(false);
        this.isJumping = false;
        this.address = fragment;
        const read = Address.read(fragment, this.data);
        const { view } = this;
        Object.assign(view, { path: read.path, mark: read.mark, tab: read.tab, scale: read.scale, scope: null });
        const isNew = JSON.stringify(read.filter) !== JSON.stringify(view.filter);
        Object.assign(view, read.position ?? this.firstPosition());
        this.timeline.setWindow(...(read.window ?? this.timeline.whole));
        this.timeline.reveal(view.number);
        this.setPins(read.pins);
        this.setScale(read.scale);
        if (isNew) this.setFilter(read.filter);
        this.draw();
        if (read.path !== null && this.tree.state !== undefined) this.tree.show(read.path);
        // In a narrow window, only one panel is in view: the one that the link is about.
        if (read.tab !== 'action') this.panels.show('inspector');
        this.tree.showPath();
        if (read.problems.length > 0) this.toast(`The link does not fit this page: ${read.problems.join('; ')}.`);
    }

    /** Where the page opens: at what went wrong, or at the last state computed before it; or else at the end. */
    firstPosition() {
        const { data, about } = this;
        const { ending } = data;
        const number = about.divergences?.[0]?.number ?? (ending.kind === 'crashed' ? (ending.number ?? data.last) : data.last);
        return data.lastIn(Math.max(data.first, Math.min(data.last, number)));
    }

    // MARK: Around

    showBar(find) {
        const { h, fill, icon, visible } = DOM;
        const { data, about } = this;
        const { head, ending } = data;
        find('title').textContent = visible(head.app || 'Recording');
        const count = data.last - data.first;
        const facts = [
            head.version ? visible(head.version) : null, about.file ? h('span', { class: 'file' }, visible(about.file)) : null, Format.counted(count, 'action'),
            count > 0 ? Format.duration((this.times[count] - this.times[0]) * 1e6) : null, h('span', { class: `ending ${ending.kind}` }, ending.kind),
        ].filter(Boolean);
        fill(find('facts'), facts.map((fact, index) => [index ? h('span', { class: 'sep', 'aria-hidden': 'true' }, '·') : null, fact]));
        find('facts').title = visible(ending.text);
        find('open-search').prepend(icon('search'));
        for (const [id, text, key] of [['open-search', 'Search', '/'], ['open-help', 'Keys', '?'], ['theme', 'Light or dark', 'Shift+T']]) {
            find(id).addEventListener('click', () => Commands.byKey.get(key)(this));
            find(id).title = `${text}  (${key})`;
        }
        find('open-help').append(icon('help'));
        this.showTheme();
        const { from, to, path } = about.arguments ?? {};
        const part = Object.entries({ from, to, at: path }).filter(([, value]) => value !== undefined && value !== null).map((it) => it.join(' ')).join(' ');
        const made = about.made ? `, ${about.made.slice(0, 16).replace('T', ' ')} UTC` : '';
        this.footCommand = h('code', {});
        fill(
            find('foot'),
            h('span', {}, `${visible(about.tool ?? 'hindsight')} made this page of `, h('b', {}, visible(about.file ?? 'a recording')), part ? ` (${visible(part)})` : '', made),
            DOM.button({ class: 'command', title: 'Copy the command that prints this  (y)' }, () => this.copyCommand(), this.footCommand, icon('copy')),
        );
    }

    buildTransport(box) {
        const { h } = DOM;
        this.readout = h('b', { class: 'readout' });
        this.readoutTotal = h('span', { class: 'dim' }, `/ ${Format.count(this.data.last)}`);
        this.readoutTime = h('span', { class: 'readout-time' });
        const button = (...it) => Commands.button(this, ...it);
        box.append(
            button('first', 'Start', 'Home'), button('previous', 'Previous action', 'ArrowLeft'), button('play', 'Play', 'Space', { id: 'play', class: 'icon play' }),
            button('next', 'Next action', 'ArrowRight'), button('last', 'End', 'End'),
            h('span', { class: 'gap' }),
            button('stepBack', 'Previous reducer', 'Shift+ArrowLeft'), button('stepOn', 'Next reducer', 'Shift+ArrowRight'),
            DOM.button({ class: 'readout-box', title: 'Go to a position or time  (g)' }, () => this.dialogs.showGo(),
                this.readout, this.readoutTotal, this.readoutTime),
            h('span', { class: 'grow' }),
            DOM.button({ class: 'toggle', id: 'scale', 'aria-pressed': 'false', title: 'A scale of time instead of numbers  (t)' }, () => this.toggleScale(), 'By time'),
            button('zoomOut', 'Zoom out', '-'), button('zoomIn', 'Zoom in', '+'), button('fit', 'Show all', '0'),
        );
    }

    focusOn(panel, element) {
        this.panels.show(panel);
        if (panel === 'state' && this.view.path === null) this.select('');
        element.focus();
    }

    listen() {
        document.addEventListener('keydown', (event) => Commands.take(event, this));
        window.addEventListener('hashchange', () => location.hash !== this.address && this.readAddress(location.hash));
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.themeChanged());
        window.addEventListener('beforeprint', () => this.print(true));
        window.addEventListener('afterprint', () => this.print(false));
    }

    print(isPrinting) {
        this.palette.read();
        this.tree.virtual.whole(isPrinting);
        this.timeline.isPrinting = isPrinting;
        this.timeline.drawBase();
    }

    // MARK: Theme

    get isDark() {
        const { theme } = document.documentElement.dataset;
        return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    }

    switchTheme() {
        document.documentElement.dataset.theme = this.isDark ? 'light' : 'dark';
        try {
            localStorage.setItem('hindsight-theme', document.documentElement.dataset.theme);
        } catch {
            // Not kept, then.
        }
        this.themeChanged();
    }

    showTheme() {
        DOM.fill(document.getElementById('theme'), DOM.icon(this.isDark ? 'sun' : 'moon'));
    }

    themeChanged() {
        this.showTheme();
        this.palette.read();
        this.timeline.drawSoon();
        this.inspector.update();
    }
}

/** Reads the recording that the page embeds, and shows it. */
(async () => {
    const find = (id) => document.getElementById(id);
    try {
        const theme = localStorage.getItem('hindsight-theme');
        if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
    } catch {
        // The system's theme, then.
    }
    try {
        const about = JSON.parse(find('about').textContent);
        const source = find('recording');
        const { encoding, bytes } = source.dataset;
        const stream = RecordingData.stream(source.textContent.trim(), encoding);
        source.replaceChildren();
        const progress = (fraction) => (find('loading-bar').style.width = `${Math.round(fraction * 100)}%`);
        const data = await RecordingData.read(stream, { bytes: Number(bytes), first: about.first ?? undefined, computed: about.computed ?? null, progress });
        data.isOpen = about.isOpen ?? false;
        if (about.live) await Live.catchUp(data, about.live, progress);
        find('loading').hidden = true;
        find('main').hidden = false;
        const app = new App(data, about);
        app.readAddress(location.hash);
        if (about.live) Live.follow(app);
        document.documentElement.dataset.ready = String(Math.round(performance.now()));
        window.hindsight = app;
    } catch (error) {
        find('loading-text').textContent = `The recording in this page cannot be shown: ${DOM.visible(String(error.message ?? error))}`;
        find('loading').classList.add('is-failed');
        find('loading').hidden = false;
        find('main').hidden = true;
        throw error;
    }
})();
