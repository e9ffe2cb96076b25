import type { Storage } from "./listsync.js";

/**
 * Keeps the copy of one list in an SQLite file, and writes only what has changed. For Node 22.13 or newer, which has node:sqlite; its
 * use throws `unsupported` elsewhere. Programs may share the file: one that is behind does not replace the copy of another one.
 */
export function sqliteStorage(path: string): Storage & { close(): void };
