/** Changes as the tool's `diff` and `show` print them: a line for each place. */
const Diff = (() => {
    const { h, visible } = DOM;
    /** The lines that are shown at once. */
    const most = 200;

    /** A path, whose last name stands out. It selects the place in the tree. */
    function pathButton(app, path) {
        const at = path.lastIndexOf('/');
        return DOM.button({ class: 'path', title: 'Show in the state' }, () => app.select(path, { isShown: true }),
            path === '' ? h('b', {}, '(whole)') : [h('span', {}, visible(path.slice(0, at + 1))), h('b', {}, visible(path.slice(at + 1)) || '""')]);
    }

    const signs = { added: '+', removed: '−', changed: '~' };

    const shown = (value) => Format.oneLine(value, 160);

    /** `old → new`; of two texts, what differs stands out. */
    function replaced(old, fresh) {
        const isText = typeof old === 'string' && typeof fresh === 'string';
        let [before, after] = (isText && Format.changedTexts(old, fresh, 60)) || [shown(old), shown(fresh)];
        if (before === after) [before, after] = [textOf(old), textOf(fresh)].map((text) => visible(Format.cut(text, 400)));
        const [start, end] = isText ? commonEnds(before, after) : [0, 0];
        const isAlike = start + end >= Math.max(4, Math.min(before.length, after.length) / 3);
        const marked = (text) => (isAlike ? [text.slice(0, start), h('mark', {}, text.slice(start, text.length - end)), text.slice(text.length - end)] : text);
        return [h('del', {}, marked(before)), h('span', { class: 'arrow' }, ' → '), h('ins', {}, marked(after))];
    }

    /** The lines of one operation: `{kind, path, content}`. */
    function linesOf({ op, path, old, value, at, remove, insert }) {
        const element = (kind, it, index) => ({ kind, path: `${path}/${at + index}`, content: h(kind === 'added' ? 'ins' : 'del', {}, shown(it)) });
        switch (op) {
            case 'add': return [{ kind: 'added', path, content: h('ins', {}, shown(value)) }];
            case 'remove': return [{ kind: 'removed', path, content: h('del', {}, shown(old)) }];
            case 'replace': return [{ kind: 'changed', path, content: replaced(old, value) }];
            case 'splice': return [
                ...remove.slice(0, most).map((it, index) => element('removed', it, index)),
                ...insert.slice(0, most).map((it, index) => element('added', it, index)),
            ];
            default: return [{ kind: 'changed', path, content: [h('span', { class: 'dim' }, `at ${Format.count(at)} `), edited(remove, insert)] }];
        }
    }

    const lineElement = (app, { kind, path, content }) =>
        h('div', { class: `change is-${kind}`, role: 'listitem' },
            h('span', { class: 'sign', 'aria-label': kind }, signs[kind]), h('div', { class: 'change-text' }, pathButton(app, path), ' ', h('span', { class: 'change-value' }, content)));

    const edited = (remove, insert) => {
        const text = (value) => (typeof value === 'string' ? JSONText(value) : shown(value));
        const isEmpty = (value) => value === '' || value?.length === 0;
        return [isEmpty(remove) ? null : h('del', {}, text(remove)), isEmpty(remove) || isEmpty(insert) ? null : ' ', isEmpty(insert) ? null : h('ins', {}, text(insert))];
    };
    const JSONText = (text) => visible(text.length > 400 ? textOf(Format.cut(text, 400)).slice(0, -1) + '…"' : textOf(text));

    /** The first of operations in a value on one line: `/3/title old → new, 2 more`. */
    function brief(operations, around) {
        const [{ kind, path, content }] = linesOf(operations[0]);
        const more = Marks.linesOf(operations) - 1;
        return [
            kind === 'changed' ? null : `${signs[kind]} `, visible(path.slice(around.length)), ' ', content,
            more > 0 ? h('span', { class: 'dim' }, `, ${Format.count(more)} more`) : null,
        ];
    }

    /** A list of the lines of operations. More than fit are shown on demand. */
    function list(app, operations) {
        const element = h('div', { class: 'changes', role: 'list' });
        let next = 0;
        const more = DOM.button({ class: 'button' }, () => show());
        const show = () => {
            const isFocused = document.activeElement === more;
            more.remove();
            let count = 0;
            for (; next < operations.length && count < most; next += 1) {
                const lines = linesOf(operations[next]).map((line) => lineElement(app, line));
                element.append(...lines);
                if (isFocused && count === 0) lines[0]?.querySelector('button')?.focus();
                count += lines.length;
            }
            if (next < operations.length) {
                more.textContent = `Show more of ${Format.counted(operations.length - next, 'change')}`;
                element.append(more);
            }
        };
        show();
        return element;
    }

    return { list, brief };
})();
