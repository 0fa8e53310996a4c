import { afterEach, describe, expect, it } from 'vitest';
import { errorOf, jsonLines, openWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

const sandbox = await loggedSandbox();
const world = await openWorld(sandbox.target);
afterEach(() => {
  sandbox.requests.length = 0;
});

async function refused(args: readonly string[], input = '') {
  const ran = await world.run(args, { input });
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  // proc may have read lists to look up names.
  expect(sandbox.writes()).toEqual([]);
  expect(ran.stderr).not.toMatch(/\\n +at /);
  return errorOf(ran);
}

const requisition = (line: string) =>
  `{\n  "title": "T",\n  "groups": [\n    {"deliveryMethod": "pickup", "items": [\n      ${line}\n    ]}\n  ]\n}`;

describe('payloads that break a rule', () => {
  it.each([
    ['quantity 0', '{"quantity": 0}', 'groups[0].items[0].quantity must be greater than 0, got 0'],
    ['a line that is no object', '7', 'groups[0].items[0] must be an object, got 7'],
  ])('%s', async (_, line, says) => {
    const { message } = await refused(['requisition', 'create', '--file', '-'], requisition(line));
    expect(message).toMatch(/^standard input: groups\[0\]\.items\[0\]/);
    expect(message).toContain(says);
  });

  it('names the flag if no flag gives a group', async () => {
    const { message } = await refused(['requisition', 'create', '--title', 'T']);
    expect(message).toBe('a requisition needs a group, e.g. --group name=Plant,delivery=pickup');
    const both = await refused(['requisition', 'create', '--code', 'C']);
    expect(both.message).toBe('--title is required (a string) (and 1 more problem)');
    expect(both.details).toMatchObject({ issues: [{ field: 'title' }, { field: 'groups' }] });
  });

  it('reports every broken rule, not only the first', async () => {
    const error = await refused(
      ['requisition', 'create', '--file', '-'],
      '{"groups":[{"deliveryMethod":"x","items":[{"quantity":0}]}]}',
    );
    expect(error.message).toContain('(and 2 more problems)');
    expect(error.details).toMatchObject({
      issues: [
        { field: 'title' },
        { field: 'groups[0].deliveryMethod' },
        { field: 'groups[0].items[0].quantity' },
      ],
    });
  });

  it.each([
    ['items create', ['items', 'create'], '{"name":null}', 'name must be a string, got null'],
    ['a patch of nothing', ['sectors', 'patch', 'sec-1'], '{}', 'no fields to change'],
    ['an imputation of nothing', ['imputations', 'create'], '{}', 'needs at least one field'],
  ])('%s: %j %s', async (_, args, payload, says) => {
    const { message } = await refused([...args, '--file', '-'], payload);
    expect(message).toContain(says);
  });
});

describe('fields unknown to the contract', () => {
  const PAYLOAD = '{"name":"Chain","colour":"red","constructor":1,"__proto__":{"x":1},"nmae":"y"}';

  it('cause a warning and are not sent', async () => {
    const ran = await world.run(['items', 'create', '--file', '-', '--dry-run'], {
      input: PAYLOAD,
    });
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout).body).toEqual({ name: 'Chain' });
    const warnings = jsonLines(ran.stderr).flatMap(({ warning }) => warning ?? []);
    expect(warnings).toHaveLength(4);
    for (const field of ['colour', 'constructor', '__proto__', 'nmae']) {
      expect(warnings.join('\n')).toContain(
        `${field} is not a field of the contract: it is not sent`,
      );
    }
    expect(warnings.join('\n')).toContain('did you mean name?');
  });
});

describe('ids', () => {
  it.each([
    ['a slash', 'a/b'],
    ['a way up', '../orders'],
    ['an escape', 'a\u001b[2J'],
    ['nothing', ''],
  ])('%s: exit 2', async (_, id) => {
    for (const args of [
      ['addresses', 'get', id],
      ['addresses', 'delete', id, '--yes'],
      ['requisition', 'group', 'remove', id, 'grp-1', '--yes'],
      ['requisition', 'item', 'add', 'req-1', id, '--item', 'i', '--quantity', '1'],
    ]) {
      await refused(args);
    }
    expect(sandbox.requests).toEqual([]);
  });

  it.each([
    [
      ['requisition', 'item', 'add', 'req-1', 'grp-1', '--item', 'AR-5381'],
      /^--quantity is required/,
    ],
    [['imputations', 'create', '--order', 'PO-00001', '--file', '-'], /expected a JSON object/],
  ])('%j fails before any reference is looked up', async (args, says) => {
    expect((await refused(args, '[]')).message).toMatch(says);
    expect(sandbox.requests).toEqual([]);
  });
});

describe('flags and words', () => {
  it.each([
    [['orders', 'list', '--limit', '-1'], 'invalid_usage', /--limit.*from 1/],
    [['orders', 'list', '--limit', ''], 'invalid_usage', /--limit/],
    [['orders', 'list', '--dir', 'desc'], 'invalid_usage', /--dir desc needs --sort/],
    [['items', 'list', '--sort', 'code', '--sort', 'name'], 'invalid_usage', /given twice/],
    [['orders', 'list', '--timeout', '0'], 'invalid_usage', /--timeout/],
    [
      ['requisition', 'item', 'add', 'r', 'g', '--item', 'i', '--quantity', '0'],
      'invalid_input',
      /--quantity must be greater than 0/,
    ],
    [
      ['requisition', 'item', 'add', 'r', 'g', '--item', 'i', '--quantity', '1.5'],
      'invalid_usage',
      /--quantity.*'1\.5'/,
    ],
    [['imputations', 'create', '--amount', '12345678901234567890'], 'invalid_usage', /round/],
    [['imputations', 'create', '--amount', '1,5'], 'invalid_usage', /--amount.*'1,5'/],
    [['items', 'create'], 'invalid_usage', /name/],
    [['items', 'create', '--name', ''], 'invalid_usage', /--name/],
    [['items', 'create', '--name', 'a', '--description', ' '], 'invalid_usage', /--description/],
    [['imputations', 'create', '--order', ' ', '--amount', '1'], 'invalid_usage', /--order/],
    [['orders', 'list', '--where', 'amount'], 'invalid_usage', /amount/],
    [['orders', 'list', '--query', '[['], 'invalid_usage', /query/],
  ] as const)('%j', async (args, code, says) => {
    const error = await refused(args);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(says);
  });

  it.each([
    [['orders', 'lst', '--limit', '3'], 'Did you mean'],
    [['orders', 'list', '--verbos'], 'Did you mean --verbose?'],
    [['items', 'create', '--unit-of-mesure', 'x'], 'Did you mean --unit-of-measure?'],
    [['oders'], 'Did you mean orders?'],
    [['orders', 'approve', 'PO-1'], 'Not in the API: create, change, approve'],
    [['orders', 'list', '-z'], 'See the help: proc orders list --help'],
  ] as const)('%j is refused with a hint', async (args, hint) => {
    expect((await refused(args)).hint).toContain(hint);
  });

  it('-o id is refused for rows without ids', async () => {
    const ran = await world.run(['orders', 'summary', '-o', 'id']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(errorOf(ran).message).toBe('-o id: 4 rows have no "id"');
    const picked = await world.run(['orders', 'summary', '--query', '[].status', '-o', 'id']);
    expect(picked.stdout).toContain('pending\n');
  });

  it('help works with a global flag', async () => {
    expect((await world.run(['help', '--quiet'])).stdout).toContain('Usage: proc <noun>');
  });
});
