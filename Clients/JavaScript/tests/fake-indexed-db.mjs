// As much of IndexedDB as the storage uses: transactions one after the other, which end when nothing more is asked of them, and whose writes
// are there together or not at all.
const turn = () => new Promise((resolve) => setImmediate(resolve));

class Transaction {
  #values;
  #requests = [];

  constructor(values) {
    this.#values = values;
  }

  objectStore() {
    const request = (operation) => {
      if (!this.#requests) throw new DOMException("The transaction is over", "TransactionInactiveError");
      const made = { operation };
      this.#requests.push(made);
      return made;
    };
    return {
      get: (key) => request((values) => structuredClone(values.get(key))),
      put: (value, key) => {
        const copy = structuredClone(value);
        return request((values) => void values.set(key, copy));
      },
      delete: (key) => request((values) => void values.delete(key)),
      clear: () => request((values) => values.clear()),
    };
  }

  /** Runs to its end, and returns the values after it. `quota` is the highest number of them. */
  async run(quota) {
    const values = new Map(this.#values);
    for (await turn(); this.#requests.length; ) {
      const request = this.#requests.shift();
      request.result = request.operation(values);
      if (values.size > quota) return this.#abort(request, new DOMException("There is no space", "QuotaExceededError"));
      request.onsuccess?.({ target: request });
      // What waits for the result may ask for more.
      await turn();
    }
    this.#requests = null;
    this.oncomplete?.({ target: this });
    return values;
  }

  #abort(request, error) {
    this.#requests = null;
    this.error = null;
    request.error = error;
    request.onerror?.({ target: request });
    this.onerror?.({ target: request });
    this.error = error;
    this.onabort?.({ target: this });
    return this.#values;
  }
}

/** A browser's databases. `values` has those of each database, which a test may change. */
export class FakeIndexedDB {
  values = new Map();
  quota = Infinity;
  #last = Promise.resolve();

  open(name) {
    const request = {};
    setImmediate(() => {
      request.result = { createObjectStore() {}, transaction: () => this.#transaction(name) };
      if (!this.values.has(name)) {
        this.values.set(name, new Map());
        request.onupgradeneeded?.({ target: request });
      }
      request.onsuccess?.({ target: request });
    });
    return request;
  }

  #transaction(name) {
    // Its requests see what the transactions before it have left.
    const values = { get: (key) => this.values.get(name).get(key), [Symbol.iterator]: () => this.values.get(name)[Symbol.iterator]() };
    const transaction = new Transaction(values);
    this.#last = this.#last.then(async () => void this.values.set(name, new Map(await transaction.run(this.quota))));
    return transaction;
  }
}
