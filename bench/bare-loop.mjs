// The simplest possible client, for comparison in bench/import.mjs.
// Arguments: URL, key, NDJSON file, number of concurrent requests.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [url, key, file, concurrency] = process.argv.slice(2);
const bodies = readFileSync(file, 'utf8').trimEnd().split('\n');
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: Number(concurrency), pipelining: 1 });
const headers = { 'x-api-key': key, 'content-type': 'application/json' };
let next = 0;

async function worker() {
  while (next < bodies.length) {
    const body = bodies[next++];
    const path = `${pathname.replace(/\/$/, '')}/items/`;
    const answer = await pool.request({ path, method: 'POST', headers, body });
    const { id } = await answer.body.json();
    if (answer.statusCode !== 201 || id === undefined) {
      throw new Error(`status ${answer.statusCode}`);
    }
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, worker));
await pool.close();
