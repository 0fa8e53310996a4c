import '../e2e/import-ledger.test.ts';
