import '../pty/narrow.test.ts';
