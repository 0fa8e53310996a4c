// Bundles src/ into CommonJS chunks in dist/: one for main, one per lazy import, and one file for
// shell completion. Does not minify, so that stack traces stay readable.
// Optional argument: the output folder (default dist/).
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = resolve(process.argv[2] ?? `${root}/dist`);
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

/**
 * Parts of libraries that proc never uses, but that would slow down every start or enlarge the
 * package. E.g. conf needs ajv and semver only for schemas and migrations.
 */
const UNUSED = [
  { from: /conf[\\/]dist/, ids: /^(ajv|ajv\/dist\/2020\.js|ajv-formats|semver)$/ },
  // Of undici, proc uses Pool and EnvHttpProxyAgent. Its main module also loads fetch, WebSocket,
  // mocks, caches and interceptors, which take longer to load than all of proc.
  {
    from: /undici[\\/]index\.js$/,
    ids: /^\.\/lib\/((mock|web|cache|interceptor|handler)\/|global$|dispatcher\/(proxy-agent|balanced-pool|round-robin-pool|retry-agent|h2c-client|dispatcher1-wrapper|socks5-proxy-agent)$)/,
  },
  { from: /undici[\\/]lib[\\/]api/, ids: /^\.\/api-(request|stream|pipeline|upgrade)$/ },
  {
    from: /undici[\\/]lib/,
    // With the experimental parser.
    ids: /client-h2(\.js)?$|\/milo\/|^\.\/socks5-proxy-agent$|^node:(sqlite|http2)$/,
  },
  // inquirer loads every kind of question.
  { from: /@inquirer[\\/]prompts/, ids: /^@inquirer\/(editor|expand|number|rawlist)$/ },
  { from: /commander[\\/]lib/, ids: /^node:child_process$/ },
];

const unused = {
  name: 'leave-out-unused',
  resolveId(id, importer) {
    if (importer === undefined) return null;
    const hit = UNUSED.some((rule) => rule.from.test(importer) && rule.ids.test(id));
    return hit ? `${root}/scripts/unused.cjs` : null;
  },
};

/**
 * The build calls the functions of these modules and bundles their results. So completion and help
 * load no command.
 */
const PRECOMPUTED = new Map();
for (const file of ['src/completion-model.ts', 'src/help-pages.ts', 'src/completion/scripts.ts']) {
  const texts = [];
  for (const [name, give] of Object.entries(await import(`${root}/${file}`))) {
    // As text, because V8 parses JSON faster than it compiles literals.
    const json = JSON.stringify(JSON.stringify(await give()));
    texts.push(`export const ${name} = async () => JSON.parse(${json});`);
  }
  PRECOMPUTED.set(`${root}/${file}`, texts.join('\n'));
}

/**
 * string-width takes 50 ms to create these constants. Only texts beyond ASCII need them, so the
 * bundle creates them on first use.
 */
const LATE = [
  [/^const segmenter = (new Intl\.Segmenter\(\));$/m, 'segmenter', (made) => made],
  [/^const emojiPrefixRegex = \/(.*)\/v;$/m, 'emojiPrefixRegex', regexOf],
];

/**
 * Writes a constructor, because V8 checks a regular expression literal as soon as it parses the
 * file.
 */
function regexOf(source) {
  return `new RegExp(${JSON.stringify(source)}, 'v')`;
}

const late = {
  name: 'late-constants',
  transform(code, id) {
    if (id !== `${root}/node_modules/string-width/index.js`) return null;
    return LATE.reduce((text, [constant, name, expression]) => {
      if (!constant.test(text)) throw new Error(`build: string-width has no constant ${name}`);
      return text
        .replaceAll(`${name}.`, `${name}().`)
        .replace(
          constant,
          (_, value) =>
            `let ${name}Made;\nconst ${name} = () => (${name}Made ??= ${expression(value)});`,
        );
    }, code);
  },
};

const precomputed = {
  name: 'precomputed',
  load: (id) => PRECOMPUTED.get(id) ?? null,
};

/**
 * Few, large chunks, because each required file costs time. Each chunk has what one of these needs:
 * `--version`, all commands, all requests.
 */
const GROUPS = [
  {
    name: 'base',
    priority: 3,
    test: /src[\\/](core[\\/](errors|system|time|wording)|store[\\/]folder|terminal[\\/](sanitise|terminal|write)|output[\\/](render-error|format)|registry)\.ts$/,
  },
  {
    name: 'cli',
    priority: 2,
    test: /commander[\\/]|src[\\/](context|run|program)\.ts$/,
  },
  {
    name: 'request',
    priority: 1,
    // Without zod's JSON Schema, which only `proc schema` and `proc doctor` need.
    test: /zod[\\/](?!v4[\\/]core[\\/](to-json-schema|json-schema))|src[\\/](core[\\/]|http[\\/](?!connection)|nouns[\\/](addresses|items|orders|sectors)[\\/]index|listing[\\/]list-pages|nouns[\\/]shared[\\/][\w-]+\.ts|config[\\/](?!write-config|secret-input)[\w-]+\.ts|output[\\/](output-plan|render|cell)\.ts)/,
  },
  // Commands that send no request do not load it.
  { name: 'connection', priority: 0, test: /undici[\\/]|src[\\/]http[\\/]connection\.ts$/ },
];

// A failed build leaves the last good one: the build writes to a new folder and swaps it in.
const next = `${dist}.${process.pid}`;
const output = [
  ...(await bundled('main', { groups: GROUPS })),
  // Completion must be fast, so it is a single file.
  ...(await bundled('complete', false)),
];
const modules = output.flatMap((chunk) =>
  chunk.type === 'chunk' ? Object.keys(chunk.modules) : [],
);
writeFileSync(`${next}/third-party-licenses.txt`, licences(modules));
rmSync(dist, { recursive: true, force: true });
renameSync(next, dist);

async function bundled(name, codeSplitting) {
  const bundle = await rolldown({
    input: { [name]: `${root}/src/${name}.ts` },
    platform: 'node',
    cwd: root,
    plugins: [unused, late, precomputed],
    checks: { bundlerTimings: false },
    // The oldest supported Node, which has no `using`, for example.
    transform: {
      target: 'node22.19',
      define: {
        __PROC_VERSION__: JSON.stringify(version),
        // This variable would choose the parser that is left out.
        'process.env.UNDICI_USE_MILO': '""',
      },
    },
    onLog(level, log, handler) {
      if (level === 'warn') throw new Error(`build: ${log.message}`);
      handler(level, log);
    },
  });
  const { output } = await bundle.write({
    dir: next,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    comments: false,
    codeSplitting,
  });
  await bundle.close();
  for (const { type, fileName } of output) if (type === 'chunk') escapeFile(`${next}/${fileName}`);
  return output;
}

/**
 * A single character beyond ASCII makes Node decode a file more slowly, and V8 keep it in twice the
 * memory. So the build writes escapes.
 */
function escapeFile(path) {
  // Marks of the files of libraries would be 2 kB of the package.
  const code = readFileSync(path, 'utf8').replace(/^\/\/ node_modules\/\S+\n/gm, '');
  if (/String\.raw`[^`]*[^\x00-\x7f]/.test(code)) throw new Error(`build: raw text in ${path}`);
  const escaped = code.replace(
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(path, escaped);
}

/** The licence texts of all bundled packages and of the sample data of the sandbox. */
function licences(paths) {
  const folders = new Set();
  for (const path of paths) {
    const at = path.lastIndexOf('node_modules/');
    if (at < 0) continue;
    const [first, second] = path.slice(at + 13).split('/');
    folders.add(path.slice(0, at + 13) + (first.startsWith('@') ? `${first}/${second}` : first));
  }
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    return { title: `${name} ${version} (${license})`, text: licenceText(folder) };
  });
  const data = {
    title: 'Sample data of the sandbox',
    text: readFileSync(`${root}/src/sandbox/data/LICENSE`, 'utf8').trim(),
  };
  return [...packages.sort((a, b) => (a.title < b.title ? -1 : 1)), data]
    .map(({ title, text }) => `${title}\n${'-'.repeat(72)}\n${text}\n`)
    .join('\n');
}

/**
 * All licence and notice files of a package. Subfolders count too: they may contain code of other
 * packages.
 */
function licenceText(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((file) => !file.includes('node_modules'))
    .filter(
      (file) =>
        /(^|[\\/])(licen[cs]e|notice|copying)[^\\/]*$/i.test(file) && !/\.[cm]?[jt]s$/.test(file),
    )
    .sort();
  if (files.length === 0) return licenceInReadme(folder);
  return files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim()).join('\n\n');
}

/** Some packages have their licence only in the last section of their page. */
function licenceInReadme(folder) {
  const [, text] = /^#+ *licen[cs]e\n+([\s\S]*permission[\s\S]*)$/im.exec(
    readFileSync(`${folder}/README.md`, 'utf8'),
  ) ?? [undefined, undefined];
  if (text === undefined) throw new Error(`build: ${folder} contains no licence text`);
  return text.trim();
}
