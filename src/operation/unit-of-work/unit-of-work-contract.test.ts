import type { OpenStore } from '../../contracts/store/harness.ts'
import { storeContract } from '../../contracts/store-contract.ts'
import { memory } from '../../store/memory/memory.ts'
import type { Store } from '../../store/store.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { runUnit } from './run-unit.ts'

/** Runs each call in a transaction of its own. */
const open: OpenStore = async () => {
  const store = memory()
  const unit = { store, observers: [] }
  const inTransaction = <T>(call: (access: StoreTransaction) => Promise<T>): Promise<T> =>
    runUnit(unit, call)
  async function* listInTransaction<T>(
    list: (access: StoreTransaction) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    yield* await inTransaction((access) => toArray(list(access)))
  }
  const transactional: Store = {
    open: (models) => store.open(models),
    close: () => store.close(),
    find: (...args) => inTransaction((access) => access.find(...args)),
    page: (...args) => inTransaction((access) => access.page(...args)),
    count: (...args) => inTransaction((access) => access.count(...args)),
    groups: (...args) => inTransaction((access) => access.groups(...args)),
    list: (...args) => listInTransaction((access) => access.list(...args)),
    relatedPages: (...args) => listInTransaction((access) => access.relatedPages(...args)),
    // An operation in a transaction that is under way.
    write: (work) => runUnit(unit, (access) => access.forOperation(undefined).write(work)),
  }
  return { store: transactional, dispose: () => transactional.close() }
}

const noOutside = 'every read waits for the transactions before it'

const noRecords = 'the store around the transaction keeps the records'

const noLog = 'observers add changes with the transaction of the store'

const noCaller = 'the transaction has its call already, and reads each list as a whole'

storeContract('a transaction as a store', open, {
  'shows nothing outside before a work has ended': noOutside,
  'sees the pages of its own writes inside a transaction': noOutside,
  requestRecords: noRecords,
  changes: noLog,
  'does not begin a write whose caller has left while it waited': noCaller,
  'ends a list whose caller leaves, with the reason of the signal': noCaller,
})

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const array: T[] = []
  for await (const item of items) array.push(item)
  return array
}
