/** The three panels: the dividers between them in a wide window, and their switch in a narrow one. */
class Panels {
    constructor(switcher, panels) {
        this.panels = panels;
        this.switches = new Map(['actions', 'state', 'inspector'].map((name) => [name, DOM.button({ 'aria-pressed': 'false' }, () => this.show(name), name[0].toUpperCase() + name.slice(1))]));
        switcher.append(...this.switches.values());
        this.show('state');
        for (const divider of panels.querySelectorAll('.divider')) this.listen(divider);
    }

    listen(divider) {
        const { panels } = this;
        const isList = divider.dataset.between === 'actions';
        const panel = panels.querySelector(isList ? '.actions' : '.inspector');
        const resize = (width) => {
            const wanted = Math.round(Math.max(220, width));
            // The window may become smaller, and the state must keep some room.
            panels.style.setProperty(isList ? '--list-width' : '--inspector-width', `min(${wanted}px, 37%)`);
            divider.setAttribute('aria-valuenow', String(Math.min(wanted, Math.round(0.37 * panels.clientWidth))));
        };
        const move = (by) => resize(panel.clientWidth + (isList ? by : -by));
        Commands.listen(divider, { ArrowLeft: () => move(-16), ArrowRight: () => move(16) });
        divider.addEventListener('pointerdown', ({ pointerId }) => divider.setPointerCapture(pointerId));
        divider.addEventListener('pointermove', ({ clientX, pointerId }) => {
            if (!divider.hasPointerCapture(pointerId)) return;
            const box = panels.getBoundingClientRect();
            resize(isList ? clientX - box.left : box.right - clientX);
        });
    }

    show(name) {
        this.panels.dataset.shown = name;
        for (const [other, button] of this.switches) button.setAttribute('aria-pressed', String(other === name));
    }
}
