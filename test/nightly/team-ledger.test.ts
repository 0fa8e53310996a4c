import '../e2e/team-ledger.test.ts';
