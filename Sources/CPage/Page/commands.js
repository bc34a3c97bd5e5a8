/** What the keys do, and what the sheet of keys says of them. */
class Commands {
    /** A group, its keys, what they do in words, and what to call. Without a call, a part of the page takes the keys. */
    static all = [
        ['Move', 'ArrowLeft k', 'action before, of those listed', (app) => app.step(-1)],
        ['Move', 'ArrowRight j', 'next action', (app) => app.step(1)],
        ['Move', 'Shift+ArrowLeft ,', 'reducer before', (app) => app.stepReducer(-1)],
        ['Move', 'Shift+ArrowRight .', 'next reducer', (app) => app.stepReducer(1)],
        ['Move', 'Home', 'start', (app) => app.go({ number: app.data.first }, { isJump: true })],
        ['Move', 'End', 'end', (app) => app.go({ number: app.data.last }, { isJump: true })],
        ['Move', 'Space', 'play, pause', (app) => app.play()],
        ['Move', 'g', 'go to a position or time', (app) => app.dialogs.showGo()],
        ['Move', '[', 'back to where you jumped from', (app) => app.travel(app.back, app.forward)],
        ['Move', ']', 'forward again', (app) => app.travel(app.forward, app.back)],
        ['Find', '/', 'search actions and states', (app) => app.dialogs.showSearch()],
        ['Find', 'f', 'filter the actions', (app) => app.list.focusFilter()],
        ['Find', 'x', 'only actions that changed the selected path', (app) => app.filterPath()],
        ['Find', 'Escape', 'close, or clear the filters', (app) => app.list.closeFilters()],
        ['State', 'ArrowUp ArrowDown', 'value before, next'],
        ['State', 'ArrowRight ArrowLeft', 'unfold, fold, to what contains it'],
        ['State', '*', 'unfold all beside it'],
        ['State', 'n', 'next change', (app) => app.tree.nextChange(1)],
        ['State', 'Shift+N', 'previous change', (app) => app.tree.nextChange(-1)],
        ['State', 'u', 'only what changed', (app) => app.tree.toggleOnly()],
        ['State', 'e', 'fold all, or unfold what fits', (app) => app.tree.foldAll()],
        ['Value', 'p', 'pin to the timeline', (app) => app.togglePin()],
        ['Value', 'b', 'go to what set it', (app) => app.goToBlame()],
        ['Value', 'v', 'its value and history', (app) => app.showTab(app.view.tab === 'value' ? 'action' : 'value')],
        ['Value', 'c', 'copy the value', (app) => app.copyValue()],
        ['Value', 'Shift+C', 'copy the path', (app) => app.copyPath()],
        ['Value', 'y', 'copy the command that prints it', (app) => app.copyCommand()],
        ['Compare', 'd', 'mark this position: changes are then since the mark. Again: clear', (app) => app.toggleMark()],
        ['Timeline', '+ =', 'zoom in', (app) => app.timeline.zoom(0.5)],
        ['Timeline', '-', 'zoom out', (app) => app.timeline.zoom(2)],
        ['Timeline', '0', 'show all', (app) => app.timeline.setWindow(...app.timeline.whole)],
        ['Timeline', 't', 'by number, by time', (app) => app.toggleScale()],
        ['Timeline', 'drag', 'move through time'],
        ['Timeline', 'Shift+drag', 'zoom to a range, also by dragging the ruler'],
        ['Timeline', 'Ctrl+wheel', 'zoom at the pointer'],
        ['Page', '1', 'to the actions', (app) => app.focusOn('actions', app.list.list)],
        ['Page', '2', 'to the state', (app) => app.focusOn('state', app.tree.tree)],
        ['Page', '3', 'to the inspector', (app) => app.focusOn('inspector', app.inspector.body)],
        ['Page', '4', 'to the timeline', (app) => app.timeline.slider.focus()],
        ['Page', 'Shift+T', 'light or dark', (app) => app.switchTheme()],
        ['Page', '?', 'this sheet', (app) => app.dialogs.help.showModal()],
    ];

    static byKey = new Map(Commands.all.flatMap(([, keys, , run]) => (run ? keys.split(' ').map((key) => [key, run]) : [])));

    static signs = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', '-': '−' };

    /** How people read a key: `Shift+←`. */
    static shown(key) {
        return key.split('+').map((part) => Commands.signs[part] ?? part).join('+');
    }

    /** A button that does what a key does. */
    static button(app, icon, label, key, properties) {
        return DOM.iconButton(icon, label, Commands.shown(key), () => Commands.byKey.get(key)(app), properties);
    }

    /** Whether a key is for the browser or the system. On some keyboards, signs need Alt or AltGr. */
    static isForBrowser(event) {
        const isSign = event.key.length === 1 && !/[\p{L}\p{N} ]/u.test(event.key);
        if (isSign && (event.getModifierState('AltGraph') || (event.altKey && !event.ctrlKey && !event.metaKey))) return false;
        return event.ctrlKey || event.metaKey || event.altKey;
    }

    /** Does what keys do while an element has the focus: functions by the names of keys. */
    static listen(element, keys) {
        element.addEventListener('keydown', (event) => {
            // A sign may need Shift.
            const isOther = !Object.hasOwn(keys, event.key) || (event.shiftKey && event.key.length > 1);
            if (isOther || Commands.isForBrowser(event)) return;
            event.preventDefault();
            keys[event.key]();
        });
    }

    /** Does what a key does, wherever the focus is but in a field. */
    static take(event, app) {
        if (app.dialogs.isOpen || event.defaultPrevented || Commands.isForBrowser(event)) return;
        const { target } = event;
        if (target.closest('input:not([type=checkbox]), textarea, select')) {
            if (event.key === 'Escape') app.list.leaveFilters();
            return;
        }
        if ((event.key === ' ' || event.key === 'Enter') && target.closest('button, input')) return;
        const name = event.key === ' ' ? 'Space' : event.key;
        const run = (event.shiftKey && Commands.byKey.get(`Shift+${name}`)) || Commands.byKey.get(name);
        if (!run) return;
        event.preventDefault();
        run(app);
    }
}
