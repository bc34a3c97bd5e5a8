/** Follows a recording that is being made: asks the page's server for the rows after those that the page has. */
const Live = (() => {
    const usualPause = 500;
    const longPause = 3000;

    async function ask(address) {
        const response = await fetch(address, { cache: 'no-store' });
        if (!response.ok) throw Object.assign(new Error(await response.text()), { isReply: true });
        return response;
    }

    /**
     * Takes the next rows, and the first line again if the ending is another one. Returns what the server says:
     * `isMore`, `isOver`, and whether the page must begin again: `isStale`.
     */
    async function take(data, live) {
        const response = await ask(`${live.rows}?after=${data.last}`);
        const has = (name) => response.headers.get(name) === '1';
        // Another run has taken the place, or a limit has dropped rows that the page does not have.
        if (response.headers.get('Hindsight-Run') !== live.run || has('Hindsight-Gap')) return { isStale: true };
        // States that the page has as exact ones have turned out to be doubtful: new ones, or more of those that were.
        const [from, to] = (response.headers.get('Hindsight-Doubt') ?? '').split('-').map(Number);
        for (let number = Math.max(from, data.first + 1); number <= Math.min(to, data.last); number += 1) {
            if (!(data.flagsOf(number) & flags.DOUBTFUL)) return { isStale: true };
        }
        for (const part of withoutKnownNotes(data, new Uint8Array(await response.arrayBuffer()))) data.append(part);
        while (!data.scan()) await new Promise((done) => setTimeout(done));
        const isOther = response.headers.get('Hindsight-Ending') !== live.ending && !has('Hindsight-More');
        if (isOther && !(await takeHead(data, live))) return { isStale: true };
        return { isMore: has('Hindsight-More'), isOver: has('Hindsight-Over') };
    }

    /** Takes the first line again, which says how the recording ended. Returns whether it is that of the same run. */
    async function takeHead(data, live) {
        const response = await ask(live.head);
        if (response.headers.get('Hindsight-Run') !== live.run) return false;
        live.ending = response.headers.get('Hindsight-Ending');
        data.isOpen = live.ending === 'live';
        data.takeFacts(new Uint8Array(await response.arrayBuffer()));
        return true;
    }

    /** The parts of a reply without the notes at the last action that the page has already. */
    function withoutKnownNotes(data, bytes) {
        let known;
        let at = 0;
        const parts = [];
        while (bytes[at + 2] === 0x6e) {
            const end = bytes.indexOf(0x0a, at) + 1;
            const row = data.count > 0 ? data.rowStart.values[data.count - 1] : 0;
            known ??= new Set(decoder.decode(data.text.subarray(row, data.length)).split('\n'));
            if (!known.has(decoder.decode(bytes.subarray(at, end - 1)))) parts.push(bytes.subarray(at, end));
            at = end;
        }
        return [...parts, bytes.subarray(at)];
    }

    /** Takes all rows that there are, before the page shows any. */
    async function catchUp(data, live, progress) {
        for (let turn = 1; ; turn += 1) {
            const { isMore, isStale } = await take(data, live);
            if (isStale) return location.reload();
            if (!isMore) return undefined;
            progress(1 - 1 / (turn + 1));
        }
    }

    /**
     * Shows what has come. Stays at the end if the page is there; at that of a crash, which may be before, when the
     * recording has ended.
     */
    function grow(app, before, hasEnded) {
        const { data, timeline, list, view } = app;
        const isAtEnd = view.number === before;
        const crash = hasEnded && data.ending.kind === 'crashed' ? data.ending.number : null;
        const isWhole = timeline.window[0] <= data.first - 0.5 && timeline.window[1] >= before + 0.5;
        app.measure();
        for (const [path, pin] of app.histories) {
            if (view.pins.includes(path) || (view.tab === 'value' && path === view.path)) pin.read();
            // It would go on reading, and nothing would show it.
            else app.dropHistory(path);
        }
        if (view.tab === 'timing') app.inspector.drawTiming();
        // Not while someone fills in the filters.
        if (list.typeCount !== data.typeNames.size && !list.filters.contains(document.activeElement)) {
            list.buildFilters();
            list.showFilter();
        }
        app.readoutTotal.textContent = `/ ${Format.count(data.last)}`;
        timeline.slider.setAttribute('aria-valuemax', data.last);
        if (isWhole) timeline.setWindow(...timeline.whole);
        if (!app.filtered) list.rebuild();
        // A filter that still looks for actions takes the new ones after that.
        else if (!app.filterAbort) app.setFilter({ ...view.filter });
        if (isAtEnd) app.go({ number: crash ?? data.last });
        app.changed();
        timeline.drawSoon();
    }

    /** Shows the run that has taken the place. Stays at the end if the page is there. */
    function restart(app) {
        clearTimeout(app.writer);
        if (app.view.number === app.data.last) history.replaceState(null, '', location.hash.replace(/([#&])p=[^&]*&?/, '$1') || '#');
        location.reload();
    }

    function showStatus(app, text) {
        const { data, about } = app;
        const { kind, text: ending } = data.ending;
        const facts = [about.file, Format.counted(data.last - data.first, 'action'), text].filter(Boolean).map(DOM.visible);
        const element = document.getElementById('facts');
        const shown = data.isOpen ? facts.join(' · ') : `${facts.join(' · ')} · ${kind}`;
        // Nothing changes most of the time.
        if (element.textContent === shown) return;
        DOM.fill(element, facts.join(' · '), data.isOpen ? null : [' · ', DOM.h('span', { class: `ending ${kind}` }, kind)]);
        element.title = DOM.visible(ending);
    }

    /** Asks again and again. */
    async function follow(app) {
        const { data, about } = app;
        let status = data.isOpen ? 'following' : 'waiting for the next run';
        showStatus(app, status);
        const shown = { last: data.last, length: data.length, ending: about.live.ending };
        for (;;) {
            let pause = document.hidden ? longPause : usualPause;
            try {
                const { isMore, isOver, isStale } = await take(data, about.live);
                if (isStale) return restart(app);
                const start = performance.now();
                const hasEnded = about.live.ending !== shown.ending && !data.isOpen;
                if (data.length !== shown.length || hasEnded) grow(app, shown.last, hasEnded);
                if (hasEnded) app.toast(`The recording has ended: ${DOM.visible(data.ending.text)}.`);
                Object.assign(shown, { last: data.last, length: data.length, ending: about.live.ending });
                status = isOver ? 'waiting for the next run' : 'following';
                showStatus(app, status);
                // Drawing takes at most a tenth of the time.
                pause = Math.max(isMore ? 0 : pause, 10 * (performance.now() - start));
            } catch (error) {
                // A failed request is a TypeError, and an error status has the server's words.
                if (!(error instanceof TypeError) && !error.isReply) {
                    showStatus(app, `cannot go on: ${error.message}`);
                    throw error;
                }
                showStatus(app, 'the server does not answer');
                pause = longPause;
            }
            await new Promise((done) => setTimeout(done, pause));
        }
    }

    return { catchUp, follow };
})();
