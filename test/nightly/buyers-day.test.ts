import '../pty/buyers-day.test.ts';
