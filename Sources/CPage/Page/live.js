'use strict';

/** Follows a recording that is being made: asks the page's server for the rows after those that the page has. */
const Live = (() => {
    const usualPause = 500;
    const longPause = 3000;

    /** Takes the next rows. Returns what the server says: `isMore`, `isOver`, and whether the page must begin again. */
    async function take(data, live) {
        const response = await fetch(`${live.rows}?after=${data.last}`, { cache: 'no-store' });
        if (!response.ok) throw Object.assign(new Error(await response.text()), { isReply: true });
        const has = (name) => response.headers.get(name) === '1';
        // Another run has taken the place, or a limit has dropped rows that the page does not have.
        if (response.headers.get('Hindsight-Run') !== live.run || has('Hindsight-Gap')) return { isStale: true };
        data.append(new Uint8Array(await response.arrayBuffer()));
        while (!data.scan()) await new Promise((done) => setTimeout(done));
        return { isMore: has('Hindsight-More'), isOver: has('Hindsight-Over') };
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

    /** Shows the rows that have come. Stays at the end if the page is there. */
    function grow(app, before) {
        const { data, timeline, list, view } = app;
        const isAtEnd = view.number === before;
        const isWhole = timeline.window[0] <= data.first - 0.5 && timeline.window[1] >= before + 0.5;
        app.histories.clear();
        app.timing = undefined;
        app.measure();
        app.setPins(view.pins);
        app.readoutTotal.textContent = `/ ${Format.count(data.last)}`;
        timeline.slider.setAttribute('aria-valuemax', data.last);
        if (isWhole) timeline.setWindow(...timeline.whole);
        if (app.filtered) app.setFilter({ ...view.filter });
        else list.rebuild();
        if (isAtEnd) app.go({ number: data.last });
        else app.changed();
        timeline.drawSoon();
    }

    function showStatus(app, text) {
        const { data, about } = app;
        const facts = [about.file, Format.counted(data.last - data.first, 'action'), text];
        document.getElementById('facts').textContent = facts.filter(Boolean).map(DOM.visible).join(' · ');
    }

    /** Asks again and again. */
    async function follow(app) {
        const { data, about } = app;
        showStatus(app, 'following');
        for (;;) {
            let pause = document.hidden ? longPause : usualPause;
            try {
                const before = data.last;
                const { isMore, isOver, isStale } = await take(data, about.live);
                if (isStale) return location.reload();
                const start = performance.now();
                if (data.last !== before) grow(app, before);
                showStatus(app, isOver ? 'ended; waiting for the next run' : 'following');
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
