import { command } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Column } from '../../core/result.ts';
import { listedAndMore } from '../../core/text/listed.ts';
import { phrase } from '../../messages/writes.ts';
import { eachId } from '../shared/each-id.ts';
import { WRITE_CODES } from '../shared/exit-code-sets.ts';
import { recordName } from '../shared/references/record-name.ts';
import { sendPatch } from '../shared/send-patch.ts';
import type { SectorChange, SectorComparison } from './file/compare-sectors.ts';
import { getSector, listSectors, patchSector } from './index.ts';
import { FILE_ARG, FILE_FLAGS } from './sector-args.ts';

const COLUMNS: readonly Column[] = [
  { key: 'key', header: 'KEY', priority: 3 },
  { key: 'changed', header: 'CHANGED', priority: 3 },
  { key: 'name', header: 'NAME', priority: 2 },
  { key: 'id', header: 'ID', priority: 2 },
];

const NAMED = 5;

export const apply = command({
  path: ['sectors', 'apply'],
  changes: 'service',
  prints: 'list',
  shape: ({ z, list, responseOf }) =>
    list(z.extend(responseOf(patchSector), { id: z.string(), changed: z.string() })),
  summary: 'Change sectors to match a file',
  description:
    'Shows every difference, asks once, and sends only the fields that differ. Empty cells change nothing. proc never creates or deletes a sector: it refuses a file with unknown sectors, and does not change sectors that the file does not name. If the command stops halfway, run it again: proc sends only what still differs.',
  args: FILE_ARG,
  flags: FILE_FLAGS,
  examples: [
    { run: 'proc sectors apply examples/sectors.csv --dry-run', doc: 'show the requests' },
    { run: 'proc sectors apply examples/sectors.csv --yes', doc: 'in a script' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [listSectors, patchSector, getSector],
  needs: ['io', 'api', 'lookup', 'ask', 'self'],
  async run({ args, flags }, ports) {
    const weight = 'bulk';
    await ports.api.ensureAskable({ what: phrase('applySectors', args.file), weight });
    const { readComparison } = await import('./file/read-comparison.ts');
    const found = await readComparison(args.file, flags, ports);
    refuseUnknown(found);
    const changes = new Map(found.changes.map((change) => [change.id, change]));
    for (const change of changes.values()) show(change, ports);
    if (changes.size > 0 && !ports.api.isPreview) {
      await ports.api.confirm({ what: phrase('patchSectors', changes.size, found.name), weight });
    }
    const result = await eachId(
      ports,
      { refs: [...changes.keys()], columns: COLUMNS },
      (id, record) => {
        const { body, sector } = changes.get(id)!;
        const what = phrase('patchSector', recordName(sector), Object.keys(body).join(', '));
        const intent = { what, weight: 'patch', isConfirmed: true } as const;
        const patch = { read: getSector, patch: patchSector, id, before: sector, body };
        return sendPatch(ports, patch, intent, (value) =>
          record({
            ...(value ?? { key: body.key ?? sector.key }),
            id,
            changed: Object.keys(body).join(', '),
          }),
        );
      },
    );
    // Scripts get a list even for one sector, so they need no special case.
    const rows =
      result.kind === 'record'
        ? { ...result, kind: 'rows' as const, rows: [result.value] }
        : result;
    if (rows.kind !== 'rows') return rows;
    const { columns = COLUMNS } = rows;
    // A preview has the columns of requests.
    return { ...rows, columns: changes.size > 0 ? columns : COLUMNS, empty: 'Nothing to change.' };
  },
});

function refuseUnknown({ unknown, name }: SectorComparison & { readonly name: string }): void {
  if (unknown.length === 0) return;
  const some = unknown.map((one) => `${one.name} (${one.place})`);
  throw new ProcError(
    'invalid_input',
    `${name} has sectors that the service does not have: ${listedAndMore(some, NAMED, ', ')}; nothing was sent`,
    { hint: 'proc cannot create sectors. Remove these rows, or correct them' },
  );
}

function show({ sector, id, body }: SectorChange, { io: { say } }: Ports<'io'>): void {
  const lines = Object.entries(body).map(
    ([field, value]) =>
      `${sector.key ?? id}: ${field}: ${JSON.stringify(sector[field] ?? null)} → ${JSON.stringify(value)}`,
  );
  say({ kind: 'notice', text: lines.join('\n') });
}
