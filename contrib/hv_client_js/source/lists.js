/**
 * A list: awaited, its first page; in `for await`, its items, page after page. Nothing is
 * asked before that.
 */
class ListRequest {
  #ask;
  #params;
  #paging;
  #first;

  constructor(ask, params, paging) {
    this.#ask = ask;
    this.#params = params;
    this.#paging = paging;
  }

  get [Symbol.toStringTag]() {
    return "ListRequest";
  }

  then(onFulfilled, onRejected) {
    this.#first ??= this.#ask(this.#params);
    return this.#first.then(onFulfilled, onRejected);
  }

  catch(onRejected) {
    return this.then(undefined, onRejected);
  }

  finally(onFinally) {
    return this.then().finally(onFinally);
  }

  async *pages() {
    let params = this.#params;
    let page = await this;
    for (;;) {
      yield page;
      const next = this.#paging.by === "cursor" ? byCursor(page) : byPage(page);
      if (next === undefined) return;
      params = { ...params, ...next };
      page = await this.#ask(params);
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) yield* page[this.#paging.items];
  }
}

function byCursor({ cursor, hasMore }) {
  return hasMore ? { after: cursor } : undefined;
}

function byPage({ pagination }) {
  return pagination.hasNext ? { page: pagination.page + 1 } : undefined;
}
