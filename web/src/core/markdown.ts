// The part of Markdown that catalogue pages use, as plain data; drawing it makes elements, never markup from text.

export type Inline =
  | { is: "text"; text: string }
  | { is: "code"; text: string }
  | { is: "strong"; text: string }
  | { is: "link"; text: string; to: string };

export type Block =
  | { is: "heading"; level: number; text: string }
  | { is: "text"; parts: Inline[] }
  | { is: "list"; items: Inline[][] }
  | { is: "code"; language: string; text: string }
  | { is: "table"; head: Inline[][]; rows: Inline[][][] };

/** Code, emphasis and links of a line. */
export function inline(text: string): Inline[] {
  const parts: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g)) {
    if (match.index! > at) parts.push({ is: "text", text: text.slice(at, match.index) });
    if (match[1] !== undefined) parts.push({ is: "code", text: match[1] });
    else if (match[2] !== undefined) parts.push({ is: "strong", text: match[2] });
    else parts.push({ is: "link", text: match[3], to: match[4] });
    at = match.index! + match[0].length;
  }
  if (at < text.length) parts.push({ is: "text", text: text.slice(at) });
  return parts;
}

const cells = (line: string): Inline[][] =>
  line.replace(/^\||\|$/g, "").split("|").map((cell) => inline(cell.trim()));

/** A page as blocks. */
export function blocks(page: string): Block[] {
  const found: Block[] = [];
  const lines = page.replace(/\r/g, "").split("\n");
  let at = 0;
  const take = (test: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (at < lines.length && test(lines[at])) taken.push(lines[at++]);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const fence = /^```(\w*)/.exec(line);
    if (line.trim() === "") at += 1;
    else if (heading) {
      found.push({ is: "heading", level: heading[1].length, text: heading[2] });
      at += 1;
    } else if (fence) {
      at += 1;
      const text = take((one) => !one.startsWith("```")).join("\n");
      at += 1;
      found.push({ is: "code", language: fence[1], text });
    } else if (line.startsWith("|")) {
      const [head, , ...rows] = take((one) => one.startsWith("|"));
      found.push({ is: "table", head: cells(head), rows: rows.map(cells) });
    } else if (/^[-*] /.test(line)) {
      const items: string[] = [];
      take((one) => {
        if (/^[-*] /.test(one)) items.push(one.slice(2));
        else if (/^\s+\S/.test(one)) items.push(`${items.pop()} ${one.trim()}`);
        else return false;
        return true;
      });
      found.push({ is: "list", items: items.map(inline) });
    } else {
      const text = take((one) => one.trim() !== "" && !/^(#{1,6}\s|```|\||[-*] )/.test(one));
      found.push({ is: "text", parts: inline(text.join(" ")) });
    }
  }
  return found;
}
