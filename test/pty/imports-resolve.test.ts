import { expect, it } from 'vitest';
import { itemService, rowsOf } from '../e2e/import-service.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { freshWorld } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { startTerminal } from '../support/terminal.ts';
import { DOWN, play, shows } from '../support/wizard.ts';

it('asks about each unconfirmed row, with what is known of it', async () => {
  await using service = await startHostile((socket) => socket.write(http(500, '{}')));
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  await world.file('a.csv', 'reference,amount\nINV-1,5.5\nINV-2,7.5\n');
  const ran = await world.run(['imputations', 'import', 'a.csv', '--allow', 'missing', '--yes']);
  expect(ran.exitCode).toBe(9);
  const { run } = JSON.parse(ran.stdout);

  const terminal = startTerminal(world, ['imports', 'resolve', run]);
  await terminal.waitFor('row 1 (INV-1), sent 20');
  await terminal.waitFor('"amount":5.5');
  await terminal.waitFor('What was the outcome of row 1?');
  terminal.type('\u001b[B\r');
  await terminal.waitFor('Id of the created record');
  terminal.type('im-77\r');
  await terminal.waitFor('What was the outcome of row 2?');
  terminal.type('\u001b[B\r');
  await terminal.waitFor('Id of the created record');
  terminal.type('im-77\r');
  await terminal.waitFor('im-77 was created by row 1 of this run');
  await terminal.waitFor('What was the outcome of row 2?');
  terminal.type('\r');
  expect(await terminal.exited, terminal.text()).toBe(9);
  const shown = JSON.parse((await world.run(['imports', 'show', run])).stdout);
  expect(shown).toMatchObject({ created: 1, unconfirmed: 1 });
});

it('proposes to adopt a row that the list shows instead of sending it again', async () => {
  await using service = await itemService((code) => {
    if (code === 'A-1') return undefined;
    service.items.push({ id: `other-${code}`, code, name: 'Meanwhile' });
    return { reset: true, stored: true };
  });
  const world = await freshWorld(service.target);
  await world.file('a.csv', rowsOf(['A-1', 'LOST-1', 'LOST-2']));
  const ran = await world.run(['items', 'import', 'a.csv', '--yes', '--tune', 'settle=1ms']);
  expect(ran.exitCode, ran.stderr).toBe(9);
  const { run } = JSON.parse(ran.stdout);
  const resend = ['imports', 'resolve', run, '2', '3', '--resend', '--tune', 'settle=1ms'];
  const terminal = startTerminal(world, resend);
  await terminal.waitFor('Row 2 (LOST-1) is already in the list.');
  await terminal.waitFor('Yes, it is other-LOST-1');
  terminal.type('\r');
  await terminal.waitFor('Row 3 (LOST-2) is already in the list.');
  terminal.type('\u001b[B\u001b[B\r');
  expect(await terminal.exited, terminal.text()).toBe(9);
  const shown = JSON.parse((await world.run(['imports', 'show', run])).stdout);
  expect(shown).toMatchObject({ created: 2, unconfirmed: 1, pending: 0 });
});

it('speaks only Spanish in a Spanish dialogue', async () => {
  let isBroken = true;
  await using service = await startHostile((socket, { body }) => {
    const { reference } = JSON.parse(body);
    const isLost = isBroken && reference.startsWith('LOST');
    socket.write(isLost ? http(500, '{}') : http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  const target = { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k', PROC_LANG: 'es' };
  const world = await freshWorld(target);
  await world.file('a.csv', 'reference,amount\nA,1\nLOST-1,2\nLOST-2,3\n');
  const command = ['imputations', 'import', 'a.csv', '--allow', 'missing', '--yes'];
  const first = JSON.parse((await world.run(command)).stdout).run;
  isBroken = false;
  await world.file('b.csv', 'reference,amount\nA,1\nLOST-1,2\nLOST-2,3\nB,4\n');

  const again = startTerminal(world, [...command.with(2, 'b.csv'), '--on-sent', 'skip']);
  await shows(again, 'ya se enviaron 3 filas (creadas: 1, sin confirmar: 2).');
  expect(await again.exited).toBe(9);
  const { run } = JSON.parse((await world.run(['imports', 'list'])).stdout)[0];

  const preview = startTerminal(world, ['imports', 'resolve', run, '--drop', '--all', '--dry-run']);
  await shows(preview, 'Simulación: no se cambió nada.');
  await preview.exited;

  const session = startTerminal(world, ['imports', 'resolve', run]);
  await play(session, [
    ['fila 2 (LOST-1): ya enviada por la importación', ''],
    ['¿Cuál fue el resultado de la fila 2?', `${DOWN}${DOWN}\r`],
    ['¿Cuál fue el resultado de la fila 3?', `${DOWN}${DOWN}${DOWN}\r`],
    [`para enviar estas filas otra vez, ejecute: proc imports resume ${run}`, ''],
  ]);
  await session.exited;

  const resumed = startTerminal(world, ['imports', 'resume', run, '--dry-run']);
  await resumed.exited;
  expect(screenOf(resumed.text(), 80)).toMatch(/^SIMULACIÓN +sí$/m);
  expect((await world.run(['imports', 'resume', run, '--yes'])).exitCode).toBe(0);
  const later = startTerminal(world, ['imports', 'resume', first, '--yes']);
  await shows(later, '2 filas sin confirmar se resolvieron en otro lugar (');
  await shows(later, `la importación ${run}`);
  await later.exited;
  for (const { text } of [again, preview, session, later]) {
    // The table of the result has the rows as data.
    const [dialogue] = screenOf(text(), 80).split(/^(?:IMPORTACIÓN|FILAS) /m);
    expect(dialogue).not.toMatch(/\b(rows?|sent|was|were|nothing|to send|run)\b/);
  }
});
