/** The search, the sheet of keys, and the field to go to a position. Each a modal dialog that Escape closes. */
class Dialogs {
    constructor(app) {
        this.app = app;
        const { h, icon, iconButton } = DOM;
        const dialog = (name, label, ...content) => {
            const element = h('dialog', { class: `dialog ${name}`, 'aria-label': label }, content);
            element.addEventListener('click', (event) => event.target === element && element.close());
            document.body.append(element);
            return element;
        };
        this.help = dialog('help-sheet', 'Keys', h('div', { class: 'dialog-head' }, h('h2', {}, 'Keys'), iconButton('close', 'Close', 'Esc', () => this.help.close())),
            h('div', { class: 'key-groups', tabindex: '0' }, [...Map.groupBy(Commands.all, ([group]) => group)].map(([group, commands]) => h('section', {}, h('h3', {}, group),
                h('dl', {}, commands.map(([, keys, text]) => [h('dt', {}, keys.split(' ').map((key) => h('kbd', {}, Commands.shown(key)))), h('dd', {}, text)]))))),
            h('p', { class: 'dim hint-line' }, 'The address of this page keeps the position, the path, pins and filters. Copy it to point at a moment.'));

        this.searchInput = h('input', { type: 'text', class: 'search-input', placeholder: 'Search actions and states', 'aria-label': 'Search actions and states', autocomplete: 'off', spellcheck: 'false', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'search-results',
            on: { input: () => this.searchSoon() } });
        const go = (by) => this.selectResult(this.selected + by);
        Commands.listen(this.searchInput, { ArrowDown: () => go(1), ArrowUp: () => go(-1), PageDown: () => go(8), PageUp: () => go(-8), Enter: () => this.chooseResult(this.results.children[this.selected]) });
        this.results = h('div', { class: 'results scroller', role: 'listbox', id: 'search-results', 'aria-label': 'Results', on: { click: (event) => this.chooseResult(event.target.closest('.result')) } });
        this.resultCount = h('p', { class: 'dim result-count', role: 'status' });
        this.searchSheet = dialog('search-sheet', 'Search', h('label', { class: 'search-line' }, icon('search'), this.searchInput), this.results, this.resultCount);
        this.searchSheet.addEventListener('close', () => this.abort?.abort());

        this.goInput = h('input', { type: 'text', class: 'search-input', placeholder: '42 · 42.3 · 50% · +00:12.5 · -5s · 14:03:22 · a note', 'aria-label': 'Position', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'go-problem',
            on: { keydown: (event) => event.key === 'Enter' && this.goTo() } });
        this.goProblem = h('p', { class: 'dim result-count', id: 'go-problem', role: 'status' });
        this.goSheet = dialog('go-sheet', 'Go to', h('label', { class: 'search-line' }, icon('target'), this.goInput), this.goProblem);
    }

    get isOpen() {
        return this.help.open || this.searchSheet.open || this.goSheet.open;
    }

    showGo() {
        this.goProblem.textContent = `From ${this.app.data.first} to ${this.app.data.last}. Times of day are in UTC.`;
        this.goInput.value = '';
        this.goSheet.showModal();
    }

    goTo() {
        const position = Format.parsePosition(this.goInput.value, this.app.data);
        if (!position) {
            this.goProblem.textContent = `There is no such position. Positions go from ${this.app.data.first} to ${this.app.data.last}.`;
            return;
        }
        this.goSheet.close();
        this.app.go(position, { isJump: true });
    }

    // MARK: Search

    showSearch() {
        this.searchSheet.showModal();
        this.searchInput.select();
        if (this.searchInput.value) this.search();
        else this.resultCount.textContent = 'Where a text or number first appears: in actions, and in the state. The case counts.';
    }

    searchSoon() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.search(), 90);
    }

    async search() {
        this.abort?.abort();
        const abort = new AbortController();
        this.abort = abort;
        const text = this.searchInput.value;
        this.results.replaceChildren();
        this.selected = -1;
        if (text === '') {
            this.resultCount.textContent = '';
            return;
        }
        this.resultCount.textContent = 'Searching …';
        const limit = 200;
        let count = 0;
        // A search has a slice of each frame: what it finds in one is shown at once.
        for await (const result of this.app.data.search(text, { limit, signal: abort.signal })) {
            if (abort.signal.aborted) return;
            this.results.append(this.result(result, text, count));
            if (count === 0) this.selectResult(0);
            count += 1;
        }
        if (abort.signal.aborted) return;
        this.resultCount.textContent = count === 0 ? 'It appears nowhere.' : count === limit ? `The first ${limit} places.` : Format.counted(count, 'place');
    }

    result({ number, reducer, where, path, text }, needle, index) {
        const { h, visible } = DOM;
        const { data } = this.app;
        const isStart = number === data.first;
        const element = h('div', { class: 'result', role: 'option', id: `result-${index}`, 'aria-selected': 'false' },
            h('span', { class: 'number' }, isStart ? 'start' : `${Format.count(number)}${reducer ? '.' + reducer : ''}`),
            this.app.dot(number),
            h('div', { class: 'what' }, h('div', { class: 'line' }, this.highlighted(text, needle)),
                h('div', { class: 'line small' }, isStart ? '' : `${visible(data.typeOf(number))} · `, where === 'type' ? 'action type' : where === 'payload' ? ['payload ', h('code', {}, visible(path))] : h('code', {}, visible(path) || '/'))));
        element.goal = { number, reducer, path: where === 'state' ? path : null };
        return element;
    }

    /** The text around the first place of a text, which stands out. */
    highlighted(text, needle) {
        const { h, visible } = DOM;
        const at = text.indexOf(needle);
        if (at < 0) return visible(Format.cut(text, 120));
        const from = Math.max(0, at - 40);
        const end = at + needle.length;
        const before = `${from > 0 ? '…' : ''}${visible(text.slice(from, at))}`;
        return [before, h('mark', {}, visible(text.slice(at, end))), visible(Format.cut(text.slice(end), 90))];
    }

    selectResult(index) {
        const items = this.results.children;
        if (items.length === 0) return;
        items[this.selected]?.setAttribute('aria-selected', 'false');
        this.selected = Math.max(0, Math.min(items.length - 1, index));
        const item = items[this.selected];
        item.setAttribute('aria-selected', 'true');
        item.scrollIntoView({ block: 'nearest' });
        this.searchInput.setAttribute('aria-activedescendant', item.id);
    }

    chooseResult(element) {
        if (!element?.goal) return;
        const { number, reducer, path } = element.goal;
        this.searchSheet.close();
        this.app.go({ number, reducer }, { isJump: true });
        if (path !== null) this.app.select(path, { isShown: true });
    }
}
