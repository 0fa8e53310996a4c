import { playPart } from './play.ts';

playPart(4);
