import type { OpenStore } from '../../test/contract/store/harness.ts'
import { storeContract } from '../../test/contract/store.ts'
import { memory } from './memory/memory.ts'
import type { Store, StoreTransaction } from './store.ts'
import { transactionAccess } from './transaction-access.ts'

/** Each question is asked in a transaction of its own, and each work is run within one. */
const open: OpenStore = async () => {
  const store = memory()
  const ask = <T>(question: (of: ReturnType<typeof transactionAccess>) => Promise<T>): Promise<T> =>
    store.write((transaction: StoreTransaction) => question(transactionAccess(transaction)))
  async function* listed<T>(
    list: (of: ReturnType<typeof transactionAccess>) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    yield* await ask((of) => all(list(of)))
  }
  const asked: Store = {
    open: (models) => store.open(models),
    close: () => store.close(),
    find: (...given) => ask((of) => of.find(...given)),
    page: (...given) => ask((of) => of.page(...given)),
    count: (...given) => ask((of) => of.count(...given)),
    list: (...given) => listed((of) => of.list(...given)),
    relatedPages: (...given) => listed((of) => of.relatedPages(...given)),
    write: (work) => ask((of) => of.write(work)),
  }
  return { store: asked, dispose: () => asked.close() }
}

const noOutside = 'there is no outside here: every question waits for the works before it'

const noCaller =
  'a transaction that is under way has its caller already: each question here is answered as a whole'

storeContract('a transaction as a store', open, {
  'shows nothing outside before a work has ended': noOutside,
  'sees the pages of its own writes inside a transaction': noOutside,
  'does not begin a write whose caller has left while it waited': noCaller,
  'ends a list whose caller leaves, with the reason of the signal': noCaller,
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
