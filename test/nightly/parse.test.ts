import '../unit/cli/parse.test.ts';
