export function textOf(html: string): string {
  return decoded(
    html
      .replace(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  );
}

/** The rows of each table, by its title. The first row is the header. */
export function tablesIn(html: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const headings = new Map(
    [...html.matchAll(/<h3 id="([^"]+)">([^<]*)/g)].map(([, id, title]) => [id, title]),
  );
  const tables = html.matchAll(/<table ([^>]*)>([\s\S]*?)<\/table>/g);
  return new Map(
    [...tables].map(([, attributes = '', body = '']) => {
      const [, id] = /aria-labelledby="([^"]+)"/.exec(attributes) ?? [];
      const [, label] = /aria-label="([^"]*)"/.exec(attributes) ?? [];
      const rows = [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
        [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
          decoded(cell.replace(/<[^>]*>/g, '')),
        ),
      );
      return [decoded(label ?? headings.get(id) ?? ''), rows] as const;
    }),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

function decoded(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity]!);
}
