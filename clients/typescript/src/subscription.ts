/** Items of a subscription as they come: `for await (const item of subscription)`.
 *
 * The last item is `{ type: "end", reason }`. Leaving the loop early unsubscribes. A lost connection throws
 * `ConnectionClosedError`. Items that nobody reads wait in memory. */
export class Subscription<Item> implements AsyncIterableIterator<Item> {
  /** Its number on the connection. */
  readonly id: number;
  readonly #unsubscribe: () => Promise<void>;
  readonly #hold: (waiting: boolean) => void;
  #queue: Item[] = [];
  #waiting: { resolve: (result: IteratorResult<Item>) => void; reject: (error: Error) => void }[] = [];
  #done = false;
  #failure: Error | undefined;

  /** @internal */
  constructor(id: number, unsubscribe: () => Promise<void>, hold: (waiting: boolean) => void) {
    this.id = id;
    this.#unsubscribe = unsubscribe;
    this.#hold = hold;
  }

  /** @internal */
  push(item: Item, last: boolean): void {
    if (this.#done) return;
    const waiting = this.#waiting.shift();
    if (waiting) {
      this.#hold(false);
      waiting.resolve({ done: false, value: item });
    } else {
      this.#queue.push(item);
    }
    if (last) this.#finish();
  }

  /** @internal */
  fail(error: Error): void {
    if (this.#done) return;
    this.#failure = error;
    this.#done = true;
    for (const waiting of this.#take()) {
      this.#failure = undefined;
      waiting.reject(error);
    }
  }

  next(): Promise<IteratorResult<Item>> {
    if (this.#queue.length > 0) return Promise.resolve({ done: false, value: this.#queue.shift() as Item });
    if (this.#failure) {
      const failure = this.#failure;
      this.#failure = undefined;
      return Promise.reject(failure);
    }
    if (this.#done) return Promise.resolve({ done: true, value: undefined });
    this.#hold(true);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Unsubscribes; what was not read yet is dropped. */
  async return(): Promise<IteratorResult<Item>> {
    this.#queue = [];
    this.#failure = undefined;
    if (!this.#done) {
      this.#finish();
      await this.#unsubscribe();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #finish(): void {
    this.#done = true;
    for (const waiting of this.#take()) waiting.resolve({ done: true, value: undefined });
  }

  #take() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const _ of waiting) this.#hold(false);
    return waiting;
  }
}
