// Records are dragged by their number, which is a link: that works between windows, too, and needs no handle.

/** The records whose links are being dropped. */
export function draggedIds(data: DataTransfer | null): number[] {
  const text = data?.getData("text/uri-list") || data?.getData("text/plain") || "";
  const found = text.split(/\s+/).flatMap((line) => /\/records\/(\d+)(?:[?#]|$)/.exec(line)?.[1] ?? []);
  return [...new Set(found.map(Number))];
}
