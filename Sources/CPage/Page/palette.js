/** The colours of the canvas, taken from the style sheet, so that each is defined in one place. */
class Palette {
    static typeCount = 10;
    static names = ['panel', 'ground', 'line', 'line-strong', 'text', 'dim', 'accent', 'accent-soft', 'red', 'amber', 'green', 'quiet', 'band'];

    constructor() {
        this.probe = DOM.h('i', { hidden: true });
        document.body.append(this.probe);
        this.read();
    }

    /** Reads the colours again, after the theme changed. */
    read() {
        const resolve = (name) => {
            this.probe.style.color = `var(--${name})`;
            return getComputedStyle(this.probe).color;
        };
        for (const name of Palette.names) this[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = resolve(name);
        this.types = Array.from({ length: Palette.typeCount }, (_, index) => resolve(`type-${index}`));
    }
}
