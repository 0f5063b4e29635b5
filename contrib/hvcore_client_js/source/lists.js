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
    const pages = this.#paging.by === "cursor" ? new PagesByCursor() : new OverlappingPages();
    const first = await this;
    let page = first;
    for (;;) {
      const { fresh, next } = pages.take(page, page[this.#paging.items]);
      if (fresh?.length > 0 || page === first) yield { ...page, [this.#paging.items]: fresh };
      if (next === undefined) return;
      page = await this.#ask({ ...this.#params, ...next });
    }
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) yield* page[this.#paging.items];
  }
}

class PagesByCursor {
  take({ cursor, hasMore }, items) {
    return { fresh: items, next: hasMore ? { after: cursor } : undefined };
  }
}

const MAX_PAGE_SIZE = 100;

/**
 * Pages of a list that changes while it is gone through. They are counted from the
 * beginning of the list, so what is deleted before a page moves others out of it. So each
 * page begins with an item that was there before: then nothing is missing between the
 * two. If it has none, an earlier page is asked for.
 */
class OverlappingPages {
  #size;
  #start;
  #passed = 0;
  #total = 0;
  #misses = 0;
  // By what the known items were sorted. One that has moved says nothing of its neighbours.
  #places = new Map();

  take({ pagination: { page, pageSize, total } }, items) {
    this.#size ??= pageSize;
    const before = (page - 1) * pageSize;
    const isStart = before <= (this.#start ??= before);
    if (!isStart && !items.some((item) => this.#places.get(item.id) === placeOf(item))) {
      this.#misses += 1;
      const fallen = Math.max(this.#total - total, 0);
      // An estimate first; if it was too little, soon from the beginning.
      const passed = Math.max(Math.min(before, this.#passed - fallen), 0);
      return { next: this.#goTo(Math.floor(passed / this.#misses)) };
    }
    this.#misses = 0;
    this.#total = total;
    // A list may be wanted from a later page on.
    const fresh = items.filter(({ id }, index) => before + index >= this.#start && !this.#places.has(id));
    for (const item of items) this.#places.set(item.id, placeOf(item));
    return { fresh, next: items.length < pageSize ? undefined : this.#goTo(before + items.length) };
  }

  #goTo(passed) {
    this.#passed = passed;
    const pageSize = pageSizeAt(passed, this.#size);
    return { page: Math.floor(Math.max(passed - 1, 0) / pageSize) + 1, pageSize };
  }
}

/** The size of pages of which one begins shortly before a place, with its last item before. */
function pageSizeAt(passed, wanted) {
  if (passed === 0) return wanted;
  const newItems = (size) => size - 1 - ((passed - 1) % size);
  let best = wanted;
  for (let size = Math.max(Math.floor(wanted / 2), 1); size < wanted; size += 1) {
    if (newItems(size) > newItems(best)) best = size;
  }
  // Of small pages there may be none: then one that is a little larger.
  for (let size = wanted + 1; newItems(best) * 2 < wanted && size <= MAX_PAGE_SIZE; size += 1) best = size;
  return best;
}

function placeOf({ createdAt, name, durationSeconds, status }) {
  return JSON.stringify([createdAt, name, durationSeconds, status]);
}
