// Shows reports in Chromium (/usr/bin/chromium, or CHROMIUM=path).
//   npm run bench:reports [-- --pictures]     --pictures writes docs/screenshots/
// Serves each page as it is, and with the policy under which Jenkins serves artifacts. Both must
// show the same words and send no further request. axe must find nothing, and A4 paper must be wide
// enough.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { filesOfPackage } from '../scripts/release/npm-package.ts';
import { Browser, type Page } from './reports/browser.ts';
import { type Sample, writeSamples } from './reports/samples.ts';

const POLICY = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'";

const AXE = {
  npm: 'axe-core',
  version: '4.14.1',
  integrity:
    'sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==',
};

/** A4 between the margins of the page, in CSS pixels. */
const PAPER = { width: Math.floor(((210 - 30) / 25.4) * 96), height: 1000 } as const;

/** Elements whose box or content is wider than the paper. */
const CUT = `[...document.querySelectorAll('main, main *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 || (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && getComputedStyle(one).display !== 'inline'))
  .map((one) => one.outerHTML.slice(0, 100)).slice(0, 5)`;

/** Findings of axe, with the first element of each. */
const FINDINGS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 120)))`;

const PICTURES = resolve(import.meta.dirname, '../docs/screenshots');

const withPictures = process.argv.includes('--pictures');
const kept = process.env.KEEP_REPORTS;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'proc-reports-'));
mkdirSync(folder, { recursive: true });
let isGood = true;
let browser: Browser | undefined;
const pages = new Map<string, string>();
const server = createServer(({ url = '' }, response) => {
  const [, name = '', policy = ''] = url.split('/');
  const page = pages.get(name);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  if (policy === 'policy') response.setHeader('content-security-policy', POLICY);
  response.writeHead(page === undefined ? 404 : 200).end(page);
});
try {
  const samples = await writeSamples(folder);
  for (const { name, page } of samples) pages.set(name, page);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [axe] = await filesOfPackage(AXE, ['axe.min.js']);
  const profile = join(folder, 'browser');
  mkdirSync(profile);
  browser = await Browser.start(profile);
  const page = await browser.page();
  for (const sample of samples) {
    const found = await checked(page, sample, `${origin}/${sample.name}`, axe!.bytes.toString());
    console.log(JSON.stringify(found));
    isGood &&= found.isGood;
  }
  if (withPictures) await pictures(page, origin);
} finally {
  await browser?.close();
  server.close();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isGood ? 0 : 1;

async function checked(page: Page, { name, page: text }: Sample, url: string, axe: string) {
  await page.size(1000, 900);
  await page.scheme('light');
  const free = await page.show(`${url}/`);
  const words = await page.texts();
  const findings: string[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    await page.scheme(scheme);
    await page.evaluate(axe);
    const found = await page.evaluate<readonly string[]>(FINDINGS);
    findings.push(...found.map((one) => `${scheme}: ${one}`));
  }
  await page.scheme('light', 'print');
  await page.size(PAPER.width, PAPER.height);
  const cut = await page.evaluate<readonly string[]>(CUT);
  const sheets = await sheetsOf(page);
  await page.scheme('light');
  await page.size(1000, 900);
  const bound = await page.show(`${url}/policy`);
  const wordsWithPolicy = await page.texts();
  const isSame = words.join('\n') === wordsWithPolicy.join('\n');
  const result = {
    name,
    bytes: Buffer.byteLength(text),
    words: words.length,
    requests: [free.requests.length - 1, bound.requests.length - 1],
    // The policy must refuse the style of the page and nothing else.
    refused: [...new Set([...free.refused, ...bound.refused])],
    sameWords: isSame,
    axe: findings,
    cut,
    sheets,
  };
  const onlyStyle = result.refused.every((directive) => directive.startsWith('style-src'));
  const isOne = result.requests.every((count) => count === 0);
  return {
    ...result,
    isGood:
      isSame &&
      words.length > 20 &&
      findings.length === 0 &&
      cut.length === 0 &&
      onlyStyle &&
      isOne,
  };
}

async function sheetsOf(page: Page): Promise<number> {
  const pdf = await page.pdf();
  if (kept !== undefined) writeFileSync(join(folder, `${Date.now()}.pdf`), pdf);
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

async function pictures(page: Page, origin: string): Promise<void> {
  for (const [file, name, scheme, path] of [
    ['report.png', 'import', 'light', ''],
    ['report-dark.png', 'import', 'dark', ''],
    ['report-orders.png', 'orders', 'light', ''],
  ] as const) {
    if (!pages.has(name)) continue;
    await page.size(900, 1200);
    await page.scheme(scheme);
    await page.show(`${origin}/${name}/${path}`);
    const { cssContentSize } = await page.send<{
      readonly cssContentSize: { readonly height: number };
    }>('Page.getLayoutMetrics');
    await page.size(
      900,
      kept === undefined ? 1200 : Math.min(Math.ceil(cssContentSize.height), 6000),
    );
    writeFileSync(join(kept ?? PICTURES, file), await page.picture());
  }
}
