// The reference of the start-up bench: what a GET that prints costs with node:http alone.
import http from 'node:http';

http.get(
  process.env.BENCH_URL,
  { headers: { 'x-api-key': process.env.BENCH_KEY, accept: 'application/json' } },
  (response) => {
    if (response.statusCode !== 200) process.exitCode = 1;
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () =>
      process.stdout.write(`${JSON.stringify(JSON.parse(text), null, 2)}\n`),
    );
  },
);
