/** Thrown for everything that is refused. */
export class ListSyncError extends Error {
  /**
   * `malformed` (not a document of this protocol, a value that JSON cannot hold, or an address, name or key that is none),
   * `mismatch` (it contradicts itself or the copy), `rewritten` (the server has another history than the copy), `unproven`
   * (the server no longer shows what would prove its history), `unavailable` (may pass), `too-long` (an answer above the
   * byte limit), `running` (another loop over the replica runs), or the kind of the server's problem: `unauthenticated`,
   * `precondition-failed`, `too-old`, `gone`, …
   *
   * With a key also `unsigned`, `false-signature`, `other-key`, `other-list`, `older`, `forked`, and `unsupported` (the
   * platform cannot check signatures). `other-list` also for a storage that keeps another list.
   */
  readonly kind: string;
  /** Of `forked`: the notes of the copy and of the server. They prove that the owner of the key has signed two histories. */
  readonly notes?: readonly [string, string];
  readonly status?: number;
  readonly problem?: Record<string, unknown>;
  /** Of `conflicts`: the first ones, if they are long; `problem.conflict_count` is the number of all. */
  readonly conflicts?: readonly Conflict[];
}

/** A member of an item, or the whole item, that both sides of a merge changed in different ways. */
export interface Conflict {
  readonly id: string;
  readonly kind: "changed" | "inserted" | "removed-by-mine" | "removed-by-theirs";
  /** The JSON Pointer of the member; empty for the whole content. */
  readonly path: string;
  /** The values of the three lists; absent where a list has none. */
  readonly base?: unknown;
  readonly mine?: unknown;
  readonly theirs?: unknown;
}

/**
 * A number that a `number` would round, such as 12345678901234567890 or 1e400. Contents have it in place of the number, so
 * that `{...content, name: "B2"}` keeps each digit. Its values are frozen. `structuredClone` makes another object of it.
 */
export class ExactNumber {
  /** Throws `malformed` unless the text is a JSON number. */
  constructor(text: string);
  /** The number in canonical form. */
  readonly digits: string;
  toString(): string;
  /** The nearest `number`, for calculations. */
  valueOf(): number;
  /** For `JSON.stringify`: every digit where the platform has `JSON.rawJSON`; elsewhere it throws `malformed`. */
  toJSON(): unknown;
}

/** An item of a list. */
export class Item<Content = unknown> {
  constructor(id: string, text: string);
  readonly id: string;
  /** The content as canonical JSON: with every digit of its numbers. */
  readonly text: string;
  /** The content as `readJSON` reads it, when it is first asked for; `writeJSON` makes `text` of it again. */
  readonly content: Content;
}

/** An immutable list of items. A list after a change shares most of its memory with the list before. */
export class Items<Content = unknown> implements Iterable<Item<Content>> {
  static from<Content>(items: Iterable<Item<Content>> & { readonly length: number }): Items<Content>;
  readonly length: number;
  readonly chunks: ReadonlyArray<ReadonlyArray<Item<Content>>>;
  at(index: number): Item<Content> | undefined;
  slice(from?: number, to?: number): Item<Content>[];
  [Symbol.iterator](): Iterator<Item<Content>>;
}

export interface ListState {
  /** The version, a hyphen, and the first 32 digits of the chain. */
  readonly cursor: string;
  readonly version: number;
  readonly count: number;
  /** 64 hex digits, as `root` computes them. */
  readonly root: string;
}

/** A state with the header of its version, which proves that the root belongs to the cursor. Nothing proves `count`. */
export interface ProvenState extends ListState {
  readonly committed_at: string;
  readonly author: string | null;
  readonly message: string | null;
  /** The chain of the version before: 64 hex digits. */
  readonly previous: string;
}

/** A header that was read: with its chain, which was computed from the other members. */
export interface VersionRecord extends ProvenState {
  readonly chain: string;
}

/** Changes between two lists. `from` is an index in the list before, `to` one in the list after. */
export interface Changes<Content = unknown> {
  readonly removed: ReadonlyArray<{ from: number; item: Item<Content> }>;
  readonly moved: ReadonlyArray<{ from: number; to: number; id: string; item: Item<Content> }>;
  readonly inserted: ReadonlyArray<{ to: number; item: Item<Content> }>;
  readonly updated: ReadonlyArray<{ from: number; to: number; before: Item<Content>; item: Item<Content> }>;
}

/** A step from one verified copy to the next. */
export interface Step<Content = unknown> extends Changes<Content> {
  readonly before: Copy<Content>;
  readonly after: Copy<Content>;
}

/** A step of a replica. */
export interface Update<Content = unknown> extends Step<Content> {
  readonly reason: "changes" | "first" | "smaller" | "too-old" | "diverged" | "mismatch";
}

/** Why a copy is trusted. Keys are texts `NAME+ID+BASE64`. */
export interface Signed {
  /** The signed head: a note whose signature by `key` holds. */
  readonly note: string;
  /** The key that the replica was given. */
  readonly given: string;
  /** The key that is trusted now: the given one, or the one that has taken over from it. */
  readonly key: string;
}

/** A verified copy of a list. */
export class Copy<Content = unknown> {
  static readonly empty: Copy<never>;
  /** Throws `mismatch` unless the items have the state's count and root. */
  static of<Content>(state: ListState, items: Items<Content>): Copy<Content>;
  readonly state: ListState;
  readonly items: Items<Content>;
  /** Null without a key. */
  readonly signed: Signed | null;
  /** The step to what a delta document says: changes to this copy, or a whole list. */
  reading(text: string): Step<Content>;
}

export interface ServerOptions {
  token?: string;
  fetch?: typeof fetch;
  /** The most bytes of an answer, uncompressed (256 MiB). */
  byteLimit?: number;
  /** The longest time without any data, beyond the wait that the server is asked for (60); `Infinity` for no limit. */
  idleSeconds?: number;
  /** The longest time for a whole answer, beyond the wait that the server is asked for (600); `Infinity` for no limit. */
  totalSeconds?: number;
}

/** Options of `fetch`, and bounds for this request. */
export interface RequestOptions extends RequestInit {
  /** The wait that the server is asked for. */
  waitSeconds?: number;
  byteLimit?: number;
  totalSeconds?: number;
}

export interface CommitOptions {
  /** The cursor that the author has seen; none for a new list. */
  expected?: string;
  /** In place of `expected`: the cursor of the version that the list was made from. The commit is merged with newer ones. */
  base?: string;
  /** The side that decides conflicts of a merge; none for an error of kind `conflicts`. */
  prefer?: "mine" | "theirs";
  author?: string;
  message?: string;
}

export interface Outcome {
  readonly list: string;
  /**
   * Whose the version is: `committed` by this request (201); `merged` with newer versions by it (201); `repeated` if the same request made it before and its answer was
   * lost; `unchanged` if another author made the same change, or the list was already as requested (200).
   */
  readonly outcome: "committed" | "merged" | "repeated" | "unchanged";
  /** The version that the commit leads to. The list may have newer ones, except after `committed` and `merged`. */
  readonly head: ListState;
  readonly changes?: ChangeCounts;
  /** Of a merge: the two cursors, what each side changed, and the conflicts that the preferred side decided. */
  readonly merge?: {
    readonly base: string;
    readonly into: string;
    readonly mine: MergeSide;
    readonly theirs: MergeSide;
    readonly preferred: "mine" | "theirs" | null;
    readonly conflict_count: number;
    readonly conflicts: readonly Conflict[];
  };
}

export interface ChangeCounts {
  readonly removed: number;
  readonly moved: number;
  readonly inserted: number;
  readonly updated: number;
}

/** What one side of a merge changed in the base; `ids` are the first ones unless they are complete. */
export interface MergeSide {
  readonly changes: ChangeCounts;
  readonly ids: readonly string[];
  readonly complete: boolean;
}

/** A server, with the token that each request sends. */
export class Server {
  /** Throws `malformed` for what is no address of a server. In a page it may be relative, as for `fetch`. */
  constructor(url: string | URL, options?: ServerOptions);
  /** The body of the response ends with an error of kind `too-long` or `unavailable` at its bounds. */
  request(path: string, options?: RequestOptions): Promise<Response>;
  /** The value of a JSON answer, as `readJSON` reads it. */
  json(path: string, options?: RequestOptions): Promise<any>;
  /** The heads of a list, or of all lists: the present ones, then each new one. */
  heads(list?: string, options?: { signal?: AbortSignal; onOpen?: () => void }): AsyncIterable<ListState & { list: string; oldest: number }>;
  commit(list: string, contents: Iterable<unknown>, options?: CommitOptions): Promise<Outcome>;
}

/** The state of a saved copy, which says of which list it is. */
export interface SavedState extends ListState {
  readonly list: string;
}

/** Keeps the copy of one list between two runs. */
export interface Storage {
  /** What was saved. A replica of another list ends with `other-list`; a state without a list counts as none. */
  load(): Promise<{ state: SavedState; items: ReadonlyArray<[id: string, text: string]>; signed?: Signed | null } | null>;
  /**
   * Must keep `state`, `items` and `signed` together, or not at all. Where several replicas share a storage, one that is behind must not
   * replace the copy of another one.
   */
  save(copy: { readonly state: SavedState; readonly items: Items; readonly signed: Signed | null }): Promise<void>;
}

export interface ReplicaOptions extends ServerOptions {
  /** How to wait for news (`poll`); `false` ends the iteration when the copy is up to date. */
  watch?: "poll" | "events" | "changes" | false;
  /**
   * Whether each new list must be proven to follow from the copy (`false`): the replica asks for the headers of the
   * versions between them. The loop throws `rewritten` if they lead elsewhere, `unproven` if the server has pruned them.
   */
  prove?: boolean;
  /**
   * The key of the list's owner, `NAME+ID+BASE64`. The replica then shows and saves only what this key has signed, or the
   * key that has taken over from it.
   */
  key?: string;
  /** How long the server is asked to wait (30). */
  waitSeconds?: number;
  /** The highest number of changes in an answer. */
  limit?: number;
  storage?: Storage;
  /** The wait after the first failure (0.5); it doubles up to `highestSeconds` (60). */
  firstSeconds?: number;
  highestSeconds?: number;
  highestRetryAfterSeconds?: number;
  /** The number of consecutive failures after which the iteration throws (never). */
  tries?: number;
  onStatus?(status: { state: "asking" | "current" | "waiting"; seconds?: number; error?: ListSyncError }): void;
}

/** A copy of a list that follows it. */
export class Replica<Content = unknown> implements AsyncIterable<Update<Content>> {
  /**
   * An address is that of a server, or of the folder of a publication. A `Server` is never a publication. Throws
   * `malformed` for what is no address, or no name of a list.
   */
  constructor(server: Server | string | URL, list: string, options?: ReplicaOptions);
  readonly server: Server;
  readonly list: string;
  readonly copy: Copy<Content>;
  readonly state: ListState;
  readonly items: Items<Content>;
  /** Loads the saved copy, once; the iteration waits for it, too. After a failure, the next call loads it again. */
  start(): Promise<this>;
  stop(): void;
  /**
   * Commits a list on the present copy; throws `precondition-failed` if the list has another version by now. To repeat it after
   * `unavailable`, pass the cursor of the first call as `expected`: the copy may have moved on.
   */
  commit(contents: Iterable<unknown>, options?: CommitOptions): Promise<Outcome>;
  /** One loop at a time: a second one throws `running`. */
  [Symbol.asyncIterator](): AsyncIterator<Update<Content>>;
}

/**
 * Reads a bundle and proves it: the record of each version, with the step that leads to it. What was read is valid only
 * when the iteration has ended.
 */
export function readBundle<Content = unknown>(
  text: string, copy?: Copy<Content>,
): Iterable<Step<Content> & { readonly record: VersionRecord }>;

/** A storage of one list in the browser's IndexedDB. Tabs may share its name: a tab that is behind does not replace the copy of another one. */
export function indexedDBStorage(name: string): Storage;

/** The canonical form of a JSON text; throws `malformed` if it is not one. */
export function canonical(text: string): string;
/** The value of a JSON text, with an `ExactNumber` where a `number` would round; throws `malformed` if it is not one. */
export function readJSON(text: string): any;
/**
 * The canonical JSON text of a value, which may have `ExactNumber` and `bigint`. It is that of `JSON.stringify` otherwise;
 * throws `malformed` for what that would lose or change (`NaN`, half a surrogate pair, holes of an array).
 */
export function writeJSON(value: unknown): string;
/** The root of items in their order, as 64 hex digits. */
export function root(items: Iterable<Item>): string;
/** The changes between two lists, with the fewest moves. */
export function diff<Content>(before: Items<Content>, after: Items<Content>): Changes<Content>;
/** The list after changes; throws `mismatch` unless they fit the list. */
export function apply<Content>(list: Items<Content>, changes: Changes<Content>):
  Changes<Content> & { readonly before: Items<Content>; readonly after: Items<Content> };
/** The chain of a version after the chain of the version before it: 64 hex digits. Throws `malformed` for a time that is none. */
export function chainAfter(
  chain: string, record: Pick<VersionRecord, "version" | "committed_at" | "author" | "message" | "root">,
): string;
