import '../e2e/import-stopped.test.ts';
