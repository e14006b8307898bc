// The colours of the style sheet for canvases, read once a theme.

let known = new Map<string, string>();
const listeners = new Set<() => void>();

function changed(): void {
  known = new Map();
  for (const call of [...listeners]) call();
}

document.addEventListener("theme", changed);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);

/** A token by its name: `ink`, `s1`, `q8`. */
export function color(name: string): string {
  let value = known.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    known.set(name, value);
  }
  return value;
}

/** The same as one number for image data: bytes in the order red, green, blue, opaque. */
export function pixel(name: string): number {
  const hex = Number.parseInt(color(name).slice(1), 16);
  return (0xff000000 | ((hex & 0xff) << 16) | (hex & 0xff00) | (hex >> 16)) >>> 0;
}

export function onTheme(call: () => void): () => void {
  listeners.add(call);
  return () => void listeners.delete(call);
}

/** A hatch for what was not measured. */
export function hatch(context: CanvasRenderingContext2D): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d")!;
  pen.strokeStyle = color("axis");
  pen.lineWidth = 1;
  pen.beginPath();
  for (const offset of [-4, 4]) {
    pen.moveTo(offset, 8);
    pen.lineTo(offset + 8, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat") ?? color("band");
}

/** What a canvas shows is drawn anew when its pixels become finer or coarser: another screen, a zoom. */
export function onPixelRatio(call: () => void): () => void {
  let query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
  const changedRatio = () => {
    query.removeEventListener("change", changedRatio);
    query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener("change", changedRatio);
    call();
  };
  query.addEventListener("change", changedRatio);
  return () => query.removeEventListener("change", changedRatio);
}
